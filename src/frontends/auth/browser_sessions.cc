#include "frontends/auth/browser_sessions.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>

#include "core/ids.h"
#include "core/text.h"
#include "crypto/seal.h"

namespace patchbay::frontends {
namespace {

using policy::Digest;
using policy::WallTime;

constexpr std::size_t kSecret = 32;          // Bytes.
constexpr std::size_t kMostPresented = 256;  // Characters of a secret that is looked at.

Digest digest_of(std::string_view what, std::string_view secret) {
  return policy::sha256_of({"patchbay console ", what, " ", secret});
}

// Who has the cookie can open what was sealed with it.
policy::Sealer sealer_of(std::string_view cookie) {
  return policy::Sealer(digest_of("key", cookie));
}

bool same(const Digest& a, const Digest& b) {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

WallTime now() { return std::chrono::system_clock::now(); }

}  // namespace

void BrowserSessions::set_bounds(Bounds bounds, bool enabled) {
  const std::lock_guard lock(mutex_);
  bounds_ = bounds;
  if (!enabled) sessions_.clear();
}

Result<BrowserSessions::Secrets> BrowserSessions::start(const Caller& caller,
                                                        std::string_view credentials,
                                                        std::string_view method) {
  Secrets secrets{random_hex(kSecret), random_hex(kSecret)};
  Session session;
  session.csrf = digest_of("csrf", secrets.csrf);
  session.owner = caller->id;
  session.sealed = sealer_of(secrets.cookie).seal(credentials, session.owner);
  session.method = method;
  session.began = now();
  const std::lock_guard lock(mutex_);
  session.ends =
      std::min(caller->until,
               session.began + std::chrono::duration_cast<WallTime::duration>(bounds_.timeout));
  sweep_locked();
  make_room_for(session.owner);
  if (sessions_.size() >= bounds_.most) {
    return Error{Code::overloaded,
                 "too many people use the console; try again later (console.max_sessions)"};
  }
  sessions_.emplace(digest_of("cookie", secrets.cookie), std::move(session));
  return secrets;
}

// The principal is that of the credentials, but stands no longer than the session.
void BrowserSessions::bind(Session& session, policy::Recognised recognised) const {
  auto own = std::make_shared<Principal>(*recognised.caller);
  own->until = std::min(recognised.until, session.ends);
  own->known_by = session.standing;
  recognised.caller = std::move(own);
  session.verified = std::move(recognised);
}

// The oldest of the caller gives way.
void BrowserSessions::make_room_for(const std::string& owner) {
  const auto owned = [&](const auto& entry) { return entry.second.owner == owner; };
  while (static_cast<std::size_t>(std::ranges::count_if(sessions_, owned)) >=
         bounds_.most_per_caller) {
    auto oldest = sessions_.end();
    for (auto at = sessions_.begin(); at != sessions_.end(); ++at) {
      const bool older = oldest == sessions_.end() || at->second.began < oldest->second.began;
      if (owned(*at) && older) oldest = at;
    }
    sessions_.erase(oldest);
  }
}

BrowserSessions::Found BrowserSessions::find(const Presented& presented) {
  Found found;
  if (presented.cookie.empty() || presented.cookie.size() > kMostPresented) return found;
  const Digest key = digest_of("cookie", presented.cookie);
  const bool readable = presented.csrf.size() <= kMostPresented;
  const Digest csrf = digest_of("csrf", readable ? presented.csrf : "");
  std::string sealed;
  std::string owner;
  {
    const std::lock_guard lock(mutex_);
    const auto at = sessions_.find(key);
    if (at == sessions_.end() || now() >= at->second.ends) return found;
    const Session& session = at->second;
    found.standing = same(csrf, session.csrf) ? Standing::good : Standing::forged;
    found.method = session.method;
    found.ends = session.ends;
    if (found.standing == Standing::forged) return found;
    if (session.verified.caller && session.verified.holds()) {
      found.caller = session.verified.caller;
      return found;
    }
    sealed = session.sealed;
    owner = session.owner;
  }
  auto opened = sealer_of(presented.cookie).open(sealed, owner);
  if (opened) found.credentials = *std::move(opened);
  return found;
}

Caller BrowserSessions::verified(const Presented& presented, policy::Recognised recognised) {
  const std::lock_guard lock(mutex_);
  const auto at = sessions_.find(digest_of("cookie", presented.cookie));
  // It has ended meanwhile, or the credentials have become another caller's.
  if (at == sessions_.end() || recognised.caller->id != at->second.owner) return nullptr;
  bind(at->second, std::move(recognised));
  return at->second.verified.caller;
}

void BrowserSessions::end(std::string_view cookie) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(digest_of("cookie", cookie));
}

void BrowserSessions::forget_verified() {
  const std::lock_guard lock(mutex_);
  for (auto& [key, session] : sessions_) {
    session.verified = {};
    session.standing = std::make_shared<const char>();
  }
}

void BrowserSessions::sweep() {
  const std::lock_guard lock(mutex_);
  sweep_locked();
}

void BrowserSessions::sweep_locked() {
  const WallTime time = now();
  std::erase_if(sessions_, [&](const auto& entry) { return time >= entry.second.ends; });
}

std::size_t BrowserSessions::size() const {
  const std::lock_guard lock(mutex_);
  return sessions_.size();
}

std::string session_cookie_name(std::string_view host, bool secure) {
  const auto bracket = host.find(']');
  const auto colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
  std::string name = secure ? "__Host-patchbay_console" : "patchbay_console";
  if (colon != std::string_view::npos) name += fmt::format("_{}", host.substr(colon + 1));
  return name;
}

std::string_view cookie_value(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find(';'), header.size());
    const std::string_view one = trimmed(header.substr(0, end));
    const std::size_t equals = one.find('=');
    if (equals != std::string_view::npos && one.substr(0, equals) == name) {
      return one.substr(equals + 1);
    }
    header.remove_prefix(std::min(end + 1, header.size()));
  }
  return {};
}

}  // namespace patchbay::frontends
