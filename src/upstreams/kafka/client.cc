#include "upstreams/kafka/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bus/correlation.h"
#include "core/ids.h"
#include "gateway/call/clock.h"
#include "gateway/call/trace_context.h"
#include "json/read.h"
#include "mcp/uri_template.h"
#include "observe/log.h"
#include "upstreams/kafka/reply.h"
#include "upstreams/kafka/reply_value.h"

namespace patchbay::upstreams {
namespace {

constexpr int kMostQuestions = 16;     // Maximum for one call.
constexpr std::uint64_t kSuccess = 1;  // The lowest bit of a tag.
constexpr int kClientShift = 56;       // The position of the client's number in a tag.
// Replies of our own agents contain MCP results.
constexpr char kResultHeader[] = "patchbay-result";

// A random UUID; its last byte is the number of the client.
std::string new_id(int client) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id = random_uuid();
  id[kUuidSize - 2] = kDigits[static_cast<std::size_t>(client) / 16];
  id[kUuidSize - 1] = kDigits[static_cast<std::size_t>(client) % 16];
  return id;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

Error no_broker() { return {Code::unavailable, "no broker of the bus can be reached"}; }

}  // namespace

KafkaCounters::KafkaCounters(metrics::Registry& registry, std::string_view upstream) {
  const auto dropped = [&](std::string_view why) {
    return registry.counter("patchbay_bus_replies_dropped_total",
                            "Replies on the bus that answered no call in progress.",
                            metrics::labels({{"upstream", upstream}, {"why", why}}));
  };
  late = dropped("late");
  duplicate = dropped("duplicate");
  foreign = dropped("foreign");
  misplaced = dropped("misplaced");
  unreadable = dropped("unreadable");
  surplus = dropped("surplus");
  in_flight =
      registry.gauge("patchbay_upstream_calls_in_flight", "Calls that an upstream is working on.",
                     metrics::labels({{"upstream", upstream}}));
}

KafkaOffers::Offer KafkaOffers::find_resource(std::string_view uri) const {
  if (const auto found = resources.find(uri); found != resources.end()) return found->second;
  for (const auto& offer : templates) {
    if (mcp::matches_template(offer->registration.url, uri)) return offer;
  }
  return nullptr;
}

class KafkaClient::Exchange {
 public:
  Exchange(KafkaClient& client, std::shared_ptr<const KafkaOffer> offer, Stop* caller)
      : client_(client),
        offer_(std::move(offer)),
        id_(new_id(client.number_)),
        running_(client.running_, caller) {
    client_.calls_[id_] = this;
    client_.shared_.counters.in_flight->add(1);
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() {
    for (int i = 0; i < sent_; ++i) {
      client_.requests_.erase(tags_[static_cast<std::size_t>(i)]);
    }
    client_.calls_.erase(id_);
    client_.over_.add(id_, answered_);
    if (answered_) client_.shared_.counters.duplicate->add(waiting());
    client_.shared_.counters.in_flight->add(-1);
  }

  const KafkaOffer& offer() const { return *offer_; }
  const std::string& id() const { return id_; }
  Stop& stop() { return running_.stop(); }
  void set_answered() { answered_ = true; }

  // Sends the next request of the call, at the latest at the end of the turn, as one more attempt.
  Result<void> send(const gateway::Call& call, std::string_view arguments) {
    auto key = request_key(*offer_, id());
    if (!key) return key.error();
    auto value = request_value(*offer_, arguments, id(), sent_);
    if (!value) return value.error();
    key_ = *std::move(key);
    value_ = *std::move(value);
    call.trace.begin_attempt();
    context_ = call.trace.for_upstream();
    if (call.trace.is_traced()) {
      call.trace.set_target({.to = offer_->registration.request_topic, .conversation = id()});
    }
    const auto tag = client_.next_tag(false);
    tags_[static_cast<std::size_t>(sent_++)] = tag;
    client_.requests_[tag] = this;
    if (client_.shared_.producer.gathers()) {
      hand_over(tag);
      return ok();
    }
    client_.outbox_.push_back(tag);
    client_.loop_.at_turn_end(client_);
    return ok();
  }

  // Hands the request to the producer.
  void hand_over(std::uint64_t tag) {
    std::array<bus::Header, 4> headers{{{bus::kCorrelationHeader, id()}}};
    std::size_t count = 1;
    for (const bus::Header& header : {bus::Header{"traceparent", context_.traceparent()},
                                      bus::Header{"tracestate", context_.tracestate()},
                                      bus::Header{"baggage", context_.baggage()}}) {
      if (!header.value.empty()) headers[count++] = header;
    }
    const std::span<const bus::Header> used(headers.data(), count);
    auto sent = client_.shared_.producer.send(
        {offer_->registration.request_topic, key_, value_, used}, tag);
    if (!sent) fail(sent.error());
  }

  void take(bus::Record record) {
    if (waiting() >= static_cast<std::size_t>(client_.shared_.plan.settings.limits.replies)) {
      client_.shared_.counters.surplus->add();
      return;
    }
    inbox_.push_back(std::move(record));
    update_.deliver(ok());
  }

  void fail(const Error& why) {
    failed_ = why;
    update_.deliver(ok());
  }

  // Waits for a reply or a failure, if neither is known already.
  OneShot<void>::Wait update(Deadline deadline) {
    if (waiting() == 0 && !failed_) update_.reset();
    return update_.wait(deadline);
  }

  // The next reply; `waited` is the result of waiting for it. Code::timeout: the agent did not
  // answer in time.
  Result<bus::Record> next(const Result<void>& waited) {
    if (waiting() == 0) return waited ? *failed_ : waited.error();
    bus::Record record = std::move(inbox_[taken_++]);
    if (waiting() == 0) {
      inbox_.clear();
      taken_ = 0;
    }
    return record;
  }

 private:
  std::size_t waiting() const { return inbox_.size() - taken_; }

  KafkaClient& client_;
  const std::shared_ptr<const KafkaOffer> offer_;
  const std::string id_;
  ClientCalls::Call running_;
  std::array<std::uint64_t, 1 + kMostQuestions> tags_{};  // Tags of requests,
  int sent_ = 0;                                          // and their number.
  std::string key_;                                       // The key of the latest request,
  std::string value_;                                     // its content,
  trace::SentContext context_;                            // and its trace context.
  std::vector<bus::Record> inbox_;                        // Replies,
  std::size_t taken_ = 0;                                 // and how many have been taken.
  std::optional<Error> failed_;
  OneShot<void> update_;
  bool answered_ = false;
};

struct KafkaClient::Sending {
  OneShot<bus::RecordMetadata> outcome;
};

std::size_t KafkaClient::client_of(std::string_view id) {
  if (id.size() != kUuidSize) return std::string_view::npos;
  const int high = hex_digit(id[kUuidSize - 2]);
  const int low = hex_digit(id[kUuidSize - 1]);
  if (high < 0 || low < 0) return std::string_view::npos;
  return static_cast<std::size_t>(high * 16 + low);
}

std::size_t KafkaClient::client_of(std::uint64_t tag) { return tag >> kClientShift; }
bool KafkaClient::wants_success(std::uint64_t tag) { return (tag & kSuccess) != 0; }

std::uint64_t KafkaClient::next_tag(bool wants_success) {
  return static_cast<std::uint64_t>(number_) << kClientShift | ++tags_ << 1 |
         (wants_success ? kSuccess : 0);
}

void KafkaClient::take(std::vector<KafkaArrival> replies) {
  const auto& counters = shared_.counters;
  for (auto& [id, record] : replies) {
    if (const auto call = calls_.find(id); call != calls_.end()) {
      Exchange& exchange = *call->second;
      // Anyone who can read the topic sees the id. Brokers control who may write to a topic, so
      // only a record in the agent's own reply topic is accepted as its reply.
      if (record.topic() == exchange.offer().registration.response_topic) {
        exchange.take(std::move(record));
        continue;
      }
      counters.misplaced->add();
      log::Line(log::Level::warn, "misplaced reply")
          .add("upstream", shared_.plan.name)
          .add("tool", exchange.offer().registration.name)
          .add("topic", record.topic())
          .add("correlation_id", id);
      continue;
    }
    const auto answered = over_.answered(id);
    if (!answered) {
      counters.foreign->add();
      continue;
    }
    (*answered ? counters.duplicate : counters.late)->add();
    log::Line(log::Level::debug, *answered ? "duplicate reply" : "late reply")
        .add("upstream", shared_.plan.name)
        .add("correlation_id", id);
  }
}

void KafkaClient::delivered(std::uint64_t tag, const Result<bus::RecordMetadata>& outcome) {
  if (const auto found = sending_.find(tag); found != sending_.end()) {
    found->second->outcome.deliver(outcome);
  } else if (const auto call = requests_.find(tag); call != requests_.end() && !outcome) {
    call->second->fail(outcome.error());
  }
}

void KafkaClient::on_turn_end() {
  for (const auto tag : std::exchange(outbox_, {})) {
    // A call that was cancelled within the turn sends nothing.
    if (const auto call = requests_.find(tag); call != requests_.end())
      call->second->hand_over(tag);
  }
}

Task<bus::RecordMetadata> KafkaClient::send(const bus::Outgoing& record, Deadline deadline) {
  if (shared_.down) co_return no_broker();
  const auto tag = next_tag(true);
  Sending sending;
  sending_[tag] = &sending;
  auto sent = shared_.producer.send(record, tag);
  Result<bus::RecordMetadata> outcome =
      sent ? Result<bus::RecordMetadata>() : Result<bus::RecordMetadata>(sent.error());
  if (sent) outcome = co_await sending.outcome.wait(deadline);
  sending_.erase(tag);
  co_return outcome;
}

Task<mcp::Reply> KafkaClient::call(const gateway::Call& call, std::string_view name) {
  const auto found = offers_ ? offers_->tools.find(name) : decltype(offers_->tools.end())();
  if (!offers_ || found == offers_->tools.end()) {
    co_return Error{Code::not_found, fmt::format("Tool '{}' is not registered", name)};
  }
  const auto* const given = call.request.param("arguments");
  Exchange exchange(*this, found->second, co_await current_stop());
  auto talk = converse(call, exchange, given ? given->raw : "{}");
  auto reply = co_await talk.with_stop(exchange.stop());
  call.trace.leave(!reply);
  if (reply) {
    log::Line(log::Level::debug, "agent call")
        .add("upstream", shared_.plan.name)
        .add("tool", name)
        .add("correlation_id", exchange.id());
    co_return reply;
  }
  if (running_.ending()) co_return Error{Code::unavailable, "the upstream is stopping"};
  log::Line(log::Level::info, "agent call failed")
      .add("upstream", shared_.plan.name)
      .add("tool", name)
      .add("correlation_id", exchange.id())
      .add("why", reply.error().message);
  co_return reply;
}

// Why no reply arrived in time.
Error KafkaClient::no_reply(const Exchange& exchange) const {
  if (shared_.down) return no_broker();
  return {Code::timeout, fmt::format("the agent '{}' did not reply in time (correlation id {}; "
                                     "response_timeout_ms: {})",
                                     exchange.offer().registration.name, exchange.id(),
                                     shared_.plan.settings.response_timeout_ms)};
}

// Sends the request and takes replies until the final one.
Task<mcp::Reply> KafkaClient::converse(const gateway::Call& call, Exchange& exchange,
                                       std::string_view arguments) {
  const std::chrono::milliseconds timeout(shared_.plan.settings.response_timeout_ms);
  const auto* const token = call.request.meta_member("progressToken");
  if (shared_.down) co_return no_broker();
  auto sent = exchange.send(call, arguments);
  if (!sent) co_return sent.error();
  Deadline deadline = call.deadline;
  int updates = 0;
  for (int questions = 0;;) {
    const auto waited = co_await exchange.update(std::min(deadline, here().now() + timeout));
    auto record = exchange.next(waited);
    if (!record && record.error().code == Code::timeout) co_return no_reply(exchange);
    if (!record) co_return record.error();
    const auto value = value_of(*record);
    const AgentSchema& known = exchange.offer().schemas.response;
    std::string decoded;
    Result<std::string_view> text;
    if (!value) {
      text = value.error();
    } else if (is_written_by(known, *value)) {
      text = json_of(*value, known, decoded);
    } else {
      auto named = co_await find_named(*value, deadline);
      text = named ? json_of(*value, *named, decoded) : Result<std::string_view>(named.error());
    }
    if (!text) {
      exchange.set_answered();
      co_return agent_failure(text.error().message, exchange.id(), Code::upstream_failed);
    }
    const AgentReply reply = read_agent_reply(*text);
    if (reply.kind == AgentReply::Kind::going) {
      deadline = gateway::restart_clock(call);
      if (token) {
        gateway::notify(call, "notifications/progress",
                        progress_params(reply, token->raw, ++updates));
      }
      continue;
    }
    if (reply.kind != AgentReply::Kind::asks) {
      exchange.set_answered();
      const bool is_mcp = record->header(kResultHeader) == "mcp";
      co_return agent_result(reply, exchange.id(), is_mcp);
    }
    if (++questions > kMostQuestions) {
      co_return Error{Code::upstream_failed, "the agent sent too many input requests"};
    }
    // The deadline of the call is suspended while the client answers.
    const Deadline asked = here().now();
    auto answer = co_await next_request(call, question_params(reply), *record);
    if (!answer) co_return answer.error();
    gateway::pause_clock(call, here().now() - asked);
    deadline = call.deadline;
    if (answer->empty()) {
      co_return agent_failure("the user did not answer the agent's request", exchange.id(),
                              Code::upstream_failed);
    }
    sent = exchange.send(call, *answer);
    if (!sent) co_return sent.error();
  }
}

// Asks the client; yields what the user has entered, or nothing if they declined.
Task<std::string> KafkaClient::next_request(const gateway::Call& call, std::string question,
                                            const bus::Record& asked) {
  auto slot = std::make_shared<OneShot<mcp::Reply>>();
  call.trace.leave();
  const std::string_view cause = asked.header("traceparent").value_or("");
  const auto traced = gateway::begin_question(call, question, cause);
  gateway::ask(call, "elicitation/create", traced.params,
               [slot](mcp::Reply reply) { slot->deliver(std::move(reply)); });
  auto reply = co_await slot->wait(here().now() + call.timeout);
  call.trace.end_question(traced.number, !reply || reply->is_error);
  if (!reply) co_return reply.error();
  if (reply->is_error) {
    co_return Error{Code::upstream_failed,
                    fmt::format("the agent requests input, and the client cannot be asked: {}",
                                json::string_member(reply->body, "message").value_or(""))};
  }
  if (json::string_member(reply->body, "action") != "accept") co_return std::string();
  co_return std::string(json::member(reply->body, "content").value_or("{}"));
}

Task<mcp::Reply> KafkaClient::read(const gateway::Call& call,
                                   std::shared_ptr<const KafkaOffer> offer, std::string uri) {
  Exchange exchange(*this, std::move(offer), co_await current_stop());
  const std::string arguments = fmt::format(R"({{"uri":{}}})", json::quote(uri));
  auto talk = converse(call, exchange, arguments);
  auto reply = co_await talk.with_stop(exchange.stop());
  call.trace.leave(!reply);
  if (!reply) co_return reply;
  const auto text = [&] {
    std::string text;
    json::each_element(
        json::member(reply->body, "content").value_or("[]"),
        [&](std::string_view block) { text += json::string_member(block, "text").value_or(""); });
    return text;
  };
  if (reply->has_failed) co_return Error{Code::upstream_failed, text()};
  const auto value = json::member(reply->body, "structuredContent");
  co_return resource_result(value.value_or("null"), uri, exchange.offer().registration.mime_type,
                            call.keeps_null);
}

// The content of the record, and the schema that it names.
Result<bus::Unframed> KafkaClient::value_of(const bus::Record& record) const {
  const auto bytes = record.value();
  if (!bytes) return bad_reply("is empty");
  auto framed = bus::unframe(*bytes, record.header(bus::kValueSchemaHeader));
  if (!framed) return bad_reply(framed.error().message);
  if (framed->bare() && shared_.plan.settings.strict_framing) {
    return bad_reply("does not name its schema (strict_framing)");
  }
  return framed;
}

// For a value that names another schema than the known one. Null without a registry.
Task<AgentSchema> KafkaClient::find_named(const bus::Unframed& value, Deadline deadline) {
  if (!shared_.find_schema) co_return AgentSchema();
  auto schema = co_await shared_.find_schema(value.id.value_or(0), value.guid, deadline);
  if (!schema)
    co_return bad_reply("names a schema that cannot be fetched: " + schema.error().message);
  co_return schema;
}

Task<void> KafkaClient::stop(Deadline deadline) {
  auto ended = co_await running_.end(deadline);
  offers_.reset();
  co_return ended;
}

}  // namespace patchbay::upstreams
