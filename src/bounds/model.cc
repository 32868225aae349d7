#include "interlock/bounds/model.h"

#include <cmath>

#include "bytes.h"
#include "interlock/bounds/features.h"

namespace interlock::bounds {

using base::Error;
using base::ErrorCode;
using base::Result;

namespace {
constexpr std::string_view kMagic = "IBM1";
constexpr std::uint32_t kMaxForests = 16;
}  // namespace

std::string BoundsModel::Serialize() const {
  std::string out(kMagic);
  PutFloat(out, escalate);
  PutFloat(out, block);
  PutU32(out, static_cast<std::uint32_t>(forests.forests().size()));
  intent.Serialize(out);
  for (const Forest& forest : forests.forests()) forest.Serialize(out);
  return out;
}

Result<std::shared_ptr<const BoundsModel>> BoundsModel::Parse(std::string_view bytes) {
  ByteReader reader(bytes);
  auto model = std::make_shared<BoundsModel>();
  if (!reader.Expect(kMagic)) return Error(ErrorCode::kInvalidArgument, "not a bounds model");
  model->escalate = reader.Float();
  model->block = reader.Float();
  const std::uint32_t forests = reader.U32();
  if (!reader.ok() || forests > kMaxForests || !std::isfinite(model->escalate) || !(model->block >= model->escalate)) {
    return Error(ErrorCode::kInvalidArgument, "not a bounds model");
  }
  std::string_view rest = reader.rest();
  Result<IntentModel> intent = IntentModel::Parse(rest);
  if (!intent.ok()) return intent.error();
  model->intent = std::move(intent.value());
  std::vector<Forest> read;
  for (std::uint32_t i = 0; i < forests; ++i) {
    Result<Forest> forest = Forest::Parse(rest);
    if (!forest.ok()) return forest.error();
    if (forest.value().feature_count() > kFeatureCount) {
      return Error(ErrorCode::kInvalidArgument, "a forest asks for features of a later version");
    }
    read.push_back(std::move(forest.value()));
  }
  model->forests = ForestSet(std::move(read));
  if (!rest.empty()) return Error(ErrorCode::kInvalidArgument, "bytes after a bounds model");
  return std::shared_ptr<const BoundsModel>(std::move(model));
}

}  // namespace interlock::bounds
