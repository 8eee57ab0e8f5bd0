// Tests of when the keys of an issuer are fetched, against a server on loopback.
#include "app/jwks_source.h"

#include <gtest/gtest.h>

#include "testing/http_fixture.h"
#include "testing/manual_executor.h"

namespace patchbay::app {
namespace {

// A key of RFC 8037.
constexpr std::string_view kKeys = R"({"keys":[{"kty":"OKP","crv":"Ed25519","kid":"a",)"
                                   R"("x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})";

TEST(JwksSource, FetchesOnceForAllThatFoundItDue) {
  testing::ManualExecutor messages;  // Holds what is posted until the test runs it.
  metrics::Registry registry;
  testing::on_loop([&]() -> Task<void> {
    testing::LoopbackServer server(testing::always(
        fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", kKeys.size(), kKeys)));
    JwksSource::Owner owner{
        messages, {}, registry.counter("fetched", ""), registry.counter("failed", "")};
    policy::JwtSettings settings;
    settings.issuer = "issuer";
    settings.jwks = server.url().text();
    auto source = JwksSource::make(owner, settings);
    if (!source) co_return source.error();

    (*source)->keep_fresh();
    messages.run();           // The fetch has begun,
    (*source)->keep_fresh();  // another caller finds that it is due,
    auto fetched = co_await owner.fetches.drain(testing::in_time());
    messages.run();  // and its result takes effect.
    auto drained = co_await owner.fetches.drain(testing::in_time());
    EXPECT_EQ(owner.fetched->value(), 1U);
    EXPECT_EQ(server.accepted(), 1);
    co_return co_await server.stop();
  });
}

}  // namespace
}  // namespace patchbay::app
