// A TokenSource has the token of one upstream for one caller: it is fetched when it is first
// needed, renewed before it expires, and replaced when the upstream refuses it. However many
// workers wait for a token, it is requested once.
//
// Fetches on the control thread; everything else is usable from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "async/scope.h"
#include "oauth/supplier.h"
#include "observe/metrics.h"
#include "transport/credentials.h"

namespace patchbay::oauth {

class TokenSource final : public transport::Credentials,
                          public std::enable_shared_from_this<TokenSource> {
 public:
  // Where tokens are fetched. Outlives every source, and is drained before it is destroyed.
  struct Context {
    Executor& executor;
    metrics::Registry& registry;
    Scope tasks = {};
    // Called when a person must sign in before there can be a token; may be empty.
    std::function<void(std::shared_ptr<TokenSource>)> wanted = {};
  };

  TokenSource(Context& context, std::shared_ptr<const Plan> plan,
              std::unique_ptr<Supplier> supplier);

  transport::AuthHeadersPtr at_hand() const override;
  Task<transport::AuthHeadersPtr> get(Deadline deadline) override;
  Task<transport::AuthHeadersPtr> better_than(transport::AuthHeadersPtr headers,
                                              transport::Refused refused,
                                              Deadline deadline) override;
  int changes() const override { return changes_.load(std::memory_order_relaxed); }
  Task<void> wait_for_change(int seen, Deadline deadline) override;

  // The following are called on the control thread.

  const Plan& plan() const { return *plan_; }
  const TokenRequirements& requirements() const { return requirements_; }
  Supplier& supplier() { return *supplier_; }

  // For people: whether there is a token, for how long, or why there is none.
  struct Status {
    bool has_token = false;
    std::optional<std::chrono::seconds> expires_in = {};  // None: unknown.
    std::optional<Error> failure = {};
  };
  Status status() const;

  // A token arrived without a request: a person has signed in.
  void supply(const TokenAnswer& answer);
  // The token is no longer valid.
  void forget();

 private:
  using AuthHeadersPtr = transport::AuthHeadersPtr;

  Task<AuthHeadersPtr> get_here(Deadline deadline);
  Task<AuthHeadersPtr> better_here(AuthHeadersPtr headers, const transport::Refused& refused,
                                   Deadline deadline);
  Task<AuthHeadersPtr> wait_for_token(Deadline deadline);
  Task<void> wait_here(int seen, Deadline deadline);
  void begin();
  Task<void> fetch(std::shared_ptr<TokenSource> self);
  Result<AuthHeadersPtr> take(const Result<TokenAnswer>& answer);
  void note(const TokenAnswer& answer);
  bool has_good() const;
  bool must_wait() const;

  Context& context_;
  const std::shared_ptr<const Plan> plan_;
  const std::shared_ptr<metrics::Counter> fetched_;
  const std::shared_ptr<metrics::Counter> failed_;
  const std::shared_ptr<metrics::Histogram> fetch_time_;

  // Written on the control thread.
  std::atomic<int> changes_ = 0;
  std::atomic<bool> not_wanted_;  // Of a plan on demand: the upstream has not asked for a token.
  mutable std::mutex mutex_;
  AuthHeadersPtr headers_;  // Null: there is no token.
  Deadline due_ = {};       // When it should be renewed...
  Deadline expires_ = {};   // ...and when it expires.

  // Used only on the control thread.
  const std::unique_ptr<Supplier> supplier_;
  TokenRequirements requirements_;
  Deadline got_ = {};  // When the last token was issued.
  Deadline next_try_ = {};
  std::optional<Error> failure_;  // Why there is no token.
  int supplied_ = 0;              // Tokens that supply() has set.
  bool fetching_ = false;
  std::vector<OneShot<AuthHeadersPtr>*> waiting_;  // For the fetch in progress.
  std::vector<OneShot<void>*> hoping_;             // For any new token.
};

}  // namespace patchbay::oauth
