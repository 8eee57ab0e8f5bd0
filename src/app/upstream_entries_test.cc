#include "app/upstream_entries.h"

#include <gtest/gtest.h>

#include "app/client_file.h"
#include "config/load.h"

namespace patchbay::app {
namespace {

// A node in short: `{key=value [item][item]}`.
std::string brief(const config::Node& node) {
  std::string text = node.text;
  for (const auto& item : node.items) text += "[" + brief(item) + "]";
  if (node.kind != config::Kind::map) return text;
  text = "{";
  for (const auto& [key, line, value] : node.members) {
    text += (text.size() > 1 ? " " : "") + key + "=" + brief(value);
  }
  return text + "}";
}

// One line for each entry, then one for each fault.
std::string described_entries(const std::string& text) {
  config::Faults faults;
  config::Faults notes;
  auto root = config::parse_text(text, "f.yaml", faults);
  translate_clients(root, "f.yaml", faults, notes);
  config::resolve(root, "f.yaml", faults);
  std::string lines;
  for (const auto& entry : upstream_entries(root, "f.yaml", "__", faults)) {
    lines += entry.name + " " + entry.kind + " " + brief(entry.node) + "\n";
  }
  for (const auto& fault : faults) lines += config::to_string(fault) + "\n";
  return lines;
}

const std::string kBoth =
    "calculator stdio {kind=stdio command=python args=[calc_server.py]}\n"
    "webapi http {kind=http url=http://localhost:3000}\n";

TEST(Servers, EveryNotationMeansTheSame) {
  for (const auto* const text : {
           "servers: \"calculator:stdio://python calc_server.py, webapi:http://localhost:3000\"\n",
           "servers: calculator:stdio://python calc_server.py,webapi:http://localhost:3000,\n",
           "servers: |\n  calculator:stdio://python calc_server.py\n\n  "
           "webapi:http://localhost:3000\n",
           "servers: |\n  calculator:stdio://python calc_server.py,\n  webapi: "
           "http://localhost:3000\n",
           "servers: [\"calculator:stdio://python calc_server.py\", "
           "\"webapi:http://localhost:3000\"]\n",
           "servers:\n  - calculator: stdio://python calc_server.py\n  - webapi: "
           "http://localhost:3000\n",
           "servers: {calculator: stdio://python calc_server.py, webapi: "
           "\"http://localhost:3000\"}\n",
           "mcp.servers: calculator:stdio://python calc_server.py, webapi:http://localhost:3000\n",
           "upstreams:\n  calculator: stdio://python calc_server.py\n  webapi: "
           "http://localhost:3000\n",
           "{\"servers\": [\"calculator:stdio://python calc_server.py\", "
           "\"webapi:http://localhost:3000\"]}",
       }) {
    EXPECT_EQ(described_entries(text), kBoth) << text;
  }
}

TEST(Servers, ACommaCanBelongToAnEntry) {
  const auto list = [](const std::string& entry) {
    return described_entries("servers: |\n  " + entry + ", b:tcp://h:1\n");
  };
  const std::string b = "b tcp {kind=tcp address=h:1}\n";
  const std::string a = "a stdio {kind=stdio command=echo args=[1,2]}\n";
  EXPECT_EQ(list(R"(a:stdio://echo 1\,2)"), a + b);
  EXPECT_EQ(list(R"(a:stdio://echo "1,2")"), a + b);
  EXPECT_EQ(list(R"(a:stdio://echo '1,2')"), a + b);
  EXPECT_EQ(list(R"("a:stdio://echo 1,2")"), a + b);
  EXPECT_EQ(list(R"(a:'stdio://echo 1,2')"), a + b);
  EXPECT_EQ(list(R"("a:stdio://echo \"1,2\"")"), a + b);
  EXPECT_EQ(list(R"(a:http://h/x\,y)"), "a http {kind=http url=http://h/x,y}\n" + b);
  EXPECT_EQ(described_entries("servers: [\"a:stdio://echo 1,2\"]\n"), a)
      << "in a list it always does";
}

TEST(Servers, FaultsPointAtTheEntry) {
  EXPECT_EQ(described_entries("servers: \"a:tcp://h:1, b:ftp://h, c://x, d'x:tcp://h:1\"\n"),
            "a tcp {kind=tcp address=h:1}\n"
            "f.yaml:1: servers[1]: an endpoint begins with one of: stdio:// http:// https:// "
            "sse:// sses:// custom-http-sse:// custom-https-sse:// tcp:// tcps:// wire-tcp:// "
            "ws:// wss:// unix://\n"
            "f.yaml:1: servers[2]: an entry is a name, a colon and an endpoint, as in "
            "web:http://localhost:3000\n"
            "f.yaml:1: servers[3]: a quote is not closed\n");
  EXPECT_EQ(described_entries("servers:\n- a:tcp://h:1\n- a:tcp://h:2\n- bad name:tcp://h:3\n"),
            "a tcp {kind=tcp address=h:1}\n"
            "f.yaml:3: servers[1]: another upstream is already called 'a'\n"
            "f.yaml:4: servers[2]: a name has 1 to 64 letters, digits, _ or -\n");
}

TEST(Servers, TheOrderIsThatOfTheFile) {
  EXPECT_EQ(
      described_entries(
          "mcpServers: {z: {command: z}}\nservers: y:tcp://h:1\nupstreams: {x: {kind: builtin}}\n"),
      "z stdio {kind=stdio command=z}\ny tcp {kind=tcp address=h:1}\nx builtin {kind=builtin}\n");
}

TEST(DesktopEntries, ProgramsAndUrls) {
  EXPECT_EQ(described_entries(R"({"mcpServers": {
    "my one": {"type": "stdio", "command": "x", "args": ["1"], "autoApprove": []},
    "off": {"command": "y", "disabled": true},
    "a": {"url": "http://h/mcp", "headers": {"Authorization": "Bearer t"}},
    "b": {"type": "streamable-http", "url": "https://h/mcp"},
    "c": {"transport": "streamableHttp", "url": "http://h"},
    "d": {"type": "sse", "url": "https://h/sse"},
    "e": {"serverUrl": "http://h/e"},
    "f": {"url": "sse://h/f"}
  }})"),
            "my-one stdio {kind=stdio command=x args=[1]}\n"
            "a http {kind=http url=http://h/mcp headers={Authorization=Bearer t}}\n"
            "b http {kind=http url=https://h/mcp}\n"
            "c http {kind=http url=http://h}\n"
            "d sse {kind=sse url=https://h/sse}\n"
            "e http {kind=http url=http://h/e}\n"
            "f sse {kind=sse url=http://h/f}\n");
}

TEST(DesktopEntries, NameWhatIsMissing) {
  EXPECT_EQ(
      described_entries("mcpServers:\n  a: {}\n  b: {type: http}\n  c: {type: carrier-pigeon}\n"
                        "  d: {type: http, url: tcp://h:1}\n  e: {url: nowhere}\n"),
      "f.yaml:2: mcpServers.a: has no 'command' and no 'url'\n"
      "f.yaml:3: mcpServers.b: has no 'url'\n"
      "f.yaml:4: mcpServers.c: the type is not one of: stdio local http streamable-http "
      "streamableHttp streamable_http sse ws remote\n"
      "f.yaml:5: mcpServers.d: the URL is of kind tcp, the type says http\n"
      "f.yaml:6: mcpServers.e: an endpoint begins with one of: stdio:// http:// https:// "
      "sse:// sses:// custom-http-sse:// custom-https-sse:// tcp:// tcps:// wire-tcp:// "
      "ws:// wss:// unix://\n");
}

TEST(Endpoints, WhatCameFromOutsideStaysSecret) {
  ::setenv("SERVERS_TEST_SECRET", "http://h/key", 1);
  config::Faults faults;
  const auto root = config::load_text("servers: \"a:${env:SERVERS_TEST_SECRET}\"\n", "f", faults);
  const auto entries = upstream_entries(root, "f", "__", faults);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_TRUE(entries[0].node.find("url")->interpolated);
  EXPECT_EQ(entries[0].node.find("url")->line, 1);
}

}  // namespace
}  // namespace patchbay::app
