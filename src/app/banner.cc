#include "app/banner.h"

#include <fmt/format.h>
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
constexpr std::size_t kAtomicWrite = 4096;  // A pipe that polls writable takes this much at once.

// A call without a session needs its whole envelope; a list is the shortest that works anywhere.
std::string try_line(const std::string& url, bool skills) {
  const std::string_view method = skills ? "tools/call" : "tools/list";
  const std::string_view name = skills ? " -H 'Mcp-Name: skills__calculate'" : "";
  const std::string_view call =
      skills ? R"("name":"skills__calculate","arguments":{"expression":"2 + 3 * 4"},)" : "";
  return fmt::format(
      "curl -s {} -H 'Content-Type: application/json' -H 'MCP-Protocol-Version: 2026-07-28' "
      "-H 'Mcp-Method: {}'{} -d '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\",\"params\":{{{}"
      "\"_meta\":{{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      "\"io.modelcontextprotocol/clientCapabilities\":{{}}}}}}}}'",
      url, method, name, method, call);
}

}  // namespace

void Banner::print_head(const Configuration& configuration,
                        std::span<const std::unique_ptr<frontends::SharedFrontend>> frontends,
                        const net::Address& address) {
  std::string text = fmt::format("patchbay {}  config {}  digest {}\n", kVersion,
                                 configuration.file.empty() ? "defaults" : configuration.file,
                                 configuration.digest);
  for (const auto& frontend : frontends) {
    for (const auto& [name, paths] : frontend->entrances()) {
      text += fmt::format("front end  {}", name);
      for (const auto path : paths) text += fmt::format("  http://{}{}", address.text(), path);
      text += '\n';
    }
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
                      address.text(), clients);
  put(text);
}

void Banner::print_listener(const FrontendListener& listener, const net::Address& address) {
  put(fmt::format("front end  {}  {}://{}\n", listener.name, listener.scheme, address.text()));
}

void Banner::print_ready(const std::vector<UpstreamReport>& upstreams, const std::string& bus,
                         const net::Address& address) {
  std::string text;
  if (!bus.empty()) text += fmt::format("bus        {}\n", bus);
  for (const auto& one : upstreams) {
    if (one.state.up) {
      text += fmt::format("upstream   {}  {}  up  {} tools{}{}\n", one.name, one.kind, one.tools,
                          one.state.detail.empty() ? "" : "  ", on_line(one.state.detail));
    } else {
      text += fmt::format("upstream   {}  {}  down  {}\n", one.name, one.kind,
                          on_line(one.state.detail));
    }
  }
  const bool skills = std::ranges::any_of(
      upstreams, [](const UpstreamReport& one) { return one.name == "skills"; });
  text += fmt::format("ready\ntry:\n  {}\n",
                      try_line(fmt::format("http://{}/mcp", address.text()), skills));
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
    if (count < 0) return rest_.clear();  // Nobody will ever read it.
    rest_.erase(0, static_cast<std::size_t>(count));
  }
  if (!rest_.empty()) here().timers().set(*this, here().now() + kRetry);
}

}  // namespace patchbay::app
