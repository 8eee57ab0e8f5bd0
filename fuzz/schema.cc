// Fuzzes JSON Schema: a schema on the first line, a value on the others, both from outside. The
// results agree with each other and name an existing location.
#include "json/schema/schema.h"
#include "fuzz/require.h"
#include "json/index.h"
#include "json/read.h"

namespace patchbay::json {
namespace {

using fuzz::require;

// Small enough that inputs which cost all that is allowed are found and are no time-out.
constexpr SchemaLimits kLimits{
    .subschemas = 500,
    .patterns = 5'000,
    .compile = 100'000,
    .regex = {.alphabet = 200'000, .table = 10'000, .table_work = 50'000},
    .value_parts = 10'000,
    .steps = 20'000};

// Follows a pointer that a verdict has named.
bool leads_somewhere(const Index& index, std::string_view pointer) {
  NodeId at = 0;
  while (!pointer.empty()) {
    const auto end = pointer.find('/', 1);
    const auto token =
        unescape_pointer_token(pointer.substr(1, end == std::string_view::npos ? end : end - 1));
    const auto next = token ? index.child(at, *token) : std::nullopt;
    if (!next) return false;
    at = *next;
    pointer = end == std::string_view::npos ? std::string_view() : pointer.substr(end);
  }
  return true;
}

void check_schema(std::string_view schema, std::string_view value, const SchemaOptions& options) {
  const auto compiled = Schema::compile(schema, options);
  if (!compiled) {
    require(!compiled.error().message.empty());
    return;
  }
  const auto verdict = (*compiled)->validate(value);
  const auto all = (*compiled)->violations(value, 10);
  if (!all) {
    require(!verdict);
    return;
  }
  // With more than one to collect more is tried, so the budget may end one of the two earlier.
  if (!verdict && verdict.error().code == Code::too_large) return;
  require(static_cast<bool>(verdict) == all->empty() && all->size() <= 10);
  const auto index = Index::of(value, kLimits.value_parts);
  require(static_cast<bool>(index));
  for (const Violation& one : *all) {
    require(leads_somewhere(*index, one.pointer) && !one.reason.empty() && !one.keyword.empty());
  }
  if (!verdict) require(static_cast<bool>(check(verdict.error().data)));
}

}  // namespace
}  // namespace patchbay::json

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace patchbay::json;
  const std::string_view input = patchbay::fuzz::text_of(data, size);
  const auto line = input.find('\n');
  if (line == std::string_view::npos) return 0;
  for (const Draft draft : {Draft::draft_07, Draft::draft_2020_12}) {
    check_schema(input.substr(0, line), input.substr(line + 1),
                 {.default_draft = draft, .formats = true, .limits = kLimits});
  }
  return 0;
}
