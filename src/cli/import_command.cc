// import: converts the server list of another program to our configuration.
#include <fmt/format.h>

#include <cstdio>

#include "app/client_file.h"
#include "app/run_gateway.h"
#include "app/upstream_entries.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "config/file.h"
#include "config/load.h"
#include "config/make_node.h"
#include "config/parse.h"
#include "config/to_json.h"
#include "config/units.h"
#include "config/write_yaml.h"

namespace patchbay::app {
namespace {

using config::Faults;
using config::Node;
using config::text_node;

Result<std::string> read_servers(const std::string& file) {
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

// JSON begins with a brace or a comment, TOML has the name of its file or the table of Codex;
// anything else is a list of servers.
Node parse(const std::string& text, const std::string& name, Faults& faults) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const bool json = first != std::string::npos && (text[first] == '{' || text[first] == '/');
  if (json) return config::parse_json(text.substr(first), name, faults);
  if (name.ends_with(".toml") || text.find("[mcp_servers") != std::string::npos) {
    return config::parse_toml(text, name, faults);
  }
  Node root = empty_map();
  Node list = text_node(text);
  list.line = 1;
  add_member(root, "servers", std::move(list));
  return root;
}

// Values of ${…} are not resolved: the gateway does that, and no secret is printed.
Node translate(Node root, const std::string& name, Faults& faults, Faults& notes) {
  for (const auto& input : client_inputs(root)) {
    notes.push_back({name, 0, "inputs." + input.id,
                     fmt::format("becomes the environment variable {}", input.variable)});
  }
  translate_clients(root, name, faults, notes);
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

int import_servers(const std::string& file, bool as_json) {
  const std::string name = file == "-" ? "stdin" : file;
  auto text = read_servers(file);
  if (!text) {
    report_faults({{name, 0, "", text.error().message}});
    return kExitConfiguration;
  }
  Faults faults;
  Faults notes;
  const Node root = translate(parse(*text, name, faults), name, faults, notes);
  const auto entries = upstream_entries(root, name, "__", faults);
  if (faults.empty() && entries.empty()) {
    faults.push_back(
        {name, 0, "",
         "names no server: neither mcpServers, servers, context_servers, mcp_servers or "
         "mcp, nor name:endpoint"});
  }
  config::sort_by_line(notes);
  if (!faults.empty()) report_faults(faults);
  print_notes(notes);
  if (!faults.empty()) return kExitConfiguration;
  const Node upstreams = as_upstreams(entries);
  fmt::print("{}", as_json ? config::to_json(upstreams) + "\n" : config::to_yaml(upstreams));
  return kExitOk;
}

}  // namespace patchbay::app
