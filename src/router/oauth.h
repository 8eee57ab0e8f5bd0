// A RouterOauth gets the router's token from an authorization server: as a client with a secret, or
// from a person who signs in with a browser (the device flow). It renews the token before it
// expires, and can store the grant of a person for the next run.
//
// Confined to the router's thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/scope.h"
#include "async/thread_pool.h"
#include "oauth/grant.h"
#include "oauth/supplier.h"
#include "oauth/token_store.h"
#include "router/settings.h"

namespace patchbay::app {

class RouterOauth {
 public:
  // The error names the faulty setting. REQUIRES: `settings` outlives it.
  static Result<std::unique_ptr<RouterOauth>> make(const RouterSettings& settings);
  ~RouterOauth();

  // Called with every new token.
  void on_renewed(std::function<void(const std::string&)> notify) { notify_ = std::move(notify); }

  // The error states why there is none, or what a person has to do.
  Task<std::string> get(Deadline deadline);

  // The gateway refuses the token.
  void refused();

  // Called regularly: renews a token in time.
  void attend();

  // Ends requests in progress. REQUIRES: awaited before it is destroyed.
  Task<void> stop();

 private:
  RouterOauth(const RouterSettings& settings, std::shared_ptr<const oauth::Plan> plan);

  void begin();
  Task<void> fetch();
  Task<oauth::TokenAnswer> obtain();
  Task<oauth::TokenAnswer> refresh(const oauth::Discovered& found);
  Task<oauth::TokenAnswer> sign_in(const oauth::Discovered& found);
  Task<void> load();
  Task<void> keep();
  void note(const oauth::TokenAnswer& answer);
  bool has_good() const;

  const RouterSettings& settings_;
  const RouterOauthSettings& oauth_;
  const std::shared_ptr<const oauth::Plan> plan_;
  oauth::OwnToken own_;                       // Of client_credentials.
  oauth::Directory directory_;                // Of the device flow.
  std::shared_ptr<oauth::TokenStore> store_;  // Used only on the pool; null: nothing is stored.
  ThreadPool pool_{1, 16};
  oauth::Grant grant_;
  Deadline due_ = {};      // When the token should be renewed...
  Deadline expires_ = {};  // ...and when it expires.
  Deadline next_try_ = {};
  std::string prompt_;  // The action that a person has to take now; empty: none.
  Error why_{Code::unavailable, "there is no token yet"};
  std::function<void(const std::string&)> notify_;
  bool loaded_ = false;
  bool fetching_ = false;
  std::vector<OneShot<void>*> waiting_;
  Scope scope_;
};

}  // namespace patchbay::app
