#include "net/http/syntax/parse.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace patchbay::net {
namespace {

constexpr std::string_view kGood =
    "POST /mcp?x=1 HTTP/1.1\r\nHost: localhost:8080\r\nContent-Length: 5\r\nX-A:  b \r\n\r\n";

int status_of(std::string_view text, const HttpLimits& limits = {}) {
  HttpRequest request;
  auto size = parse_request(text, limits, request);
  return size ? 0 : parse_status(size.error());
}

TEST(HttpParse, ReadsARequestHead) {
  HttpRequest request;
  auto size = parse_request(std::string(kGood) + "hello", {}, request);
  ASSERT_TRUE(size);
  EXPECT_EQ(*size, kGood.size());
}

TEST(HttpParse, ReturnsViewsOfTheInput) {
  const std::string text(kGood);
  HttpRequest request;
  ASSERT_TRUE(parse_request(text, {}, request));
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/mcp");
  EXPECT_EQ(request.query, "x=1");
  EXPECT_EQ(request.host, "localhost:8080");
  EXPECT_EQ(request.framing.length, 5U);
  EXPECT_TRUE(request.framing.keep_alive);
  EXPECT_EQ(request.fields.find("x-a"), "b");
  EXPECT_EQ(request.fields.find("x-b"), std::nullopt);
}

TEST(HttpParse, WaitsForTheRestAtEveryByte) {
  HttpRequest request;
  for (std::size_t i = 0; i < kGood.size(); ++i) {
    auto size = parse_request(kGood.substr(0, i), {}, request);
    ASSERT_TRUE(size) << i;
    EXPECT_EQ(*size, 0U) << i;
  }
}

TEST(HttpParse, RefusesWhatIsAmbiguous) {
  const auto with = [](std::string_view fields) {
    return status_of("POST / HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n\r\n");
  };
  EXPECT_EQ(with("Content-Length: 1\r\nContent-Length: 1"), 400);
  EXPECT_EQ(with("Content-Length: 1\r\nTransfer-Encoding: chunked"), 400);
  EXPECT_EQ(with("Content-Length: +1"), 400);
  EXPECT_EQ(with("Content-Length: 1, 1"), 400);
  EXPECT_EQ(with("Content-Length:"), 400);
  EXPECT_EQ(with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), 400);
  EXPECT_EQ(with("Transfer-Encoding: gzip, chunked"), 501);
  // The end of such a body is ambiguous.
  for (const auto* const codings :
       {"gzip", "identity", "chunked, chunked", "chunked, gzip", "xchunked", "chunked;a=b",
        ", chunked", "chunked,", "a b", ""}) {
    EXPECT_EQ(with(std::string("Transfer-Encoding: ") + codings), 400) << codings;
  }
  EXPECT_EQ(with("X : y"), 400);
  EXPECT_EQ(with("X: a\r\n folded"), 400);
  EXPECT_EQ(with(std::string_view("X: a\0b", 6)), 400);
  EXPECT_EQ(with("Host: b"), 400);
  EXPECT_EQ(with("Origin: http://a\r\norigin: http://b"), 400);
  EXPECT_EQ(with("X: a\nY: b"), 400);
  EXPECT_EQ(with("X: a\rY: b"), 400);
  EXPECT_EQ(with("no colon"), 400);
  EXPECT_EQ(with("X: a"), 0);
}

// Values are checked in blocks of sixteen bytes, then byte by byte.
TEST(HttpParse, RefusesControlsAtEveryOffsetOfAValue) {
  for (std::size_t size = 3; size < 40; ++size) {
    for (std::size_t offset = 1; offset + 1 < size; ++offset) {
      std::string value(size, 'a');
      const auto status = [&](char byte) {
        value[offset] = byte;
        return status_of("GET / HTTP/1.1\r\nHost: a\r\nX: " + value + "\r\n\r\n");
      };
      for (const char good : {'\t', ' ', '~', '\x80', '\xFF'}) EXPECT_EQ(status(good), 0) << offset;
      for (const char bad : {'\0', '\x1F', '\x7F', '\r'}) EXPECT_EQ(status(bad), 400) << offset;
    }
  }
}

TEST(HttpParse, RefusesMalformedRequestLines) {
  const auto line = [](std::string_view text) {
    return status_of(std::string(text) + "\r\nHost: a\r\n\r\n");
  };
  EXPECT_EQ(line("GET / HTTP/1.1"), 0);
  EXPECT_EQ(line("GET  / HTTP/1.1"), 400);
  EXPECT_EQ(line("GET /"), 400);
  EXPECT_EQ(line("G@T / HTTP/1.1"), 400);
  EXPECT_EQ(line("GET /# HTTP/1.1"), 400);
  EXPECT_EQ(line("GET x HTTP/1.1"), 400);
  EXPECT_EQ(line("GET http://b/ HTTP/1.1"), 400);
  EXPECT_EQ(line("GET http://a/x HTTP/1.1"), 0);
  EXPECT_EQ(line("GET / HTTP/2.0"), 505);
  EXPECT_EQ(line("GET /\x80 HTTP/1.1"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("\x16\x03\x01"), 400);
}

TEST(HttpParse, KeepsItsLimits) {
  const HttpLimits limits{64, 256, 3};
  EXPECT_EQ(status_of("GET /" + std::string(100, 'a'), limits), 414);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nX: " + std::string(300, 'a'), limits), 431);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nA: a\r\nB: b\r\nC: c\r\n\r\n", limits), 431);
}

TEST(HttpParse, BoundsEachHeaderField) {
  const auto with = [](std::size_t size, std::string_view end) {
    const std::string field = "Authorization: Bearer " + std::string(size, 'a');
    return status_of("GET / HTTP/1.1\r\nHost: a\r\n" + field + std::string(end));
  };
  constexpr std::size_t kCredential = 16 * 1024;
  EXPECT_EQ(with(kCredential, "\r\n\r\n"), 0);
  EXPECT_EQ(with(kCredential + 200, "\r\n\r\n"), 431);
  EXPECT_EQ(with(kCredential + 200, ""), 431);  // However long it may still become.
  EXPECT_EQ(with(kCredential, "\r\nB: " + std::string(kCredential, 'b') + "\r\n\r\n"), 0);
}

TEST(HttpParse, SkipsOneEmptyLineBeforeARequest) {
  const std::string text = "\r\n" + std::string(kGood);
  HttpRequest request;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto size = parse_request(std::string_view(text).substr(0, i), {}, request);
    ASSERT_TRUE(size) << i;
    EXPECT_EQ(*size, 0U) << i;
  }
  EXPECT_EQ(*parse_request(text, {}, request), text.size());
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(status_of("\r\n" + text), 400);
  EXPECT_EQ(status_of("\n" + std::string(kGood)), 400);
}

TEST(HttpParse, RefusesWhatIsNoHost) {
  const auto with = [](std::string_view host) {
    return status_of("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
  };
  for (const auto* const good :
       {"a", "a.example:80", "127.0.0.1:1", "[::1]", "[::1]:80", "a:", "a%20b", ""}) {
    EXPECT_EQ(with(good), 0) << good;
  }
  for (const auto* const bad : {"a b", "a/b", "user@a", "a:b", "a:1:2", "[::1", "[]", "[::1]x",
                                "[a b]", "a\\b", "a?b", "a#b", "http://a"}) {
    EXPECT_EQ(with(bad), 400) << bad;
  }
}

int response_status(std::string_view text, const HttpLimits& limits = {}) {
  HttpResponseHead head;
  auto size = parse_response(text, limits, head);
  if (!size) return -1;
  return *size > 0 ? head.status : 0;
}

TEST(HttpParse, ReadsAResponseHead) {
  const std::string_view good = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nX: y\r\n\r\n";
  HttpResponseHead head;
  auto size = parse_response(std::string(good) + "hi", {}, head);
  ASSERT_TRUE(size);
  EXPECT_EQ(*size, good.size());
  EXPECT_EQ(head.status, 404);
  EXPECT_EQ(head.framing.length, 2U);
  EXPECT_TRUE(head.framing.keep_alive);
  for (std::size_t i = 0; i < good.size(); ++i) {
    EXPECT_EQ(response_status(good.substr(0, i)), 0) << i;
  }
}

TEST(HttpParse, RefusesMalformedResponses) {
  const auto line = [](std::string_view text) {
    return response_status(std::string(text) + "\r\n\r\n");
  };
  EXPECT_EQ(line("HTTP/1.1 200 OK"), 200);
  EXPECT_EQ(line("HTTP/1.0 200"), 200);
  EXPECT_EQ(line("HTTP/1.1 200 "), 200);
  EXPECT_EQ(line("HTTP/1.1 2000 OK"), -1);
  EXPECT_EQ(line("HTTP/1.1 20 OK"), -1);
  EXPECT_EQ(line("HTTP/1.1 099 OK"), -1);
  EXPECT_EQ(line("HTTP/1.1  200 OK"), -1);
  EXPECT_EQ(line("HTTP/1.1 -20 OK"), -1);
  EXPECT_EQ(line("HTTP/1.2 200 OK"), -1);
  EXPECT_EQ(line("HTTP/2 200"), -1);
  EXPECT_EQ(line("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2"), -1);
  EXPECT_EQ(line("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked"), -1);
  EXPECT_EQ(line("HTTP/1.1 200 OK\nX: y"), -1);
  // Input that cannot become a response is refused at once.
  EXPECT_EQ(response_status("SSH-2.0"), -1);
}

TEST(HttpParse, BoundsAResponseHead) {
  const HttpLimits limits{64, 256, 3};
  EXPECT_EQ(response_status("HTTP/1.1 200 " + std::string(300, 'a'), limits), -1);
  EXPECT_EQ(response_status("HTTP/1.1 200 OK\r\nX: " + std::string(300, 'a'), limits), -1);
  EXPECT_EQ(response_status("HTTP/1.1 200 OK\r\nA: a\r\nB: b\r\nC: c\r\nD: d\r\n\r\n", limits), -1);
}

std::string read_chunks(std::string_view bytes, bool& good, bool& done) {
  ChunkReader reader;
  std::string data;
  good = true;
  done = false;
  while (!done) {
    auto step = reader.next(bytes);
    good = static_cast<bool>(step);
    if (!good || (step->taken == 0 && !step->done)) break;
    data += step->data;
    done = step->done;
    bytes.remove_prefix(step->taken);
  }
  return data;
}

TEST(ChunkReader, JoinsChunksAndReadsTheTrailer) {
  bool good = false;
  bool done = false;
  EXPECT_EQ(read_chunks("5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nT: v\r\n\r\n", good, done),
            "hello world");
  EXPECT_TRUE(good && done);
  for (const auto* const extensions : {";a", ";a=b;c", " ; a = b", ";a=\"b;\\\"c\"", ";a;b=1"}) {
    const std::string text = "5" + std::string(extensions) + "\r\nhello\r\n0\r\n\r\n";
    EXPECT_EQ(read_chunks(text, good, done), "hello") << extensions;
    EXPECT_TRUE(good && done) << extensions;
  }
  EXPECT_EQ(read_chunks("5\r\nhel", good, done), "hel");
  EXPECT_TRUE(good && !done);
}

TEST(ChunkReader, RefusesMalformedChunks) {
  for (const std::string_view text :
       {"x\r\n", "5 \r\nhello\r\n", "-1\r\n", "\r\n", "fffffffffffffffff\r\n", "5\nhello\r\n",
        "5\r\nhelloX\r\n", "0\r\nbad trailer\r\n\r\n", "5;\r\nhello\r\n", "5;=b\r\nhello\r\n",
        "5;a=\r\nhello\r\n", "5;a=b c\r\nhello\r\n", "5;a=\"b\r\nhello\r\n",
        "5;a=\"b\"c\r\nhello\r\n", "5;a(b\r\nhello\r\n", "5 a\r\nhello\r\n", "5;a;\r\nhello\r\n",
        "5;a=\"\x01\"\r\nhello\r\n"}) {
    bool good = true;
    bool done = false;
    read_chunks(text, good, done);
    EXPECT_FALSE(good) << text;
  }
}

TEST(Tokens, AreFoundInLists) {
  EXPECT_TRUE(has_token("application/json, text/event-stream;q=0.5", "text/event-stream"));
  EXPECT_TRUE(has_token("Keep-Alive , CLOSE", "close"));
  EXPECT_FALSE(has_token("closed", "close"));
}

// Each of two names that are not the same may have the bit of the other.
TEST(HttpFields, FindsNamesInAnyCaseAndNoOthers) {
  HttpFields fields;
  std::vector<std::string> names;
  for (char first = 'a'; first <= 'z'; ++first) {
    for (std::size_t size = 1; size <= 20; ++size) names.emplace_back(size, first);
  }
  for (std::size_t i = 0; i < names.size(); i += 2) fields.add({names[i], names[i]});
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string upper = names[i];
    for (char& c : upper) c = static_cast<char>(c - 'a' + 'A');
    EXPECT_EQ(fields.find(upper).has_value(), i % 2 == 0) << upper;
    EXPECT_EQ(fields.count(names[i]), i % 2 == 0 ? 1U : 0U) << upper;
  }
  fields.clear();
  EXPECT_FALSE(fields.find("a"));
}

TEST(HttpFields, NoticesRepeatedNames) {
  HttpFields fields;
  fields.add({"Host", "a"});
  EXPECT_FALSE(fields.may_repeat());
  fields.add({"hOST", "b"});
  EXPECT_TRUE(fields.may_repeat());
  fields.clear();
  EXPECT_FALSE(fields.may_repeat());
}

}  // namespace
}  // namespace patchbay::net
