#include "json/schema/schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/schema/compiler.h"
#include "json/schema/validation.h"
#include "json/text.h"

namespace patchbay::json {
namespace {

constexpr std::size_t kStoredValues = 1024;

// The index of a value during validation, in memory that each thread reuses: most values are small.
class ValueIndex {
 public:
  ValueIndex() = default;
  ValueIndex(const ValueIndex&) = delete;
  ValueIndex& operator=(const ValueIndex&) = delete;
  ~ValueIndex() { index_.forget_beyond(kStoredValues); }

  Index& operator*() { return index_; }
  Index* operator->() { return &index_; }

 private:
  static Index& stored() {
    thread_local Index index;
    return index;
  }

  Index& index_ = stored();
};

}  // namespace

Schema::Schema(std::unique_ptr<const SchemaProgram> program) : program_(std::move(program)) {}
Schema::~Schema() = default;

Result<std::shared_ptr<const Schema>> Schema::compile(std::string_view text,
                                                      const SchemaOptions& options) {
  auto program = SchemaCompiler(options).compile(text);
  if (!program) return program.error();
  return std::make_shared<const Schema>(*std::move(program));
}

Result<std::vector<Violation>> Schema::violations(std::string_view value, std::size_t most) const {
  ValueIndex index;
  auto good = index->read(value, program_->limits.value_parts);
  if (!good) return std::move(good).error();
  return SchemaValidation(*program_, *index, std::max<std::size_t>(most, 1)).run();
}

Result<void> Schema::validate(std::string_view value) const {
  const auto found = violations(value, 1);
  if (!found) return found.error();
  if (found->empty()) return ok();
  const Violation& first = found->front();
  return Error{Code::invalid_params,
               fmt::format("{}{}{} ({})", first.pointer, first.pointer.empty() ? "" : ": ",
                           first.reason, first.keyword),
               fmt::format(R"({{"pointer":{},"keyword":{},"reason":{}}})", quote(first.pointer),
                           quote(first.keyword), quote(first.reason))};
}

}  // namespace patchbay::json
