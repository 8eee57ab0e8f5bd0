// The Records are the TokenStore for those who must not wait: reads and writes run on a thread of
// their own, and the file is opened when it is first needed.
//
// Lives on the control thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "async/thread_pool.h"
#include "oauth/token_store.h"

namespace patchbay::oauth {

// Where tokens are kept.
struct StoreLocation {
  std::string folder;  // Empty: in memory.
  std::string key;     // As the configuration has it; empty: in a file of the folder.
};

class Records {
 public:
  using Key = TokenStore::Key;
  using Rows = std::vector<TokenStore::Row>;

  explicit Records(StoreLocation place) : store_(std::make_shared<Store>(std::move(place))) {}

  Task<Rows> tokens_of(std::string upstream, std::string principal);
  Task<Rows> clients_of(std::string upstream);
  // Yield when it is on the disk.
  Task<void> put_token(Key key, std::string value);
  Task<void> put_client(Key key, std::string value);
  Task<void> remove_token(Key key);

 private:
  static constexpr int kMostWaiting = 10'000;

  // Touched by the thread only.
  struct Store {
    explicit Store(StoreLocation where) : place(std::move(where)) {}
    const StoreLocation place;
    std::unique_ptr<TokenStore> store = nullptr;
  };

  template <class T>
  Task<T> run(std::function<Result<T>(TokenStore&)> work);

  const std::shared_ptr<Store> store_;
  ThreadPool thread_{1, kMostWaiting};  // One, since the store is for one at a time.
};

}  // namespace patchbay::oauth
