// Tests of what is read from a client's certificate, over a real handshake, and of addresses.
#include "net/tls/peer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstdlib>
#include <filesystem>

#include "net/io/peer_address.h"
#include "net/io/socket.h"
#include "testing/loopback.h"

namespace patchbay::net {
namespace {

using testing::in_time;
using testing::LoopbackServer;
using testing::on_loop;
using testing::Visitor;

class Peer : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    char name[] = "/tmp/tls_peer_testXXXXXX";
    folder_ = ::mkdtemp(name);
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }

  static std::string file(const std::string& name) { return folder_ + "/" + name; }

  // A certificate that is its own authority.
  static void make(const std::string& name, const std::string& subject, const std::string& names) {
    const auto command = fmt::format(
        "cd {0} && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 "
        "-subj '{2}' {3} -keyout {1}.key -out {1}.pem 2>log || {{ cat log; exit 1; }}",
        folder_, name, subject, names.empty() ? "" : "-addext subjectAltName=" + names);
    ASSERT_EQ(std::system(command.c_str()), 0);
  }

  // The identity that a server sees when a client presents that certificate; null if none.
  static std::unique_ptr<const TlsPeer> seen(const std::string& name, bool common_names = false) {
    TlsServerSettings server;
    server.certificate = {file(name + ".pem"), file(name + ".key")};
    server.client_ca = file(name + ".pem");
    server.clients = ClientCertificates::optional;
    server.common_names = common_names;
    TlsClientSettings client;
    client.verify = false;
    client.cert = file(name + ".pem");
    client.key = file(name + ".key");
    return meet(server, client);
  }

  static std::unique_ptr<const TlsPeer> meet(const TlsServerSettings& server,
                                             const TlsClientSettings& client) {
    std::unique_ptr<const TlsPeer> peer;
    on_loop([&]() -> Task<void> {
      auto script = [&](Visitor& visitor) -> Task<void> {
        peer = visitor.stream.peer();
        co_return co_await visitor.send("hello");
      };
      LoopbackServer listener(script, *TlsContext::server(server));
      auto stream = co_await connect_stream(listener.url(), *TlsContext::client(client), in_time());
      if (!stream) co_return stream.error();
      std::string buffer(100, '\0');
      auto got = co_await (*stream)->read_some(buffer, in_time());
      if (!got) co_return got.error();
      co_return co_await listener.stop();
    });
    return peer;
  }

 private:
  inline static std::string folder_;
};

using Kind = TlsName::Kind;

TEST_F(Peer, ReadsNamesInOrder) {
  make("many", "/O=Test/CN=common", "email:a@b.example,DNS:c.example,URI:spiffe://d/e,IP:10.0.0.1");
  const auto peer = seen("many");
  ASSERT_TRUE(peer);
  const std::vector<TlsName> names{
      {Kind::uri, "spiffe://d/e"}, {Kind::dns, "c.example"}, {Kind::email, "a@b.example"}};
  EXPECT_EQ(peer->names, names);
  EXPECT_EQ(peer->subject, "CN=common,O=Test");
  EXPECT_EQ(peer->fingerprint.size(), 64U);
  EXPECT_FALSE(peer->serial.empty());
}

TEST_F(Peer, CountsTheCommonNameOnlyIfConfigured) {
  make("plain", "/CN=first/CN=last one", "");
  EXPECT_TRUE(seen("plain")->names.empty());
  const std::vector<TlsName> names{{Kind::common_name, "last one"}};
  EXPECT_EQ(seen("plain", true)->names, names);
}

TEST_F(Peer, LeavesOutNamesThatReadAsOthers) {
  make("umlaut", "/CN=\xc3\xa4rger", "");
  EXPECT_TRUE(seen("umlaut", true)->names.empty());
}

TEST_F(Peer, IsNobodyWithoutACertificate) {
  make("server", "/CN=server", "");
  TlsServerSettings server;
  server.certificate = {file("server.pem"), file("server.key")};
  TlsClientSettings client;
  client.verify = false;
  EXPECT_FALSE(meet(server, client));
}

TEST(PeerAddress, IsOneForBothFamilies) {
  const auto of = [](const char* text) { return PeerAddress::of(parse_address(text)->storage); };
  EXPECT_EQ(of("127.0.0.1:80").text(), "127.0.0.1:80");
  EXPECT_EQ(of("127.0.0.1:80").ip_text(), "127.0.0.1");
  EXPECT_EQ(of("[::1]:80").text(), "[::1]:80");
  EXPECT_EQ(of("[::ffff:10.1.2.3]:80"), of("10.1.2.3:80"));
  EXPECT_EQ(of("[::ffff:10.1.2.3]:80").text(), "10.1.2.3:80");
  EXPECT_NE(of("10.1.2.3:80").ip, of("10.1.2.4:80").ip);
}

}  // namespace
}  // namespace patchbay::net
