// Tests of streams, plain and under TLS, and of the pool over TLS, over real sockets. The
// certificates are made by the openssl command when the tests begin.
#include "net/stream/stream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "net/http/client/pool.h"
#include "testing/loopback.h"

namespace patchbay::net {
namespace {

using std::chrono::seconds;
using testing::in_time;
using testing::LoopbackServer;
using testing::on_loop;
using testing::until;
using testing::Visitor;

// A folder with certificates: an authority, those that it signed, and one of a stranger.
class Tls : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    char name[] = "/tmp/tls_testXXXXXX";
    folder_ = ::mkdtemp(name);
    authority("ca");
    authority("stranger");
    signed_by("ca", "server", "subjectAltName=DNS:localhost,IP:127.0.0.1", 1);
    signed_by("ca", "elsewhere", "subjectAltName=DNS:example.org", 1);
    signed_by("ca", "expired", "subjectAltName=DNS:localhost", -1);
    signed_by("ca", "client", "extendedKeyUsage=clientAuth", 1);
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }

  static std::string file(const std::string& name) { return folder_ + "/" + name; }

  static std::shared_ptr<const TlsContext> server(const std::string& name,
                                                  const std::string& client_ca = "") {
    return *TlsContext::server(serving(name, client_ca));
  }

  static TlsServerSettings serving(const std::string& name, const std::string& client_ca = "") {
    TlsServerSettings settings;
    settings.certificate = {file(name + ".pem"), file(name + ".key")};
    settings.client_ca = client_ca;
    if (!client_ca.empty()) settings.clients = ClientCertificates::required;
    return settings;
  }

  static TlsClientSettings trusting(const std::string& ca) {
    TlsClientSettings settings;
    settings.ca = file(ca + ".pem");
    return settings;
  }

 private:
  static void openssl(const std::string& args) {
    const auto command =
        fmt::format("cd {} && openssl {} 2>log || {{ cat log; exit 1; }}", folder_, args);
    ASSERT_EQ(std::system(command.c_str()), 0) << args;
  }
  static void authority(const std::string& name) {
    openssl(
        fmt::format("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 "
                    "-subj /CN={0} -keyout {0}.key -out {0}.pem",
                    name));
  }
  static void signed_by(const std::string& ca, const std::string& name,
                        const std::string& extension, int days) {
    std::ofstream(file(name + ".ext")) << extension << "\n";
    openssl(
        fmt::format("req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN={0} "
                    "-keyout {0}.key -out {0}.csr",
                    name));
    openssl(
        fmt::format("x509 -req -in {1}.csr -CA {0}.pem -CAkey {0}.key -CAcreateserial -days {2} "
                    "-extfile {1}.ext -out {1}.pem",
                    ca, name, days));
  }

  inline static std::string folder_;
};

// Echoes what arrives.
Task<void> echo(Visitor& visitor) {
  for (;;) {
    auto read = co_await visitor.read();
    if (!read) co_return ok();
    auto sent = co_await visitor.send(std::exchange(visitor.received, ""));
    if (!sent) co_return sent;
  }
}

// What a stream echoes of what is sent, or why nothing.
Task<std::string> through(const Url& url, std::shared_ptr<const TlsContext> tls, std::string text) {
  auto stream = co_await connect_stream(url, std::move(tls), in_time());
  if (!stream) co_return stream.error().message;
  Scope scope;
  auto send = [&]() -> Task<void> {
    const std::size_t half = text.size() / 2;
    std::array parts{iovec{text.data(), half}, iovec{text.data() + half, text.size() - half}};
    co_return co_await (*stream)->write_all(parts, seconds(20));
  };
  scope.spawn(send());
  std::string back;
  std::string buffer(100'000, '\0');
  while (back.size() < text.size()) {
    auto got = co_await (*stream)->read_some(buffer, in_time());
    if (!got) {
      back = got.error().message;
      break;
    }
    back.append(buffer, 0, *got);
  }
  auto drained = co_await scope.drain(kNever);
  co_return back;
}

// The result of a greeting between these two.
std::string greeting(std::shared_ptr<const TlsContext> server, const TlsClientSettings& settings,
                     const std::string& host = "127.0.0.1") {
  std::string outcome;
  on_loop([&]() -> Task<void> {
    LoopbackServer peer(echo, server);
    auto tls = TlsContext::client(settings);
    if (!tls) co_return tls.error();
    auto back = co_await through(peer.url(host), *tls, "hello");
    outcome = *back;
    co_return co_await peer.stop();
  });
  return outcome;
}

TEST(Stream, CarriesBytesPlainly) {
  on_loop([]() -> Task<void> {
    LoopbackServer peer(echo);
    const std::string large(5'000'000, 'x');
    auto back = co_await through(peer.url(), nullptr, large);
    EXPECT_TRUE(*back == large) << back->substr(0, 80);
    co_return co_await peer.stop();
  });
}

TEST_F(Tls, CarriesBytesOfAnySize) {
  on_loop([]() -> Task<void> {
    LoopbackServer peer(echo, server("server"));
    auto tls = TlsContext::client(trusting("ca"));
    if (!tls) co_return tls.error();
    for (const auto size :
         std::initializer_list<std::size_t>{1, 2, 16383, 16384, 16385, 70000, 5000000}) {
      std::string text(size, 'x');
      for (std::size_t i = 0; i < size; i += 7) text[i] = static_cast<char>('a' + i % 26);
      auto back = co_await through(peer.url(), *tls, text);
      EXPECT_TRUE(*back == text) << size << ": " << back->substr(0, 80);
    }
    co_return co_await peer.stop();
  });
}

TEST_F(Tls, ChecksTheServersNameAndAddress) {
  EXPECT_EQ(greeting(server("server"), trusting("ca"), "127.0.0.1"), "hello");
  EXPECT_EQ(greeting(server("server"), trusting("ca"), "localhost"), "hello");
  EXPECT_NE(greeting(server("elsewhere"), trusting("ca"), "localhost").find("hostname mismatch"),
            std::string::npos);
  EXPECT_NE(greeting(server("elsewhere"), trusting("ca"), "127.0.0.1").find("IP address mismatch"),
            std::string::npos);
  auto named = trusting("ca");
  named.server_name = "example.org";
  EXPECT_EQ(greeting(server("elsewhere"), named, "127.0.0.1"), "hello");
}

TEST_F(Tls, ChecksTheIssuerAndTheExpiry) {
  EXPECT_NE(greeting(server("server"), trusting("stranger")).find("unable to get local issuer"),
            std::string::npos);
  EXPECT_NE(greeting(server("server"), {}).find("certificate is not accepted"), std::string::npos);
  EXPECT_NE(greeting(server("expired"), trusting("ca"), "localhost").find("has expired"),
            std::string::npos);
  TlsClientSettings trustful;
  trustful.verify = false;
  EXPECT_EQ(greeting(server("expired"), trustful), "hello");
}

TEST_F(Tls, ShowsAndAsksForAClientCertificate) {
  auto presented = trusting("ca");
  presented.cert = file("client.pem");
  presented.key = file("client.key");
  const auto strict = server("server", file("ca.pem"));
  EXPECT_EQ(greeting(strict, presented), "hello");
  EXPECT_NE(greeting(strict, trusting("ca")).find("certificate required"), std::string::npos);
  presented.cert = file("stranger.pem");
  presented.key = file("stranger.key");
  EXPECT_NE(greeting(strict, presented).find("unknown ca"), std::string::npos);
}

TEST_F(Tls, NamesTheFileThatIsWrong) {
  const auto fails = [](const Result<std::shared_ptr<const TlsContext>>& made,
                        std::string_view how) {
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find(how), std::string::npos) << made.error().message;
  };
  fails(TlsContext::client(trusting("missing")), "missing.pem': No such file");
  fails(TlsContext::client({file("ca.key"), "", "", ""}), "ca '" + file("ca.key"));
  fails(TlsContext::client({"", file("ca.key"), "", ""}), "cert '" + file("ca.key"));
  fails(TlsContext::client({"", "", file("ca.key"), ""}), "has no cert");
  auto serving_badly = serving("server", file("none"));
  fails(TlsContext::server(serving_badly), "client_ca '");
  serving_badly.certificate.key = file("client.key");
  fails(TlsContext::server(serving_badly), "key values mismatch");
  serving_badly.certificate.key = file("none.key");
  fails(TlsContext::server(serving_badly), "none.key': No such file");
}

TEST_F(Tls, DistinguishesAnEndFromATruncation) {
  for (const bool orderly : {true, false}) {
    on_loop([&]() -> Task<void> {
      auto script = [&](Visitor& visitor) -> Task<void> {
        auto request = co_await visitor.request();
        auto sent = co_await visitor.send("HTTP/1.1 200 OK\r\n\r\nuntil the end");
        if (!orderly) ::shutdown(visitor.stream.fd(), SHUT_RDWR);
        co_return ok();
      };
      LoopbackServer peer(script, server("server"));
      auto tls = TlsContext::client(trusting("ca"));
      {
        HttpPool pool(peer.url(), *tls, {});
        const HttpCall call{"GET", "/", "", ""};
        auto response = co_await pool.request(call, in_time());
        if (!response) co_return response.error();
        auto body = co_await (*response)->read_all(1000, in_time());
        EXPECT_EQ(static_cast<bool>(body), orderly);
        if (!body) EXPECT_EQ(body.error().code, Code::upstream_failed);
      }
      co_return co_await peer.stop();
    });
  }
}

TEST_F(Tls, KeepsConnectionsOfAPool) {
  on_loop([]() -> Task<void> {
    const std::string large(1'000'000, 'y');
    auto script = [&](Visitor& visitor) -> Task<void> {
      for (;;) {
        auto request = co_await visitor.request();
        if (!request) co_return ok();
        const auto& body = request->starts_with("GET") ? "hello" : large;
        auto sent = co_await visitor.send(
            fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.size(), body));
      }
    };
    LoopbackServer peer(script, server("server"));
    auto tls = TlsContext::client(trusting("ca"));
    {
      HttpPool pool(peer.url(), *tls, {});
      for (int i = 0; i < 100; ++i) {
        const HttpCall small{"GET", "/", "", ""};
        const HttpCall both{"POST", "/", "", large};
        auto response = co_await pool.request(i % 10 == 9 ? both : small, in_time());
        if (!response) co_return response.error();
        auto body = co_await (*response)->read_all(1 << 20, in_time());
        EXPECT_TRUE(*body == (i % 10 == 9 ? large : "hello"));
        // Session tickets arrive unasked; they are no reason to close.
        co_await next_turn();
      }
      EXPECT_EQ(peer.accepted(), 1);
      EXPECT_EQ(pool.open(), 1);
    }
    co_return co_await peer.stop();
  });
}

TEST_F(Tls, NeverSpeaksInTheClearForHttps) {
  on_loop([]() -> Task<void> {
    LoopbackServer peer(echo, server("server"));
    auto stream = co_await connect_stream(peer.url(), nullptr, in_time());
    EXPECT_FALSE(stream);
    EXPECT_EQ(peer.accepted(), 0);
    co_return co_await peer.stop();
  });
}

TEST_F(Tls, EndsAHandshakeThatHangsOrIsNone) {
  on_loop([]() -> Task<void> {
    auto silent = [](Visitor& visitor) -> Task<void> { co_return co_await visitor.closed(); };
    auto plain = [](Visitor& visitor) -> Task<void> {
      auto sent = co_await visitor.send("HTTP/1.1 400 Bad Request\r\n\r\n");
      co_return co_await visitor.closed();
    };
    LoopbackServer mute(silent);
    LoopbackServer clear(plain);
    auto tls = TlsContext::client(trusting("ca"));
    auto url = mute.url();
    url.tls = true;
    auto late = co_await connect_stream(url, *tls, Clock::now() + std::chrono::milliseconds(50));
    EXPECT_EQ(late.error().code, Code::timeout);
    url = clear.url();
    url.tls = true;
    auto wrong = co_await connect_stream(url, *tls, in_time());
    EXPECT_NE(wrong.error().message.find("wrong version number"), std::string::npos)
        << wrong.error().message;
    auto stopped = co_await mute.stop();
    co_return co_await clear.stop();
  });
}

}  // namespace
}  // namespace patchbay::net
