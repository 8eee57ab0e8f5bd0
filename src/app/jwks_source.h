// A JwksSource fetches the keys of one issuer over HTTP: one fetch at a time, bounded in time and
// size, without redirects. The current keys stay in use until there are new ones, or until they are
// too old.
//
// Fetches on its owner, the control thread; everything else is usable from any thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "async/scope.h"
#include "net/http/syntax/url.h"
#include "net/tls/context.h"
#include "observe/metrics.h"
#include "policy/auth/key_source.h"

namespace patchbay::app {

class JwksSource final : public policy::KeySource, public std::enable_shared_from_this<JwksSource> {
 public:
  // The owner of fetches and their counters. Outlives every source, and is drained before it is
  // destroyed.
  struct Owner {
    Executor& executor;
    Scope fetches;
    std::shared_ptr<metrics::Counter> fetched;
    std::shared_ptr<metrics::Counter> failed;
  };

  // Fails if the URL or the CA file cannot be used.
  static Result<std::shared_ptr<JwksSource>> make(Owner& owner,
                                                  const policy::JwtSettings& settings);

  std::shared_ptr<const policy::KeySet> keys() const override;
  std::uint64_t changes() const override { return changes_.load(std::memory_order_relaxed); }
  Task<std::shared_ptr<const policy::KeySet>> look_again() override;
  void keep_fresh() override;

 private:
  JwksSource(Owner& owner, const policy::JwtSettings& settings, net::Url url,
             std::shared_ptr<const net::TlsContext> tls);

  void begin();
  Task<void> fetch(std::shared_ptr<JwksSource> self);
  Task<std::string> get();
  void take(const Result<std::string>& answer);
  Task<std::shared_ptr<const policy::KeySet>> wait_for_update();

  Owner& owner_;
  const policy::JwtSettings settings_;
  const net::Url url_;
  const std::shared_ptr<const net::TlsContext> tls_;
  std::atomic<std::uint64_t> changes_ = 0;

  mutable std::mutex mutex_;
  policy::FetchSchedule schedule_;
  std::shared_ptr<const policy::KeySet> set_;

  // Used on the control thread only.
  bool fetching_ = false;
  std::string last_;  // The answer from which `set_` was read.
  std::vector<OneShot<void>*> waiting_;
};

// Valid locations of an issuer's keys: https://…, or http:// on this machine.
Result<net::Url> jwks_url(const std::string& text);

}  // namespace patchbay::app
