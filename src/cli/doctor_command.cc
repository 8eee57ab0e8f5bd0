// doctor: reports whether this machine has what the configuration needs.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "app/run_gateway.h"
#include "cli/commands.h"
#include "cli/sandbox_run.h"
#include "cli/terminal.h"
#include "config/fields.h"
#include "config/load.h"
#include "json/write.h"
#include "mcp_client/connect/stdio_settings.h"
#include "sandbox/examine.h"
#include "upstreams/sandbox/engine.h"

namespace patchbay::app {
namespace {

constexpr config::Duration kTimeout{10'000};

constexpr int kThreads = 1;
constexpr int kWaiting = 16;

// What is checked, and the result: a sandbox of this machine, or of another engine.
struct Patient {
  std::string name;
  std::variant<sandbox::Settings, upstreams::SandboxSettings> settings;
  std::vector<sandbox::Finding> findings = {};
};

// A real run, not only a check of the parts.
sandbox::Finding try_it(const sandbox::Settings& settings) {
  auto spec = sandbox::spec_of(settings, sandbox::prepared_cgroup_paths());
  if (!spec) return {"a sandbox", false, spec.error().message};
  spec->args = {"/bin/true"};
  spec->same_stdio = true;
  sandbox::add_init(*spec);
  const auto code = run_spec_to_end(*std::move(spec), settings, kTimeout);
  if (!code) return {"a sandbox", false, code.error().message};
  if (*code != 0) return {"a sandbox", false, fmt::format("bubblewrap ended with {}", *code)};
  return {"a sandbox", true, "isolation: namespaces"};
}

// Starts one, waits until its agent answers, and ends it.
Task<int> make_one(upstreams::Engine& engine, const upstreams::SandboxSettings& settings) {
  auto prepared = co_await engine.prepare();
  if (!prepared) co_return prepared.error();
  const Deadline deadline = here().now() + std::min(settings.start_time, kTimeout);
  auto guest = co_await engine.start(settings.limits, deadline);
  if (!guest) co_return guest.error();
  auto greeted = co_await (*guest)->agent().greet(upstreams::agent_token(settings), deadline);
  auto ended = co_await (*guest)->end();
  if (!greeted) co_return greeted.error();
  if (!ended) co_return ended.error();
  co_return 0;
}

sandbox::Finding try_engine(const std::string& name, const upstreams::SandboxSettings& settings) {
  ThreadPool pool(kThreads, kWaiting);
  const auto engine = upstreams::make_engine(name, settings, pool, nullptr);
  const auto made = run_to_end([&] { return make_one(*engine, settings); });
  if (!made) return {"a sandbox", false, made.error().message};
  return {"a sandbox", true, fmt::format("isolation: {}", engine->isolation())};
}

std::vector<sandbox::Finding> examined(const Patient& patient) {
  if (const auto* const other = std::get_if<upstreams::SandboxSettings>(&patient.settings)) {
    return {try_engine(patient.name, *other)};
  }
  const auto& settings = std::get<sandbox::Settings>(patient.settings);
  auto findings = sandbox::examine(settings);
  findings.push_back(try_it(settings));
  return findings;
}

// What an upstream of the file needs; nothing if it has no sandbox.
std::optional<Patient> patient_of(const config::Member& entry, const std::string& file,
                                  config::Faults& faults) {
  const auto path = config::member_path("upstreams", entry.key);
  const config::Node* const kind = entry.value.find("kind");
  const config::Node* const own = entry.value.find("sandbox");
  if (kind && kind->text == "sandbox") {
    const std::array<std::string_view, 2> ignored{"kind", "tools"};
    const auto settings =
        config::read<upstreams::SandboxSettings>(entry.value, file, path, faults, ignored);
    if (settings.engine != upstreams::SandboxEngine::bubblewrap) {
      return Patient{entry.key, settings};
    }
    return Patient{entry.key, upstreams::isolation_of(settings)};
  }
  if (!own) return {};
  return Patient{entry.key, config::read<sandbox::Settings>(
                                *own, file, config::member_path(path, "sandbox"), faults)};
}

// The sandboxes of a gateway's file, or the one that a file of its own describes.
std::vector<Patient> patients_in(const std::string& file, config::Faults& faults) {
  config::Node root;
  root.kind = config::Kind::map;
  if (!file.empty()) {
    root = config::load_file(file, faults);
    if (root.kind == config::Kind::null) root.kind = config::Kind::map;
  }
  const config::Node* const entries = root.find("upstreams");
  if (!entries) return {{"sandbox", config::read<sandbox::Settings>(root, file, "", faults)}};
  std::vector<Patient> all;
  for (const auto& entry : entries->members) {
    if (auto patient = patient_of(entry, file, faults)) all.push_back(*std::move(patient));
  }
  return all;
}

bool is_well(const Patient& patient) {
  return std::ranges::all_of(patient.findings,
                             [](const auto& one) { return one.good || !one.needed; });
}

std::string json_of_patient(const Patient& patient) {
  std::string list = "[";
  for (const auto& finding : patient.findings) {
    if (list.size() > 1) list += ',';
    json::Object object(list);
    object.raw("name", json::quote(finding.name));
    object.raw("ok", finding.good ? "true" : "false");
    object.raw("needed", finding.needed ? "true" : "false");
    object.raw("detail", json::quote(finding.detail));
  }
  return fmt::format(R"({}:{{"ok":{},"findings":{}]}})", json::quote(patient.name),
                     is_well(patient), list);
}

void print_patient(const Patient& patient, bool named) {
  if (named) fmt::print("{}\n", patient.name);
  for (const auto& [name, good, detail, needed] : patient.findings) {
    const auto verdict = good ? "ok" : needed ? "MISSING" : "absent";
    fmt::print("{}{:<8} {}{}{}\n", named ? "  " : "", verdict, name, detail.empty() ? "" : ": ",
               detail);
  }
}

}  // namespace

int doctor(const DoctorOptions& options) {
  config::Faults faults;
  auto patients = patients_in(options.config, faults);
  if (!faults.empty()) {
    report_faults(faults);
    return kExitConfiguration;
  }
  for (auto& patient : patients) patient.findings = examined(patient);
  if (options.json) {
    std::string all;
    for (const auto& patient : patients) all += (all.empty() ? "" : ",") + json_of_patient(patient);
    fmt::print("{{{}}}\n", all);
  } else {
    const bool named = patients.size() != 1 || patients.front().name != "sandbox";
    for (const auto& patient : patients) print_patient(patient, named);
    if (patients.empty()) fmt::print("nothing in this file needs a sandbox\n");
  }
  return std::ranges::all_of(patients, is_well) ? kExitOk : kExitFailed;
}

}  // namespace patchbay::app
