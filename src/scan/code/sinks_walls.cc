// Calls and statements by which what keeps an estate safe is taken down (walls.h), and what a whole program no longer
// asks of whoever answers it.
#include "code/engine.h"
#include "code/engine_words.h"
#include "code/open_settings.h"
#include "code/sink_words.h"
#include "code/walls.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

constexpr std::size_t kMostOfWallCall = 800;     // bytes of a call that are looked at
constexpr std::size_t kLongestStatement = 2000;  // bytes

bool SpeaksToBase(std::string_view last) {
  return SaysOneOf(last, {"execute", "query", "exec", "executescript", "executemany", "raw", "run", "text", "sql",
                          "unsafe", "$executeRawUnsafe", "$queryRawUnsafe", "Exec", "ExecContext", "Query"});
}

}  // namespace

// {permissions: "write-all", secrets: "inherit", uses: "x/y/.github/workflows/z.yml@main"}: a job that is written into
// somebody's pipeline, with all rights and secrets of it.
void Engine::JudgeJob(ExprId dict) {
  if (!last_) return;
  const auto said = [&](const Arg& field) { return view().Text(field.value, function_); };
  bool rights = false;
  bool secrets = false;
  bool moving = false;
  for (const Arg& field : code().ArgsOf(code().exprs[dict])) {
    rights = rights || (field.name == "permissions" && said(field) == "write-all");
    secrets = secrets || (field.name == "secrets" && said(field) == "inherit");
    if (field.name != "uses") continue;
    const std::string& uses = said(field);
    moving = uses.ends_with("@main") || uses.ends_with("@master");
  }
  if (!(rights && secrets) && !(moving && secrets)) return;
  if (!AnyOf(code().text, {"pull_request_target", "workflow_run", "issue_comment"})) return;
  Raise("GRANT-002", dict, {}, 0, "writes a job that strangers start, with all secrets of the repository", 0.9);
}

void Engine::JudgeWall(const Call& call) {
  const Wall* wall = nullptr;
  if (SpeaksToBase(call.last) && !call.args.empty()) {
    for (const Arg& arg : call.args) {
      const std::string& text = view().Text(arg.value, function_);
      if (text.size() < 16 || text.size() > kLongestStatement) continue;
      wall = WallOfStatement(LowerCase(text));
      break;
    }
  } else if (MayTakeDownBy(call.last)) {
    // Its own text, what is known of what it is given, and the tables that lie elsewhere.
    std::string said(TextAt(code().exprs[call.expr].loc).substr(0, kMostOfWallCall));
    for (const Arg& arg : call.args) {
      if (arg.value >= code().exprs.size()) continue;
      if (code().exprs[arg.value].kind == ExprKind::kString) continue;
      const ExprId made = view().Origin(arg.value, function_);
      if (made < code().exprs.size() && made != arg.value && code().exprs[made].kind == ExprKind::kDict)
        said.append(",").append(TextAt(code().exprs[made].loc).substr(0, kMostOfWallCall));
      if (const std::string known = Known(arg.value); !known.empty())
        said.append(",").append(arg.name).append("=") += known;
    }
    wall = WallOfCall(call.last, Bare(LowerCase(said)));
  }
  if (wall == nullptr) return;
  const std::size_t before = hits_.size();
  Raise(wall->ruins ? "DESTROY-002" : "GRANT-003", call.expr, {}, 0,
        std::string(wall->what) + ", by `" + std::string(call.last) + "`", wall->scale);
  if (hits_.size() > before) hits_.back().finding.subject = wall->key;
}

}  // namespace interlock::scan::code
