// What may be changed over the network, and what may not: an allowlist, so that most tests are
// about refusals.
#include "app/editable_settings.h"

#include <gtest/gtest.h>

#include "config/load.h"

namespace patchbay::app {
namespace {

const std::string kComparedFile = "test.yaml";

ConfigurationChanges changes(const std::string& now, const std::string& next) {
  config::Faults faults;
  auto before = config::parse_text(now, kComparedFile, faults);
  auto after = config::parse_text(next, kComparedFile, faults);
  EXPECT_TRUE(faults.empty()) << config::to_string(faults.front());
  return configuration_changes(std::move(before), std::move(after), kComparedFile);
}

// The paths that were refused, each with a space behind it.
std::string refused(const std::string& now, const std::string& next) {
  std::string paths;
  for (const auto& one : changes(now, next).refused) paths += one.path + " ";
  return paths;
}

std::string changed(const std::string& now, const std::string& next) {
  std::string paths;
  const auto found = changes(now, next);
  EXPECT_TRUE(found.refused.empty()) << found.refused.front().path;
  for (const auto& path : found.paths) paths += path + " ";
  return paths;
}

constexpr char kProgram[] =
    "upstreams:\n  a:\n    kind: stdio\n    command: server\n    args: [one]\n    timeout: 5s\n";
constexpr char kRemote[] = "upstreams:\n  a:\n    kind: http\n    url: https://good.example/mcp\n";
constexpr char kRemoteWithSecret[] =
    "upstreams:\n  a:\n    kind: http\n    url: https://good.example/mcp\n"
    "    headers: { X-Key: abcdefgh }\n";

TEST(EditableSettings, CommentsAndOrderChangeNothing) {
  EXPECT_EQ(changed("listen: 127.0.0.1:1\npins: warn\n",
                    "# A comment\npins: warn\nlisten: 127.0.0.1:1\n"),
            "");
}

TEST(EditableSettings, LimitsTimeoutsAndRulesMayChange) {
  EXPECT_EQ(changed("limits: { max_calls: 5 }\n", "limits: { max_calls: 6, call_timeout: 5s }\n"),
            "limits.max_calls limits.call_timeout ");
  EXPECT_EQ(changed("pins: warn\n", "pins: block\nrules:\n  - { role: any, allow: ['*'] }\n"),
            "pins rules ");
  EXPECT_EQ(changed("limits: { max_calls: 5 }\n", "pins: warn\n"), "pins limits.max_calls ");
  EXPECT_EQ(changed("server: { instructions: old }\n", "server: { instructions: new }\n"),
            "server.instructions ");
}

TEST(EditableSettings, AnOldKeyIsTheSameSetting) {
  EXPECT_EQ(changed("limits: { calls: 5 }\n", "limits: { max_calls: 5 }\n"), "");
  EXPECT_EQ(changed("limits: { calls: 5 }\n", "limits: { calls: 6 }\n"), "limits.max_calls ");
}

TEST(EditableSettings, WhatLetsCallersInMayNot) {
  EXPECT_EQ(refused("auth: { tokens: [] }\n", "pins: warn\n"), "auth.tokens ");
  EXPECT_EQ(refused("", "auth: {}\n"), "auth ");
  EXPECT_EQ(refused("listen: 127.0.0.1:1\n", "listen: 0.0.0.0:1\n"), "listen ");
  EXPECT_EQ(refused("", "http: { hosts: [evil.example] }\n"), "http.hosts ");
  EXPECT_EQ(refused("", "console: { edit: true }\n"), "console.edit ");
  EXPECT_EQ(refused("", "reload: { allow_weaker: true }\n"), "reload.allow_weaker ");
  EXPECT_EQ(refused("", "wire: {}\n"), "wire ");
  EXPECT_EQ(refused("", "proxies: { from: [0.0.0.0/0] }\n"), "proxies.from ");
}

TEST(EditableSettings, FilesMayNot) {
  EXPECT_EQ(refused("", "audit: { file: /etc/cron.d/x }\n"), "audit.file ");
  EXPECT_EQ(refused("", "state: /tmp\n"), "state ");
  EXPECT_EQ(refused("", "tls: { cert: a, key: b }\n"), "tls.cert tls.key ");
  EXPECT_EQ(refused("", "log: { level: 'off', messages: true }\n"), "log.level log.messages ");
  EXPECT_EQ(refused("", "audit: { max_rotated_files: 1 }\n"), "audit.max_rotated_files ");
  EXPECT_EQ(refused("", "telemetry: { otlp: { endpoint: 'http://evil.example' } }\n"),
            "telemetry.otlp.endpoint ");
}

TEST(EditableSettings, VariablesAndFilesAreNotRead) {
  EXPECT_EQ(refused("", "server: { instructions: '${env:TOKEN}' }\n"), "server.instructions ");
  EXPECT_EQ(refused("", "server: { instructions: '${file:/etc/passwd}' }\n"),
            "server.instructions ");
  EXPECT_EQ(refused(kRemote, std::string(kRemote) + "    headers: { X: '${env:TOKEN}' }\n"),
            "upstreams.a.headers.X ");
  EXPECT_EQ(refused("", "rules:\n  - { role: '${env:TOKEN}', allow: ['*'] }\n"), "rules ");
}

TEST(EditableSettings, NothingOfAProgramMayChange) {
  const auto with = [](const std::string& line) { return std::string(kProgram) + line; };
  EXPECT_EQ(refused(kProgram, "upstreams:\n  a: { kind: stdio, command: evil, args: [one] }\n"),
            "upstreams.a.command ");
  EXPECT_EQ(refused(kProgram, "upstreams:\n  a: { command: server, args: [two] }\n"),
            "upstreams.a.args upstreams.a.kind ");
  for (const std::string line : {"env: { LD_PRELOAD: x }", "env_file: x", "cwd: /tmp", "user: root",
                                 "env_pass: [X]", "sandbox: { root: / }", "sandbox: {}"}) {
    const auto paths = refused(kProgram, with("    " + line + "\n"));
    EXPECT_TRUE(paths.starts_with("upstreams.a." + line.substr(0, line.find(':')))) << paths;
  }
  EXPECT_EQ(refused(with("    sandbox: { network: none }\n"), kProgram),
            "upstreams.a.sandbox.network ");
  EXPECT_EQ(refused("", "stdio: { allowed_commands: [sh] }\n"), "stdio.allowed_commands ");
  EXPECT_EQ(refused("", "stdio: { env_pass: [X] }\n"), "stdio.env_pass ");
}

TEST(EditableSettings, LimitsAndToolsOfAProgramMayChange) {
  EXPECT_EQ(changed(kProgram,
                    "upstreams:\n  a:\n    kind: stdio\n    command: server\n"
                    "    args: [one]\n    timeout: 6s\n    tools: { deny: ['x*'] }\n"
                    "    max_outbox_size: 1MiB\n"),
            "upstreams.a.timeout upstreams.a.tools.deny upstreams.a.max_outbox_size ");
}

TEST(EditableSettings, AnUpstreamMayGoButNotAllOfThem) {
  EXPECT_EQ(changed(kProgram, "upstreams: {}\n"), "upstreams.a ");
  EXPECT_EQ(refused(kProgram, "pins: warn\n"), "upstreams ");
}

TEST(EditableSettings, AnUpstreamWithAUrlMayBeAdded) {
  EXPECT_EQ(changed("upstreams: {}\n", std::string(kRemote) + "    timeout: 5s\n"),
            "upstreams.a upstreams.a.url upstreams.a.timeout ");
  EXPECT_EQ(refused("upstreams: {}\n", std::string(kRemote) + "    auth: { kind: token }\n"),
            "upstreams.a.auth.kind ");
  EXPECT_EQ(refused("upstreams: {}\n", std::string(kRemote) + "    tls: { cert: x }\n"),
            "upstreams.a.tls.cert ");
  for (const std::string kind : {"unix", "openapi", "kafka", "sandbox", "osquery", "builtin"}) {
    EXPECT_EQ(refused("upstreams: {}\n", "upstreams:\n  a: { kind: " + kind + " }\n"),
              "upstreams.a ");
  }
  EXPECT_EQ(refused("upstreams: {}\n", "upstreams:\n  a: stdio://sh\n"), "upstreams.a ");
  EXPECT_EQ(refused("", "servers: a:stdio://sh\n"), "servers ");
  EXPECT_EQ(refused("", "mcpServers: { a: { command: sh } }\n"), "mcpServers.a.command ");
}

TEST(EditableSettings, AProgramMayBeAddedIfItIsAllowedExactly) {
  const std::string now = "stdio: { allowed_commands: [/opt/server] }\nupstreams: {}\n";
  const auto with = [](const std::string& entry) {
    return "stdio: { allowed_commands: [/opt/server] }\nupstreams:\n  a: " + entry + "\n";
  };
  EXPECT_EQ(changed(now, with("{ command: /opt/server }")), "upstreams.a ");
  EXPECT_EQ(refused(now, with("{ command: /opt/server2 }")), "upstreams.a ");
  EXPECT_EQ(refused(now, with("{ command: server }")), "upstreams.a ");
  EXPECT_EQ(refused(now, with("{ command: '' }")), "upstreams.a ");
  EXPECT_EQ(refused(now, with("{ command: /opt/server, args: [x] }")), "upstreams.a.args ");
  EXPECT_EQ(refused(now, with("{ command: /opt/server, env: { X: y } }")), "upstreams.a.env.X ");
  EXPECT_EQ(refused("upstreams: {}\n", "upstreams:\n  a: { command: sh }\n"), "upstreams.a ");
  // The list of the file as it is decides, not one that is sent along.
  EXPECT_EQ(refused("upstreams: {}\n", with("{ command: /opt/server }")),
            "stdio.allowed_commands upstreams.a ");
}

TEST(EditableSettings, AKindMayNotChange) {
  EXPECT_EQ(refused(kRemote, "upstreams:\n  a: { command: sh }\n"), "upstreams.a ");
  EXPECT_EQ(refused(kRemote, "upstreams:\n  a: { kind: sse, url: 'https://good.example/mcp' }\n"),
            "upstreams.a ");
}

TEST(EditableSettings, CredentialsGoToNoOtherServer) {
  const auto moved = [](const std::string& more) {
    return "upstreams:\n  a:\n    kind: http\n    url: https://evil.example/mcp\n" + more;
  };
  EXPECT_EQ(changed(kRemote, moved("")), "upstreams.a.url ");
  EXPECT_EQ(refused(kRemoteWithSecret, moved("    headers: { X-Key: abcdefgh }\n")),
            "upstreams.a.url ");
  EXPECT_EQ(changed(kRemoteWithSecret, moved("")), "upstreams.a.url upstreams.a.headers.X-Key ");
  EXPECT_EQ(changed(kRemoteWithSecret, moved("    headers: { X-Key: another }\n")),
            "upstreams.a.url upstreams.a.headers.X-Key ");
  const std::string from_outside = "    headers: { X-Key: '${env:KEY}' }\n";
  EXPECT_EQ(refused(std::string(kRemote) + from_outside, moved(from_outside)), "upstreams.a.url ");
  const std::string signs_in = "    auth: { kind: token, token_file: x }\n";
  EXPECT_EQ(refused(std::string(kRemote) + signs_in, moved(signs_in)), "upstreams.a.url ");
  // Another path of the same server.
  EXPECT_EQ(changed(kRemoteWithSecret,
                    "upstreams:\n  a:\n    kind: http\n    url: https://good.example/other\n"
                    "    headers: { X-Key: abcdefgh }\n"),
            "upstreams.a.url ");
  EXPECT_EQ(refused(kRemoteWithSecret,
                    "upstreams:\n  a:\n    kind: http\n    url: http://good.example/mcp\n"
                    "    headers: { X-Key: abcdefgh }\n"),
            "upstreams.a.url ");
}

TEST(EditableSettings, ARefusalHasItsLineAndTheCommand) {
  const auto found = changes("upstreams: {}\n", "upstreams:\n  a: { command: sh }\n");
  ASSERT_EQ(found.refused.size(), 1U);
  EXPECT_EQ(found.refused[0].line, 2);
  EXPECT_NE(found.refused[0].message.find("patchbay add -c test.yaml a -- sh"), std::string::npos);
}

TEST(EditableSettings, ATextThatIsNoMapIsRefused) {
  EXPECT_EQ(refused("pins: warn\n", "[a, b]\n"), " ");
}

}  // namespace
}  // namespace patchbay::app
