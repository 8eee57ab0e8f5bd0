#include "mcp_client/proxied_task.h"

#include <fmt/format.h>

#include <utility>

#include "core/discard.h"
#include "gateway/call/make_call.h"
#include "json/read.h"
#include "json/write.h"
#include "mcp/compose.h"
#include "mcp/question.h"

namespace patchbay::upstreams {
namespace {

// Questions that arrive within this time are sent together.
constexpr auto kTogether = std::chrono::milliseconds(10);

}  // namespace

ProxiedTask::ProxiedTask(std::string id, std::string_view capabilities,
                         std::chrono::nanoseconds timeout)
    : id_(std::move(id)),
      capabilities_(capabilities),
      text_(mcp::request(0, "tasks/result", fmt::format("{{\"taskId\":{}}}", json::quote(id_)))),
      call_(
          gateway::make_call({.request = request_,
                              .method = *mcp::find_method("tasks/result", mcp::kNewestSessionBased),
                              .revision = mcp::kNewest,
                              .frontend = "",
                              .caller = nullptr,
                              .client = *this,
                              .deadline = kNever,
                              .capabilities = capabilities_})) {
  auto parsed = mcp::parse(text_, request_);
  discard(parsed, "the text is our own");
  call_.timeout = timeout;
}

ProxiedTask::~ProxiedTask() { end(); }

void ProxiedTask::ask(std::string_view method, std::string_view params, gateway::Answer answer) {
  auto question = mcp::question_for(call_.revision, capabilities_, method, params);
  if (ended_ || !question) {
    answer(mcp::error_reply(ended_ ? Error{Code::cancelled, "nobody waits for the task any more"}
                                   : question.error()));
    return;
  }
  std::string key = fmt::format("{}-{}", method.substr(0, method.find('/')), ++asked_);
  questions_.emplace(std::move(key),
                     Question{std::string(method), *std::move(question), std::move(answer)});
  notify_waiters();
}

Task<void> ProxiedTask::wait_asked(Deadline deadline) {
  if (questions_.empty() && !ended_) {
    OneShot<void> asked;
    waiters_.push_back(&asked);
    auto waited = co_await asked.wait(deadline);
    std::erase(waiters_, &asked);
    if (!waited) co_return waited;
    co_return co_await sleep_until(here().now() + kTogether);
  }
  co_return ok();
}

std::string ProxiedTask::requests() const {
  if (questions_.empty()) return "";
  std::string text;
  {
    json::Object requests(text);
    for (const auto& [key, question] : questions_) {
      requests.key(key);
      json::Object request(text);
      request.raw("method", json::quote(question.method));
      if (!question.params.empty()) request.raw("params", question.params);
    }
  }
  return text;
}

void ProxiedTask::take_answers(std::string_view responses) {
  json::each_member(responses, [&](std::string_view key, std::string_view raw) {
    const auto found = questions_.find(std::string(key));
    if (found == questions_.end() || !raw.starts_with('{')) return;
    auto answer = std::move(found->second.answer);
    questions_.erase(found);
    answer(mcp::result_reply(std::string(raw)));
  });
}

void ProxiedTask::end() {
  ended_ = true;
  for (auto& [key, question] : std::exchange(questions_, {})) {
    question.answer(mcp::error_reply({Code::cancelled, "the task is over"}));
  }
  notify_waiters();
}

void ProxiedTask::notify_waiters() {
  for (auto* const waiter : waiters_) waiter->deliver(ok());
}

}  // namespace patchbay::upstreams
