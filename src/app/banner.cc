#include "app/banner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "app/terminal.h"
#include "core/version.h"

namespace patchbay::app {
namespace {

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

void print_head(const Configuration& configuration, const net::Address& address) {
  fmt::print("patchbay {}  config {}  digest {}\n", kVersion,
             configuration.file.empty() ? "defaults" : configuration.file, configuration.digest);
  fmt::print("front end  mcp http  http://{}/mcp\n", address.text());
  fmt::print("front end  mcp sse  http://{}/sse\n", address.text());
  if (configuration.settings.rest.enabled) {
    fmt::print("front end  rest  http://{0}/api  http://{0}/rcs  http://{0}/mcp/v1\n",
               address.text());
  }
  fmt::print("front end  goals  http://{}/api/agent/execute\n", address.text());
  fmt::print("front end  operations  http://{0}/health  http://{0}/ready  http://{0}/metrics\n",
             address.text());
  std::fflush(stdout);
}

void print_tls(const TlsSection& section, const net::Address& address) {
  std::string_view clients;
  for (const auto& choice : config::choices<net::ClientCertificates>) {
    if (choice.value == section.clients()) clients = choice.name;
  }
  fmt::print("front end  all of these under tls  https://{}  client certificates {}\n",
             address.text(), clients);
  std::fflush(stdout);
}

void print_wire(const net::Address& address, bool tls) {
  fmt::print("front end  wire tcp  {}://{}\n", tls ? "tcps" : "tcp", address.text());
  std::fflush(stdout);
}

void print_ready(const std::vector<UpstreamReport>& upstreams, const std::string& bus,
                 const net::Address& address) {
  if (!bus.empty()) fmt::print("bus        {}\n", bus);
  for (const auto& one : upstreams) {
    if (one.state.up) {
      fmt::print("upstream   {}  {}  up  {} tools{}{}\n", one.name, one.kind, one.tools,
                 one.state.detail.empty() ? "" : "  ", on_line(one.state.detail));
    } else {
      fmt::print("upstream   {}  {}  down  {}\n", one.name, one.kind, on_line(one.state.detail));
    }
  }
  const bool skills = std::ranges::any_of(
      upstreams, [](const UpstreamReport& one) { return one.name == "skills"; });
  fmt::print("ready\ntry:\n  {}\n", try_line(fmt::format("http://{}/mcp", address.text()), skills));
  std::fflush(stdout);
}

}  // namespace patchbay::app
