// A Skill is a tool compiled into the gateway: a name, what it is for, the schema of its arguments,
// and a function. The table of them is handed to the builtin upstream by app/.
//
// run() is called on any worker, possibly on several at once; it keeps no state and does not block.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay {

struct Skill {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view input_schema;  // Raw JSON, an object schema.

  // `arguments` is one raw JSON object that has been checked. Yields the text of the answer;
  // an Error's message is shown to the caller as the tool's failure.
  Result<std::string> (*run)(std::string_view arguments);
};

}  // namespace patchbay
