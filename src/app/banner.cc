#include "app/banner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "app/one_line.h"
#include "async/executor.h"
#include "core/version.h"

namespace patchbay::app {
namespace {

constexpr auto kRetry = std::chrono::milliseconds(100);
constexpr std::size_t kAtomicWrite =
    4096;  // A pipe that polls writable accepts this many bytes at once.

bool on_all_addresses(const net::Address& address) {
  const std::string text = address.text();
  return text.starts_with("0.0.0.0:") || text.starts_with("[::]:");
}

// A mark in front of an upstream, for people.
std::string_view mark(bool up, bool terminal) {
  if (!terminal) return "";
  return up ? "✓ " : "✗ ";
}

std::string upstream_line(const UpstreamReport& one) {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  const std::string detail = on_line(one.state.detail);
  if (!one.state.up) {
    return fmt::format("upstream   {}{}  {}  down  {}\n", mark(false, terminal), one.name, one.kind,
                       detail);
  }
  return fmt::format("upstream   {}{}  {}  up  {} tool{}{}{}\n", mark(true, terminal), one.name,
                     one.kind, one.tools, one.tools == 1 ? "" : "s", detail.empty() ? "" : "  ",
                     detail);
}

// Where this machine reaches the listener: nothing connects to all addresses.
std::string reachable(const net::Address& address) {
  if (!on_all_addresses(address)) return address.text();
  return fmt::format("{}:{}", address.text().starts_with('[') ? "[::1]" : "127.0.0.1",
                     address.port());
}

// `curl` for a path of the listener, so that it works as printed.
std::string curl_command(const net::Address& address, const ProxiesSection& proxies) {
  std::string command = "curl -s";
  if (proxies.precedes(ListenerKey::listen)) command += " --haproxy-protocol";
  // Other names than those of this machine are allowed by http.hosts alone.
  const std::string there = reachable(address);
  const bool named = there.starts_with("127.0.0.1:") || there.starts_with("[::1]:");
  if (!named) command += " -H 'Host: localhost'";
  return command;
}

}  // namespace

void Banner::print_head(const Configuration& configuration,
                        std::span<const std::unique_ptr<frontends::SharedFrontend>> frontends,
                        const net::Address& address) {
  // Routes that work without credentials, if some need credentials.
  if (configuration.settings.auth.on()) {
    try_path_ = "/health";
  } else {
    try_path_ = configuration.settings.rest.enabled ? "/mcp/v1/tools" : "/ready";
  }
  std::string text = fmt::format("patchbay {}  config {}  digest {}\n", kVersion,
                                 configuration.file.empty() ? "defaults" : configuration.file,
                                 configuration.digest);
  if (on_all_addresses(address)) {
    text += fmt::format("listening  {}, every address of this machine\n", address.text());
  }
  try_command_ = curl_command(address, configuration.settings.proxies);
  const std::string there = reachable(address);
  for (const auto& frontend : frontends) {
    for (const auto& [name, paths] : frontend->entrances()) {
      text += fmt::format("front end  {}", name);
      for (const auto path : paths) text += fmt::format("  http://{}{}", there, path);
      text += '\n';
    }
  }
  const auto& wire = configuration.settings.wire;
  if (wire && wire->rate_limiting.enabled) {
    text += fmt::format(
        "limit      wire protocol  {} requests in {} per client; raise it with "
        "wire.rate_limiting.default_limit\n",
        wire->rate_limiting.default_limit, config::print(wire->rate_limiting.window));
  }
  put(text);
}

void Banner::print_tls(const TlsSection& section, const net::Address& address) {
  std::string text;
  std::string_view clients;
  for (const auto& choice : config::choices<net::ClientCertificates>) {
    if (choice.value == section.clients()) clients = choice.name;
  }
  text += fmt::format("front end  all of these under tls  https://{}  client certificates {}\n",
                      reachable(address), clients);
  put(text);
}

void Banner::print_listener(const FrontendListener& listener, const net::Address& address) {
  put(fmt::format("front end  {}  {}://{}\n", listener.name, listener.scheme, address.text()));
}

void Banner::print_waiting(const std::vector<UpstreamReport>& upstreams) {
  std::string text;
  std::vector<std::string> missing;
  for (const auto& one : upstreams) {
    if (!one.required || one.state.up) continue;
    missing.push_back(one.name);
    text += upstream_line(one);
  }
  put(fmt::format("{}not ready  waiting for {} (ready.required_upstreams)\n", text,
                  fmt::join(missing, ", ")));
}

void Banner::print_ready(const std::vector<UpstreamReport>& upstreams, const std::string& bus,
                         const net::Address& address) {
  std::string text;
  if (!bus.empty()) text += fmt::format("bus        {}\n", bus);
  for (const auto& one : upstreams) text += upstream_line(one);
  const std::string url = fmt::format("http://{}{}", reachable(address), try_path_);
  // In some shells, brackets are a pattern.
  const std::string_view quote = url.find('[') == std::string::npos ? "" : "'";
  text += fmt::format("ready\ntry:\n  {0} {1}{2}{1}\n", try_command_, quote, url);
  put(text);
}

void Banner::put(const std::string& text) {
  rest_ += text;
  if (!set()) write_out();
}

void Banner::write_out() {
  while (!rest_.empty()) {
    pollfd out{STDOUT_FILENO, POLLOUT, 0};
    if (::poll(&out, 1, 0) == 0) break;
    const ssize_t count =
        ::write(STDOUT_FILENO, rest_.data(), std::min(rest_.size(), kAtomicWrite));
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (count < 0) return rest_.clear();  // Nobody can read it any more.
    rest_.erase(0, static_cast<std::size_t>(count));
  }
  if (!rest_.empty()) here().timers().set(*this, here().now() + kRetry);
}

}  // namespace patchbay::app
