// The sessions of people with a browser: both secrets are needed, the credentials stay sealed, and
// a session ends with its time, with its owner's newer ones, or on request.
#include "frontends/auth/browser_sessions.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace patchbay::frontends {
namespace {

using std::chrono::hours;
using std::chrono::nanoseconds;
using Standing = BrowserSessions::Standing;

constexpr std::string_view kCredentials = "Bearer the-token-of-ann";

Caller person(const std::string& name, policy::WallTime until = policy::WallTime::max()) {
  auto made = std::make_shared<Principal>();
  made->id = "token:" + name;
  made->name = name;
  made->auth_method = AuthMethod::token;
  made->until = until;
  return made;
}

class BrowserSessionsTest : public ::testing::Test {
 protected:
  BrowserSessions::Secrets start(const Caller& caller = person("ann")) {
    auto made = sessions.start(caller, kCredentials, "token");
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : BrowserSessions::Secrets();
  }
  BrowserSessions::Found find(const BrowserSessions::Secrets& secrets) {
    return sessions.find({secrets.cookie, secrets.csrf});
  }
  Caller verify(const BrowserSessions::Secrets& secrets, policy::Recognised recognised) {
    return sessions.verified({secrets.cookie, secrets.csrf}, std::move(recognised));
  }

  BrowserSessions sessions{{.timeout = hours(1), .most = 4, .most_per_caller = 2}};
};

TEST_F(BrowserSessionsTest, ASessionStandsForItsCredentials) {
  const auto secrets = start();
  const auto found = find(secrets);
  EXPECT_EQ(found.standing, Standing::good);
  EXPECT_EQ(found.credentials, kCredentials);
  EXPECT_EQ(found.method, "token");
  EXPECT_EQ(found.caller, nullptr) << "nobody has verified them in it yet";
  EXPECT_GT(found.ends, std::chrono::system_clock::now());
  EXPECT_LE(found.ends, std::chrono::system_clock::now() + hours(1));
}

TEST_F(BrowserSessionsTest, BothSecretsAreNeeded) {
  const auto secrets = start();
  const auto other = start();
  EXPECT_EQ(sessions.find({secrets.cookie, ""}).standing, Standing::forged);
  EXPECT_EQ(sessions.find({secrets.cookie, other.csrf}).standing, Standing::forged);
  EXPECT_EQ(sessions.find({secrets.cookie, other.csrf}).credentials, "");
  EXPECT_EQ(sessions.find({"", secrets.csrf}).standing, Standing::none);
  EXPECT_EQ(sessions.find({secrets.csrf, secrets.csrf}).standing, Standing::none);
  EXPECT_NE(secrets.cookie, secrets.csrf);
  EXPECT_NE(secrets.cookie, other.cookie);
}

TEST_F(BrowserSessionsTest, SecretsOfAnyLengthAreRefusedAlike) {
  const auto secrets = start();
  EXPECT_EQ(sessions.find({std::string(1 << 20, 'a'), secrets.csrf}).standing, Standing::none);
  EXPECT_EQ(sessions.find({secrets.cookie, std::string(1 << 20, 'a')}).standing, Standing::forged);
}

TEST_F(BrowserSessionsTest, AVerifiedCallerIsRememberedForAsLongAsItHolds) {
  const auto secrets = start();
  const auto later = std::chrono::system_clock::now() + std::chrono::minutes(5);
  const Caller bound = verify(secrets, {person("ann"), later});
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->id, "token:ann");
  EXPECT_EQ(bound->until, later);
  EXPECT_EQ(find(secrets).caller, bound);
  EXPECT_EQ(find(secrets).credentials, "") << "they need not be opened";
  ASSERT_TRUE(verify(secrets, {person("ann"), std::chrono::system_clock::now() - hours(1)}));
  EXPECT_EQ(find(secrets).caller, nullptr) << "what has expired is verified again";
  EXPECT_EQ(find(secrets).credentials, kCredentials);
}

TEST_F(BrowserSessionsTest, NoCallerStandsLongerThanTheSession) {
  const auto secrets = start();
  const Caller bound = verify(secrets, {person("ann")});
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->until, find(secrets).ends);
}

TEST_F(BrowserSessionsTest, CredentialsThatBecomeAnothersAreRefused) {
  const auto secrets = start();
  EXPECT_EQ(verify(secrets, {person("bob")}), nullptr);
  EXPECT_EQ(find(secrets).caller, nullptr);
}

TEST_F(BrowserSessionsTest, ChangedCredentialsAreVerifiedAgain) {
  const auto secrets = start();
  const Caller before = verify(secrets, {person("ann")});
  ASSERT_TRUE(before);
  EXPECT_FALSE(before->known_by.expired());
  sessions.forget_verified();
  EXPECT_TRUE(before->known_by.expired()) << "streams of the session end";
  EXPECT_EQ(find(secrets).standing, Standing::good);
  EXPECT_EQ(find(secrets).caller, nullptr);
}

TEST_F(BrowserSessionsTest, ItEndsWithItsCredentialsAtTheLatest) {
  const auto past = std::chrono::system_clock::now() - std::chrono::seconds(1);
  const auto secrets = start(person("ann", past));
  EXPECT_EQ(find(secrets).standing, Standing::none);
  EXPECT_EQ(sessions.size(), 1U);
  sessions.sweep();
  EXPECT_EQ(sessions.size(), 0U);
}

TEST_F(BrowserSessionsTest, SigningOutEndsItAndTheCallersOfIt) {
  const auto secrets = start();
  const auto other = start();
  const Caller bound = verify(secrets, {person("ann")});
  ASSERT_TRUE(bound);
  sessions.end(secrets.cookie);
  EXPECT_TRUE(bound->known_by.expired());
  EXPECT_EQ(find(secrets).standing, Standing::none);
  EXPECT_EQ(verify(secrets, {person("ann")}), nullptr);
  EXPECT_EQ(find(other).standing, Standing::good);
}

TEST_F(BrowserSessionsTest, TheOldestOfACallerIsReplaced) {
  const auto first = start();
  const auto second = start();
  const auto third = start();
  EXPECT_EQ(find(first).standing, Standing::none);
  EXPECT_EQ(find(second).standing, Standing::good);
  EXPECT_EQ(find(third).standing, Standing::good);
  EXPECT_EQ(sessions.size(), 2U);
}

TEST_F(BrowserSessionsTest, ThereAreNoMoreThanBounded) {
  start(person("ann"));
  start(person("bob"));
  start(person("cy"));
  start(person("di"));
  const auto more = sessions.start(person("eve"), kCredentials, "token");
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, Code::overloaded);
  EXPECT_EQ(sessions.size(), 4U) << "nobody else loses a session";
}

TEST_F(BrowserSessionsTest, SwitchedOffItHasNone) {
  const auto secrets = start();
  sessions.set_bounds({.timeout = hours(1)}, true);
  EXPECT_EQ(find(secrets).standing, Standing::good);
  sessions.set_bounds({.timeout = hours(1)}, false);
  EXPECT_EQ(find(secrets).standing, Standing::none);
}

TEST(BrowserCookie, HasTheNameOfItsPort) {
  EXPECT_EQ(session_cookie_name("localhost:8080", false), "patchbay_console_8080");
  EXPECT_EQ(session_cookie_name("[::1]:8080", false), "patchbay_console_8080");
  EXPECT_EQ(session_cookie_name("[::1]", false), "patchbay_console");
  EXPECT_EQ(session_cookie_name("gate.example", true), "__Host-patchbay_console");
}

TEST(BrowserCookie, IsFoundAmongOthers) {
  EXPECT_EQ(cookie_value("a=1; b=2;c=3", "b"), "2");
  EXPECT_EQ(cookie_value("ab=1; b=2=2", "b"), "2=2");
  EXPECT_EQ(cookie_value("a=1; b", "b"), "");
  EXPECT_EQ(cookie_value("", "b"), "");
}

}  // namespace
}  // namespace patchbay::frontends
