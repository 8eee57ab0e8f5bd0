#include "app/configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "app/auth_service.h"
#include "app/client_file.h"
#include "app/console_section.h"
#include "app/env_file.h"
#include "app/properties.h"
#include "app/sign_in_section.h"
#include "app/telemetry_section.h"
#include "app/timeout_notes.h"
#include "app/upstream_entries.h"
#include "config/digest.h"
#include "config/fields.h"
#include "config/file.h"
#include "config/load.h"
#include "config/make_node.h"
#include "core/environment.h"
#include "core/glob.h"
#include "core/http_token.h"
#include "mcp_client/connect/stdio.h"
#include "net/io/address.h"

namespace patchbay::app {
namespace {

using config::Faults;
using config::Node;

// The members of `entry` that every upstream can have, or all others.
Node part_of(const Node& entry, bool common) {
  const config::Fields& fields = config::fields<gateway::UpstreamSettings>();
  Node part = entry;
  std::erase_if(part.members, [&](const config::Member& member) {
    const auto found = std::ranges::find(fields, member.key, &config::Field::name);
    return (found != fields.end()) != common;
  });
  return part;
}

// Whatever the kind: settings that it does not have are not there.
UpstreamProtection protection_of(const Node& entry) {
  const auto text_of = [](const Node* node) { return node ? node->text : std::string(); };
  UpstreamProtection protection;
  if (const Node* const sandbox = entry.find("sandbox")) {
    protection.sandbox = sandbox->kind != config::Kind::null;
    protection.network = text_of(sandbox->find("network")) == "host";
  }
  protection.user = text_of(entry.find("user"));
  const std::string isolation = text_of(entry.find("isolation"));
  protection.separation = isolation == "shared" ? 0 : isolation == "per-session" ? 2 : 1;
  return protection;
}

// The factory of an upstream; adds faults if the entry is invalid.
void add_plan(UpstreamEntry& entry, Configuration& loaded, Faults& faults) {
  const std::string& file = loaded.file;
  const UpstreamKind* const kind = find_upstream_kind(entry.kind);
  if (!kind) {
    std::vector<std::string_view> known;
    for (const auto& one : upstream_kinds()) known.push_back(one.name);
    const std::string_view meant = config::closest(entry.kind, known);
    const Node* const given = entry.node.find("kind");
    faults.push_back(
        {file, given ? given->line : entry.node.line, entry.path + ".kind",
         fmt::format("'{}' is not one of: {}{}", entry.kind, fmt::join(known, " "),
                     meant.empty() ? "" : fmt::format("; did you mean \"{}\"?", meant))});
    return;
  }
  const config::Location at{file, entry.path, faults};
  config::apply_aliases(kind->fields(), entry.node, at, loaded.notes);
  config::apply_aliases(config::fields<gateway::UpstreamSettings>(), entry.node, at, loaded.notes);
  const Node common = part_of(entry.node, true);
  const Node own = part_of(entry.node, false);
  auto settings = config::read<gateway::UpstreamSettings>(common, file, entry.path, faults);
  if (const Node* const tools = common.find("tools")) {
    gateway::check_tools(*tools, {file, config::member_path(entry.path, "tools"), faults});
  }
  auto make = kind->read(entry.name, own, file, entry.path, faults);
  std::string digest = config::digest(own);
  // An upstream whose limits on lists change must list again. Its choice of tools needs no restart.
  if (const Node* const lists = common.find("lists")) digest += " " + config::digest(*lists);
  loaded.upstreams.push_back({entry.name, entry.kind, std::move(digest), std::move(settings),
                              std::move(make), entry.path, examine_upstream(entry, own, file),
                              protection_of(own)});
}

// A program that is not allowed is a fault of the file. A program that cannot be found is not: it
// may be installed later, and is checked again before it is run.
void check_command(const UpstreamEntry& entry, const upstreams::AllowedCommands& allowed,
                   const std::string& file, Faults& faults) {
  Faults reported_before;
  const std::array ignored{std::string_view("kind")};
  const auto settings = config::read<upstreams::StdioSettings>(
      part_of(entry.node, false), file, entry.path, reported_before, ignored);
  auto may_run = allowed.check(upstreams::program_of(settings));
  if (may_run || may_run.error().code != Code::forbidden) return;
  const Node* const given = entry.node.find("command");
  faults.push_back({file, given ? given->line : entry.node.line, entry.path + ".command",
                    may_run.error().message});
}

// Absent and empty differ: empty allows nothing.
void read_rules(Configuration& loaded, const Node& root, Faults& faults) {
  const Node* const given = root.find("rules");
  if (!given) return;
  loaded.rules =
      std::make_shared<const policy::Rules>(loaded.settings.rules, *given, config::digest(*given),
                                            config::Location{loaded.file, "rules", faults});
}

void read_plans(Configuration& loaded, const Node& root, Faults& faults) {
  const Settings& settings = loaded.settings;
  const auto& commands = settings.stdio.allowed_commands;
  if (commands) loaded.allowed = std::make_shared<const upstreams::AllowedCommands>(*commands);
  for (auto& entry : upstream_entries(root, loaded.file, settings.names.separator, faults)) {
    const std::size_t before = loaded.upstreams.size();
    if (entry.kind == "stdio") {
      add_variables_of_file(entry.node, {loaded.file, entry.path, faults}, loaded.files);
    }
    add_plan(entry, loaded, faults);
    note_timeouts(entry, settings.limits, loaded.file, loaded.warnings);
    if (loaded.upstreams.size() == before || entry.kind != "stdio") continue;
    std::string& digest = loaded.upstreams.back().digest;
    for (const auto& name : settings.stdio.env_pass) digest += " env_pass " + name;
    if (!commands) continue;
    check_command(entry, *loaded.allowed, loaded.file, faults);
    // The allowed programs are part of what a program is started with.
    for (const auto& command : *commands) digest += " " + command;
  }
}

constexpr std::string_view kAuthLine =
    "auth: { tokens: [{ name: me, token: \"${env:PATCHBAY_TOKEN}\" }] }";

// Pages that any origin may read must not be sent with a browser's credentials.
void check_cors(const Settings& settings, const Node& root, const std::string& file,
                Faults& faults) {
  const CorsSection& cors = settings.http.cors;
  const Node* const section = root.find("http") ? root.find("http")->find("cors") : nullptr;
  if (!section) return;
  const config::Location at{file, "http.cors", faults};
  for (const auto& name : cors.headers) {
    if (!is_token(name)) at.member("headers").fault(section->line, "'" + name + "' is no header");
  }
  if (std::ranges::find(cors.origins, "*") == cors.origins.end()) return;
  if (cors.credentials) {
    at.member("origins").fault(section->line,
                               "'*' cannot stand with credentials: name the origins");
  }
  if (!settings.auth.on()) {
    at.member("origins").fault(
        section->line,
        "'*' would let any web page call, since callers are not authenticated; name "
        "the origins, or add `auth`");
  }
}

// `section` is the section that contains `listen` under `key`; null: the address comes from
// elsewhere. `asks`: clients must authenticate.
void check_listen(const std::string& listen, const Node* section, const config::Location& at,
                  bool asks, const std::string& key = "listen") {
  const Node* const given = section ? section->find(key) : nullptr;
  const int line = given ? given->line : 0;
  auto address = net::parse_address(listen);
  if (!address) {
    at.member(key).fault(line, address.error().message);
  } else if (!address->loopback() && !asks) {
    at.member(key).fault(
        line,
        fmt::format("{} is reachable from other machines, and nothing would ask them who they "
                    "are; use 127.0.0.1:{}, or add the line\n  {}",
                    listen, address->port(), kAuthLine));
  }
}

// Unusable files are faults: at start they are printed at once, and on a reload the old ones stay
// in use.
void finish_tls(Configuration& loaded, const Node& root, Faults& faults) {
  if (!loaded.settings.tls) return;
  std::ranges::copy(tls_files(*loaded.settings.tls), std::back_inserter(loaded.files));
  const Node* const section = root.find("tls");
  const config::Location at{loaded.file, "tls", faults};
  const bool whole = section && section->find("listen") && section->find("cert");
  if (!whole) return;  // Already reported as a fault.
  check_listen(loaded.settings.tls->listen, section, at, loaded.settings.auth.on());
  auto context = tls_context(*loaded.settings.tls);
  if (context) {
    loaded.tls = *std::move(context);
  } else {
    at.fault(section->line, context.error().message);
  }
}

void finish_wire(Configuration& loaded, const Node& root, Faults& faults) {
  if (!loaded.settings.wire) return;
  const WireSection& wire = *loaded.settings.wire;
  const Node* const section = root.find("wire");
  const config::Location at{loaded.file, "wire", faults};
  const bool asks = loaded.settings.auth.on();
  if (wire.listens()) check_listen(wire.tcp, section, at, asks, "tcp");
  if (wire.per_message_auth == frontends::MessageAuth::required && !asks) {
    at.member("per_message_auth")
        .fault(section->line, fmt::format("'required' needs `auth`, or there is nothing to check "
                                          "tokens against; add the line\n  {}",
                                          kAuthLine));
  }
  if (!wire.tls || wire.tls->cert.empty()) return;
  std::ranges::copy(tls_files(*wire.tls), std::back_inserter(loaded.files));
  auto context = tls_context(*wire.tls);
  if (context) {
    loaded.wire_tls = *std::move(context);
  } else {
    at.member("tls").fault(section->line, context.error().message);
  }
}

// Equal for configurations that mean the same, including the files of the TLS listener.
std::string digest_of(const Configuration& loaded, Node root) {
  if (loaded.settings.tls) {
    root.members.push_back(
        {"files of tls", 0, config::list_node(tls_contents(*loaded.settings.tls))});
  }
  if (loaded.settings.wire && loaded.settings.wire->tls) {
    root.members.push_back(
        {"files of wire.tls", 0, config::list_node(tls_contents(*loaded.settings.wire->tls))});
  }
  const auto& otlp = loaded.settings.telemetry.otlp;
  if (otlp.tls != net::TlsClientSettings()) {
    root.members.push_back(
        {"files of telemetry.otlp.tls", 0, config::list_node(collector_certificates(otlp))});
  }
  return config::digest(root);
}

// The digest of the text, so that a change of a file that a section names has no effect here.
std::map<std::string, std::string> section_digests(const Node& root) {
  std::map<std::string, std::string> digests;
  for (const auto& [key, line, value] : root.members) {
    if (key != "upstreams" && key != "mcpServers") digests.emplace(key, config::digest(value));
    if (key != "upstreams" && key != "mcpServers") continue;
    for (const auto& upstream : value.members) {
      digests.emplace("upstreams." + upstream.key, config::digest(upstream.value));
    }
  }
  return digests;
}

// The facts about upstreams that goals need, and the skills that they name.
void finish_goals(Configuration& loaded, const Node& root, Faults& faults) {
  auto& goals = loaded.settings.goals;
  for (const auto& plan : loaded.upstreams) {
    if (plan.kind == "builtin" && goals.builtin.empty()) goals.builtin = plan.name;
    goals.has_osquery |= plan.name == goals.osquery.upstream;
  }
  const Node* const section = root.find("goals");
  for (const auto& name : goals.skills) {
    const bool known =
        std::ranges::any_of(skills(), [&](const Skill* skill) { return skill->name == name; });
    if (known) continue;
    std::string all;
    for (const Skill* const skill : skills()) all += fmt::format(" {}", skill->name);
    faults.push_back({loaded.file, section->find("skills")->line, "goals.skills",
                      fmt::format("'{}' is not one of:{}", name, all)});
  }
}

// A pattern that matches nothing would always be satisfied.
void check_ready(const Configuration& loaded, const Node& root, Faults& faults) {
  const Node* const section = root.find("ready");
  for (const auto& pattern : loaded.settings.ready.upstreams) {
    const bool fits = std::ranges::any_of(
        loaded.upstreams, [&](const auto& plan) { return matches_glob(pattern, plan.name); });
    if (fits) continue;
    faults.push_back({loaded.file, section ? section->line : 0, "ready.required_upstreams",
                      fmt::format("there is no upstream '{}'", pattern)});
  }
}

void override_settings(const Overrides& overrides, Settings& settings) {
  if (!overrides.listen.empty()) settings.listen = overrides.listen;
  if (!overrides.tls_listen.empty() && settings.tls) settings.tls->listen = overrides.tls_listen;
  if (!overrides.wire_listen.empty() && settings.wire && settings.wire->listens()) {
    settings.wire->tcp = overrides.wire_listen;
  }
  settings.log.level = overrides.log_level.value_or(settings.log.level);
  settings.log.format = overrides.log_format.value_or(settings.log.format);
}

}  // namespace

Configuration load_configuration(const std::string& file, const Overrides& overrides,
                                 Faults& faults) {
  Configuration loaded;
  loaded.file = file;
  Node root;
  root.kind = config::Kind::map;
  if (!file.empty()) {
    loaded.files.push_back(file);
    root = load_configuration_file(file, faults, loaded.warnings, &loaded.files);
    // One that cannot be read is a fault already.
    if (auto text = config::read_file(file, config::kMaxFile)) loaded.text = *std::move(text);
    loaded.blank =
        root.kind == config::Kind::null || (root.kind == config::Kind::map && root.members.empty());
    // Checks the readable part all the same, to report all faults at once.
    if (root.kind == config::Kind::null && !faults.empty()) return loaded;
    if (root.kind == config::Kind::null) root.kind = config::Kind::map;
  }
  if (root.kind == config::Kind::map && !names_upstreams(root)) {
    loaded.names_upstreams = false;
    root.members.push_back({"upstreams", 0, default_upstreams()});
  }
  // Before any other code looks at the keys or adds some.
  config::apply_aliases(config::fields<Settings>(), root, {file, "", faults}, loaded.notes);
  if (!overrides.properties.empty()) loaded.files.push_back(overrides.properties);
  loaded.ignored = apply_properties(overrides.properties, root, faults);
  loaded.settings = config::read<Settings>(root, file, "", faults, client_sections());
  override_settings(overrides, loaded.settings);
  read_plans(loaded, root, faults);
  read_rules(loaded, root, faults);
  finish_goals(loaded, root, faults);
  note_timeouts(root, loaded.settings.limits, file, loaded.warnings);
  check_ready(loaded, root, faults);
  check_listen(loaded.settings.listen, &root, {file, "", faults}, loaded.settings.auth.on());
  check_cors(loaded.settings, root, file, faults);
  check_proxies(loaded.settings.proxies, root, file, faults);
  check_auth(loaded.settings.auth, root, file, faults);
  check_cluster(loaded.settings.cluster, root, file, faults);
  check_sign_in(loaded.settings.sign_in, root, file, faults);
  check_console(loaded.settings, root, file, faults);
  loaded.sections = section_digests(root);
  loaded.digest = digest_of(
      loaded, root);  // Taken before the files are used, so that a later change is detected.
  finish_tls(loaded, root, faults);
  finish_wire(loaded, root, faults);
  loaded.collector = read_collector(loaded.settings.telemetry.otlp, root, file, loaded.files,
                                    faults, loaded.warnings);
  config::sort_by_line(faults);
  config::sort_by_line(loaded.notes);
  config::sort_by_line(loaded.warnings);
  return loaded;
}

void log_notes(const config::Faults& notes) {
  for (const auto& note : notes) {
    log::Line(log::Level::warn, "setting renamed").add("what", config::to_string(note));
  }
}

void log_warnings(const config::Faults& warnings) {
  for (const auto& warning : warnings) {
    log::Line(log::Level::warn, "setting without effect").add("what", config::to_string(warning));
  }
}

std::string choose_configuration(const std::string& given) {
  if (!given.empty()) return given;
  if (const auto named = read_variable("PATCHBAY_CONFIG"); named && !named->empty()) return *named;
  std::error_code ignored;
  return std::filesystem::exists("patchbay.yaml", ignored) ? "./patchbay.yaml" : "";
}

std::string state_folder(const Settings& settings) {
  if (!settings.state.empty()) return settings.state;
  const std::string folders = read_variable("STATE_DIRECTORY").value_or("");
  return folders.substr(0, folders.find(':'));
}

config::Shape configuration_shape() {
  config::Shape shape = config::shape_of<Settings>();
  std::vector<config::Variant> kinds;
  for (const auto& kind : upstream_kinds()) {
    config::Shape of = kind.shape();
    std::ranges::move(config::shape_of<gateway::UpstreamSettings>().fields,
                      std::back_inserter(of.fields));
    kinds.push_back({"kind", std::string(kind.name), std::string(kind.meaning), std::move(of)});
  }
  config::attach_variants(shape, "upstreams", std::move(kinds), true);
  return shape;
}

}  // namespace patchbay::app
