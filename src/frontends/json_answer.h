// Answers of pages that have JSON: the text of the page with 200, or {"error":…} with the status of
// the error.
//
// On the worker of the exchange.
#pragma once

#include <string>
#include <string_view>

#include "async/task.h"
#include "core/result.h"
#include "net/http/server/exchange.h"

namespace patchbay::frontends {

struct JsonAnswer {
  int status = 200;              // If there is no error.
  std::string_view fields = {};  // Further header lines, each with its CRLF; must be static.
};

Task<void> answer_json(net::HttpExchange& exchange, Result<std::string> text, JsonAnswer how = {});

// The same for a page that waits for its text.
Task<void> answer_json(net::HttpExchange& exchange, Task<std::string> answering,
                       JsonAnswer how = {});

}  // namespace patchbay::frontends
