#include "gateway/call/input_requests.h"

#include <fmt/format.h>

#include <charconv>

namespace patchbay::gateway {
namespace {

constexpr std::string_view kBegin = "\"patchbay-";

mcp::Reply nobody() { return mcp::error_reply({Code::cancelled, "the call is over"}); }

}  // namespace

Questions::~Questions() {
  for (auto& [id, question] : waiting_) question.answer(nobody());
}

std::string Questions::add(const void* call, const void* session, Answer answer) {
  std::string id = fmt::format("{}{}-{}\"", kBegin, worker_, next_++);
  waiting_.emplace(id, Question{call, session, std::move(answer)});
  return id;
}

bool Questions::answer(const void* session, std::string_view id, mcp::Reply reply) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end() || found->second.session != session) return false;
  Answer answer = std::move(found->second.answer);
  waiting_.erase(found);
  answer(std::move(reply));
  return true;
}

void Questions::drop(const void* call) {
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    if (at->second.call != call) {
      ++at;
      continue;
    }
    Answer answer = std::move(at->second.answer);
    at = waiting_.erase(at);
    answer(nobody());
  }
}

std::optional<int> worker_of_question(std::string_view id) {
  if (!id.starts_with(kBegin)) return std::nullopt;
  id.remove_prefix(kBegin.size());
  int worker = 0;
  const auto [end, fault] = std::from_chars(id.data(), id.data() + id.size(), worker);
  if (fault != std::errc() || worker < 0 || end == id.data() + id.size() || *end != '-') {
    return std::nullopt;
  }
  return worker;
}

}  // namespace patchbay::gateway
