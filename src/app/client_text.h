// The variables in the file of another client (`${VAR}`, `${workspaceFolder}`, `{env:VAR}`) in our
// notation, `${env:VAR}`. Values only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::app {

// A value that the client asks its user for: `${input:id}`. Here it is an environment variable, and
// commands ask for it on a terminal.
struct ClientInput {
  std::string id;
  std::string variable;          // The id in capitals: `api-key` is API_KEY.
  std::string description = {};  // May be empty.
  std::string fallback = {};     // The client's default. Empty: none.
  bool password = false;
  std::vector<std::string> options = {};  // Empty: any text.
};

struct ClientVariables {
  std::string workspace;  // The folder of the project.
  std::string home;
  std::vector<ClientInput> inputs = {};
  bool bare_dollar = false;  // `$VAR` is a variable too.
  bool braces = false;       // `{env:VAR}` and `{file:PATH}` are values.
};

struct ClientText {
  std::string text;
  std::vector<std::string> left = {};  // Names in `${…}` that were not translated.
};

// The name of the environment variable for an input.
std::string input_variable(std::string_view id);

// `text` in our notation. With `for_program`, `${name}` in small letters is not translated: it is
// text for a shell rather than a variable of the environment. Fails for an input that is not
// declared.
Result<ClientText> translate_text(std::string_view text, const ClientVariables& variables,
                                  bool for_program);

}  // namespace patchbay::app
