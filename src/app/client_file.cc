#include "app/client_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "app/client_choices.h"
#include "app/client_entry.h"
#include "app/client_name.h"
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
// In these sections, a value that is not a map is one of our endpoints.
constexpr std::array<std::string_view, 3> kShared{"mcpServers", "servers", "mcp.servers"};
// Folders in which editors store the file of a project.
constexpr std::array<std::string_view, 8> kProjectFolders{
    ".vscode", ".cursor", ".gemini", ".codex", ".zed", ".roo", ".windsurf", ".opencode"};
constexpr std::size_t kNamesInNote = 8;
constexpr std::size_t kMaxInputs = 100;
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

// opencode from its second version on has them one level deeper, where VS Code has its own.
bool is_second_opencode(const Node& root, const std::string& file) {
  const Node* const mcp = root.find("mcp");
  const Node* const servers = mcp ? mcp->find("servers") : nullptr;
  if (!servers || servers->kind != Kind::map) return false;
  const Node* const schema = root.find("$schema");
  return fs::path(file).filename().string().starts_with("opencode.") ||
         (schema && schema->text.find("opencode.ai") != std::string::npos) ||
         std::ranges::any_of(servers->members, [](const config::Member& server) {
           const Node* const type = server.value.find("type");
           return type && (type->text == "local" || type->text == "remote");
         });
}

bool any_entry_has(const Node* section, std::initializer_list<std::string_view> keys) {
  return section && std::ranges::any_of(section->members, [&](const config::Member& member) {
           return std::ranges::any_of(
               keys, [&](std::string_view key) { return member.value.find(key) != nullptr; });
         });
}

// Claude Code: `projects` has the servers of each project, by folder.
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

// Gemini CLI: recognised by the folder of the file, or by keys that only its entries have.
bool is_gemini(const Node& root, const std::string& file) {
  return fs::path(file).parent_path().filename() == ".gemini" ||
         any_entry_has(root.find("mcpServers"), {"httpUrl", "includeTools", "excludeTools", "trust",
                                                 "authProviderType", "tcp"});
}

// Cline and its relatives count in seconds, and so does Zed.
TimeUnit time_unit(const Node& root, const std::string& file, std::string_view section) {
  if (section == "context_servers") return TimeUnit::zed;
  const bool seconds = file.ends_with("cline_mcp_settings.json") ||
                       any_entry_has(root.find("mcpServers"), {"autoApprove", "alwaysAllow"});
  return seconds ? TimeUnit::seconds : TimeUnit::milliseconds;
}

// The folder of the project that a file belongs to.
struct Project {
  fs::path folder;
  bool certain = false;  // By the name of the file, or of a folder that an editor makes.
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
  // A user's file applies to every project: here, to the folder in which the gateway was started.
  if (outer == home || (!home.empty() && folder.string().starts_with(home.string() + "/."))) {
    return {here};
  }
  const std::string file_name = whole.filename();
  return {outer, inner || file_name == ".mcp.json" || file_name.starts_with("opencode.")};
}

bool may_concern_servers(const std::string& key) {
  constexpr std::array<std::string_view, 5> kParts{"mcp", "MCP", "server", "Server", "tool"};
  return std::ranges::any_of(
      kParts, [&key](std::string_view part) { return key.find(part) != std::string_view::npos; });
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
        second_opencode_(is_second_opencode(root, file)),
        opencode_(second_opencode_ || names_servers(root.find("mcp"))) {}

  void translate() {
    const bool foreign = is_client_file(root_, file_);
    hoist_servers();
    if (foreign) add_project_servers();
    if (foreign) remove_disabled_servers();
    for (auto& [key, line, section] : root_.members) {
      if (!is_section(key) || section.kind != Kind::map) continue;
      if (key != "mcp" || opencode_) {
        translate_section(section, key);
      } else if (!foreign) {
        faults_.push_back({file_, line, key, "is not a map of servers"});
      }
    }
    if (!foreign) return;
    const ClientChoices choices{file_, names_, faults_, notes_};
    if (!opencode_) choose_servers(root_, choices);
    if (opencode_) deny_tools(root_, opencode_section(), choices);
    remove_others();
  }

 private:
  // `mcp: {servers, …}`, as settings of VS Code and the newer opencode have it.
  void hoist_servers() {
    const Node* const mcp = root_.find("mcp");
    const Node* const servers = mcp ? mcp->find("servers") : nullptr;
    if (!servers || (opencode_ && !second_opencode_)) return;
    const Node* const timeout = second_opencode_ ? mcp->find("timeout") : nullptr;
    for (const auto& [key, line, value] : mcp->members) {
      const bool known = key == "servers" || key == "inputs" || &value == timeout;
      if (!known) note_unread(line, config::member_path("mcp", key));
    }
    Node section = *servers;
    for (auto& server : section.members) {
      const bool lacks = timeout && server.value.kind == Kind::map && !server.value.find("timeout");
      if (lacks) add_member(server.value, "timeout", *timeout);
    }
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

  // Claude Code: `disabledMcpServers` of that project.
  void remove_disabled_servers() {
    const Node* const projects = root_.find("projects");
    Node* const servers = root_.find("mcpServers");
    std::error_code ignored;
    const Node* const project =
        projects ? projects->find(fs::current_path(ignored).string()) : nullptr;
    const Node* const disabled = project ? project->find("disabledMcpServers") : nullptr;
    if (!disabled || !servers) return;
    for (const auto& name : disabled->items) {
      std::erase_if(servers->members, [&](const config::Member& server) {
        if (server.key != name.text) return false;
        note(server.line, config::member_path("mcpServers", server.key),
             "left out because of disabledMcpServers");
        return true;
      });
    }
  }

  // A server of the project replaces one of the user.
  void set_server(const config::Member& server) {
    Node& all = *root_.find("mcpServers");
    std::erase_if(all.members, [&](const config::Member& one) { return one.key == server.key; });
    all.members.push_back(server);
  }

  std::string_view opencode_section() const { return second_opencode_ ? "mcp.servers" : "mcp"; }

  ClientContext context_for(std::string_view section) const {
    ClientVariables variables{.workspace = project_.folder,
                              .home = read_variable("HOME").value_or(""),
                              .inputs = inputs_,
                              .bare_dollar = is_gemini(root_, file_),
                              .braces = opencode_ && section == opencode_section()};
    return {.file = file_,
            .variables = std::move(variables),
            .timeout_unit = time_unit(root_, file_, section),
            .url_first = is_gemini(root_, file_),
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
      const std::string good = free_name(name);
      if (good != name) note(line, path, fmt::format("the name becomes {}", good));
      names_.emplace(good, name);
      ours.push_back({good, line, *std::move(translated)});
    }
    section.members = std::move(ours);
  }

  // A name that can be used as it is stays; another one gives way to it, and to those before it.
  std::string free_name(const std::string& name) const {
    const std::string good = upstream_name(name);
    if (good == name) return good;
    for (int number = 1;; ++number) {
      std::string free = number == 1 ? good : numbered_upstream_name(good, number);
      if (!names_.contains(free) && !names_something(free)) return free;
    }
  }

  bool names_something(const std::string& name) const {
    return std::ranges::any_of(root_.members, [&](const config::Member& section) {
      return (is_section(section.key) || section.key == "upstreams") && section.value.find(name);
    });
  }

  void note(int line, std::string path, std::string message) {
    notes_.push_back({file_, line, std::move(path), std::move(message)});
  }

  void note_unread(int line, std::string path) {
    note(line, std::move(path), "not read: it has no counterpart here");
  }

  // The rest of the file is the client's own; one note names it.
  void remove_others() {
    const bool chosen = root_.find("mcpServers") != nullptr;  // `mcp`, which has been read.
    std::vector<std::string> names;
    int first = 0;
    std::erase_if(root_.members, [&](const config::Member& member) {
      const std::string& key = member.key;
      if (is_section(key) && (key != "mcp" || opencode_)) return false;
      const bool used = key == "inputs" || key == "$schema" || (key == "mcp" && chosen) ||
                        (key == "tools" && opencode_) || chooses_servers(key);
      if (!used && names.empty()) first = member.line;
      if (!used) names.push_back(key);
      return true;
    });
    if (names.empty()) return;
    // The list is cut, so what may concern servers is first.
    std::vector<std::string> others;
    std::erase_if(names, [&others](const std::string& name) {
      if (may_concern_servers(name)) return false;
      others.push_back(name);
      return true;
    });
    names.insert(names.end(), others.begin(), others.end());
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
  const bool second_opencode_;
  const bool opencode_;                       // Of either version.
  std::map<std::string, std::string> names_;  // What the file calls the servers, by our names.
};

// Whether a text below `node`, at any depth, contains `reference`.
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
