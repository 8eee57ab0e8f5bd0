#include "frontends/admin/live_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "frontends/admin/admin.h"
#include "frontends/admin/call_json.h"
#include "frontends/content_types.h"
#include "frontends/error_body.h"
#include "frontends/exchange_share.h"
#include "frontends/exchange_sink.h"
#include "gateway/call/call_record.h"
#include "net/http/syntax/percent.h"

namespace patchbay::frontends {
namespace {

constexpr auto kTurn = std::chrono::milliseconds(250);
constexpr std::size_t kTurnsPerSecond = std::chrono::seconds(1) / kTurn;
constexpr std::size_t kMostAtOnce = 32 << 10;  // Bytes of events in one write, about.
constexpr auto kKeepAlive = std::chrono::seconds(15);
constexpr std::string_view kLimitedBy = R"(,"setting":"limits.max_live_calls_per_second")";
constexpr std::string_view kNoEventStream = "{\"error\":\"Accept must allow text/event-stream\"}\n";
constexpr std::string_view kLiveParameters =
    "tool, upstream, caller, client, method, outcome, trace, slower_than";

}  // namespace

std::size_t LiveCalls::most_per_turn() const {
  return std::max<std::size_t>(1, shared_.live_calls_per_second / kTurnsPerSecond);
}

Result<CallFilter> LiveCalls::filter_of(const net::HttpExchange& exchange) const {
  auto query = net::parse_query(exchange.request.query);
  if (!query) return query.error();
  auto filter = take_filter(*query);
  if (!filter) return filter;
  auto taken = check_taken(*query, kLiveParameters);
  if (!taken) return taken.error();
  return filter;
}

// Each reader costs the worker a look at every call.
Result<CallFilter> LiveCalls::enter(const net::HttpExchange& exchange, Entered& entered) const {
  auto filter = filter_of(exchange);
  if (!filter) return filter;
  auto share = take_share(ShareOf::streams, exchange);
  if (!share) return share.error();
  const Principal& caller = *exchange.caller;
  auto slot = shared_.live_streams.take(caller.id, is_admin(caller, catalog_));
  if (!slot) return slot.error();
  entered = {*std::move(share), *std::move(slot)};
  return filter;
}

Task<void> LiveCalls::handle(net::HttpExchange& exchange) {
  Entered entered;
  auto filter = enter(exchange, entered);
  if (!filter) {
    const Error& why = filter.error();
    const bool later = why.code == Code::rate_limited || why.code == Code::overloaded;
    const std::string error = error_json(why.message);
    co_return co_await exchange.answer(info(why.code).http, kJsonUtf8, {error},
                                       later ? "Retry-After: 5\r\n" : "");
  }
  if (!accepts(exchange.request, net::kEventStream)) {
    co_return co_await exchange.answer(406, kJsonUtf8, {kNoEventStream});
  }
  co_return co_await serve(exchange, *std::move(filter));
}

Task<void> LiveCalls::serve(net::HttpExchange& exchange, CallFilter filter) {
  const std::string last(exchange.request.fields.find("Last-Event-ID").value_or(""));
  exchange.begin_stream();
  exchange.forget_request();
  auto sink = std::make_shared<ExchangeSink>(exchange);
  const StreamGuard guard(exchange, *sink);
  Reader reader{exchange, *sink, std::move(filter)};
  update_access(reader);
  sink->on_event(kSseComment, gateway::EventKind::notification);  // The head is sent at once.
  // What the new reader gets now ends where the next turn begins.
  if (readers_.empty()) {
    at_ = histories_.end();
  } else if (!last.empty()) {
    send_new_calls();
  }
  if (!last.empty()) resume(reader, last);
  readers_.push_back(&reader);
  if (!set()) here().timers().set(*this, here().now() + kTurn);
  auto stayed = co_await sink->stay_open(kKeepAlive);
  std::erase(readers_, &reader);
  if (readers_.empty()) drop();
  sink->disconnect();
  if (!stayed) co_return stayed;
  co_return co_await exchange.end_stream();
}

// Rules and roles may change while somebody reads.
void LiveCalls::update_access(Reader& reader) const {
  const Principal& caller = *reader.exchange.caller;
  reader.sees_all = is_admin(caller, catalog_);
  reader.filter.owner =
      reader.sees_all ? std::nullopt : std::optional(gateway::recorded_id(caller));
}

// What has finished since the last event that the client has received, up to what the other readers
// have.
void LiveCalls::resume(Reader& reader, std::string_view last_event) const {
  const auto from = histories_.parse(last_event);
  if (!from) return;  // Of an earlier process.
  const auto wanted = [&](const trace::CallRecord& call) { return reader.filter.wants(call); };
  const auto found = histories_.between(*from, at_, most_per_turn(), wanted);
  std::vector<std::string> texts;
  for (const auto& call : found.calls) texts.push_back(call_json(call.record()));
  reader.matched = texts.size();
  send(reader, {found, texts});
}

void LiveCalls::on_deadline() {
  here().timers().set(*this, here().now() + kTurn);
  send_new_calls();
}

void LiveCalls::send_new_calls() {
  for (Reader* const reader : readers_) {
    update_access(*reader);
    reader->matched = 0;
  }
  // Each reader gets its share of a turn, whatever the others request.
  const auto wanted = [this, most = most_per_turn()](const trace::CallRecord& call) {
    bool any = false;
    for (Reader* const reader : readers_) {
      if (reader->filter.wants(call) && ++reader->matched <= most) any = true;
    }
    return any;
  };
  const auto found = histories_.since(at_, std::numeric_limits<std::size_t>::max(), wanted);
  at_ = found.next;
  std::vector<std::string> texts;
  for (const auto& call : found.calls) texts.push_back(call_json(call.record()));
  // A reader that is too slow ends, and is removed when its coroutine runs.
  for (Reader* const reader : readers_) send(*reader, {found, texts});
}

void LiveCalls::send(Reader& reader, const Batch& batch) const {
  // Only admins learn how much others call.
  if (reader.sees_all) reader.dropped += batch.found.missed;
  const std::size_t most = most_per_turn();
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < batch.texts.size() && wanted.size() < most; ++i) {
    if (reader.filter.wants(batch.found.calls[i].record())) wanted.push_back(i);
  }
  reader.limited |= reader.matched > wanted.size();
  reader.dropped += reader.matched - std::min<std::uint64_t>(reader.matched, wanted.size());
  // Each write costs the kernel more than what is in it, so there are few.
  std::string frames;
  const auto write = [&] {
    if (!frames.empty()) reader.sink.on_event(frames, gateway::EventKind::notification);
    frames.clear();
  };
  for (const std::size_t i : wanted) {
    if (reader.sink.ended() || reader.exchange.congested(frames.size() + batch.texts[i].size())) {
      ++reader.dropped;
      continue;
    }
    // The position is after the whole batch, so only its last event has it.
    const std::string id = i == wanted.back() ? histories_.to_text(batch.found.next) : "";
    frames += gateway::event_frame(id, batch.texts[i], "call");
    if (frames.size() >= kMostAtOnce) write();
  }
  write();
  if (reader.dropped == 0 || reader.sink.ended() || reader.exchange.congested()) return;
  const std::string count = fmt::format(R"({{"calls":{}{}}})", std::exchange(reader.dropped, 0),
                                        std::exchange(reader.limited, false) ? kLimitedBy : "");
  reader.sink.on_event(gateway::event_frame("", count, "dropped"),
                       gateway::EventKind::notification);
}

}  // namespace patchbay::frontends
