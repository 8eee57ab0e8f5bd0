#include "frontends/mcp/sse.h"

#include <fmt/format.h>

#include <charconv>

#include "async/hop.h"
#include "core/discard.h"
#include "core/ids.h"
#include "frontends/exchange_share.h"
#include "frontends/exchange_sink.h"
#include "frontends/received_context.h"
#include "gateway/event_stream.h"
#include "json/text.h"
#include "net/http/syntax/accept.h"

namespace patchbay::frontends {
namespace {

constexpr std::string_view kParameter = "sessionId=";

std::string_view session_in(std::string_view query) {
  while (!query.empty()) {
    const auto item = query.substr(0, query.find('&'));
    if (item.starts_with(kParameter)) return item.substr(kParameter.size());
    query.remove_prefix(std::min(item.size() + 1, query.size()));
  }
  return "";
}

// Ids begin with the membership of the node and the number of the worker, in hexadecimal digits.
constexpr std::size_t kRunDigits = 16;
constexpr std::size_t kWorkerDigits = 2;

cluster::Run node_in(std::string_view id) {
  cluster::Run run = 0;
  if (id.size() > kRunDigits) std::from_chars(id.data(), id.data() + kRunDigits, run, 16);
  return run;
}

std::size_t worker_in(std::string_view id, std::size_t none) {
  std::size_t worker = none;
  if (id.size() <= kRunDigits + kWorkerDigits) return none;
  const char* const digits = id.data() + kRunDigits;
  std::from_chars(digits, digits + kWorkerDigits, worker, 16);
  return worker;
}

Task<void> refuse(net::HttpExchange& exchange, int status, std::string_view why,
                  std::string_view fields = "") {
  const std::string text = fmt::format("{{\"error\":{}}}\n", json::quote(why));
  co_return co_await exchange.answer(status, net::kJson, {text}, fields);
}

}  // namespace

// One client: its stream is the output of the channel, its posts are the input.
class McpSse::Client final : transport::Channel, net::Source::Hangup, Stop::Hook, Timer {
 public:
  Client(McpSse& frontend, net::HttpExchange& exchange)
      : frontend_(frontend),
        exchange_(exchange),
        conversation_(frontend.server_, *this, {"mcp-sse", exchange.caller, exchange.peer.ip}) {
    if (exchange.idle.requested()) {
      conversation_.end();
    } else {
      link(exchange.idle);
    }
    exchange.watch_hangup(this);
    set_timer();
  }
  ~Client() override { exchange_.watch_hangup(nullptr); }

  Conversation& conversation() { return conversation_; }
  void receive(std::string_view text, const trace::ReceivedContext& context) {
    if (!listener_) return;
    conversation_.take_context(
        context.empty() ? nullptr : std::make_unique<const trace::OwnedContext>(context));
    listener_->on_message(text, 0);
  }

 private:
  void start(Listener& listener) override { listener_ = &listener; }
  // Answers wait for the client; notifications that it reads too slowly for are dropped.
  Result<void> send(std::string message, const transport::Sending& how) override {
    const std::string frame = gateway::event_frame("", message);
    return how.is_answer ? exchange_.put_answer({frame}) : exchange_.put({frame});
  }
  bool full() const override { return exchange_.full(); }
  Task<void> room() override { return exchange_.room(); }
  void close_sending() override {}
  void close() override {}

  void on_hangup() override { conversation_.end(); }
  void on_stop() override { conversation_.end(); }
  void on_deadline() override {
    if (!still_stands(*exchange_.caller)) return conversation_.end();
    if (exchange_.stalled()) {
      exchange_.cut_off();
      return conversation_.end();
    }
    set_timer();
    if (exchange_.congested()) return;  // A reader with unread data needs no comment.
    auto put = exchange_.put({kSseComment});
    discard(put, "on_hangup() reports a client that has disconnected");
  }
  void set_timer() {
    const auto pause = std::min(frontend_.keep_alive_, exchange_.write_timeout());
    here().timers().set(*this, here().now() + pause);
  }

  McpSse& frontend_;
  net::HttpExchange& exchange_;
  Listener* listener_ = nullptr;
  Conversation conversation_;
};

McpSse::McpSse(int number, gateway::McpServer& server, Shared& shared, NodeForwarding nodes,
               std::chrono::nanoseconds keep_alive)
    : number_(number), server_(server), shared_(shared), nodes_(nodes), keep_alive_(keep_alive) {}

Task<void> McpSse::open(net::HttpExchange& exchange) {
  const auto accept = exchange.request.fields.find("Accept");
  if (accept && !net::has_token(*accept, net::kEventStream) && !net::has_token(*accept, "*/*")) {
    co_return co_await refuse(exchange, 406, "Accept must allow text/event-stream");
  }
  auto share = take_share(ShareOf::streams, exchange);
  if (!share) {
    co_return co_await refuse(exchange, 429, share.error().message, "Retry-After: 1\r\n");
  }
  const std::string id =
      fmt::format("{:016x}{:02x}{}", nodes_.members().run(), number_, random_hex(16));
  exchange.begin_stream();
  exchange.forget_request();
  auto named = exchange.put({"event: endpoint\ndata: /message?", kParameter, id, "\n\n"});
  if (named) {
    Client client(*this, exchange);
    shared_.sessions.fetch_add(1, std::memory_order_relaxed);
    clients_.emplace(id, &client);
    // The stream is the session: when it ends, nobody waits for the calls that are still running.
    auto served = co_await client.conversation().run(std::chrono::nanoseconds(0));
    discard(served, "the session ends however its connection did");
    clients_.erase(id);
    shared_.sessions.fetch_sub(1, std::memory_order_relaxed);
  }
  co_return co_await exchange.end_stream();
}

Task<void> McpSse::post(net::HttpExchange& exchange) {
  if (!net::is_json(exchange.request)) {
    co_return co_await refuse(exchange, 415, "Content-Type must be application/json");
  }
  const std::string id(session_in(exchange.request.query));
  if (id.empty()) co_return co_await refuse(exchange, 400, "the address lacks sessionId");
  auto forwarded = co_await nodes_.forward_to(exchange, node_in(id));
  if (!forwarded) co_return co_await refuse(exchange, 502, forwarded.error().message);
  if (*forwarded) co_return ok();
  const std::size_t worker = worker_in(id, shared_.workers.size());
  Result<bool> found = false;
  if (worker < shared_.workers.size()) {
    McpSse& there = *shared_.workers[worker];
    auto hand_over = [&there, &id, &exchange]() -> Task<bool> {
      co_return there.deliver(id, exchange);
    };
    found = co_await hop<bool>(*shared_.executors[worker], hand_over);
  }
  if (!found || !*found)
    co_return co_await refuse(exchange, 404, "this session is unknown or has ended");
  co_return co_await exchange.answer(202, "text/plain", {"Accepted"});
}

bool McpSse::deliver(const std::string& id, net::HttpExchange& exchange) {
  const auto found = clients_.find(id);
  if (found == clients_.end() || found->second->conversation().caller().id != exchange.caller->id)
    return false;
  found->second->receive(exchange.body, received_context(exchange));
  return true;
}

void McpSse::notify_changed(gateway::CatalogChanges& update) {
  for (const auto& [id, client] : clients_) client->conversation().notify_changed(update);
}

void McpSse::notify_updated(gateway::ResourceUpdate& update) {
  for (const auto& [id, client] : clients_) client->conversation().notify_updated(update);
}

void McpSse::notify_task(const std::string& upstream, const gateway::TaskUpdate& update) {
  for (const auto& [id, client] : clients_) client->conversation().notify_task(upstream, update);
}

}  // namespace patchbay::frontends
