#include "frontends/rest/answer.h"

#include <fmt/format.h>

#include "frontends/quota_fields.h"
#include "json/read.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"

namespace patchbay::frontends {
namespace {

constexpr std::int64_t kInvalidParams = -32602;
constexpr std::int64_t kResourceNotFound = -32002;

int status_of(Code code) {
  // Only a client of a stopping gateway can still read this.
  return code == Code::cancelled ? 503 : info(code).http;
}

int status_of(const mcp::Reply& reply, bool reading) {
  if (reply.why) return status_of(*reply.why);
  const auto code = json::as_int(json::member(reply.body, "code").value_or(""));
  if (code == kResourceNotFound) return 404;
  if (code == kInvalidParams) return reading ? 404 : 400;
  return 502;
}

// The text blocks of a result, one per line.
std::string text_of(std::string_view result) {
  std::string lines;
  json::each_element(json::member(result, "content").value_or("[]"), [&](std::string_view block) {
    const auto text = json::string_member(block, "text");
    if (!text) return;
    if (!lines.empty()) lines += '\n';
    lines += *text;
  });
  return lines;
}

// Reduces a result to one of its members. Results may be large, so the member is not moved in
// memory. REQUIRES: `stored` lies in `result`.
void keep_only(std::string& result, std::string_view stored) {
  const auto begin = static_cast<std::size_t>(stored.data() - result.data());
  result.resize(begin + stored.size());
  result.erase(0, begin);
}

// The call waits for answers to questions of its tool.
RestAnswer question_answer(const mcp::Reply& reply, std::string_view path) {
  RestAnswer answer{.status = 202, .body = "", .event = "input_required"};
  json::Object body(answer.body);
  body.raw("status", "\"input_required\"");
  // Without a state the call is over, and is repeated after the user has done what was requested.
  if (const auto state = json::string_member(reply.body, "requestState")) {
    const std::string link = fmt::format("{}/answers/{}", path, net::percent_encode(*state));
    body.raw("answer_at", json::quote(link));
    answer.fields = fmt::format("Location: {}\r\n", link);
  }
  body.raw("questions", json::member(reply.body, "inputRequests").value_or("{}"));
  body.end();
  return answer;
}

}  // namespace

RestAnswer error_answer(Dialect dialect, int status, const Error& error) {
  RestAnswer answer{.status = status,
                    .body = error_body(dialect, status, error),
                    .fields = retry_field(status, error.data),
                    .event = "error"};
  return answer;
}

RestAnswer error_answer(Dialect dialect, const Error& error) {
  return error_answer(dialect, status_of(error.code), error);
}

net::HttpRefusal rest_refusal(Dialect dialect, int status, std::string_view message) {
  const Code code = status == 413   ? Code::too_large
                    : status == 404 ? Code::not_found
                                    : Code::invalid_request;
  return {net::kJson, error_answer(dialect, status, {code, std::string(message)}).body};
}

RestAnswer failure_answer(Dialect dialect, const mcp::Reply& reply, bool reading) {
  const int status = status_of(reply, reading);
  const auto data = json::member(reply.body, "data").value_or("{}");
  RestAnswer answer{
      .status = status, .body = "", .fields = retry_field(status, data), .event = "error"};
  answer.body =
      dialect == Dialect::mcp
          ? fmt::format(R"({{"error":{}}})", reply.body)
          : plain_error_body(status, json::string_member(reply.body, "message").value_or(""));
  return answer;
}

RestAnswer tool_answer(Dialect dialect, mcp::Reply reply, std::string_view path) {
  if (reply.is_error) return failure_answer(dialect, reply, false);
  if (reply.type == mcp::ResultType::input_required) return question_answer(reply, path);
  if (dialect == Dialect::mcp) return {.body = std::move(reply.body)};
  std::string_view structured;
  std::string_view content;
  bool failed = false;
  json::each_member(reply.body, [&](std::string_view key, std::string_view raw) {
    if (key == "structuredContent") structured = raw;
    if (key == "content") content = raw;
    if (key == "isError") failed = raw == "true";
  });
  RestAnswer answer;
  if (failed) {
    answer.status = reply.why ? status_of(*reply.why) : 422;
    answer.event = "error";
    answer.body = plain_error_body(answer.status, text_of(reply.body));
    answer.body.pop_back();
    answer.body += fmt::format(R"(,"content":{}}})", content.empty() ? "[]" : content);
    return answer;
  }
  if (structured.empty() && content.empty()) {
    answer.body = R"({"content":[]})";
    return answer;
  }
  keep_only(reply.body, structured.empty() ? content : structured);
  answer.body = std::move(reply.body);
  if (structured.empty()) {
    answer.body.insert(0, R"({"content":)");
    answer.body += '}';
  }
  return answer;
}

}  // namespace patchbay::frontends
