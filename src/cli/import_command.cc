// import: converts the server list of another program to our configuration.
#include <fmt/format.h>

#include <cstdio>

#include "app/upstream_entries.h"
#include "cli/commands.h"
#include "config/file.h"
#include "config/load.h"
#include "config/make_node.h"
#include "config/parse.h"
#include "config/units.h"
#include "config/write_yaml.h"

namespace patchbay::app {
namespace {

using config::Faults;
using config::Node;
using config::text_node;

Result<std::string> read_all(const std::string& file) {
  if (file != "-") {
    return config::read_file(file, config::kMaxFile);
  }
  std::string text(config::kMaxFile + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stdin));
  if (text.size() <= config::kMaxFile) return text;
  return Error{Code::too_large,
               fmt::format("is larger than {}", print(config::Bytes{config::kMaxFile}))};
}

Node empty_map() {
  Node map;
  map.kind = config::Kind::map;
  return map;
}

// Text that begins with a brace is JSON, anything else a list of servers. Values are copied as they
// are: the gateway resolves ${…}, and no secret is printed.
Node parse(const std::string& text, const std::string& name, Faults& faults) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') {
    return config::parse_json(text, name, faults);
  }
  Node root = empty_map();
  Node list = text_node(text);
  list.line = 1;
  add_member(root, "servers", std::move(list));
  return root;
}

Node as_upstreams(const std::vector<UpstreamEntry>& entries) {
  Node upstreams = empty_map();
  for (const auto& entry : entries) {
    Node node = empty_map();
    if (!entry.node.find("kind")) add_member(node, "kind", text_node(entry.kind));
    for (const auto& [key, line, value] : entry.node.members) add_member(node, key, value);
    add_member(upstreams, entry.name, std::move(node));
  }
  Node root = empty_map();
  add_member(root, "upstreams", std::move(upstreams));
  return root;
}

}  // namespace

int import_servers(const std::string& file) {
  const std::string name = file == "-" ? "stdin" : file;
  auto text = read_all(file);
  if (!text) {
    fmt::print(stderr, "{}: {}\n", name, text.error().message);
    return kExitConfiguration;
  }
  Faults faults;
  const Node root = parse(*text, name, faults);
  const auto entries = upstream_entries(root, name, "__", faults);
  if (faults.empty() && entries.empty()) {
    faults.push_back({name, 0, "", "names no server: neither mcpServers nor name:endpoint"});
  }
  for (const auto& fault : faults) fmt::print(stderr, "{}\n", config::to_string(fault));
  if (!faults.empty()) return kExitConfiguration;
  fmt::print("{}", config::to_yaml(as_upstreams(entries)));
  return kExitOk;
}

}  // namespace patchbay::app
