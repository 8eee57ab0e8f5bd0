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
#include "frontends/admin/call_filter.h"
#include "frontends/admin/caller_quota.h"
#include "gateway/catalog/view.h"
#include "net/http/server/server.h"
#include "trace/call_histories.h"

namespace patchbay::frontends {

class ExchangeSink;

class LiveCalls final : public net::HttpHandler, Timer {
 public:
  // `quota` bounds the readers on all workers. REQUIRES: all outlive this.
  LiveCalls(const trace::CallHistories& histories, const gateway::CatalogView& catalog,
            CallerQuota& quota)
      : histories_(histories), catalog_(catalog), quota_(quota) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  struct Reader {
    net::HttpExchange& exchange;
    ExchangeSink& sink;
    CallFilter filter;
    bool sees_all = false;      // Whether it may see the calls of others.
    std::uint64_t dropped = 0;  // Since the last event that reported it.
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

  const trace::CallHistories& histories_;
  const gateway::CatalogView& catalog_;
  CallerQuota& quota_;
  std::vector<Reader*> readers_;
  trace::CallHistories::Position at_;
};

}  // namespace patchbay::frontends
