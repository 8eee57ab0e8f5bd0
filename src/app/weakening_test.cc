// Tests of which changes of a configuration weaken the protection of a running gateway.
#include "app/weakening.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace patchbay::app {
namespace {

Configuration configuration_from(const std::string& text) {
  std::string name = std::filesystem::temp_directory_path() / "patchbay-weakening-XXXXXX";
  ::close(::mkstemp(name.data()));
  std::ofstream(name) << text;
  config::Faults faults;
  auto configuration = load_configuration(name, {}, faults);
  std::filesystem::remove(name);
  for (const auto& fault : faults) ADD_FAILURE() << config::to_string(fault);
  return configuration;
}

struct Change {
  const char* now;
  const char* next;
  const char* setting;  // What the first sentence begins with; empty: nothing is weaker.
};

constexpr const char* kToken = "auth: {tokens: [{name: a, token: 0123456789abcdef}]}\n";
constexpr const char* kOtherToken = "auth: {tokens: [{name: b, token: fedcba9876543210}]}\n";
constexpr const char* kJwt =
    "auth: {resource: 'https://gw.example/mcp', scopes: [mcp], jwt: [{issuer: i, "
    "jwks: 'https://i.example/keys', algorithms: [ES256]}]}\n";
constexpr const char* kWiderJwt =
    "auth: {resource: 'https://gw.example/mcp', scopes: [mcp], jwt: [{issuer: i, "
    "jwks: 'https://i.example/keys'}]}\n";
constexpr const char* kJwtNoScope =
    "auth: {resource: 'https://gw.example/mcp', jwt: [{issuer: i, "
    "jwks: 'https://i.example/keys', algorithms: [ES256]}]}\n";
constexpr const char* kOpen =
    "auth: {tokens: [{name: a, token: 0123456789abcdef}], open: [metrics]}\n";

const Change kChanges[] = {
    {"", kToken, ""},
    {kToken, kOtherToken, ""},
    {kToken, "", "auth: "},
    {kToken, kOpen, "auth.open: "},
    {kOpen, kToken, ""},
    {kJwt, kWiderJwt, "auth.jwt: "},
    {kWiderJwt, kJwt, ""},
    {kJwt, kJwtNoScope, "auth.scopes: "},
    {"", "validation: {unusable_schemas: pass}", "validation.unusable_schemas: "},
    {"validation: {unusable_schemas: pass}", "", ""},
    {"approvals: {elicit: false}", "approvals: {elicit: true}", "approvals.elicit: "},
    {"approvals: {elicit: true}", "approvals: {elicit: false}", ""},
    {"", "console: {edit: true}", "console.edit: "},
    {"console: {edit: true}", "", ""},
    {"", "sign_in: {require_credentials: false}", "sign_in.require_credentials: "},
    {"wire: {message_id_timeout: 60s}", "wire: {message_id_timeout: 1s}",
     "wire.message_id_timeout: "},
    {"rules: []", "", "rules: "},
    {"", "rules: []", ""},
    {"rules: []", "rules: [{role: local, allow: [a.*]}]", "rules: "},
    {"rules: []", "rules: [{role: ops, allow: [a.*]}]", ""},
    {"rules: [{role: local, allow: [a.*]}]", "rules: [{role: local, allow: [a.x]}]", ""},
    {"rules: [{role: local, allow: [a.x]}]", "rules: [{role: local, allow: [a.*]}]", "rules: "},
    {"rules: [{role: local, allow: ['*'], deny: [a.x]}]", "rules: [{role: local, allow: ['*']}]",
     "rules: "},
    {"rules: [{role: local, allow: ['*'], deny: [a.x]}]", "rules: [{role: local, allow: [b.*]}]",
     ""},
    {"rules: [{role: local, allow: [a.*], when: [{pointer: /x, equals: 1}]}]",
     "rules: [{role: local, allow: [a.*]}]", "rules: "},
    {"rules: [{role: local, allow: [a.*], methods: [tools/*]}]",
     "rules: [{role: local, allow: [a.*]}]", "rules: "},
    {"rules: [{role: ops, allow: [a.*], approve: [a.x]}]", "rules: [{role: ops, allow: [a.*]}]",
     "rules: "},
    {"rules: [{role: ops, allow: [a.*], approve: [a.x]}]",
     "rules: [{role: ops, allow: [a.*], approve: ['a.*']}]", ""},
    {"rules: [{role: ops, allow: [a.*], approve: [a.x]}]",
     "rules: [{role: ops, allow: [a.*], deny: [a.x]}]", ""},
    {"rules: [{role: ops, approve: [a.x]}]", "rules: []", ""},
    {"rules: [{role: ops, allow: ['*'], deny: [a.x]}]", "rules: [{role: ops, allow: ['*']}]",
     "rules: "},
    {"rules: [{role: ops, allow: ['*'], deny: [a.x]}]",
     "rules: [{role: ops, allow: ['*'], deny: [a.*]}]", ""},
    {"rules: [{role: ops, allow: ['*']}, {role: any, deny: [a.x]}]",
     "rules: [{role: ops, allow: ['*']}]", "rules: "},
    {"rules: [{role: ops, allow: ['*'], deny: [a.x]}]", "rules: [{role: dev, allow: ['*']}]", ""},
    {"rules: [{role: ops, allow: [a.*], resources: {allow: ['*'], deny: ['file:*']}}]",
     "rules: [{role: ops, allow: [a.*], resources: ['*']}]", "rules: "},
    {"rules: [{role: ops, allow: [a.*], methods: [tools/*]}]", "rules: [{role: ops, allow: [a.*]}]",
     "rules: "},
    {"rules: [{role: ops, allow: [a.*], when: [{pointer: /x, equals: 1}]}]",
     "rules: [{role: ops, allow: [a.b]}]", "rules: "},
    {"rules: [{role: ops, allow: [a.*], when: [{pointer: /x, equals: 1}, {pointer: /y, equals: "
     "1}]}]",
     "rules: [{role: ops, allow: [a.*], when: [{pointer: /x, equals: 2}]}]", "rules: "},
    {"rules: [{role: ops, allow: [a.*], when: [{pointer: /x, equals: 1}]}, {role: ops, allow: "
     "[a.*], when: [{pointer: /y, equals: 1}]}]",
     "rules: [{role: ops, allow: [a.*], when: [{pointer: /y, equals: 1}]}]", ""},
    {"rules: [{role: ops, allow: [a.*], when: [{pointer: /x, equals: 1}]}]",
     "rules: [{role: ops, allow: [b.*]}]", ""},
    {"upstreams: {}", "", "upstreams: "},
    {"", "upstreams: {}", ""},
    {"upstreams: {a: {kind: stdio, command: 'true', sandbox: {}}}",
     "upstreams: {a: {kind: stdio, command: 'true'}}", "upstreams.a.sandbox: "},
    {"upstreams: {a: {kind: stdio, command: 'true', sandbox: {}}}", "upstreams: {}", ""},
    {"upstreams: {a: {kind: stdio, command: 'true', sandbox: {}}}",
     "upstreams: {a: {kind: stdio, command: 'true', sandbox: {network: host}}}",
     "upstreams.a.sandbox.network: "},
    {"upstreams: {a: {kind: stdio, command: 'true', user: nobody}}",
     "upstreams: {a: {kind: stdio, command: 'true'}}", "upstreams.a.user: "},
    {"upstreams: {a: {kind: stdio, command: 'true', user: nobody}}",
     "upstreams: {a: {kind: stdio, command: 'true', sandbox: {}}}", ""},
    {"upstreams: {a: {kind: stdio, command: 'true'}}",
     "upstreams: {a: {kind: stdio, command: 'true', isolation: shared}}",
     "upstreams.a.isolation: "},
    {"upstreams: {a: {kind: stdio, command: 'true', isolation: shared}}",
     "upstreams: {a: {kind: stdio, command: 'true', isolation: per-session}}", ""},
    {"upstreams: {a: {kind: stdio, command: 'true', tools: {deny: [x]}}}",
     "upstreams: {a: {kind: stdio, command: 'true'}}", "upstreams.a.tools.deny: "},
    {"upstreams: {a: {kind: stdio, command: 'true', tools: {deny: [x]}}}",
     "upstreams: {a: {kind: stdio, command: 'true', tools: {allow: [y]}}}", ""},
    {"http: {hosts: [a]}", "http: {hosts: [a, b]}", "http.hosts: "},
    {"http: {hosts: [a, b]}", "http: {hosts: [a]}", ""},
    {"", "http: {origins: ['https://a.example']}", "http.origins: "},
    {"", "http: {cors: {origins: ['https://a.example']}}", "http.cors.origins: "},
    {"", "http: {cors: {credentials: true}}", "http.cors.credentials: "},
    {"wire: {tcp: off, replay_window_s: 60}", "", "wire.replay_window_s: "},
    {"wire: {tcp: off}", "wire: {tcp: off, per_message_auth: off}", "wire.per_message_auth: "},
    {"wire: {tcp: off}", "wire: {tcp: off, rate_limiting: {enabled: false}}",
     "wire.rate_limiting: "},
    {"pins: block", "pins: warn", "pins: "},
    {"pins: warn", "pins: ignore", "pins: "},
    {"pins: warn", "pins: block", ""},
    {"", "validation: {arguments: warn}", "validation.arguments: "},
    {"validation: {results: enforce}", "", "validation.results: "},
    {"upstreams: {}\nstdio: {allowed_commands: [/bin/true]}", "upstreams: {}",
     "stdio.allowed_commands: "},
    {"audit: {file: a.jsonl}", "", "audit: "},
    {"audit: {file: a.jsonl}", "audit: {file: b.jsonl}", ""},
    {"audit: {file: a.jsonl, required: true}", "audit: {file: a.jsonl}", "audit.required: "},
    {"limits: {rates: [{per: everyone, max_calls: 1, window: 1s}]}", "", "limits.rates: "},
    {"", "limits: {max_calls: 5}", ""},
};

TEST(Weakening, NamesTheSettingThatIsWeaker) {
  for (const auto& change : kChanges) {
    SCOPED_TRACE(std::string(change.now) + " -> " + change.next);
    const auto found = weakenings(configuration_from(change.now), configuration_from(change.next));
    if (*change.setting == '\0') {
      EXPECT_TRUE(found.empty()) << found.front();
    } else {
      ASSERT_FALSE(found.empty());
      EXPECT_TRUE(found.front().starts_with(change.setting)) << found.front();
    }
  }
}

TEST(Weakening, LooksAtTheTlsListener) {
  Configuration now;
  now.settings.tls.emplace();
  now.settings.tls->client_ca = "ca.pem";
  now.settings.tls->crl = "crl.pem";
  Configuration next = now;
  EXPECT_TRUE(weakenings(now, next).empty());
  next.settings.tls->client_ca = "";
  next.settings.tls->crl = "";
  next.settings.tls->common_name = true;
  const auto found = weakenings(now, next);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(found[0].starts_with("tls.client_certificates: ")) << found[0];
  EXPECT_TRUE(found[1].starts_with("tls.crl: ")) << found[1];
  EXPECT_TRUE(found[2].starts_with("tls.common_name: ")) << found[2];
}

}  // namespace
}  // namespace patchbay::app
