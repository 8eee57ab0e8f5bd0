#include "gateway/parked_calls.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "async/hop.h"
#include "json/read.h"
#include "mcp/capabilities.h"

namespace patchbay::gateway {
namespace {

constexpr std::size_t kMostSeen = 4096;  // The maximum size of capabilities that are cached.

// The beginning of our states. Upstreams also store states with the client, and some upstreams are
// gateways like this one: each recognises its own by its keys.
constexpr std::string_view kMark = "patchbay.";

constexpr std::size_t kRunDigits = 16;

std::string run_text(cluster::Run run) { return fmt::format("{:016x}", run); }

struct State {
  std::string_view run;  // The process that made it.
  int worker = 0;
  std::uint64_t id = 0;
  int round = 0;
  std::int64_t expires = 0;  // Milliseconds since 1970.
};

std::int64_t milliseconds_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::optional<State> read_state(std::string_view text) {
  State state;
  const auto number = [&text](auto& out) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (fault != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with(' ')) text.remove_prefix(1);
    return true;
  };
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  state.run = text.substr(0, space);
  text.remove_prefix(space + 1);
  const bool good =
      number(state.worker) && number(state.id) && number(state.round) && number(state.expires);
  return good && text.empty() ? std::optional(state) : std::nullopt;
}

Error unknown_state() {
  return {Code::invalid_params,
          "this requestState was not made here, has been used, or is for another request"};
}

// The client cannot go on with a call of an earlier process.
Error interrupted() {
  return {Code::invalid_params,
          "this call was interrupted by a restart of the gateway: it may have run, and it is not "
          "continued; to make it again, send the request without requestState and inputResponses",
          R"({"reason":"interrupted"})"};
}

}  // namespace

cluster::Run ParkedCalls::node_of(std::string_view state) {
  if (!state.starts_with(kMark) || state.size() < kMark.size() + kRunDigits) return 0;
  const auto digits = state.substr(kMark.size(), kRunDigits);
  cluster::Run run = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + kRunDigits, run, 16);
  return fault == std::errc() && end == digits.data() + kRunDigits ? run : 0;
}

// The sealed part of a state that a request brings back; empty if it has none of ours.
std::string ParkedCalls::sealed_part(const Call& call) const {
  const auto* const given = call.request.param("requestState");
  auto state = given ? json::as_string(given->raw) : std::nullopt;
  if (!state || !state->starts_with(kMark)) return "";
  if (node_of(*state) == 0) return "";
  // With the node in front, which must be the one that is sealed.
  std::string sealed = state->substr(kMark.size());
  return directory_.keys.knows(policy::Purpose::parked_calls,
                               std::string_view(sealed).substr(kRunDigits))
             ? sealed
             : "";
}

bool ParkedCalls::may_ask(const Call& call) const {
  if (!mcp::info(call.revision).stateless || !call.method.has(mcp::kInputRounds)) return false;
  if (call.request.param("requestState") && !sealed_part(call).empty()) return true;
  if (call.capabilities == "{}") return false;
  return can_be_asked(call);
}

bool ParkedCalls::can_be_asked(const Call& call) const {
  if (call.revision == seen_of_ && call.capabilities == seen_) return seen_can_;
  const auto can = mcp::abilities_of(call.revision, call.capabilities);
  const bool any = can.roots || can.sampling || can.form || can.url;
  if (call.capabilities.size() <= kMostSeen) {
    seen_of_ = call.revision;
    seen_ = call.capabilities;
    seen_can_ = any;
  }
  return any;
}

Task<mcp::Reply> ParkedCalls::answer(Call& call) {
  const std::string sealed = sealed_part(call);
  if (sealed.empty()) {
    // A link continues one call and never begins another.
    if (call.linked && call.request.param("requestState")) co_return unknown_state();
    co_return co_await begin(call);
  }
  auto opened = directory_.keys.open(policy::Purpose::parked_calls, sealed.substr(kRunDigits),
                                     essence_of(call));
  const auto state = opened ? read_state(*opened) : std::nullopt;
  if (!state || !sealed.starts_with(state->run) || milliseconds_now() > state->expires) {
    co_return unknown_state();
  }
  if (state->run != run_text(directory_.members.run())) co_return interrupted();
  if (state->worker < 0 || static_cast<std::size_t>(state->worker) >= directory_.workers.size()) {
    co_return unknown_state();
  }
  const auto worker = static_cast<std::size_t>(state->worker);
  auto there = [&owner = *directory_.workers[worker], &call, &state] {
    return owner.go_on(call, state->id, state->round);
  };
  const Recorder& recorder = pipeline_.recorder();
  const Deadline began = here().now();
  recorder.begin(call);
  auto reply = co_await hop<mcp::Reply>(*directory_.executors[worker], there);
  const mcp::Reply sent = reply ? *reply : mcp::error_reply(reply.error());
  recorder.end(call, sent, recorder.end_of(call, sent, began));
  co_return reply;
}

Task<mcp::Reply> ParkedCalls::begin(Call& call) {
  Owner& owner = *this;
  const auto made = std::make_shared<ParkedCall>(owner, next_id_++, call);
  calls_.emplace(made->id(), made);
  scope_.spawn(run(made));
  auto reply = co_await made->wait(call);
  if (made->over()) calls_.erase(made->id());
  co_return reply;
}

Task<mcp::Reply> ParkedCalls::go_on(Call& call, std::uint64_t id, int round) {
  const auto found = calls_.find(id);
  if (found == calls_.end() || found->second->round() != round || found->second->busy()) {
    co_return unknown_state();
  }
  const auto known = found->second;
  // The call has its own record; that of this request links to it.
  call.trace.link_to(known->call().trace.context());
  call.upstream = known->call().upstream;
  call.target = known->call().target;
  known->take_answers(call);
  auto reply = co_await known->wait(call);
  if (known->over()) calls_.erase(id);
  co_return reply;
}

Task<void> ParkedCalls::run(std::shared_ptr<ParkedCall> call) {
  co_return co_await call->run(pipeline_);
}

// Later, because the call is handling a timer of its own.
void ParkedCalls::on_expired(std::uint64_t id) {
  here().post([this, id] { calls_.erase(id); });
}

std::string ParkedCalls::state_of(const ParkedCall& call) const {
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(call.call().timeout);
  const std::string run = run_text(directory_.members.run());
  const std::string plain = fmt::format("{} {} {} {} {}", run, number_, call.id(), call.round(),
                                        milliseconds_now() + wait.count());
  // The node is also in clear text, so that the others know where to pass it on to.
  return std::string(kMark) + run +
         directory_.keys.seal(policy::Purpose::parked_calls, plain, essence_of(call.call()));
}

Task<void> ParkedCalls::stop() {
  for (const auto& [id, call] : calls_) call->give_up();
  auto drained = co_await scope_.drain(kNever);
  calls_.clear();
  co_return drained;
}

}  // namespace patchbay::gateway
