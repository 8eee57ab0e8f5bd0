// Connects to a server over HTTP with the transports that its kind allows: Streamable HTTP, or the
// event stream of the first revision. The transport that worked is tried first the next time.
//
// Confined to one worker.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mcp_client/connect/connector.h"
#include "mcp_client/connect/http_settings.h"
#include "oauth/plan.h"
#include "transport/sse_channel.h"

namespace patchbay::upstreams {

// A transport to try.
struct HttpCandidate {
  bool streamable = true;
  // Otherwise: the URL of the event stream, and the URL for posts.
  net::Url stream = {};
  transport::PostEndpoint post_endpoint = transport::PostEndpoint::announced;
  net::Url post = {};
};

class HttpConnector final : public Connector {
 public:
  // REQUIRES: there is a candidate.
  HttpConnector(transport::HttpTarget target, std::vector<HttpCandidate> candidates)
      : target_(std::move(target)), candidates_(std::move(candidates)) {}

  Task<std::unique_ptr<Connection>> connect(Deadline deadline) override;
  bool try_next_candidate() override;
  bool has_changed() const override;
  Task<void> rest(Deadline time) override;

 private:
  const transport::HttpTarget target_;
  const std::vector<HttpCandidate> candidates_;
  std::size_t current_ = 0;  // The one to try next.
  std::size_t tried_ = 0;    // Attempts without success since one worked.
  int seen_ = 0;             // The version of the credentials at the last attempt.
};

// The candidates for a server at `url` of that kind: "http", "sse" or "custom-http-sse". A server
// with one fixed endpoint for all posts cannot distinguish two clients, so it is a candidate only
// if `alone`.
std::vector<HttpCandidate> http_candidates(const net::Url& url, std::string_view kind,
                                           bool alone = true);

// The address of a server and its connection settings. The error names the setting and the reason.
Result<transport::HttpTarget> http_target(const HttpClientSettings& settings,
                                          const std::string& url);

// The credentials that the settings define for a server at `url`; null if they define none.
Result<std::shared_ptr<const oauth::Plan>> auth_plan(const std::string& upstream,
                                                     const net::Url& url,
                                                     const HttpClientSettings& settings,
                                                     const oauth::PlanOptions& options);

// The connection settings that do not depend on the address of the server.
Result<std::string> header_lines(const config::Dict<std::string>& headers);
Result<std::shared_ptr<const net::TlsContext>> client_tls(const TlsSettings& settings);
net::HttpPoolSettings pool_settings(const HttpClientSettings& settings);

}  // namespace patchbay::upstreams
