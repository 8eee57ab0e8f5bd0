#include "gateway/session_id.h"

#include <gtest/gtest.h>

#include <set>

namespace patchbay::gateway {
namespace {

SessionId example() {
  SessionId id = new_session_id();
  id.run = 0x0123456789abcdefULL;
  id.worker = 300;
  id.revision = mcp::Revision::v2025_06_18;
  id.owner = owner_digest({"ann"});
  id.abilities = {.roots = true, .sampling = true, .sampling_context = true, .form = true};
  id.client_info = "client 1.0";
  return id;
}

TEST(SessionId, HasWhatItWasMadeOf) {
  const policy::Keyring keys({std::string(32, 'k')});
  const SessionId id = example();
  const std::string text = seal(keys, id);
  EXPECT_LE(text.size(), 160U);
  const auto opened = open_session_id(keys, text);
  ASSERT_TRUE(opened);
  EXPECT_EQ(*opened, id);
}

TEST(SessionId, IsVisibleAsciiAndBounded) {
  const policy::Keyring keys({std::string(32, 'k')});
  SessionId id = example();
  id.client_info = std::string(1000, 'x');
  const std::string text = seal(keys, id);
  EXPECT_LE(text.size(), 280U);
  for (const char c : text) EXPECT_TRUE(c > ' ' && c < '\x7f') << c;
  EXPECT_EQ(open_session_id(keys, text)->client_info, std::string(100, 'x'));
}

TEST(SessionId, NothingForgedCutOrOfOtherKeysOpens) {
  const policy::Keyring keys({std::string(32, 'k')});
  const policy::Keyring others({std::string(32, 'o')});
  const std::string text = seal(keys, example());
  EXPECT_FALSE(open_session_id(others, text));
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(open_session_id(keys, text.substr(0, size))) << size;
    std::string changed = text;
    changed[size] = changed[size] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(open_session_id(keys, changed)) << size;
  }
  // A good token of another format.
  EXPECT_FALSE(open_session_id(keys, keys.seal(policy::Purpose::sessions, "\x02xyz", "session")));
  EXPECT_FALSE(open_session_id(keys, keys.seal(policy::Purpose::sessions, "\x01xyz", "session")));
  EXPECT_FALSE(open_session_id(keys, keys.seal(policy::Purpose::sessions, "", "session")));
}

TEST(SessionId, IsPlacedEverywhere) {
  std::set<std::size_t> workers;
  for (int i = 0; i < 200; ++i) workers.insert(placed_on(new_session_id(), 4));
  EXPECT_EQ(workers.size(), 4U);
}

TEST(SessionId, CapabilitiesSurviveAsTheGatewayUsesThem) {
  for (const auto& revision : mcp::kRevisions) {
    if (revision.stateless) continue;
    for (const auto* const raw :
         {"{}", R"({"roots":{"listChanged":true}})", R"({"sampling":{}})",
          R"({"sampling":{"tools":{}},"elicitation":{"url":{}},"experimental":{"x":{}}})",
          R"({"elicitation":{}})", R"({"elicitation":{"form":{},"url":{}}})"}) {
      const auto one = *mcp::find_revision(revision.name);
      const auto abilities = mcp::abilities_of(one, raw);
      EXPECT_EQ(mcp::abilities_of(one, mcp::client_capabilities(one, abilities)), abilities)
          << revision.name << ' ' << raw;
    }
  }
}

}  // namespace
}  // namespace patchbay::gateway
