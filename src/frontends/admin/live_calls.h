// GET /control/v1/calls/live: calls as they finish, as server-sent events. Each worker reads the
// histories once for all its readers, a few times a second while there are any, and writes each
// call as JSON once. Calls that come faster than a reader can receive them, or than a person can
// read, are counted instead of sent.
//
// One per worker; confined to it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/timers.h"
#include "core/shares.h"
#include "frontends/admin/control_api.h"

namespace patchbay::frontends {

class ExchangeSink;

class LiveCalls final : public net::HttpHandler, Timer {
 public:
  // REQUIRES: both outlive this.
  LiveCalls(ControlShared& shared, const gateway::CatalogView& catalog)
      : shared_(shared), histories_(shared.histories), catalog_(catalog) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  struct Reader {
    net::HttpExchange& exchange;
    ExchangeSink& sink;
    CallFilter filter;
    bool sees_all = false;      // Whether it may see the calls of others.
    std::uint64_t dropped = 0;  // Since the last event that reported it.
    bool limited = false;       // Some of them because of the setting.
    std::uint64_t matched = 0;  // Calls of this turn that the reader gets.
  };
  // What a reader takes of bounded resources.
  struct Entered {
    Shares::Share share;
    CallerQuota::Slot slot;
  };
  struct Batch {
    const trace::CallHistories::Found& found;
    const std::vector<std::string>& texts;  // Of the calls that are found.
  };

  void on_deadline() override;
  Result<CallFilter> filter_of(const net::HttpExchange& exchange) const;
  Result<CallFilter> enter(const net::HttpExchange& exchange, Entered& entered) const;
  void update_access(Reader& reader) const;
  void send_new_calls();
  void send(Reader& reader, const Batch& batch) const;
  void resume(Reader& reader, std::string_view last_event) const;
  Task<void> serve(net::HttpExchange& exchange, CallFilter filter);

  std::size_t most_per_turn() const;  // Calls that one reader gets.

  ControlShared& shared_;
  const trace::CallHistories& histories_;
  const gateway::CatalogView& catalog_;
  std::vector<Reader*> readers_;
  trace::CallHistories::Position at_;
};

}  // namespace patchbay::frontends
