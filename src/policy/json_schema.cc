#include "interlock/policy/json_schema.h"

#include <utility>

#include "json_schema_program.h"

namespace interlock::policy {

JsonSchema::JsonSchema(std::shared_ptr<const schema::Program> program) : program_(std::move(program)) {}

base::Result<JsonSchema> JsonSchema::Compile(base::JsonValue schema, const SchemaOptions& options) {
  auto program = schema::CompileProgram(schema, options);
  if (!program.ok()) return program.error();
  return JsonSchema(std::move(program.value()));
}

SchemaOutcome JsonSchema::Validate(base::JsonValue instance) const { return Validate(instance, program_->budget); }

SchemaOutcome JsonSchema::Validate(base::JsonValue instance, std::uint64_t budget) const {
  return schema::Run(*program_, instance, budget);
}

SchemaOutcome::Kind JsonSchema::KindOf(base::JsonValue instance) const {
  return schema::KindOf(*program_, instance, program_->budget);
}

SchemaDialect JsonSchema::dialect() const noexcept { return program_->dialect; }

base::Error SchemaOutcome::ToError() const {
  INTERLOCK_CHECK(!valid(), "a valid outcome is no error");
  if (undecided() || violations.empty()) return base::Error(base::ErrorCode::kSchemaBudget);
  const SchemaViolation& first = violations.front();
  return base::Error(base::ErrorCode::kSchemaViolation, "`" + first.instance_pointer + "`: " + first.message);
}

}  // namespace interlock::policy
