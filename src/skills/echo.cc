#include "skills/echo.h"

#include <limits>

#include "gateway/arguments.h"

namespace patchbay {
namespace {

// The request that carried the text has been bounded already; a copy of it costs no more.
constexpr std::size_t kNoFurtherLimit = std::numeric_limits<std::size_t>::max();

Result<std::string> run(std::string_view arguments) {
  if (auto names = check_argument_names(arguments, {"text"}); !names) return names.error();
  return text_argument(arguments, "text", kNoFurtherLimit);
}

}  // namespace

constinit const Skill kEchoSkill{
    .name = "echo",
    .title = "Echo",
    .description = "Returns the text it is given, unchanged.",
    .input_schema = R"({"type":"object","properties":{)"
                    R"("text":{"type":"string","description":"The text to return."}},)"
                    R"("required":["text"],"additionalProperties":false})",
    .run = run,
};

}  // namespace patchbay
