// The Gateway is everything that runs: workers, upstreams, frontends. It defines the order of
// start, reload and stop.
//
// Lives on the control thread, which is the main thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/auth_service.h"
#include "app/banner.h"
#include "app/bus_service.h"
#include "app/caller_token_service.h"
#include "app/configuration.h"
#include "app/configuration_editor.h"
#include "app/configuration_report.h"
#include "app/pin_service.h"
#include "app/process_state.h"
#include "app/refusals.h"
#include "app/run_time_service.h"
#include "app/service_manager.h"
#include "app/shared_text.h"
#include "app/single_session.h"
#include "app/telemetry_service.h"
#include "app/upstream_set.h"
#include "app/worker.h"
#include "async/gate.h"
#include "core/file_stamp.h"
#include "net/io/address.h"
#include "net/io/inherited_listeners.h"
#include "net/process/file_watch.h"
#include "net/process/orphans.h"
#include "net/process/signals.h"
#include "net/process/successor.h"
#include "policy/rates/exchange.h"

namespace patchbay::app {

class Gateway {
 public:
  // `overrides` take precedence over the file, also after a reload.
  Gateway(Configuration configuration, Overrides overrides, std::unique_ptr<ProcessState> state);
  ~Gateway();

  // Serves the listeners until a signal stops it. Returns the exit code of the process.
  int serve();

  // Serves `session` and no network. Returns the exit code of the process.
  int serve_one(SingleSession& session);

 private:
  // The time to send telemetry after calls have used up the time of the stop.
  static constexpr auto kLeastFlushTime = std::chrono::milliseconds(500);
  static constexpr std::string_view kHangup = "SIGHUP";  // The reason of a reload by signal.
  static constexpr std::string_view kListenKey = "listen";
  static constexpr std::string_view kTlsListenKey = "tls.listen";

  int run(Task<void> work);
  Task<void> serve_http();
  Task<void> join_cluster();
  Task<void> announce_stop();
  // Runs everything except the listeners until `session` ends.
  Task<void> run_session(SingleSession& session);
  Result<void> make_upstreams();
  Task<void> start_upstreams();
  Task<void> start_telemetry();
  Task<void> announce();
  void look_for_problems();
  Task<void> keep_looking_for_problems();
  void mark_synced();
  Task<void> stop();
  Task<void> reload(std::string why);
  Task<void> reload_once(const std::string& why);
  Task<Configuration> next_configuration(const std::string& why);
  Task<Configuration> read_stable(config::Faults& faults, std::vector<FileStamp>& stamps);
  std::vector<std::string> reasons_against(const Configuration& next) const;
  Task<void> use(Configuration next);
  Task<void> apply_switches();
  void make_frontends();
  Result<void> open_listeners();
  void start_listening();
  void close_listeners();
  Task<void> upgrade();
  Result<net::Successor> hand_listeners_over() const;
  std::vector<net::HandedListener> listeners() const;
  Task<void> finish_calls();
  Task<void> ping_watchdog();
  void warn_of_plain_listeners() const;
  EditedGateway as_edited();
  void watch_files();
  void on_signal(int number);
  void publish(std::shared_ptr<const gateway::Catalog> catalog, bool synced);
  std::vector<std::string> all_problems() const;
  void watch_metrics();
  void watch_upstreams();
  void count_reload(bool applied);
  void note_configuration_time();
  void use_limits();
  void resize_histories();
  void use_sign_ins();
  // Serves the sign-in pages if there are no listeners. Returns their URL.
  std::string serve_browsers();
  bool is_reachable() const;
  // Yields once every worker has done what was posted to it before.
  Task<void> reach_each_worker();
  Task<void> on_each_worker(std::function<Task<void>(Worker&)> step);

  Configuration configuration_;
  const Overrides overrides_;
  net::Loop control_;
  const std::unique_ptr<ProcessState> state_;
  Common common_;
  Refusals refusals_;
  std::optional<policy::RateExchange> rate_exchange_;  // With a store that gateways share.
  SharedText digest_;                                  // Of the configuration in force.
  ConfigurationReport report_;
  Refusals problems_;  // Problems of this machine; see app/problems.h.
  oauth::TokenService tokens_{control_,
                              common_.registry};  // Outlives the catalogs, which hold upstreams.
  AuthService auth_;
  CallerTokenService caller_tokens_{control_, auth_, [this] { return reach_each_worker(); }};
  TelemetryService telemetry_{common_.spans, common_.registry};
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<net::Loop*> loops_;
  PinService pins_;
  RunTimeService run_time_{control_, pins_};
  Gate reload_gate_;  // Not empty while a reload, or a change of the upstreams, is in progress.
  ConfigurationEditor editor_;
  BusService buses_;
  std::optional<UpstreamSet> upstreams_;
  Banner banner_;
  const ServiceManager service_manager_{};
  std::optional<net::Signals> signals_;
  std::optional<net::Orphans> orphans_;
  std::optional<net::FileWatch> watch_;
  std::vector<std::string> watched_;
  std::vector<FileStamp> refused_;  // Faults of the last configuration, if it was refused.
  // Where it listens.
  struct Listening {
    std::string key;  // The setting that names the address.
    net::Address address;
    std::vector<net::Fd> sockets;                 // For a process that replaces this one.
    std::vector<std::vector<net::Fd>> of_worker;  // Copies of them, until each worker has its own.
  };
  Result<void> open(std::string_view key, const std::string& listen,
                    net::InheritedListeners& inherited, Listening& listening) const;
  Result<void> bind(const net::Address& address, std::vector<net::Fd>& sockets) const;
  Listening plain_;
  std::optional<Listening> secure_;
  // The listeners of frontends that have their own.
  struct FrontendListening {
    std::size_t row;  // Of frontend_kinds().
    FrontendListener listener;
    Listening listening;
  };
  std::vector<FrontendListening> frontend_listeners_;
  std::atomic<bool> ready_ = false;
  Scope scope_;
  Scope reloads_;
  Scope upgrades_;
  OneShot<void> synced_;  // The first list of tools is complete, or its timeout has passed.
  OneShot<void> stop_asked_;
  SingleSession* session_ = nullptr;  // The session that is served, if any.
  bool stopping_ = false;
  bool upgrading_ = false;  // A new process is starting, which is to replace this one.
  bool replaced_ = false;   // It is ready.
  bool reloading_ = false;
  bool switched_ = false;     // Upstreams must be started or stopped once that is over.
  std::string reload_again_;  // The reason for another reload after the current one; empty: none.
  bool failed_ = false;
};

}  // namespace patchbay::app
