// The states of a RequestAuthenticator: closed, open to all, with credentials; what it remembers,
// when it stops looking at guesses, and waiting for the keys of an issuer.
#include "frontends/auth/request_authenticator.h"

#include <gtest/gtest.h>

#include "core/base64.h"
#include "testing/fake_call.h"
#include "testing/manual_executor.h"

namespace patchbay::frontends {
namespace {

using std::chrono::seconds;

constexpr auto kIssuer = "https://issuer.example";

// Has no keys, and yields none until the test ends the fetch.
class PendingKeys final : public policy::KeySource {
 public:
  std::shared_ptr<const policy::KeySet> keys() const override { return nullptr; }
  std::uint64_t changes() const override { return 0; }
  Task<std::shared_ptr<const policy::KeySet>> look_again() override {
    ++lookups;
    co_return co_await fetched.wait();
  }
  void keep_fresh() override {}

  int lookups = 0;
  OneShot<std::shared_ptr<const policy::KeySet>> fetched;
};

net::PeerAddress address(unsigned char last) {
  net::PeerAddress made;
  made.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, last};
  return made;
}

policy::AuthSettings settings() {
  policy::AuthSettings made;
  made.tokens.push_back({"ci", "a-token-of-some-length", "", {"reader"}, {}});
  made.failures.most = 2;
  made.failures.window = config::Duration(60'000);
  return made;
}

class RequestAuthenticatorTest : public ::testing::Test {
 protected:
  void use(const policy::AuthSettings& of,
           std::vector<std::shared_ptr<policy::KeySource>> keys = {}) {
    auto made =
        policy::Authenticator::make(of, {}, policy::Digester(policy::Digest{}), std::move(keys));
    ASSERT_TRUE(made) << made.error().message;
    authenticator_.use(*made);
  }

  // The name of the caller with that token, or the code of the refusal.
  std::string identify(std::string_view token, unsigned char from = 1) {
    const net::PeerAddress peer = address(from);
    testing::Outcome<Caller> found;
    found.start(authenticator_.identify({peer, nullptr, token}));
    executor_.run();
    if (!found.done()) return "waits";
    return *found ? (**found)->name : std::string(info(found->error().code).name);
  }

  bool recognises(std::string_view token) {
    const net::PeerAddress peer = address(1);
    return authenticator_.recognise(PresentedCredentials{peer, nullptr, token}) != nullptr;
  }

  testing::ManualExecutor executor_;
  metrics::Registry registry_;
  SharedAuthState shared_{registry_, settings()};
  RequestAuthenticator authenticator_{shared_};
};

TEST_F(RequestAuthenticatorTest, RefusesEveryoneUntilItIsConfigured) {
  EXPECT_TRUE(authenticator_.asks());
  EXPECT_EQ(identify("a-token-of-some-length"), "unavailable");
  EXPECT_FALSE(recognises(""));
}

TEST_F(RequestAuthenticatorTest, NeedsNoCredentialsWhereNoneAreConfigured) {
  authenticator_.use(nullptr);
  EXPECT_FALSE(authenticator_.asks());
  EXPECT_EQ(identify(""), local_caller()->name);
}

TEST_F(RequestAuthenticatorTest, RemembersVerifiedCallers) {
  use(settings());
  EXPECT_FALSE(recognises("a-token-of-some-length"));
  EXPECT_EQ(identify("a-token-of-some-length"), "ci");
  EXPECT_TRUE(recognises("a-token-of-some-length"));
  EXPECT_EQ(identify("a-token-of-some-length"), "ci");
  EXPECT_EQ(shared_.verified->value(), 1U);
}

TEST_F(RequestAuthenticatorTest, ForgetsCallersWhenTheConfigurationChanges) {
  use(settings());
  EXPECT_EQ(identify("a-token-of-some-length"), "ci");
  policy::AuthSettings other = settings();
  other.tokens[0].token = "another-token-of-that-name";
  use(other);
  EXPECT_FALSE(recognises("a-token-of-some-length"));
  EXPECT_EQ(identify("a-token-of-some-length"), "unauthenticated");
}

TEST_F(RequestAuthenticatorTest, MissingCredentialsAreNoFailedAttempt) {
  use(settings());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(identify(""), "unauthenticated");
  EXPECT_EQ(shared_.missing->value(), 5U);
  EXPECT_EQ(identify("a-token-of-some-length"), "ci");
}

TEST_F(RequestAuthenticatorTest, LocksAnAddressOutAfterTooManyGuesses) {
  use(settings());
  EXPECT_EQ(identify("guess-1"), "unauthenticated");
  EXPECT_EQ(identify("guess-2"), "unauthenticated");
  EXPECT_EQ(identify("a-token-of-some-length"), "rate_limited") << "not even looked at";
  EXPECT_EQ(identify("a-token-of-some-length", 2), "ci") << "another address is not concerned";
  EXPECT_EQ(identify("a-token-of-some-length"), "ci") << "a token known to be good is no guess";
  EXPECT_EQ(identify("guess-3"), "rate_limited");
  executor_.pass(seconds(61));
  EXPECT_EQ(identify("guess-3"), "unauthenticated") << "the window is over";
}

// A token whose issuer is known and whose signature nobody has checked.
std::string unsigned_jwt() {
  const std::string head = R"({"alg":"RS256","typ":"at+jwt","kid":"k"})";
  const std::string claims =
      std::string(R"({"iss":")") + kIssuer + R"(","sub":"ann","exp":4000000000})";
  return base64url_encode(head) + '.' + base64url_encode(claims) + '.' + base64url_encode("none");
}

TEST_F(RequestAuthenticatorTest, AnIssuerWithoutKeysIsNotTheCallersFault) {
  policy::AuthSettings with_issuer = settings();
  with_issuer.jwt.emplace_back();
  with_issuer.jwt[0].issuer = kIssuer;
  const auto keys = std::make_shared<PendingKeys>();
  use(with_issuer, {keys});
  const net::PeerAddress peer = address(1);
  const std::string token = unsigned_jwt();
  testing::Outcome<Caller> found;
  found.start(authenticator_.identify({peer, nullptr, token}));
  executor_.run();
  EXPECT_EQ(keys->lookups, 1);
  ASSERT_FALSE(found.done()) << "the keys are being fetched";
  keys->fetched.deliver(std::shared_ptr<const policy::KeySet>());
  executor_.run();
  ASSERT_TRUE(found.done());
  EXPECT_EQ(found->error().code, Code::unavailable);
  EXPECT_EQ(shared_.unavailable->value(), 1U);
  EXPECT_EQ(shared_.invalid->value(), 0U);
}

}  // namespace
}  // namespace patchbay::frontends
