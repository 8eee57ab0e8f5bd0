#include "app/client_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "app/client_entry.h"
#include "config/load.h"
#include "config/make_node.h"
#include "core/environment.h"

namespace patchbay::app {
namespace {

namespace fs = std::filesystem;
using config::Faults;
using config::Kind;
using config::Node;

// `mcp` is the list of servers in opencode; elsewhere it has settings about servers.
constexpr std::array<std::string_view, 3> kClientSections{"context_servers", "mcp_servers", "mcp"};
// In these, what is no map is an endpoint of ours.
constexpr std::array<std::string_view, 3> kShared{"mcpServers", "servers", "mcp.servers"};
// Folders in which editors store the file of a project.
constexpr std::array<std::string_view, 8> kProjectFolders{
    ".vscode", ".cursor", ".gemini", ".codex", ".zed", ".roo", ".windsurf", ".opencode"};
constexpr std::size_t kNamesInNote = 8;
constexpr std::size_t kMaxInputs = 100;
constexpr std::size_t kMaxPatterns = 256;     // Each is compared with every server.
constexpr std::string_view kStdin = "stdin";  // What `import -` calls its file.

bool is_section(std::string_view key) {
  return std::ranges::find(kShared, key) != kShared.end() ||
         std::ranges::find(kClientSections, key) != kClientSections.end();
}

bool names_servers(const Node* section) {
  return section && section->kind == Kind::map && !section->members.empty() &&
         std::ranges::all_of(section->members, [](const config::Member& member) {
           const Node& entry = member.value;
           return entry.kind == Kind::map && (entry.find("type") || entry.find("command") ||
                                              entry.find("url") || entry.find("enabled"));
         });
}

bool any_entry_has(const Node* section, std::initializer_list<std::string_view> keys) {
  return section && std::ranges::any_of(section->members, [&](const config::Member& member) {
           return std::ranges::any_of(
               keys, [&](std::string_view key) { return member.value.find(key) != nullptr; });
         });
}

// Claude Code: `projects` has the servers of each project, by its folder.
const Node* project_servers(const Node& project) {
  const Node* const servers = project.find("mcpServers");
  return servers && servers->kind == Kind::map && !servers->members.empty() ? servers : nullptr;
}

bool has_project_servers(const Node& root) {
  const Node* const projects = root.find("projects");
  return projects && std::ranges::any_of(projects->members, [](const config::Member& project) {
           return project_servers(project.value) != nullptr;
         });
}

// Gemini CLI, by the folder of the file or by keys that only its entries have.
bool is_gemini(const Node& root, const std::string& file) {
  return fs::path(file).parent_path().filename() == ".gemini" ||
         any_entry_has(root.find("mcpServers"),
                       {"httpUrl", "includeTools", "excludeTools", "trust", "authProviderType"});
}

// Cline and its relatives count in seconds, and so does Zed.
bool counts_seconds(const Node& root, const std::string& file, std::string_view section) {
  return section == "context_servers" || file.ends_with("cline_mcp_settings.json") ||
         any_entry_has(root.find("mcpServers"), {"autoApprove", "alwaysAllow"});
}

// The folder of the project that a file belongs to.
struct Project {
  fs::path folder;
  bool certain = false;  // The file is in a folder that an editor makes in a project.
};

Project project_of(const std::string& file) {
  std::error_code ignored;
  const fs::path here = fs::current_path(ignored);
  const fs::path whole = file == kStdin ? here / file : fs::absolute(file, ignored);
  const fs::path folder = whole.lexically_normal().parent_path();
  const fs::path home = read_variable("HOME").value_or("");
  const std::string name = folder.filename();
  const bool inner = std::ranges::find(kProjectFolders, name) != kProjectFolders.end();
  const fs::path outer = inner ? folder.parent_path() : folder;
  // The file of a user is for every project: the one in which the gateway was started.
  if (outer == home || (!home.empty() && folder.string().starts_with(home.string() + "/."))) {
    return {here};
  }
  return {outer, inner};
}

class FileTranslator {
 public:
  FileTranslator(Node& root, const std::string& file, Faults& faults, Faults& notes)
      : root_(root),
        file_(file),
        faults_(faults),
        notes_(notes),
        project_(project_of(file)),
        inputs_(client_inputs(root)),
        opencode_(names_servers(root.find("mcp"))) {}

  void translate() {
    const bool foreign = is_client_file(root_, file_);
    hoist_servers();
    if (foreign) add_project_servers();
    for (auto& [key, line, section] : root_.members) {
      if (!is_section(key) || section.kind != Kind::map) continue;
      if (key != "mcp" || opencode_) {
        translate_section(section, key);
      } else if (!foreign) {
        faults_.push_back({file_, line, key, "is not a map of servers"});
      }
    }
    if (!foreign) return;
    choose_servers();
    deny_tools();
    remove_others();
  }

 private:
  // `mcp: {servers, inputs}`, as settings of VS Code have it.
  void hoist_servers() {
    const Node* const mcp = root_.find("mcp");
    const Node* const servers = mcp ? mcp->find("servers") : nullptr;
    if (!servers || opencode_) return;
    for (const auto& [key, line, value] : mcp->members) {
      if (key != "servers" && key != "inputs") note_unread(line, config::member_path("mcp", key));
    }
    Node section = *servers;
    std::erase_if(root_.members, [](const config::Member& one) { return one.key == "mcp"; });
    add_member(root_, "mcp.servers", std::move(section));
  }

  // Claude Code: the servers of the project in which the gateway was started.
  void add_project_servers() {
    if (!has_project_servers(root_)) return;
    const Node projects = *root_.find("projects");
    if (!root_.find("mcpServers")) add_member(root_, "mcpServers", config::map_node({}));
    std::error_code ignored;
    const fs::path here = fs::current_path(ignored);
    for (const auto& [folder, at, project] : projects.members) {
      const Node* const servers = project_servers(project);
      if (!servers) continue;
      for (const auto& server : servers->members) {
        if (folder == here) {
          set_server(server);
        } else {
          note(server.line, config::member_path("projects", folder) + ".mcpServers." + server.key,
               "not read: it belongs to a project in another folder");
        }
      }
    }
  }

  // A server of the project replaces one of the user.
  void set_server(const config::Member& server) {
    Node& all = *root_.find("mcpServers");
    std::erase_if(all.members, [&](const config::Member& one) { return one.key == server.key; });
    all.members.push_back(server);
  }

  ClientContext context_for(std::string_view section) const {
    ClientVariables variables{.workspace = project_.folder,
                              .home = read_variable("HOME").value_or(""),
                              .inputs = inputs_,
                              .bare_dollar = is_gemini(root_, file_),
                              .braces = section == "mcp"};
    return {.file = file_,
            .variables = std::move(variables),
            .timeout_unit =
                counts_seconds(root_, file_, section) ? TimeUnit::seconds : TimeUnit::milliseconds,
            .default_cwd = project_.certain ? project_.folder.string() : "",
            .faults = faults_,
            .notes = notes_};
  }

  void translate_section(Node& section, const std::string& key) {
    const ClientContext context = context_for(key);
    std::vector<config::Member> ours;
    for (auto& [name, line, entry] : section.members) {
      const std::string path = config::member_path(key, name);
      if (entry.kind == Kind::scalar && key != "mcpServers") {
        ours.push_back({name, line, entry});
        continue;
      }
      auto translated = translate_entry(entry, path, context);
      if (!translated) continue;
      const std::string good = upstream_name(name);
      if (good != name) note(line, path, fmt::format("the name becomes {}", good));
      names_.emplace(good, name);
      ours.push_back({good, line, *std::move(translated)});
    }
    section.members = std::move(ours);
  }

  void note(int line, std::string path, std::string message) {
    notes_.push_back({file_, line, std::move(path), std::move(message)});
  }

  void note_unread(int line, std::string path) {
    note(line, std::move(path), "not read: it has no counterpart here");
  }

  // Gemini CLI: `mcp.allowed` and `mcp.excluded` say which servers are used.
  void choose_servers() {
    const Node* const mcp = root_.find("mcp");
    Node* const servers = root_.find("mcpServers");
    if (!mcp || !servers || opencode_) return;
    for (const auto& [key, line, value] : mcp->members) {
      const std::string path = config::member_path("mcp", key);
      const bool allowed = key == "allowed";
      if (!allowed && key != "excluded") {
        note_unread(line, path);
        continue;
      }
      std::set<std::string> names;
      for (const auto& name : value.items) names.insert(upstream_name(name.text));
      std::erase_if(servers->members, [&](const config::Member& server) {
        if (names.contains(server.key) == allowed) return false;
        note(server.line, config::member_path("mcpServers", server.key),
             fmt::format("left out because of {}", path));
        return true;
      });
    }
  }

  // opencode: `tools` has patterns of SERVER_TOOL that are switched off.
  void deny_tools() {
    const Node* const tools = root_.find("tools");
    Node* const servers = root_.find("mcp");
    if (!tools || !servers || !opencode_) return;
    if (tools->members.size() > kMaxPatterns) {
      faults_.push_back(
          {file_, tools->line, "tools", fmt::format("has more than {} patterns", kMaxPatterns)});
      return;
    }
    for (const auto& [pattern, line, value] : tools->members) {
      bool used = false;
      for (auto& [name, at, server] : servers->members) {
        if (value.text != "false") continue;
        for (const auto& denied : parts_after(pattern, opencode_name(names_[name]) + "_")) {
          deny(server, denied, line);
          used = true;
        }
      }
      if (!used) note(line, config::member_path("tools", pattern), "concerns no server; not read");
    }
  }

  // How opencode writes the name of a server in the names of its tools.
  static std::string opencode_name(std::string name) {
    for (char& c : name) {
      const bool allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '_' || c == '-';
      if (!allowed) c = '_';
    }
    return name;
  }

  // What can be left of a pattern once `prefix` has been matched.
  static std::vector<std::string> parts_after(std::string_view pattern, std::string_view prefix) {
    std::set<std::size_t> offsets;
    const auto reach = [&](std::size_t offset) {
      while (offsets.insert(offset).second && offset < pattern.size() && pattern[offset] == '*') {
        ++offset;
      }
    };
    reach(0);
    for (const char c : prefix) {
      for (const std::size_t offset : std::exchange(offsets, {})) {
        if (offset == pattern.size()) continue;
        if (pattern[offset] == '*') reach(offset);
        if (pattern[offset] == '?' || pattern[offset] == c) reach(offset + 1);
      }
    }
    std::vector<std::string> parts;
    for (const std::size_t offset : offsets) {
      // What a star before it matches too needs no pattern of its own.
      const bool covered = offset > 0 && pattern[offset - 1] == '*' && offsets.contains(offset - 1);
      if (offset < pattern.size() && !covered) parts.emplace_back(pattern.substr(offset));
    }
    return parts;
  }

  static void deny(Node& server, const std::string& pattern, int line) {
    if (!server.find("tools")) add_member(server, "tools", config::map_node({}));
    Node& tools = *server.find("tools");
    if (!tools.find("deny")) add_member(tools, "deny", config::list_node({}));
    tools.find("deny")->items.push_back(config::text_node(pattern));
    tools.find("deny")->items.back().line = line;
  }

  // The rest of the file is the client's own; one note names it.
  void remove_others() {
    const bool chosen = root_.find("mcpServers") != nullptr;  // By `mcp`, which has been read.
    std::vector<std::string> names;
    int first = 0;
    std::erase_if(root_.members, [&](const config::Member& member) {
      const std::string& key = member.key;
      if (is_section(key) && (key != "mcp" || opencode_)) return false;
      const bool used = key == "inputs" || key == "$schema" || (key == "mcp" && chosen) ||
                        (key == "tools" && opencode_);
      if (!used && names.empty()) first = member.line;
      if (!used) names.push_back(key);
      return true;
    });
    if (names.empty()) return;
    std::string list = names.front();
    for (std::size_t i = 1; i < std::min(names.size(), kNamesInNote); ++i) list += ", " + names[i];
    if (names.size() > kNamesInNote) {
      list += fmt::format(" and {} more", names.size() - kNamesInNote);
    }
    note(first, "", fmt::format("not read, since it is not about servers: {}", list));
  }

  Node& root_;
  const std::string& file_;
  Faults& faults_;
  Faults& notes_;
  const Project project_;
  const std::vector<ClientInput> inputs_;
  const bool opencode_;
  std::map<std::string, std::string> names_;  // What the file calls the servers, by our names.
};

// Whether a text anywhere below `node` has `reference` in it.
bool refers(const Node& node, const std::string& reference) {
  return node.text.find(reference) != std::string::npos ||
         std::ranges::any_of(node.items,
                             [&](const Node& item) { return refers(item, reference); }) ||
         std::ranges::any_of(node.members, [&](const config::Member& member) {
           return refers(member.value, reference);
         });
}

std::string text_of(const Node& map, std::string_view key) {
  const Node* const found = map.find(key);
  return found ? found->text : "";
}

ClientInput read_input(const Node& given) {
  const std::string id = text_of(given, "id");
  ClientInput input{.id = id,
                    .variable = input_variable(id),
                    .description = text_of(given, "description"),
                    .fallback = text_of(given, "default"),
                    .password = text_of(given, "password") == "true"};
  if (const Node* const options = given.find("options")) {
    for (const auto& option : options->items) {
      input.options.push_back(option.kind == Kind::map ? text_of(option, "value") : option.text);
    }
  }
  return input;
}

}  // namespace

std::span<const std::string_view> client_sections() { return kClientSections; }

bool is_client_file(const Node& root, const std::string& file) {
  const bool theirs = file.ends_with(".json") || file.ends_with(".jsonc") ||
                      file.ends_with(".toml") || file == kStdin;
  if (!theirs || root.kind != Kind::map || root.find("upstreams")) return false;
  const Node* const mcp = root.find("mcp");
  return root.find("mcpServers") || root.find("context_servers") || root.find("mcp_servers") ||
         names_servers(mcp) || (mcp && mcp->find("servers")) ||
         (root.find("servers") &&
          (root.find("inputs") || fs::path(file).filename() == "mcp.json")) ||
         has_project_servers(root);
}

void translate_clients(Node& root, const std::string& file, Faults& faults, Faults& notes) {
  if (root.kind == Kind::map) FileTranslator(root, file, faults, notes).translate();
}

std::vector<ClientInput> client_inputs(const Node& root) {
  const Node* const mcp = root.find("mcp");
  const Node* const inputs = mcp && mcp->find("inputs") ? mcp->find("inputs") : root.find("inputs");
  std::vector<ClientInput> all;
  if (!inputs) return all;
  for (const auto& given : inputs->items) {
    if (all.size() == kMaxInputs) break;
    ClientInput input = read_input(given);
    if (refers(root, fmt::format("${{input:{}}}", input.id))) all.push_back(std::move(input));
  }
  return all;
}

Node load_configuration_file(const std::string& file, Faults& faults, Faults& notes,
                             std::vector<std::string>* files) {
  Node root = config::parse_file(file, faults);
  bool complete = true;
  for (const auto& input : client_inputs(root)) {
    if (!input.fallback.empty() || read_variable(input.variable)) continue;
    complete = false;
    faults.push_back({file, 0, "inputs." + input.id,
                      fmt::format("has no value{}: set the environment variable {}, or start the "
                                  "gateway on a terminal, which asks for it",
                                  input.description.empty() ? "" : " (" + input.description + ")",
                                  input.variable)});
  }
  if (!complete) return {};
  translate_clients(root, file, faults, notes);
  config::resolve(root, file, faults, files);
  return root;
}

}  // namespace patchbay::app
