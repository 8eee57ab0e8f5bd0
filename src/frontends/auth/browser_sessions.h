// The BrowserSessions are the sign-ins of people who use the gateway with a browser. A session
// stands for the credentials that it was made with: they are verified again whenever they would
// have to be without a session, so rules, expiry and revocation apply as to the credentials.
//
// A session has two secrets. One is in a cookie, which scripts cannot read, but which browsers send
// to every port of the host. The other is stored by the page, which other origins cannot read, and
// sent in a header. A request needs both. Neither is stored here: there are digests of them, and
// the credentials are encrypted with the cookie as the key.
//
// Shared by all workers; usable from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/result.h"
#include "policy/auth/caller_cache.h"

namespace patchbay::frontends {

class BrowserSessions {
 public:
  struct Bounds {
    std::chrono::nanoseconds timeout = std::chrono::hours(8);
    std::size_t most = 1'000;
    std::size_t most_per_caller = 10;
  };

  // What a request has presented.
  struct Presented {
    std::string_view cookie;
    std::string_view csrf;
  };

  // The secrets of a new session.
  struct Secrets {
    std::string cookie;
    std::string csrf;
  };

  enum class Standing : std::uint8_t {
    none,    // There is no such session.
    forged,  // There is, but the second secret is missing or wrong.
    good,
  };

  struct Found {
    Standing standing = Standing::none;
    Caller caller = {};            // Null: the credentials must be verified.
    std::string credentials;       // As given to start(); empty if there is a caller.
    std::string_view method = {};  // With which the person signed in.
    policy::WallTime ends = {};
  };

  explicit BrowserSessions(Bounds bounds) : bounds_(bounds) {}

  // Sessions that exist keep their time. `enabled`: off ends them all.
  void set_bounds(Bounds bounds, bool enabled);

  // A new session of a caller with these credentials, as in Authorization. `method` is a constant.
  // The error is Code::overloaded: there are too many.
  Result<Secrets> start(const Caller& caller, std::string_view credentials,
                        std::string_view method);

  Found find(const Presented& presented);

  // The credentials of the session are good. Yields the caller with the time of the session.
  Caller verified(const Presented& presented, policy::Recognised recognised);

  // Ends a session. Streams that were opened in it end at their next keep-alive.
  void end(std::string_view cookie);

  // Credentials have changed: those of every session must be verified again.
  void forget_verified();

  // Removes what has expired.
  void sweep();

  std::size_t size() const;

 private:
  struct Session {
    policy::Digest csrf{};
    std::string owner;
    std::string sealed;
    std::string_view method;
    policy::WallTime began;
    policy::WallTime ends;
    policy::Recognised verified = {};
    // Principals of the session stand as long as it exists.
    std::shared_ptr<const char> standing = std::make_shared<const char>();
  };
  using Sessions = std::map<policy::Digest, Session>;

  void bind(Session& session, policy::Recognised recognised) const;
  void make_room_for(const std::string& owner);
  void sweep_locked();

  mutable std::mutex mutex_;
  Bounds bounds_;
  Sessions sessions_;  // By the digest of their cookie.
};

// The cookie of the session at the host of a request, as the host names it: cookies do not
// distinguish ports, so the name does. `secure`: the browser uses TLS.
std::string session_cookie_name(std::string_view host, bool secure);

// The value of a cookie in the header; empty if it is not there.
std::string_view cookie_value(std::string_view header, std::string_view name);

}  // namespace patchbay::frontends
