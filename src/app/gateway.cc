#include "app/gateway.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "app/flight_recorder.h"
#include "app/process.h"
#include "async/hop.h"
#include "core/discard.h"
#include "core/version.h"
#include "net/io/socket.h"
#include "net/process/child.h"
#include "net/process/successor.h"
#include "observe/log.h"
#include "observe/memory.h"

namespace patchbay::app {
namespace {

policy::Digester new_digester() {
  auto digester = policy::Digester::random();
  if (!digester) {
    fmt::print(stderr, "patchbay: {}\n", digester.error().message);
    std::exit(1);
  }
  return *digester;
}

int worker_count(const Settings& settings) {
  if (settings.workers > 0) return settings.workers;
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 256U));
}

}  // namespace

Gateway::Gateway(Configuration configuration, Overrides overrides,
                 std::unique_ptr<ProcessState> state)
    : configuration_(std::move(configuration)),
      overrides_(std::move(overrides)),
      state_(std::move(state)),
      common_(configuration_.settings, *state_),
      auth_(control_, common_.registry, refusals_, new_digester(),
            [this](const auto& known) {
              for (const auto& worker : workers_) {
                worker->loop().post([authenticator = &worker->authenticator(), known] {
                  authenticator->use(known);
                });
              }
            }),
      editor_(control_, new_digester(), as_edited()) {
  const Settings& settings = configuration_.settings;
  common_.authenticator.tokens = &tokens_.caller_tokens();
  if (state_->store().shared()) {
    rate_exchange_.emplace(state_->store(), settings.cluster.rates_interval);
  }
  use_limits();
  state_->log_passing();
  common_.operations = {
      [this] {
        std::vector<frontends::UpstreamLine> lines;
        for (auto& one : upstreams_->report()) {
          lines.push_back({std::move(one.name), std::move(one.kind), std::move(one.state),
                           one.tools, one.required, std::move(one.switched)});
        }
        return lines;
      },
      [this] { return ready_.load(); },
      [this] { return buses_.describe(); },
      [this] { return refusals_.all(); },
      [this] { return all_problems(); },
      [this] { return digest_.get(); },
      [this](std::string_view name) { return upstreams_->find_by_name(name); },
      &run_time_,
      &report_,
      &editor_,
      &caller_tokens_,
  };
  digest_.set(configuration_.digest);
  report_.use(configuration_, overrides_);
  common_.registrars = [this] { return upstreams_->registrars(); };
  watch_metrics();
  make_frontends();
  for (int i = 0; i < worker_count(settings); ++i) {
    auto& worker = *workers_.emplace_back(std::make_unique<Worker>(i, settings, common_));
    worker.server().set_identity(configuration_.identity);
    worker.catalog().set_rules(configuration_.rules);
    loops_.push_back(&worker.loop());
    common_.asking.workers.push_back(&worker.asking());
    common_.asking.executors.push_back(&worker.loop());
  }
  resize_histories();
}

Gateway::~Gateway() = default;

int Gateway::serve() { return run(serve_http()); }
int Gateway::serve_one(SingleSession& session) { return run(run_session(session)); }

void Gateway::make_frontends() {
  const frontends::ProcessServices services{.registry = common_.registry,
                                            .operations = common_.operations,
                                            .approvals = common_.approvals,
                                            .registrars = common_.registrars,
                                            .tokens = tokens_,
                                            .connections = common_.http,
                                            .histories = common_.histories,
                                            .keys = state_->keys(),
                                            .store = state_->store(),
                                            .members = common_.members};
  for (const auto& kind : frontend_kinds()) {
    common_.frontends.push_back(kind.make(configuration_, services));
  }
}

// Runs `work` on the control loop until it is done.
int Gateway::run(Task<void> work) {
  raise_descriptor_limit(configuration_.settings.limits.connections);
  auto main = [this, &work]() -> Task<void> {
    signals_.emplace([this](int number) { on_signal(number); },
                     std::initializer_list{SIGUSR1, SIGUSR2});
    orphans_.emplace();
    common_.approvals.start();
    auto done = co_await work;
    auto stopped = co_await common_.approvals.stop();
    discard(stopped, "the process ends anyway");
    if (!done) {
      failed_ = true;
      std::fprintf(stderr, "patchbay: %s\n", done.error().message.c_str());
    }
    signals_.reset();
    orphans_.reset();
    watch_.reset();
    banner_.close();
    pins_.close();
    control_.quit();
    co_return ok();
  };
  control_.post([&] { scope_.spawn(main()); });
  control_.run();
  for (const auto& worker : workers_) worker->join();
  if (rate_exchange_) rate_exchange_->stop();
  state_->close();
  // From here on there is one thread.
  upstreams_.reset();
  net::Orphans::kill_all();
  return failed_ ? 1 : 0;
}

Task<void> Gateway::serve_http() {
  auto opened = open_listeners();
  if (!opened) co_return opened.error();
  // Before the listeners open: without an authenticator, every request is refused.
  auto known = auth_.apply(configuration_.settings.auth);
  if (!known) {
    auto stopped = co_await auth_.stop();
    discard(stopped, "the start has failed for another reason");
    co_return known.error();
  }
  auto made = make_upstreams();
  if (!made) {
    auto stopped = co_await auth_.stop();
    discard(stopped, "the start has failed for another reason");
    co_return made.error();
  }
  auto exporting = co_await start_telemetry();
  discard(exporting, "starting a thread cannot fail");
  auto joined = co_await join_cluster();
  discard(joined, "it is logged, and tried again");
  start_listening();
  banner_.print_head(configuration_, common_.frontends, plain_.address);
  if (secure_) banner_.print_tls(*configuration_.settings.tls, secure_->address);
  for (const auto& one : frontend_listeners_) {
    banner_.print_listener(one.listener, one.listening.address);
  }
  warn_of_plain_listeners();
  watch_files();
  reloads_.spawn(start_upstreams());
  auto synced = co_await synced_.wait();
  discard(synced, "whatever ended the wait, the stop is checked next");
  if (!stop_asked_.delivered()) {
    ready_ = true;
    service_manager_.ready();
    net::notify_predecessor();
    Scope announcing;
    announcing.spawn(announce());
    announcing.spawn(ping_watchdog());
    announcing.spawn(keep_looking_for_problems());
    // The file may have changed between being read and being watched.
    reloads_.spawn(reload("the file has changed"));
    auto asked = co_await stop_asked_.wait();
    discard(asked, "whatever ended the wait, the gateway stops");
    announcing.cancel();
    auto announced = co_await announcing.drain(kNever);
    discard(announced, "the gateway stops");
  }
  co_return co_await stop();
}

// Each worker runs and gets its sockets of each listener.
void Gateway::start_listening() {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = *workers_[i];
    worker.run();
    for (auto& socket : plain_.of_worker[i]) {
      worker.loop().post([&worker, listener = std::move(socket)]() mutable {
        worker.listen(std::move(listener));
      });
    }
    for (auto& one : frontend_listeners_) {
      for (auto& socket : one.listening.of_worker[i]) {
        auto listen = [&worker, row = one.row, listener = std::move(socket)]() mutable {
          worker.listen_frontend(row, std::move(listener));
        };
        worker.loop().post(std::move(listen));
      }
    }
    if (!secure_) continue;
    for (auto& socket : secure_->of_worker[i]) {
      auto listen = [&worker, listener = std::move(socket), tls = configuration_.tls]() mutable {
        worker.listen_tls(std::move(listener), std::move(tls));
      };
      worker.loop().post(std::move(listen));
    }
  }
}

Task<void> Gateway::run_session(SingleSession& session) {
  tokens_.serve_on_demand([this] { return serve_browsers(); });
  auto made = make_upstreams();
  if (!made) co_return made.error();
  auto exporting = co_await start_telemetry();
  discard(exporting, "starting a thread cannot fail");
  for (const auto& worker : workers_) worker->run();
  session_ = &session;
  Scope starting;
  starting.spawn(start_upstreams());
  if (stop_asked_.delivered()) session.end();
  auto served = co_await session.run(
      {control_, *workers_.front(), configuration_.settings, common_.operations, synced_});
  session_ = nullptr;
  if (!served) {
    failed_ = true;
    std::fprintf(stderr, "patchbay: %s\n", served.error().message.c_str());
  }
  stopping_ = true;
  const Deadline deadline = Clock::now() + configuration_.settings.stop.grace;
  if (plain_.address.size > 0) {
    auto end = [deadline](Worker& worker) -> Task<void> {
      worker.close();
      co_return co_await worker.stop(deadline);
    };
    auto ended = co_await on_each_worker(end);
    discard(ended, "sessions end either way");
  }
  auto stopped = co_await upstreams_->stop(deadline);
  auto asked = co_await tokens_.stop();
  discard(asked, "whatever ended the wait, the gateway stops");
  auto started = co_await starting.drain(kNever);
  discard(started, "each start reports its own failure");
  auto reloaded = co_await reloads_.drain(kNever);
  discard(reloaded, "a reload reports its own failure");
  auto unbussed = co_await buses_.stop();
  discard(unbussed, "the process ends anyway");
  auto exported = co_await telemetry_.stop(std::max(deadline, Clock::now() + kLeastFlushTime));
  discard(exported, "what could not be sent is counted");
  co_return stopped;
}

Task<void> Gateway::start_telemetry() {
  co_return co_await telemetry_.apply(configuration_.settings.telemetry, configuration_.collector);
}

Result<void> Gateway::make_upstreams() {
  auto opened = pins_.open(configuration_.settings, [this] {
    if (!stopping_) upstreams_->check_pins();
  });
  if (opened) opened = run_time_.open(configuration_.settings);
  if (!opened) return opened;
  const Settings& settings = configuration_.settings;
  tokens_.keep_in({state_folder(settings), settings.sign_in.key});
  use_sign_ins();
  tokens_.audit_to([this](policy::AuditRecord record) {
    if (common_.audit) common_.audit->put(std::move(record));
  });
  upstreams_.emplace(
      control_, loops_, common_.registry, common_.subscriptions, pins_.pins(), run_time_.switches(),
      buses_, &tokens_, [this](auto catalog, bool synced) { publish(std::move(catalog), synced); },
      [this](const std::string& upstream, const std::string& uri) {
        for (const auto& worker : workers_) {
          worker->notify_updated(upstream, uri);
        }
      },
      [this](const std::string& upstream, const gateway::TaskUpdate& update) {
        for (const auto& worker : workers_) worker->notify_task(upstream, update);
      });
  run_time_.use(*upstreams_, [this] { reloads_.spawn(apply_switches()); });
  watch_upstreams();
  return ok();
}

Task<void> Gateway::start_upstreams() {
  const Settings& settings = configuration_.settings;
  // Requests for lists wait until then, at most up to this time.
  Scope timeout;
  const std::chrono::nanoseconds most =
      session_ ? session_->list_timeout(settings) : settings.limits.start;
  auto mark_synced_later = [this, most]() -> Task<void> {
    auto slept = co_await sleep_until(Clock::now() + most);
    if (slept) mark_synced();
    co_return slept;
  };
  timeout.spawn(mark_synced_later());
  look_for_problems();
  const Gate::Pass pass(reload_gate_);
  reloading_ = true;
  auto applied = co_await upstreams_->apply(configuration_);
  reloading_ = false;
  mark_synced();
  timeout.cancel();
  auto drained = co_await timeout.drain(kNever);
  discard(drained, "each worker reports what it could not finish");
  if (switched_) applied = co_await apply_switches();
  auto why = std::exchange(reload_again_, "");
  if (!why.empty()) co_return co_await reload(std::move(why));
  co_return applied;
}

void Gateway::mark_synced() {
  upstreams_->mark_synced();
  synced_.deliver(ok());
}

// Where browsers return to if the settings name no URL: only this machine is certain.
void Gateway::use_sign_ins() {
  const bool here = plain_.address.size > 0 && plain_.address.loopback();
  tokens_.use(configuration_.settings.sign_in,
              here ? fmt::format("http://{}", plain_.address.text()) : "");
}

std::string Gateway::serve_browsers() {
  auto address = net::parse_address(configuration_.settings.sign_in.listen);
  auto socket = address ? net::listen_on(*address, false) : Result<net::Fd>(address.error());
  auto bound = socket ? net::local_address(socket->get()) : Result<net::Address>(socket.error());
  if (!bound) {
    log::Line(log::Level::error, "sign-in impossible").add("why", bound.error().message);
    return {};
  }
  plain_.address = *bound;
  Worker& owner = *workers_.front();
  owner.loop().post([&owner, listener = *std::move(socket)]() mutable {
    owner.authenticator().serve_open_only();
    owner.listen_local(std::move(listener));
  });
  return fmt::format("http://{}", bound->text());
}

Task<void> Gateway::reach_each_worker() {
  auto nothing = [](Worker&) -> Task<void> { co_return ok(); };
  co_return co_await on_each_worker(nothing);
}

Task<void> Gateway::on_each_worker(std::function<Task<void>(Worker&)> step) {
  Scope all;
  for (const auto& worker : workers_) {
    auto there = [&one = *worker, &step] { return step(one); };
    all.spawn(hop<void>(worker->loop(), there));
  }
  co_return co_await all.drain(kNever);
}

void Gateway::on_signal(int number) {
  if (number == SIGHUP) {
    reloads_.spawn(reload(std::string(kHangup)));
    return;
  }
  if (number == SIGUSR1) {
    dump_calls(common_.histories, state_folder(configuration_.settings));
    return;
  }
  if (number == SIGUSR2) {
    upgrades_.spawn(upgrade());
    return;
  }
  if (stop_asked_.delivered()) {
    // The second signal ends the process at once.
    net::Child::kill_all();
    net::Orphans::kill_all();
    std::_Exit(1);
  }
  stop_asked_.deliver(ok());
  synced_.deliver(ok());
  if (session_) session_->end();
}

void Gateway::publish(std::shared_ptr<const gateway::Catalog> catalog, bool synced) {
  for (const auto& worker : workers_) {
    worker->loop().post(
        [view = &worker->catalog(), catalog, synced] { view->update(catalog, synced); });
  }
}

}  // namespace patchbay::app
