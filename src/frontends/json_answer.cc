#include "frontends/json_answer.h"

#include "frontends/content_types.h"
#include "frontends/error_body.h"

namespace patchbay::frontends {

Task<void> answer_json(net::HttpExchange& exchange, Result<std::string> text, JsonAnswer how) {
  if (text) co_return co_await exchange.answer(how.status, kJsonUtf8, {*text, "\n"}, how.fields);
  const Error& why = text.error();
  const std::string error = error_json(why.message);
  co_return co_await exchange.answer(info(why.code).http, kJsonUtf8, {error});
}

Task<void> answer_json(net::HttpExchange& exchange, Task<std::string> answering, JsonAnswer how) {
  auto text = co_await answering;
  auto answered = answer_json(exchange, std::move(text), how);
  co_return co_await answered;
}

}  // namespace patchbay::frontends
