#include "app/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/make_node.h"
#include "core/command_line.h"

namespace patchbay::app {
namespace {

using config::Node;
using config::text_node;

enum class Form : std::uint8_t { command, url, address, path };

struct Scheme {
  std::string_view name;
  std::string_view kind;
  Form form;
  std::string_view url_scheme = "";  // Of the URL in the settings of the kind.
};

constexpr std::array kSchemes{
    Scheme{"stdio", "stdio", Form::command},
    Scheme{"http", "http", Form::url, "http"},
    Scheme{"https", "http", Form::url, "https"},
    Scheme{"sse", "sse", Form::url, "http"},
    Scheme{"sses", "sse", Form::url, "https"},
    Scheme{"custom-http-sse", "custom-http-sse", Form::url, "http"},
    Scheme{"custom-https-sse", "custom-http-sse", Form::url, "https"},
    Scheme{"tcp", "tcp", Form::address},
    Scheme{"tcps", "wire-tcp", Form::url, "tcps"},
    Scheme{"wire-tcp", "wire-tcp", Form::url, "tcp"},
    Scheme{"ws", "ws", Form::url, "ws"},
    Scheme{"wss", "ws", Form::url, "wss"},
    Scheme{"unix", "unix", Form::path},
};

Error wrong_endpoint(std::string message) { return {Code::invalid_params, std::move(message)}; }

Result<void> add_command(Node& entry, std::string_view rest) {
  auto args = split_args(rest);
  if (!args) return args.error();
  if (args->empty())
    return wrong_endpoint("stdio:// needs a command, as in stdio://python3 server.py");
  add_member(entry, "command", text_node(args->front()));
  add_member(entry, "args", config::list_node({args->begin() + 1, args->end()}));
  return ok();
}

Result<void> add_location(Node& entry, const Scheme& scheme, std::string_view rest) {
  switch (scheme.form) {
    case Form::command:
      return add_command(entry, rest);
    case Form::url:
      if (rest.empty() || rest.starts_with('/')) {
        return wrong_endpoint(fmt::format("{}:// needs a host", scheme.name));
      }
      add_member(entry, "url", text_node(fmt::format("{}://{}", scheme.url_scheme, rest)));
      return ok();
    case Form::address:
      if (const auto colon = rest.rfind(':'); colon == 0 || colon >= rest.size() - 1) {
        return wrong_endpoint("tcp:// needs a host and a port, as in tcp://127.0.0.1:7000");
      }
      add_member(entry, "address", text_node(rest));
      return ok();
    case Form::path:
      if (rest.size() < 2 || !rest.starts_with('/')) {
        return wrong_endpoint("unix:// needs a whole path, as in unix:///run/server.sock");
      }
      add_member(entry, "path", text_node(rest));
      return ok();
  }
  return ok();
}

}  // namespace

Result<Node> read_endpoint(std::string_view endpoint) {
  const std::size_t end = endpoint.find("://");
  const auto* const scheme = std::ranges::find(kSchemes, endpoint.substr(0, end), &Scheme::name);
  if (end == std::string_view::npos || scheme == kSchemes.end()) {
    return wrong_endpoint(fmt::format("an endpoint begins with one of: {}", endpoint_schemes()));
  }
  Node entry;
  entry.kind = config::Kind::map;
  add_member(entry, "kind", text_node(scheme->kind));
  auto added = add_location(entry, *scheme, endpoint.substr(end + 3));
  if (!added) return added.error();
  return entry;
}

std::string endpoint_schemes() {
  std::string all;
  for (const auto& scheme : kSchemes)
    all += fmt::format("{}{}://", all.empty() ? "" : " ", scheme.name);
  return all;
}

}  // namespace patchbay::app
