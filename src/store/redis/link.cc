#include "store/redis/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "net/stream/stream.h"

namespace patchbay::store {
namespace {

constexpr std::size_t kMaxUnsentBytes = 64 << 20;
constexpr std::size_t kReadSize = 64 << 10;

bool is_error(const Reply& reply, std::string_view kind) {
  return reply.kind == Reply::Kind::error && reply.text.starts_with(kind);
}

// Another server has become the primary, or this one cannot answer yet: a new connection may reach
// the right one.
bool is_wrong_server(const Reply& reply) {
  return is_error(reply, "READONLY") || is_error(reply, "MASTERDOWN") ||
         is_error(reply, "LOADING") || is_error(reply, "NOAUTH");
}

}  // namespace

Error refused(const Reply& reply) {
  if (is_error(reply, "OOM")) {
    return {Code::overloaded, "the store is full: its server has reached maxmemory"};
  }
  if (reply.kind != Reply::Kind::error) {
    return {Code::upstream_failed, "the server of the store gave another kind of answer"};
  }
  return {Code::unavailable, fmt::format("the server of the store refuses: {}", reply.text)};
}

RedisLink::RedisLink(std::unique_ptr<net::Stream> stream)
    : stream_(std::move(stream)), outbox_(*stream_, kMaxUnsentBytes) {}

RedisLink::~RedisLink() = default;

Task<std::unique_ptr<RedisLink>> RedisLink::open(const RedisAddress& address,
                                                 std::shared_ptr<const net::TlsContext> tls,
                                                 Deadline deadline) {
  auto stream = co_await net::connect_stream(address.server, std::move(tls), deadline);
  if (!stream) co_return stream.error();
  std::unique_ptr<RedisLink> link(new RedisLink(*std::move(stream)));
  auto introduced = co_await link->introduce(address, deadline);
  if (!introduced) co_return introduced.error();
  co_return link;
}

// All at once: one round trip.
Task<void> RedisLink::introduce(const RedisAddress& address, Deadline deadline) {
  std::vector<std::string> hello{"HELLO", "3"};
  if (!address.password.empty()) {
    hello.insert(hello.end(),
                 {"AUTH", address.user.empty() ? "default" : address.user, address.password});
  }
  put(hello);
  put({"SELECT", fmt::format("{}", address.database)});
  for (std::size_t i = 0; i < kRedisScripts; ++i) {
    put({"SCRIPT", "LOAD", text_of(static_cast<RedisScript>(i))});
  }
  for (std::size_t i = 0; i < kRedisScripts + 2; ++i) {
    auto reply = co_await receive(deadline);
    if (!reply) co_return reply.error();
    if (reply->kind == Reply::Kind::error) co_return refused(*reply);
    if (i >= 2) digests_[i - 2] = std::move(reply->text);
  }
  co_return ok();
}

Task<Reply> RedisLink::receive(Deadline deadline) {
  for (;;) {
    auto parsed = parse_reply(input_.bytes());
    if (!parsed) co_return parsed.error();
    if (*parsed) {
      input_.drop((*parsed)->size);
      input_.release_if_empty();
      co_return std::move((*parsed)->reply);
    }
    auto got = co_await stream_->read_some(input_.room(kReadSize), deadline);
    if (!got) co_return got.error();
    input_.add(*got);
  }
}

void RedisLink::put(const std::vector<std::string>& args) { outbox_.add({encode_command(args)}); }

void RedisLink::put_script(const RedisRequest& request, bool by_digest) {
  const RedisScript script = *request.script;
  std::vector<std::string> args{
      by_digest ? "EVALSHA" : "EVAL",
      by_digest ? digests_[static_cast<std::size_t>(script)] : text_of(script), "1"};
  args.insert(args.end(), request.args.begin(), request.args.end());
  put(args);
}

void RedisLink::send(RedisRequest request) {
  auto room = outbox_.check_room(0);
  if (!room || outbox_.over_bound()) {
    return request.done(
        Error{Code::overloaded, "the server of the store does not read fast enough"});
  }
  if (request.script) {
    put_script(request, true);
  } else {
    put(request.args);
  }
  sent_.push_back({std::move(request), here().now()});
}

Task<void> RedisLink::read(std::chrono::nanoseconds timeout,
                           const std::function<void(const Reply&)>& notify_push) {
  for (;;) {
    const Deadline since = sent_.empty() ? here().now() : sent_.front().at;
    auto reply = co_await receive(since + timeout);
    if (!reply) {
      const bool silent = reply.error().code == Code::timeout;
      const bool waits = !sent_.empty() && sent_.front().at + timeout <= here().now();
      if (silent && !waits) continue;
      if (!silent) co_return reply.error();
      co_return Error{Code::timeout, "the server does not answer (cluster.redis.request_timeout)"};
    }
    if (reply->kind == Reply::Kind::push) {
      notify_push(*reply);
      continue;
    }
    auto delivered = deliver(*std::move(reply));
    if (!delivered) co_return delivered;
  }
}

Result<void> RedisLink::deliver(Reply reply) {
  if (sent_.empty()) return Error{Code::upstream_failed, "the server answers what nobody asked"};
  RedisRequest request = std::move(sent_.front().request);
  sent_.pop_front();
  // It has been started anew, or somebody has removed all scripts.
  if (request.script && is_error(reply, "NOSCRIPT")) {
    put_script(request, false);
    sent_.push_back({std::move(request), here().now()});
    return ok();
  }
  const bool wrong = is_wrong_server(reply);
  const Error why = wrong ? refused(reply) : Error();
  request.done(std::move(reply));
  return wrong ? Result<void>(why) : ok();
}

void RedisLink::fail(const std::string& why) {
  while (!sent_.empty()) {
    RedisRequest request = std::move(sent_.front().request);
    sent_.pop_front();
    request.done(
        Error{Code::unavailable,
              fmt::format("the connection to the store was lost{}: {}",
                          request.changes ? ", and the change may have been made" : "", why)});
  }
}

}  // namespace patchbay::store
