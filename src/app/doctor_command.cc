// doctor: says what this machine has of what is configured, before anybody needs it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/commands.h"
#include "app/run_gateway.h"
#include "app/sandbox_run.h"
#include "config/load.h"
#include "json/write.h"
#include "sandbox/examine.h"
#include "upstreams/sandbox_engine.h"
#include "upstreams/stdio_settings.h"

namespace patchbay::app {
namespace {

constexpr config::Duration kPatience{10'000};

// A sandbox that is to be looked at, and what was found. Without settings, whoever runs the engine
// knows.
struct Patient {
  std::string name;
  std::optional<sandbox::Settings> settings;
  std::vector<sandbox::Finding> findings = {};
};

// Whether it works in the end, and not only in theory.
sandbox::Finding try_it(const sandbox::Settings& settings) {
  auto spec = sandbox::spec_of(settings, sandbox::prepared_places());
  if (!spec) return {"a sandbox", false, spec.error().message};
  spec->words = {"/bin/true"};
  spec->same_stdio = true;
  sandbox::add_init(*spec);
  const auto code = run_spec_to_end(*std::move(spec), kPatience);
  if (!code) return {"a sandbox", false, code.error().message};
  if (*code != 0) return {"a sandbox", false, fmt::format("bubblewrap ended with {}", *code)};
  return {"a sandbox", true, "isolation: namespaces"};
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
    if (settings.engine != upstreams::SandboxEngine::bubblewrap) return Patient{entry.key, {}};
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

std::string as_json(const Patient& patient) {
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

void print(const Patient& patient, bool named) {
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
    print_faults(faults);
    return kExitConfiguration;
  }
  for (auto& patient : patients) {
    if (!patient.settings) {
      patient.findings.push_back({"the engine", true, "is not on this machine's account"});
      continue;
    }
    patient.findings = sandbox::examine(*patient.settings);
    patient.findings.push_back(try_it(*patient.settings));
  }
  if (options.json) {
    std::string all;
    for (const auto& patient : patients) all += (all.empty() ? "" : ",") + as_json(patient);
    fmt::print("{{{}}}\n", all);
  } else {
    const bool named = patients.size() != 1 || patients.front().name != "sandbox";
    for (const auto& patient : patients) print(patient, named);
    if (patients.empty()) fmt::print("nothing in this file needs a sandbox\n");
  }
  return std::ranges::all_of(patients, is_well) ? kExitOk : kExitFailed;
}

}  // namespace patchbay::app
