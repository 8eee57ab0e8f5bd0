#include "mcp_client/connect/sandboxed_stdio.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/discard.h"
#include "crypto/sha256.h"
#include "mcp_client/connect/stdio.h"
#include "net/process/stderr_log.h"
#include "sandbox/confined.h"
#include "sandbox/evidence.h"
#include "sandbox/settings.h"
#include "transport/line_channel.h"

namespace patchbay::upstreams {
namespace {

using config::Duration;

// One run of the program.
class ConfinedConnection final : public Connection {
 public:
  ConfinedConnection(std::unique_ptr<sandbox::Confined> confined, const std::string& upstream,
                     const StdioSettings& settings, std::shared_ptr<const EgressCounters> counters)
      : upstream_(upstream),
        settings_(settings),
        confined_(std::move(confined)),
        errors_(confined_->child().take_stderr(), upstream, settings.stderr_lines),
        channel_(confined_->child().take_stdout(), confined_->child().take_stdin(),
                 {settings.line.value, settings.outbox.value}),
        egress_(EgressProxy::start(upstream, *confined_, *settings.sandbox, std::move(counters))) {}

  transport::Channel& channel() override { return channel_; }

  // A pipe usually closes because the program has ended, possibly by a limit.
  Task<std::string> reason(std::string why) override {
    auto ended = co_await confined_->child().exit(here().now() + Duration(50));
    if (!ended) co_return with_last_line(std::move(why), errors_);
    auto usage = co_await confined_->last_usage();
    const bool memory = usage && usage->out_of_memory > 0;
    why = fmt::format("the program {} in its sandbox{}", *ended,
                      memory ? ", which was out of memory" : "");
    co_return with_last_line(std::move(why), errors_);
  }
  Deadline last_output() const override { return errors_.last_output(); }

  // Closes the input, then ends everything in the sandbox at once.
  Task<void> end(bool orderly) override {
    channel_.close_sending();
    auto exited = co_await confined_->child().exit(here().now() +
                                                   (orderly ? settings_.stop_grace : Duration(0)));
    discard(exited, "the supervisor ends what is left");
    auto ended = co_await confined_->end();
    auto stopped = egress_ ? co_await egress_->stop() : ok();
    channel_.close();
    auto usage = co_await confined_->last_usage();
    note_run(usage ? *usage : sandbox::Usage());
    co_return ended ? stopped : ended;
  }

 private:
  // The record of a run: the program, its limits, and how it ended.
  void note_run(const sandbox::Usage& usage) const {
    const auto ending = confined_->child().ending().value_or(net::Ending());
    std::string what = settings_.command;
    for (const auto& arg : settings_.args) what.append(1, '\0').append(arg);
    log::Line line(log::Level::info, "sandbox run");
    line.add("upstream", upstream_)
        .add("sandbox", confined_->name())
        .add("isolation", "namespaces")
        .add("sha256", policy::sha256(what))
        .add("verdict", verdict_on(ending, usage))
        .add("code", ending.code())
        .add("memory_peak", usage.memory_peak);
    add_limits(line, settings_.sandbox->limits, confined_->absent());
  }

  const std::string upstream_;
  const StdioSettings settings_;
  std::unique_ptr<sandbox::Confined> confined_;
  StderrLog errors_;
  transport::LineChannel channel_;
  const std::unique_ptr<EgressProxy> egress_;  // Null: no network access.
};

void set_variable(sandbox::Spec& spec, std::string_view name, std::string_view value) {
  std::erase_if(spec.environment, [&](const auto& entry) { return entry.first == name; });
  spec.environment.emplace_back(name, value);
}

}  // namespace

Result<sandbox::Spec> confined_spec(const StdioSettings& settings) {
  auto spec = sandbox::spec_of(*settings.sandbox, sandbox::prepared_cgroup_paths());
  if (!spec) return spec;
  spec->args = {settings.command};
  spec->args.insert(spec->args.end(), settings.args.begin(), settings.args.end());
  if (!settings.cwd.empty()) spec->folder = sandbox::whole_path(settings.cwd);
  std::vector<std::string> passed;
  for (const auto& name : settings.env_pass) net::pass_variable(name.c_str(), passed);
  for (const auto& entry : passed) {
    const auto equals = entry.find('=');
    set_variable(*spec, entry.substr(0, equals), entry.substr(equals + 1));
  }
  for (const auto& [name, value] : settings.env) set_variable(*spec, name, value);
  sandbox::add_init(*spec);
  return spec;
}

Task<std::unique_ptr<Connection>> ConfinedConnector::connect(Deadline deadline) {
  if (allowed_) {
    auto may_run = allowed_->check(program_of(settings_));
    if (!may_run) co_return may_run.error();
  }
  auto spec = confined_spec(settings_);
  if (!spec) co_return spec.error();
  auto confined = co_await sandbox::Confined::start(*std::move(spec), deadline);
  if (!confined) co_return confined.error();
  co_return std::make_unique<ConfinedConnection>(*std::move(confined), upstream_, settings_,
                                                 counters_);
}

}  // namespace patchbay::upstreams
