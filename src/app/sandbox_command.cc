// sandbox: runs one program in a sandbox, on the terminal it was called from. doctor: says whether
// that can work here.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "app/commands.h"
#include "app/run_gateway.h"
#include "config/load.h"
#include "core/scope.h"
#include "json/write.h"
#include "net/loop.h"
#include "net/signals.h"
#include "sandbox/confined.h"
#include "sandbox/examine.h"

namespace patchbay::app {
namespace {

constexpr std::chrono::seconds kStartPatience{10};

sandbox::Settings read_settings(const std::string& file, config::Faults& faults) {
  config::Node root;
  root.kind = config::Kind::map;
  if (!file.empty()) {
    root = config::load_file(file, faults);
    if (root.kind == config::Kind::null) root.kind = config::Kind::map;
  }
  return config::read<sandbox::Settings>(root, file, "", faults);
}

int failed(const Error& why) {
  fmt::print(stderr, "patchbay: {}\n", why.message);
  return kExitFailed;
}

// Runs `task` on a loop of its own, to its end.
Result<int> run_to_end(std::function<Task<int>()> make) {
  net::block_signals();
  net::Loop loop;
  Result<int> code;
  auto main = [&]() -> Task<void> {
    code = co_await make();
    loop.quit();
    co_return ok();
  };
  Scope scope;
  loop.post([&] { scope.spawn(main()); });
  loop.run();
  return code;
}

Task<int> run_spec(sandbox::Spec spec, config::Duration timeout) {
  auto begun = co_await sandbox::Confined::start(std::move(spec), here().now() + kStartPatience);
  if (!begun) co_return begun.error();
  auto& confined = **begun;
  // Whoever stops us stops it.
  net::Signals signals([&](int) { confined.child().signal(SIGKILL); });
  const Deadline until = timeout.count() > 0 ? here().now() + timeout : kNever;
  auto exited = co_await confined.child().exit(until);
  const int code = exited ? confined.child().ending()->code() : kExitFailed;
  auto ended = co_await confined.end();
  if (!exited) {
    co_return Error{Code::timeout, fmt::format("ended after {}", config::print(timeout))};
  }
  co_return code;
}

std::string printed(const std::vector<sandbox::Finding>& findings) {
  std::string out = "[";
  for (const auto& finding : findings) {
    if (out.size() > 1) out += ',';
    json::Object object(out);
    object.raw("name", json::quote(finding.name));
    object.raw("ok", finding.good ? "true" : "false");
    object.raw("needed", finding.needed ? "true" : "false");
    object.raw("detail", json::quote(finding.detail));
  }
  return out + "]";
}

// Whether it works in the end, and not only in theory.
sandbox::Finding try_it(const sandbox::Settings& settings) {
  auto spec = sandbox::spec_of(settings, sandbox::prepared_places());
  if (!spec) return {"a sandbox", false, spec.error().message};
  spec->words = {"/bin/true"};
  spec->same_stdio = true;
  sandbox::add_init(*spec);
  auto code = run_to_end([&] { return run_spec(*spec, config::Duration(10'000)); });
  if (!code) return {"a sandbox", false, code.error().message};
  if (*code != 0) return {"a sandbox", false, fmt::format("bubblewrap ended with {}", *code)};
  return {"a sandbox", true, "isolation: namespaces"};
}

}  // namespace

int run_in_sandbox(const SandboxOptions& options) {
  config::Faults faults;
  const auto settings = read_settings(options.config, faults);
  config::Duration timeout{0};
  if (!options.timeout.empty()) {
    auto given = config::parse_duration(options.timeout);
    if (given) {
      timeout = *given;
    } else {
      faults.push_back({"--timeout", 0, "", "must be a time such as 30s"});
    }
  }
  if (!faults.empty()) {
    print_faults(faults);
    return kExitConfiguration;
  }
  auto spec = sandbox::spec_of(settings, sandbox::prepared_places());
  if (!spec) return failed(spec.error());
  spec->words = options.words;
  spec->same_stdio = true;
  sandbox::add_init(*spec);
  auto code = run_to_end([&] { return run_spec(*spec, timeout); });
  return code ? *code : failed(code.error());
}

int doctor(const DoctorOptions& options) {
  config::Faults faults;
  const auto settings = read_settings(options.config, faults);
  if (!faults.empty()) {
    print_faults(faults);
    return kExitConfiguration;
  }
  auto findings = sandbox::examine(settings);
  findings.push_back(try_it(settings));
  const bool good = std::ranges::all_of(
      findings, [](const auto& finding) { return finding.good || !finding.needed; });
  if (options.json) {
    fmt::print(R"({{"sandbox":{{"ok":{},"findings":{}}}}})"
               "\n",
               good, printed(findings));
  } else {
    for (const auto& [name, ok, detail, needed] : findings) {
      const auto verdict = ok ? "ok" : needed ? "MISSING" : "absent";
      fmt::print("{:<8} {}{}{}\n", verdict, name, detail.empty() ? "" : ": ", detail);
    }
  }
  return good ? kExitOk : kExitFailed;
}

}  // namespace patchbay::app
