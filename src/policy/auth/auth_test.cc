#include <gtest/gtest.h>
#include <netinet/in.h>

#include <set>
#include <thread>

#include "net/io/address_range.h"
#include "policy/auth/caller_cache.h"
#include "policy/auth/failures.h"
#include "policy/auth/htpasswd.h"
#include "policy/auth/key_source.h"
#include "policy/auth/token_table.h"

namespace patchbay::policy {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

net::PeerAddress v4(unsigned char a, unsigned char b, unsigned char c, unsigned char d) {
  net::PeerAddress address;
  address.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d};
  return address;
}

TEST(Digest, DependsOnKeyKindAndText) {
  const Digester one(Digest{1});
  const Digester two(Digest{2});
  EXPECT_EQ(one.of("a", "bc"), one.of("a", "bc"));
  EXPECT_NE(one.of("a", "bc"), one.of("ab", "c"));
  EXPECT_NE(one.of("a", "bc"), two.of("a", "bc"));
  EXPECT_NE(one.of("a", ""), one.of("", "a"));
}

TEST(TokenHash, FitsItsTokenAlone) {
  const NewToken made = make_token();
  EXPECT_EQ(token_id(made.token), made.id);
  const auto hash = TokenHash::of(made.token);
  ASSERT_TRUE(hash);
  const auto again = TokenHash::parse(hash->text());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->id(), made.id);
  EXPECT_TRUE(again->fits(made.token));
  EXPECT_FALSE(again->fits(make_token().token));
  EXPECT_NE(TokenHash::of(made.token)->text(), hash->text());
}

TEST(TokenHash, RefusesWhatIsNone) {
  const std::string salt = "AAAAAAAAAAAAAAAAAAAAAA";
  const std::string key(43, 'A');
  EXPECT_TRUE(TokenHash::parse("$scrypt$ln=14,r=8,p=1$" + salt + "$" + key));
  for (const std::string& text :
       {std::string(""), std::string("x"), "$scrypt$ln=14,r=8,p=1$" + salt,
        "$scrypt$ln=14,r=8,p=1$" + salt + "$" + key + "A",
        "$scrypt$ln=40,r=8,p=1$" + salt + "$" + key, "$scrypt$ln=20,r=32,p=1$" + salt + "$" + key,
        "$scrypt$ln=14,r=8,p=99$" + salt + "$" + key, "$argon2$ln=14,r=8,p=1$" + salt + "$" + key,
        "id$scrypt$ln=14,r=8,p=1$" + salt + "$" + key, "$scrypt$ln=14,r=8,p=1$$" + key}) {
    EXPECT_FALSE(TokenHash::parse(text)) << text;
  }
}

TEST(TokenHash, KnowsTokensOfOurs) {
  EXPECT_EQ(token_id("pb_0123456789_" + std::string(64, 'a')), "0123456789");
  for (const std::string& text :
       {std::string("pb_"), "pb_0123456789_" + std::string(63, 'a'),
        "pb_012345678x_" + std::string(64, 'a'), "pb_0123456789-" + std::string(64, 'a'),
        "PB_0123456789_" + std::string(64, 'a'), "pb_0123456789_" + std::string(64, 'A')}) {
    EXPECT_EQ(token_id(text), "") << text;
  }
}

StoredToken stored(const std::string& name) {
  return {*TokenHash::of(make_token().token), name, {"reader"}, {}, 1000, 2000};
}

TEST(TokenTable, IsReadAsItWasWritten) {
  TokenTable table;
  table.add(stored("ann"));
  table.add(stored("with \"quotes\"\n"));
  table.add(stored("ann"));
  auto again = TokenTable::parse(table.text());
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->tokens().size(), 3);
  EXPECT_EQ(again->text(), table.text());
  EXPECT_EQ(again->tokens()[1].name, "with \"quotes\"\n");
  EXPECT_EQ(again->tokens()[0].expires, 2000);
  EXPECT_EQ(again->revoke("ann"), 2);
  EXPECT_EQ(again->revoke(again->tokens()[0].hash.id()), 1);
  EXPECT_EQ(again->revoke("ann"), 0);
  EXPECT_EQ(describe(table.tokens()[0]).find("scrypt"), std::string::npos);
}

TEST(TokenTable, AnIdRevokesOneTokenWhateverNamesAre) {
  TokenTable table;
  table.add(stored("ann"));
  table.add(stored(table.tokens()[0].hash.id()));
  table.add(stored("ann"));
  const std::string id = table.tokens()[0].hash.id();
  table.revoke_id("ann");
  EXPECT_EQ(table.tokens().size(), 3);
  table.revoke_id(id);
  ASSERT_EQ(table.tokens().size(), 2);
  EXPECT_EQ(table.tokens()[0].name, id);
}

TEST(TokenTable, NamesTheLineThatIsWrong) {
  TokenTable table;
  table.add(stored("ann"));
  const auto rubbish = TokenTable::parse(table.text() + "\nrubbish\n");
  ASSERT_FALSE(rubbish);
  EXPECT_TRUE(rubbish.error().message.starts_with("line 3:")) << rubbish.error().message;
  EXPECT_FALSE(TokenTable::parse(R"({"name":"a","name":"b","hash":"x","created":1})"));
  EXPECT_FALSE(TokenTable::parse(R"({"name":"a","created":1})"));
}

TEST(Htpasswd, ChecksPasswords) {
  // By `openssl passwd -6 -salt saltsalt secret`.
  const auto file = Htpasswd::parse(
      "# users\n\n"
      "ann:$6$saltsalt$TVLlQcbpFVof5W3Yz4DTP6gRstiNuHwwTt6GLc1E5n0U0aDe"
      "hy0S5knV8wiOQSpT0Y77vwPZN.Pq.H91p5hVO1\n");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->size(), 1);
  EXPECT_TRUE(file->fits("ann", "secret"));
  EXPECT_FALSE(file->fits("ann", "wrong"));
  EXPECT_FALSE(file->fits("bob", "secret"));
  EXPECT_FALSE(file->fits("", ""));
  EXPECT_FALSE(file->fits("ann", std::string("secret\0", 7)));
}

TEST(Htpasswd, RefusesWeakHashesAndRubbish) {
  for (const std::string text :
       {"ann", ":x", "ann:plain", "ann:$apr1$a$b", "ann:$1$a$b", "ann:", "a:$6$x$y\na:$6$x$y"}) {
    EXPECT_FALSE(Htpasswd::parse(text)) << text;
  }
  EXPECT_TRUE(Htpasswd::parse(""));
}

TEST(AddressRange, ContainsItsAddresses) {
  const auto holds = [](std::string_view range, const net::PeerAddress& address) {
    return net::AddressRange::parse(range)->holds(address);
  };
  EXPECT_TRUE(holds("10.0.0.5", v4(10, 0, 0, 5)));
  EXPECT_FALSE(holds("10.0.0.5", v4(10, 0, 0, 6)));
  EXPECT_TRUE(holds("10.1.0.0/16", v4(10, 1, 200, 9)));
  EXPECT_FALSE(holds("10.1.0.0/16", v4(10, 2, 0, 0)));
  EXPECT_TRUE(holds("10.1.128.0/17", v4(10, 1, 129, 0)));
  EXPECT_FALSE(holds("10.1.128.0/17", v4(10, 1, 127, 0)));
  EXPECT_TRUE(holds("0.0.0.0/0", v4(1, 2, 3, 4)));
  EXPECT_TRUE(holds("::/0", v4(1, 2, 3, 4)));
  EXPECT_FALSE(holds("::1", v4(127, 0, 0, 1)));
  EXPECT_TRUE(holds("::ffff:10.0.0.1", v4(10, 0, 0, 1)));
  for (const auto* const text : {"", "10.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "::/129",
                                 "10.0.0.0/8x", "localhost", "10.0.0.0/8/8"}) {
    EXPECT_FALSE(net::AddressRange::parse(text)) << text;
  }
}

Digest credential(const std::string& text) { return Digester(Digest{}).of("", text); }

// As many attempts, each with another credential.
void fail(AuthFailures& failures, const net::PeerAddress& from, int times, Deadline now,
          std::string_view name = "") {
  for (int i = 0; i < times; ++i) {
    failures.add({from, name, credential(std::to_string(i) + std::string(name))}, now);
  }
}

std::chrono::nanoseconds wait(AuthFailures& failures, const net::PeerAddress& from, Deadline now,
                              std::string_view name = "") {
  return failures.wait({from, name, credential("next")}, now);
}

TEST(AuthFailures, MakesAnAddressWaitForTheRestOfTheWindow) {
  AuthFailures failures({.most = 2, .window = config::Duration(60'000), .addresses = 100});
  Deadline now{hours(1)};
  const auto caller = v4(10, 0, 0, 1);
  failures.add({caller, "", credential("a")}, now);
  EXPECT_EQ(wait(failures, caller, now).count(), 0);
  failures.add({caller, "", credential("b")}, now + seconds(20));
  EXPECT_EQ(wait(failures, caller, now + seconds(20)), seconds(40));
  EXPECT_EQ(wait(failures, v4(10, 0, 0, 2), now).count(), 0);
  EXPECT_EQ(wait(failures, caller, now + seconds(60)).count(), 0);
}

TEST(AuthFailures, TheSameCredentialWithinSecondsIsOneAttempt) {
  AuthFailures failures({.most = 2, .window = config::Duration(60'000), .addresses = 100});
  const Deadline now{hours(1)};
  const auto caller = v4(10, 0, 0, 1);
  const auto again = [&](Deadline at) { failures.add({caller, "", credential("wrong")}, at); };
  for (int i = 0; i < 3; ++i) again(now + seconds(i));
  EXPECT_EQ(wait(failures, caller, now + seconds(3)).count(), 0);
  again(now + seconds(11));
  EXPECT_GT(wait(failures, caller, now + seconds(11)).count(), 0);
  // A flood of it is not.
  AuthFailures flooded({.most = 2, .window = config::Duration(60'000), .addresses = 100});
  for (int i = 0; i < 20; ++i) flooded.add({caller, "", credential("wrong")}, now);
  EXPECT_GT(wait(flooded, caller, now).count(), 0);
}

TEST(AuthFailures, CountsByNameAndBoundsTheAddress) {
  AuthFailures failures(
      {.most = 2, .most_per_address = 6, .window = config::Duration(60'000), .addresses = 100});
  const Deadline now{hours(1)};
  const auto caller = v4(10, 0, 0, 1);
  fail(failures, caller, 2, now, "ann");
  EXPECT_GT(wait(failures, caller, now, "ann").count(), 0);
  EXPECT_EQ(wait(failures, caller, now, "bob").count(), 0);
  EXPECT_EQ(wait(failures, v4(10, 0, 0, 2), now, "ann").count(), 0);
  for (const auto* const name : {"c", "d", "e", "f"}) fail(failures, caller, 1, now, name);
  EXPECT_GT(wait(failures, caller, now, "bob").count(), 0);
}

TEST(AuthFailures, CountsIpv6ByItsPrefix) {
  AuthFailures failures({.most = 1, .window = config::Duration(60'000), .addresses = 100});
  net::PeerAddress one;
  one.ip = {0xfd, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1};
  net::PeerAddress two = one;
  two.ip[15] = 2;
  net::PeerAddress other = one;
  other.ip[7] = 2;
  const Deadline now{hours(1)};
  fail(failures, one, 1, now);
  EXPECT_GT(wait(failures, two, now).count(), 0);
  EXPECT_EQ(wait(failures, other, now).count(), 0);
}

TEST(AuthFailures, AFloodOfAddressesDoesNotClearTheWorstOne) {
  AuthFailures failures({.most = 5, .window = config::Duration(60'000), .addresses = 64});
  const Deadline now{hours(1)};
  const auto bad = v4(10, 0, 0, 1);
  fail(failures, bad, 5, now);
  for (int i = 0; i < 10'000; ++i) {
    const auto other = v4(11, 0, static_cast<unsigned char>(i >> 8), static_cast<unsigned char>(i));
    fail(failures, other, 1, now);
  }
  EXPECT_GT(wait(failures, bad, now).count(), 0);
}

Recognised named(const std::string& name) {
  Principal caller;
  caller.name = name;
  return {std::make_shared<const Principal>(caller)};
}

TEST(CallerCache, IsBoundedAndKeepsWhatIsUsed) {
  const Digester digester(Digest{});
  CallerCache cache(100);
  cache.add(digester.of("", "kept"), named("kept"));
  for (int i = 0; i < 10'000; ++i) {
    cache.add(digester.of("", std::to_string(i)), named("x"));
    ASSERT_NE(cache.find(digester.of("", "kept")), nullptr) << i;
    ASSERT_LE(cache.size(), 100);
  }
  EXPECT_EQ(cache.find(digester.of("", "0")), nullptr);
  EXPECT_EQ(cache.find(digester.of("", "kept"))->name, "kept");
}

TEST(CallerCache, ForgetsWhatHasEnded) {
  const Digester digester(Digest{});
  CallerCache cache(100);
  auto ended = named("x");
  ended.until = std::chrono::system_clock::now() - seconds(1);
  cache.add(digester.of("", "ended"), ended);
  EXPECT_EQ(cache.find(digester.of("", "ended")), nullptr);
  EXPECT_EQ(cache.size(), 0);
}

JwtSettings schedule_settings() {
  JwtSettings settings;
  settings.refresh = config::Duration(600'000);
  settings.refetch = config::Duration(30'000);
  settings.max_stale = config::Duration(3'600'000);
  return settings;
}

TEST(FetchSchedule, FetchesAtFirstAndWhenOld) {
  FetchSchedule schedule(schedule_settings());
  const Deadline start{hours(10)};
  EXPECT_TRUE(schedule.due(start));
  EXPECT_FALSE(schedule.usable(start));
  schedule.succeeded(start);
  EXPECT_FALSE(schedule.due(start + seconds(599)));
  EXPECT_TRUE(schedule.due(start + seconds(600)));
  EXPECT_TRUE(schedule.usable(start + seconds(3599)));
  EXPECT_FALSE(schedule.usable(start + seconds(3600)));
}

TEST(FetchSchedule, UnknownKeysAreLookedForNowAndThen) {
  FetchSchedule schedule(schedule_settings());
  const Deadline start{hours(10)};
  schedule.succeeded(start);
  EXPECT_TRUE(schedule.may_look_again(start + milliseconds(1)));
  schedule.succeeded(start + milliseconds(2));
  EXPECT_FALSE(schedule.may_look_again(start + seconds(29)));
  EXPECT_TRUE(schedule.may_look_again(start + seconds(31)));
}

TEST(FetchSchedule, WaitsLongerWithEachFailure) {
  FetchSchedule schedule(schedule_settings());
  Deadline now{hours(10)};
  for (const int pause : {1, 2, 4, 8, 16, 30, 30, 30}) {
    schedule.failed(now);
    EXPECT_FALSE(schedule.due(now + seconds(pause) - milliseconds(1))) << pause;
    now += seconds(pause);
    EXPECT_TRUE(schedule.due(now)) << pause;
  }
}

}  // namespace
}  // namespace patchbay::policy
