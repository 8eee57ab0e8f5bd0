// ToolSchemas are the schemas of a tool's arguments and results. Each is compiled once, when it is
// first needed: when the catalog is built (gateway/catalog/schema_check.h), or by a call if the
// catalog is too large for that.
//
// Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/result.h"
#include "json/schema/schema.h"

namespace patchbay::gateway {

enum class Validation : std::uint8_t {
  off,
  warn,     // Violations are logged, and the call continues.
  enforce,  // Violations are refused.
};

// What happens to a call whose schema cannot be compiled.
enum class UnusableSchemas : std::uint8_t {
  refuse,
  pass,  // It continues without validation.
};

struct ValidationSettings {
  Validation arguments = Validation::enforce;
  Validation results = Validation::warn;
  int tasks = 10'000;
  UnusableSchemas unusable_schemas = UnusableSchemas::refuse;

  // What is refused in the mode `checked`: only enforcing refuses anything.
  bool refuses_unusable(Validation checked) const {
    return checked == Validation::enforce && unusable_schemas == UnusableSchemas::refuse;
  }
};

class ToolSchemas {
 public:
  // `definition` is the raw tool; `name` is its name in the log.
  ToolSchemas(std::string name, std::string_view definition);

  // Code::invalid_params with the JSON pointer and the reason if the raw arguments violate the
  // schema. If the schema is unusable: Code::upstream_failed with `refuse_unusable`, else no error.
  Result<void> check_arguments(std::string_view arguments, bool refuse_unusable) const;

  // Code::upstream_failed if the raw result violates the output schema. A result that reports a
  // failure of the tool is not checked.
  Result<void> check_result(std::string_view result, bool refuse_unusable) const;

  // Why one of the schemas is unusable; empty if both are usable.
  std::string unusable() const;

  // True if these are the schemas of that raw tool.
  bool are_of(std::string_view definition) const;

  bool promises_result() const { return !result_.text.empty(); }

 private:
  struct Lazy {
    std::string text;  // Empty: there is none.
    mutable std::once_flag once = {};
    mutable std::shared_ptr<const json::Schema> schema = {};
    mutable std::string fault = {};  // Why it is missing although there is a text.
  };

  const json::Schema* compiled(const Lazy& lazy, std::string_view what) const;
  Result<void> unchecked(const Lazy& lazy, std::string_view what, bool refuse) const;

  const std::string name_;
  Lazy arguments_;
  Lazy result_;
};

}  // namespace patchbay::gateway
