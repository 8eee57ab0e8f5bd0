#include "mcp_client/connect/http.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/discard.h"
#include "core/http_token.h"
#include "transport/http_channel.h"

namespace patchbay::upstreams {
namespace {

constexpr auto kShutdown = std::chrono::seconds(2);

class StreamableConnection final : public Connection {
 public:
  explicit StreamableConnection(const transport::HttpTarget& target) : channel_(target) {
    channel_.set_server(target.url.host, target.url.port);
  }

  transport::Channel& channel() override { return channel_; }
  bool misunderstood() const override { return channel_.misunderstood(); }
  Task<void> end(bool) override { co_return co_await channel_.finish(here().now() + kShutdown); }

 private:
  transport::HttpChannel channel_;
};

class SseConnection final : public Connection {
 public:
  SseConnection(const transport::HttpTarget& target, const HttpCandidate& candidate)
      : channel_(target, candidate.post_endpoint, candidate.post) {
    channel_.set_server(target.url.host, target.url.port);
  }

  Task<void> connect(Deadline deadline) { return channel_.connect(deadline); }
  transport::Channel& channel() override { return channel_; }
  Task<void> end(bool) override { return channel_.finish(); }

 private:
  transport::SseChannel channel_;
};

// `url` with `end` appended to its path, without its query.
net::Url below(net::Url url, std::string_view end) {
  url.path.erase(std::min(url.path.find('?'), url.path.size()));
  while (url.path.ends_with('/')) url.path.pop_back();
  url.path += end;
  return url;
}

// A header field must not contain text that would end the line or the head.
bool is_sendable(std::string_view name, std::string_view value) {
  const auto bad = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  return is_token(name) && std::ranges::none_of(value, bad);
}

}  // namespace

std::vector<HttpCandidate> http_candidates(const net::Url& url, std::string_view kind, bool alone) {
  using transport::PostEndpoint;
  if (kind == "sse")
    return {{false, url.path == "/" ? below(url, "/sse") : url, PostEndpoint::announced, {}}};
  const auto base = below(url, "");
  if (kind == "custom-http-sse") {
    return {{false, below(base, "/sse"), PostEndpoint::fixed, below(base, "/message")}};
  }
  return {{true, {}, PostEndpoint::announced, {}},
          {false, url, PostEndpoint::announced, {}},
          {false, below(base, "/sse"),
           alone ? PostEndpoint::announced_or_fixed : PostEndpoint::announced,
           below(base, "/message")}};
}

Result<std::string> header_lines(const config::Dict<std::string>& headers) {
  std::string lines;
  for (const auto& [name, value] : headers) {
    if (!is_sendable(name, value)) {
      return Error{Code::invalid_params,
                   fmt::format("the header '{}' cannot be sent: its name or value has characters "
                               "that no header may have",
                               name)};
    }
    lines += fmt::format("{}: {}\r\n", name, value);
  }
  return lines;
}

Result<std::shared_ptr<const net::TlsContext>> client_tls(const TlsSettings& tls) {
  return net::TlsContext::client({tls.ca, tls.cert, tls.key, tls.server_name, tls.verify});
}

net::HttpPoolSettings pool_settings(const HttpClientSettings& settings) {
  net::HttpPoolSettings pool;
  pool.connections = settings.connections;
  pool.waiting = settings.waiting;
  pool.connect = settings.connect_time;
  pool.idle = settings.idle_time;
  return pool;
}

Result<transport::HttpTarget> http_target(const HttpClientSettings& settings,
                                          const std::string& text) {
  auto url = net::parse_url(text);
  if (!url) return url.error();
  auto fields = header_lines(settings.headers);
  if (!fields) return fields.error();
  transport::HttpTarget target;
  target.url = *std::move(url);
  target.fields = *std::move(fields);
  if (target.url.tls) {
    auto context = client_tls(settings.tls);
    if (!context) return context.error();
    target.tls = *std::move(context);
  }
  target.pool = pool_settings(settings);
  target.most = settings.answer.value;
  return target;
}

Result<std::shared_ptr<const oauth::Plan>> auth_plan(const std::string& upstream,
                                                     const net::Url& url,
                                                     const HttpClientSettings& settings,
                                                     const oauth::PlanOptions& options) {
  const bool sends = std::ranges::any_of(settings.headers, [](const auto& header) {
    return same_token(header.first, "Authorization");
  });
  if (sends && settings.auth) {
    return Error{Code::invalid_params, "the header Authorization would be sent twice"};
  }
  if (settings.auth) {
    oauth::PlanOptions configured = options;
    configured.on_demand = false;
    return oauth::make_plan(upstream, url, *settings.auth, configured);
  }
  if (sends || !options.on_demand) return std::shared_ptr<const oauth::Plan>();
  // A server that publishes where to sign in needs no setting. There is one token, so that callers
  // share connections as they do with servers that need no token.
  oauth::PlanOptions shared = options;
  shared.shared = true;
  oauth::Settings sign_in;
  sign_in.kind = oauth::Kind::authorization_code;
  return oauth::make_plan(upstream, url, sign_in, shared);
}

Task<std::unique_ptr<Connection>> HttpConnector::connect(Deadline deadline) {
  // If this attempt fails, later changes are a reason to try again.
  if (target_.credentials) seen_ = target_.credentials->changes();
  for (;;) {
    const HttpCandidate& candidate = candidates_[current_];
    if (candidate.streamable) co_return std::make_unique<StreamableConnection>(target_);
    transport::HttpTarget target = target_;
    target.url = candidate.stream;
    auto connection = std::make_unique<SseConnection>(target, candidate);
    auto connected = co_await connection->connect(deadline);
    if (connected) co_return connection;
    // Also after a stopped attempt: the reader of the connection must end before the connection.
    auto ending = connection->end(true);
    auto ended = co_await ending.shielded();
    discard(ended, "the error of the attempt counts");
    if (connected.error().code != Code::upstream_failed || !try_next_candidate()) {
      co_return connected.error();
    }
  }
}

bool HttpConnector::has_changed() const {
  return target_.credentials && target_.credentials->changes() != seen_;
}

Task<void> HttpConnector::rest(Deadline time) {
  if (!target_.credentials) return Connector::rest(time);
  return target_.credentials->wait_for_change(seen_, time);
}

bool HttpConnector::try_next_candidate() {
  current_ = (current_ + 1) % candidates_.size();
  if (++tried_ < candidates_.size()) return true;
  tried_ = 0;
  return false;
}

}  // namespace patchbay::upstreams
