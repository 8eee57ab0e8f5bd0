// sandbox: runs one program in a sandbox, on the terminal it was called from.
#include "cli/sandbox_run.h"

#include <fmt/format.h>

#include <csignal>

#include "app/run_gateway.h"
#include "async/scope.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/terminal.h"
#include "config/fields.h"
#include "config/load.h"
#include "egress/proxy.h"
#include "net/io/loop.h"
#include "net/process/signals.h"
#include "sandbox/confined.h"
#include "sandbox/settings.h"

namespace patchbay::app {
namespace {

constexpr std::chrono::seconds kStartTimeout{10};

sandbox::Settings read_settings(const std::string& file, config::Faults& faults) {
  config::Node root;
  root.kind = config::Kind::map;
  if (!file.empty()) {
    root = config::load_file(file, faults);
    if (root.kind == config::Kind::null) root.kind = config::Kind::map;
  }
  config::Faults notes;
  auto settings = config::read<sandbox::Settings>(root, file, "", faults, {}, &notes);
  print_notes(notes);
  return settings;
}

Task<int> run_spec(sandbox::Spec spec, const sandbox::Settings& settings,
                   config::Duration timeout) {
  auto begun = co_await sandbox::Confined::start(std::move(spec), here().now() + kStartTimeout);
  if (!begun) co_return begun.error();
  auto& confined = **begun;
  const auto egress = upstreams::EgressProxy::start("sandbox", confined, settings, nullptr);
  // A signal to us stops the program too.
  net::Signals signals([&](int) { confined.child().signal(SIGKILL); });
  const Deadline until = timeout.count() > 0 ? here().now() + timeout : kNever;
  auto exited = co_await confined.child().exit(until);
  const int code = exited ? confined.child().ending()->code() : kExitFailed;
  auto ended = co_await confined.end();
  if (egress) ended = co_await egress->stop();
  if (!exited) {
    co_return Error{Code::timeout, fmt::format("ended after {}", config::print(timeout))};
  }
  co_return code;
}

}  // namespace

Result<int> run_to_end(const std::function<Task<int>()>& make) {
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

Result<int> run_spec_to_end(sandbox::Spec spec, const sandbox::Settings& settings,
                            config::Duration timeout) {
  return run_to_end([&] { return run_spec(spec, settings, timeout); });
}

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
    report_faults(faults);
    return kExitConfiguration;
  }
  auto spec = sandbox::spec_of(settings, sandbox::prepared_cgroup_paths());
  if (!spec) return failed(spec.error().message);
  spec->args = options.args;
  spec->same_stdio = true;
  sandbox::add_init(*spec);
  auto code = run_spec_to_end(*std::move(spec), settings, timeout);
  return code ? *code : failed(code.error().message);
}

}  // namespace patchbay::app
