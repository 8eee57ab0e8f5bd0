// A TokenSource has the token that one upstream is shown on behalf of one principal: has it fetched
// when it is first needed, renewed before it expires, and replaced when the upstream refuses it.
// However many workers wait for a token, it is asked for once.
//
// Asks at its home, the control thread; everything else is usable from any thread.
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
  // Where tokens are asked for. Outlives every source, and is drained before it dies.
  struct Home {
    Executor& executor;
    metrics::Registry& registry;
    Scope tasks = {};
    // If given: told when somebody must sign in before there can be a token.
    std::function<void(std::shared_ptr<TokenSource>)> wanted = {};
  };

  TokenSource(Home& owner, std::shared_ptr<const Plan> plan, std::unique_ptr<Supplier> supplier);

  transport::AuthHeadersPtr at_hand() const override;
  Task<transport::AuthHeadersPtr> get(Deadline deadline) override;
  Task<transport::AuthHeadersPtr> better_than(transport::AuthHeadersPtr shown,
                                              transport::Refused refused,
                                              Deadline deadline) override;
  int changes() const override { return changes_.load(std::memory_order_relaxed); }
  Task<void> wait_for_change(int seen, Deadline deadline) override;

  // The following are called at home.

  const Plan& plan() const { return *plan_; }
  const Wish& wish() const { return wish_; }
  Supplier& supplier() { return *supplier_; }

  // There is a token without having been asked for: a person has signed in.
  void supply(const TokenAnswer& answer);
  // There is none any more.
  void forget();

 private:
  using AuthHeadersPtr = transport::AuthHeadersPtr;

  Task<AuthHeadersPtr> get_here(Deadline deadline);
  Task<AuthHeadersPtr> better_here(AuthHeadersPtr shown, const transport::Refused& refused,
                                   Deadline deadline);
  Task<AuthHeadersPtr> wait_for_token(Deadline deadline);
  Task<void> wait_here(int seen, Deadline deadline);
  void begin();
  Task<void> fetch(std::shared_ptr<TokenSource> self);
  Result<AuthHeadersPtr> take(const Result<TokenAnswer>& answer);
  void note(const TokenAnswer& answer);
  bool has_good() const;
  bool must_wait() const;

  Home& owner_;
  const std::shared_ptr<const Plan> plan_;
  const std::shared_ptr<metrics::Counter> fetched_;
  const std::shared_ptr<metrics::Counter> failed_;

  // Written at home.
  std::atomic<int> changes_ = 0;
  mutable std::mutex mutex_;
  AuthHeadersPtr shown_;   // Null: there is no token.
  Deadline due_ = {};      // When it should be renewed...
  Deadline expires_ = {};  // ...and when it is no good any more.

  // Touched at home only.
  const std::unique_ptr<Supplier> supplier_;
  Wish wish_;
  Deadline got_ = {};  // When the last token came.
  Deadline next_try_ = {};
  std::optional<Error> failure_;  // Why there is no token.
  int supplied_ = 0;              // Tokens that came by themselves.
  bool fetching_ = false;
  std::vector<OneShot<AuthHeadersPtr>*> waiting_;  // For what is being fetched.
  std::vector<OneShot<void>*> hoping_;             // For a token, whenever it comes.
};

}  // namespace patchbay::oauth
