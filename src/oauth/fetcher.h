// A Fetcher sends requests to authorization servers and fetches metadata: one request at a time,
// each bounded in time and size, without following redirects. Only https is allowed, or http on
// this machine; and no address that is nearer to us than the upstream itself, unless the
// configuration names the host.
//
// Usable on any thread with a loop.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/task.h"
#include "async/timers.h"
#include "net/http/syntax/url.h"
#include "net/io/address.h"
#include "net/tls/context.h"
#include "oauth/settings.h"

namespace patchbay::oauth {

struct Fetched {
  int status = 0;
  std::string body;

  bool good() const { return status >= 200 && status <= 299; }
};

class Fetcher {
 public:
  // For an upstream at `upstream`. The error names a file that cannot be used.
  static Result<std::shared_ptr<const Fetcher>> make(const Settings& settings, net::Url upstream);

  Task<Fetched> get(std::string url) const;

  // `fields` are header lines, each with its CRLF. Errors contain neither them nor the body.
  Task<Fetched> post(std::string url, std::string fields, std::string body) const;

 private:
  struct Request {
    std::string_view method;
    std::string fields;
    std::string body;
  };

  Fetcher(const Settings& settings, net::Url upstream, std::shared_ptr<const net::TlsContext> tls);
  Task<Fetched> fetch(std::string text, Request request) const;
  Task<net::AddressRule> rule_for(const net::Url& url, Deadline deadline) const;
  bool names(const net::Url& url) const;

  const std::chrono::nanoseconds time_;
  const std::size_t most_;
  const net::Url upstream_;
  const std::shared_ptr<const net::TlsContext> tls_;
  std::vector<std::pair<std::string, int>> named_;  // Hosts and ports of the configuration.
};

// Why that URL may not be fetched; empty if it may. `near`: the upstream is on this machine too.
std::string fault_of_path(const net::Url& url, bool near);

}  // namespace patchbay::oauth
