#include "app/caller_token_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "async/hop.h"
#include "async/one_shot.h"

namespace patchbay::app {
namespace {

using frontends::TokenStore;
using policy::StoredToken;
using policy::TokenTable;

constexpr auto kLongestWait = std::chrono::seconds(2);
constexpr auto kPause = std::chrono::milliseconds(20);

// Why no token can be made; empty: one can.
std::string closed(const std::optional<policy::AuthSettings>& settings) {
  if (!settings || !settings->on()) {
    return "callers need no token: the configuration has no section auth";
  }
  if (!settings->token_file.empty()) return {};
  return "auth.token_file is not set: it names the file in which tokens are stored";
}

}  // namespace

Task<TokenStore> CallerTokenService::store() {
  auto there = [this]() -> Task<TokenStore> {
    const auto& settings = auth_.settings();
    TokenStore found;
    found.needed = settings && settings->on();
    found.closed = closed(settings);
    if (!found.closed.empty()) co_return found;
    found.max_tokens = static_cast<std::size_t>(settings->max_tokens);
    found.max_lifetime =
        std::chrono::duration_cast<std::chrono::seconds>(settings->max_token_lifetime);
    found.read = [file = settings->token_file]() -> Result<std::vector<StoredToken>> {
      auto table = read_token_file(file);
      if (!table) return Error{Code::unavailable, "auth." + table.error().message};
      return table->tokens();
    };
    co_return found;
  };
  co_return co_await hop<TokenStore>(control_, there);
}

// The file is replaced only if what it has is in use: one that is gone, empty or damaged has tokens
// that this change would revoke.
Result<bool> CallerTokenService::change_now(const TokenChange& change) {
  const std::string why = closed(auth_.settings());
  if (!why.empty()) return Error{Code::invalid_request, why};
  auto current = auth_.renew_if_changed();
  if (!current) return Error{Code::unavailable, "auth." + current.error().message};
  const std::string file = auth_.settings()->token_file;
  auto changed = change_token_file(file, WhenLocked::give_up, change);
  if (!changed || !*changed) return changed;
  auto used = auth_.renew_if_changed();
  if (!used) return Error{Code::unavailable, "auth." + used.error().message};
  return true;
}

Task<void> CallerTokenService::change(TokenChange change) {
  const Deadline deadline = Clock::now() + kLongestWait;
  for (;;) {
    auto changed = change_now(change);
    if (!changed) co_return changed.error();
    if (*changed) break;
    if (Clock::now() >= deadline) {
      co_return Error{Code::unavailable, "another process is changing auth.token_file; try again"};
    }
    auto slept = co_await sleep_until(Clock::now() + kPause);
    if (!slept) co_return slept;
  }
  auto spreading = spread_();
  co_return co_await spreading;
}

Task<void> CallerTokenService::add(StoredToken token) {
  auto there = [this, &token]() -> Task<void> {
    auto changing = change([this, token](TokenTable& table) -> Result<void> {
      const auto most = static_cast<std::size_t>(auth_.settings()->max_tokens);
      if (table.tokens().size() >= most) {
        return Error{Code::overloaded,
                     fmt::format("there are {} tokens; no more can be (auth.max_tokens); revoke "
                                 "some",
                                 table.tokens().size())};
      }
      table.add(token);
      return ok();
    });
    co_return co_await changing;
  };
  co_return co_await hop<void>(control_, there);
}

Task<StoredToken> CallerTokenService::revoke(std::string id) {
  auto there = [this, &id]() -> Task<StoredToken> {
    StoredToken revoked;
    auto changing = change([&id, &revoked](TokenTable& table) -> Result<void> {
      const auto found =
          std::ranges::find(table.tokens(), id, [](const auto& one) { return one.hash.id(); });
      if (id.empty() || found == table.tokens().end()) {
        return Error{Code::not_found, "there is no token with this id"};
      }
      revoked = *found;
      table.revoke_id(id);
      return ok();
    });
    auto changed = co_await changing;
    if (!changed) co_return changed.error();
    co_return revoked;
  };
  co_return co_await hop<StoredToken>(control_, there);
}

}  // namespace patchbay::app
