#include "cli/connect_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/configuration.h"
#include "app/write_file.h"
#include "cli/client_files.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "config/edit_json.h"
#include "config/edit_toml.h"
#include "config/file.h"
#include "config/load.h"
#include "config/make_node.h"
#include "core/environment.h"
#include "json/text.h"
#include "net/io/socket.h"

namespace patchbay::app {
namespace {

using config::add_member;
using config::list_node;
using config::map_node;
using config::Node;
using config::text_node;

// How the client reaches the gateway.
struct Route {
  std::string url;     // Of the running gateway; empty: the client starts one.
  std::string config;  // Of the gateway that the client starts.
  bool auth = false;
};

int connect_failure(const Error& error) {
  complain("patchbay: {}\n", error.message);
  return error.code == Code::invalid_params ? kExitUsage : kExitFailed;
}

Result<std::string> client_file(const ClientFile& client, const ConnectOptions& options) {
  if (!options.file.empty()) return options.file;
  if (options.project) {
    if (!client.project.empty()) return std::string(client.project);
    return Error{Code::invalid_params,
                 fmt::format("{} has no file for a project; leave out --project", client.title)};
  }
  const std::string base = read_variable("HOME").value_or("");
  if (base.empty()) {
    return Error{Code::invalid_params, "HOME is not set; name the client's file with --file"};
  }
  return fmt::format("{}/{}", base, client.user);
}

// The address as a client on this machine reaches it.
Result<std::string> url_of(const Settings& settings) {
  auto address = net::parse_address(settings.listen);
  if (!address) return Error{Code::invalid_params, address.error().message};
  if (address->port() == 0) {
    return Error{Code::invalid_params,
                 "the configuration lets the system choose the port; give the address with --url"};
  }
  return fmt::format("http://127.0.0.1:{}/mcp", address->port());
}

Result<Route> route_of(const ConnectOptions& options) {
  const std::string file = choose_configuration(options.config);
  if (options.stdio) {
    if (file.empty()) {
      return Error{Code::invalid_params,
                   "which configuration? name it with -c, or run `patchbay init`"};
    }
    return Route{"", std::filesystem::absolute(file).lexically_normal().string()};
  }
  config::Faults faults;
  const Configuration configuration = load_configuration(file, {}, faults);
  const bool auth = options.auth || (faults.empty() && configuration.settings.auth.on());
  std::string url = options.url;
  if (url.empty()) url = read_variable("PATCHBAY_URL").value_or("");
  if (url.empty()) {
    auto found = url_of(faults.empty() ? configuration.settings : Settings{});
    if (!found) return found.error();
    url = *std::move(found);
  }
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    return Error{Code::invalid_params, fmt::format("'{}' is not an http(s) URL", url)};
  }
  return Route{url, "", auth};
}

// The command that the client runs: a gateway of its own, or a router to the running one.
std::vector<std::string> command_of(const Route& route, const ConnectOptions& options) {
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  const std::string program = failed ? "patchbay" : self.string();
  if (route.url.empty()) return {program, "stdio", "-c", route.config};
  std::vector<std::string> command{program, "router", "--gateway", "ws" + route.url.substr(4)};
  if (!options.token_file.empty()) {
    const auto file = std::filesystem::absolute(options.token_file).lexically_normal();
    command.insert(command.end(), {"--token-file", file.string()});
  }
  return command;
}

Node program_entry(const ClientFile& client, const std::vector<std::string>& command) {
  if (client.name == "opencode") {
    return map_node({{"type", 0, text_node("local")},
                     {"command", 0, list_node(command)},
                     {"enabled", 0, config::bare_node("true")}});
  }
  Node entry = map_node({});
  if (client.name == "vscode") add_member(entry, "type", text_node("stdio"));
  add_member(entry, "command", text_node(command.front()));
  add_member(entry, "args", list_node({command.begin() + 1, command.end()}));
  return entry;
}

Node url_entry(const ClientFile& client, const Route& route) {
  Node entry = map_node({});
  if (!client.type.empty()) add_member(entry, "type", text_node(client.type));
  add_member(entry, client.url, text_node(route.url));
  if (client.name == "opencode") add_member(entry, "enabled", config::bare_node("true"));
  if (!route.auth) return entry;
  if (client.format == ClientFormat::toml) {
    add_member(entry, "bearer_token_env_var", text_node(client.token));
  } else {
    add_member(entry, "headers",
               map_node({{"Authorization", 0, text_node(fmt::format("Bearer {}", client.token))}}));
  }
  return entry;
}

// A client that cannot send the token itself uses the router, which reads it.
bool needs_router(const ClientFile& client, const Route& route, const ConnectOptions& options) {
  return client.url.empty() || !options.token_file.empty() || (route.auth && client.token.empty());
}

// The members that lead to the servers. opencode from its second version on has them one level
// deeper, and has no member `enabled`.
std::vector<std::string_view> section_path(const ClientFile& client, const std::string& text) {
  if (client.name != "opencode") return {client.section};
  config::Faults ignored;
  const Node root = config::parse_text(text, "file.json", ignored);
  const Node* const section = root.find(client.section);
  const Node* const servers = section ? section->find("servers") : nullptr;
  if (!servers || servers->find("type")) return {client.section};
  return {client.section, "servers"};
}

// The text with the entry. A file that is written in an unusual way may not be edited safely: what
// comes of it is read again.
Result<std::string> edited(const ClientFile& client, const std::string& text,
                           const std::string& name, Node entry) {
  const bool toml = client.format == ClientFormat::toml;
  std::vector<std::string_view> path =
      toml ? std::vector{client.section} : section_path(client, text);
  if (path.size() > 1) {
    std::erase_if(entry.members, [](const config::Member& one) { return one.key == "enabled"; });
  }
  path.emplace_back(name);
  auto after = toml ? config::set_toml_table(text, client.section, name, entry)
                    : config::set_json_member(text, path, entry);
  if (!after) return after;
  config::Faults faults;
  const Node root = config::parse_text(*after, toml ? "result.toml" : "result.json", faults);
  const Node* found = &root;
  for (const auto key : path) found = found ? found->find(key) : nullptr;
  if (faults.empty() && found) return after;
  return Error{Code::invalid_request,
               fmt::format("`{}` is written in a way that cannot be edited safely; add it by hand",
                           client.section)};
}

// Writes the file, with a copy of what it was; yields the name of the copy.
Result<std::string> write(const std::string& file, const std::string& before,
                          const std::string& after, bool existed) {
  std::error_code failed;
  const auto folder = std::filesystem::path(file).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  if (failed) return Error{Code::unavailable, fmt::format("{}: {}", file, failed.message())};
  const std::string backup = existed ? file + ".bak" : "";
  if (existed) {
    auto writable = check_writable(file);
    if (!writable) return writable.error();
  }
  if (existed) {
    // Such files may hold secrets of other servers.
    auto copied = replace_file(backup, before, kPrivateMode);
    if (!copied) return copied.error();
  }
  auto written = replace_file(file, after, existed ? kAnyMode : kPrivateMode);
  if (!written) return written.error();
  return backup;
}

void report(const ClientFile& client, const std::string& file, const std::string& backup,
            const Route& route, const ConnectOptions& options) {
  if (options.json) {
    print_raw(fmt::format("{{\"client\":{},\"file\":{},\"backup\":{},\"dry_run\":{}}}\n",
                          json::quote(client.name), json::quote(file),
                          backup.empty() ? "null" : json::quote(backup), options.dry_run));
    return;
  }
  if (options.dry_run) return;
  print("wrote {}{}{}; restart {} to use it\n", file, backup.empty() ? "" : ", backup in ", backup,
        client.title);
  if (route.auth && options.token_file.empty()) {
    print("the gateway requires a token: set PATCHBAY_TOKEN in the environment of {}\n",
          client.title);
  }
}

}  // namespace

std::vector<std::string> client_names() {
  std::vector<std::string> names;
  for (const auto& client : kClientFiles) names.emplace_back(client.name);
  return names;
}

int connect_client(const ConnectOptions& options) {
  const auto* const client = std::ranges::find(kClientFiles, options.client, &ClientFile::name);
  if (client == kClientFiles.end()) {
    return connect_failure(
        {Code::invalid_params,
         fmt::format("'{}' is not one of: {}", options.client, fmt::join(client_names(), ", "))});
  }
  auto file = client_file(*client, options);
  if (!file) return connect_failure(file.error());
  auto route = route_of(options);
  if (!route) return connect_failure(route.error());
  auto before = config::read_file(*file, config::kMaxFile);
  const bool existed = before || before.error().code != Code::not_found;
  if (!before && existed) {
    return connect_failure(
        {Code::unavailable, fmt::format("{} {}", *file, before.error().message)});
  }
  const std::string old_text = before ? *before : "";
  const bool runs = route->url.empty() || needs_router(*client, *route, options);
  const Node entry =
      runs ? program_entry(*client, command_of(*route, options)) : url_entry(*client, *route);
  auto text = edited(*client, old_text, options.name, entry);
  if (!text) {
    return connect_failure({Code::unavailable, fmt::format("{}: {}", *file, text.error().message)});
  }
  const std::string difference = line_difference(old_text, *text, *file);
  if (!options.json && difference.empty()) print("{} is connected already\n", client->title);
  if (!options.json && !difference.empty()) {
    print_text(stdout, std::string_view(difference).substr(0, difference.size() - 1));
  }
  std::string backup;
  if (!options.dry_run && !difference.empty()) {
    auto written = write(*file, old_text, *text, existed);
    if (!written) return connect_failure(written.error());
    backup = *std::move(written);
  }
  if (!difference.empty() || options.json) report(*client, *file, backup, *route, options);
  return kExitOk;
}

}  // namespace patchbay::app
