#include "oauth/records.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "crypto/key_file.h"

namespace patchbay::oauth {
namespace {

Result<policy::Sealer> sealer_for(const StoreLocation& location) {
  if (location.folder.empty() && location.key.empty()) return policy::Sealer::random();
  auto key =
      location.key.empty() ? policy::key_in(location.folder) : policy::parse_key(location.key);
  if (!key) return key.error();
  return policy::Sealer(*key);
}

Result<std::unique_ptr<TokenStore>> open_store(const StoreLocation& location) {
  if (!location.folder.empty()) {
    std::error_code fault;
    if (std::filesystem::create_directories(location.folder, fault)) {
      ::chmod(location.folder.c_str(), 0700);
    }
    if (fault) {
      return Error{Code::internal, fmt::format("cannot create the folder {}: {}", location.folder,
                                               fault.message())};
    }
  }
  auto sealer = sealer_for(location);
  if (!sealer) return sealer.error();
  return TokenStore::open(location.folder.empty() ? ":memory:" : location.folder + "/tokens.sqlite",
                          *sealer);
}

}  // namespace

template <class T>
Task<T> Records::run(std::function<Result<T>(TokenStore&)> work) {
  std::function<Result<T>()> job = [store = store_, work = std::move(work)]() -> Result<T> {
    if (!store->store) {
      auto opened = open_store(store->location);
      if (!opened) return opened.error();
      store->store = *std::move(opened);
    }
    return work(*store->store);
  };
  co_return co_await thread_.run<T>(std::move(job));
}

Task<Records::Rows> Records::tokens_of(std::string upstream, std::string principal) {
  std::function<Result<Rows>(TokenStore&)> work = [upstream, principal](TokenStore& store) {
    return store.tokens_of(upstream, principal);
  };
  return run(std::move(work));
}

Task<Records::Rows> Records::clients_of(std::string upstream) {
  std::function<Result<Rows>(TokenStore&)> work = [upstream](TokenStore& store) {
    return store.clients_of(upstream);
  };
  return run(std::move(work));
}

Task<void> Records::put_token(Key key, std::string value) {
  std::function<Result<void>(TokenStore&)> work = [key, value](TokenStore& store) {
    return store.put_token(key, value);
  };
  return run(std::move(work));
}

Task<void> Records::put_client(Key key, std::string value) {
  std::function<Result<void>(TokenStore&)> work = [key, value](TokenStore& store) {
    return store.put_client(key, value);
  };
  return run(std::move(work));
}

Task<void> Records::remove_token(Key key) {
  std::function<Result<void>(TokenStore&)> work = [key](TokenStore& store) {
    return store.remove_token(key);
  };
  return run(std::move(work));
}

}  // namespace patchbay::oauth
