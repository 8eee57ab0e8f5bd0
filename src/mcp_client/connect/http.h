// Connects to a server over HTTP with the transports that its kind allows: Streamable HTTP, or the
// event stream of the first revision. The candidate that worked is tried first the next time.
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
  // Otherwise: where the event stream is, and where to post.
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
  std::size_t current_ = 0;  // The one to try.
  std::size_t tried_ = 0;    // Without success, since one worked.
  int seen_ = 0;             // Changes of the credentials, when it was last tried.
};

// The candidates for a server at `url` of that kind: "http", "sse" or "custom-http-sse". Where all
// posts go to the same fixed endpoint, a server cannot distinguish two clients: unless `alone`,
// that is no candidate.
std::vector<HttpCandidate> http_candidates(const net::Url& url, std::string_view kind,
                                           bool alone = true);

// Where a server is and how it is spoken to, from its settings. The error says which setting is
// wrong, and why.
Result<transport::HttpTarget> http_target(const HttpClientSettings& settings,
                                          const std::string& url);

// The credentials that the settings speak of, for a server at `url`; null if they speak of none.
Result<std::shared_ptr<const oauth::Plan>> auth_plan(const std::string& upstream,
                                                     const net::Url& url,
                                                     const HttpClientSettings& settings,
                                                     const oauth::PlanOptions& options);

// The parts of it that do not depend on where the server is.
Result<std::string> header_lines(const config::Dict<std::string>& headers);
Result<std::shared_ptr<const net::TlsContext>> client_tls(const TlsSettings& settings);
net::HttpPoolSettings pool_settings(const HttpClientSettings& settings);

}  // namespace patchbay::upstreams
