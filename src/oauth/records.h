// The Records are the TokenStore for code that must not block: reads and writes run on a thread of
// their own, and the file is opened when it is first needed.
//
// Confined to the control thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "async/thread_pool.h"
#include "oauth/token_store.h"

namespace patchbay::oauth {

// Where tokens are stored.
struct StoreLocation {
  std::string folder;  // Empty: in memory.
  std::string key;     // From the configuration; empty: in a file of the folder.
};

class Records {
 public:
  using Key = TokenStore::Key;
  using Rows = std::vector<TokenStore::Row>;

  explicit Records(StoreLocation location) : store_(std::make_shared<Store>(std::move(location))) {}

  Task<Rows> tokens_of(std::string upstream, std::string principal);
  Task<Rows> clients_of(std::string upstream);
  // Yield when the value is on disk.
  Task<void> put_token(Key key, std::string value);
  Task<void> put_client(Key key, std::string value);
  Task<void> remove_token(Key key);

 private:
  static constexpr int kMostWaiting = 10'000;

  // Used only by the thread.
  struct Store {
    explicit Store(StoreLocation where) : location(std::move(where)) {}
    const StoreLocation location;
    std::unique_ptr<TokenStore> store = nullptr;
  };

  template <class T>
  Task<T> run(std::function<Result<T>(TokenStore&)> work);

  const std::shared_ptr<Store> store_;
  ThreadPool thread_{1, kMostWaiting};  // One, since the store is single-threaded.
};

}  // namespace patchbay::oauth
