// ToolSchemas are what a tool says its arguments and its results look like. They are compiled when
// a call first needs them: most tools of a large catalog are never called.
//
// Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/result.h"
#include "json/schema.h"

namespace patchbay::gateway {

enum class Validation : std::uint8_t {
  off,
  warn,     // What does not fit is logged and goes on.
  enforce,  // What does not fit is refused.
};

struct ValidationSettings {
  Validation arguments = Validation::enforce;
  Validation results = Validation::warn;
  int tasks = 10'000;
};

class ToolSchemas {
 public:
  // `definition` is the raw tool; `name` is what the log calls it.
  ToolSchemas(std::string name, std::string_view definition);

  // Code::invalid_params with the JSON pointer and the reason if the raw arguments do not fit. A
  // schema that cannot be used is logged once and fits everything.
  Result<void> check_arguments(std::string_view arguments) const;

  // Code::upstream_failed if the raw result does not hold what the tool promised. A result that
  // says that the tool failed promises nothing.
  Result<void> check_result(std::string_view result) const;

  bool promises_result() const { return !result_.text.empty(); }

 private:
  struct Lazy {
    std::string text;  // Empty: there is none.
    mutable std::once_flag once = {};
    mutable std::shared_ptr<const json::Schema> schema = {};
  };

  const json::Schema* compiled(const Lazy& lazy, std::string_view what) const;

  const std::string name_;
  Lazy arguments_;
  Lazy result_;
};

}  // namespace patchbay::gateway
