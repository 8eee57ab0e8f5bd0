#include "transport/wire/frame.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "transport/wire/gzip.h"

namespace patchbay::wire {
namespace {

using namespace std::string_literals;

struct Seen {
  FrameType type;
  std::string payload;
  bool operator==(const Seen&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Seen& seen) {
  return out << name_of(seen.type) << " '" << seen.payload << "'";
}

// What a decoder reads from `bytes` that arrive in pieces which end at `cuts`, and at the end.
std::vector<Seen> decoded(FrameDecoder& decoder, std::string_view bytes,
                          const std::vector<std::size_t>& cuts) {
  std::vector<Seen> all;
  std::string buffer;
  std::size_t from = 0;
  const auto feed = [&](std::size_t to) {
    buffer += bytes.substr(from, to - from);
    from = to;
    for (;;) {
      auto frame = decoder.next(buffer);
      if (!frame) {
        ADD_FAILURE() << frame.error().message;
        return;
      }
      if (!*frame) return;
      all.push_back({(*frame)->type, std::string((*frame)->payload)});
      buffer.erase(0, (*frame)->size);
    }
  };
  for (const std::size_t cut : cuts) feed(cut);
  feed(bytes.size());
  EXPECT_LE(buffer.size(), 1u);  // Nothing is left but a zero that may follow an empty PING.
  return all;
}

std::vector<Seen> decoded(std::string_view bytes, const std::vector<std::size_t>& cuts = {},
                          const FrameRules& rules = {}) {
  FrameDecoder decoder(rules);
  return decoded(decoder, bytes, cuts);
}

std::vector<std::size_t> every_byte(std::size_t size) {
  std::vector<std::size_t> cuts;
  for (std::size_t i = 1; i < size; ++i) cuts.push_back(i);
  return cuts;
}

Error frame_fault(std::string_view bytes, const FrameRules& rules = {}) {
  FrameDecoder decoder(rules);
  auto frame = decoder.next(bytes);
  EXPECT_FALSE(frame) << "no fault";
  return frame ? Error{} : frame.error();
}

const std::string kMessage = R"({"id":"1","mcp_payload":{}})";

TEST(WireFrame, WritesTheExamplesOfTheDocument) {
  std::string head;
  append_header(head, Header::seven, FrameType::data, 348);
  EXPECT_EQ(head, "\x4D\x43\x01\x00\x00\x01\x5C"s);
  EXPECT_EQ(encode(Header::seven, FrameType::ping, ping_payload(0x018D9F3A4B28)),
            "\x4D\x43\x02\x00\x00\x00\x08\x00\x00\x01\x8D\x9F\x3A\x4B\x28"s);
  std::string flagged;
  append_header(flagged, Header::eight, FrameType::data, 348, true);
  EXPECT_EQ(flagged, "\x4D\x43\x01\x01\x00\x00\x01\x5C"s);
  EXPECT_EQ(encode(Header::twelve, FrameType::error, "no"),
            "MCPB\x00\x01\x00\x05\x00\x00\x00\x02no"s);
  EXPECT_EQ(encode(Header::sixteen, FrameType::data, "{}"),
            "MCP\x00\x00\x01\x00\x02\x00\x00\x00\x00\x00\x00\x00\x02{}"s);
}

TEST(WireFrame, DistinguishesTheHeaders) {
  for (const Header header : {Header::seven, Header::eight}) {
    for (const std::string& text : {kMessage, " " + kMessage, "{\n  \"id\":\"1\"}"s, "{}"s}) {
      FrameDecoder decoder({});
      const std::string bytes = encode(header, FrameType::data, text);
      EXPECT_EQ(decoded(decoder, bytes, {}), (std::vector<Seen>{{FrameType::data, text}}));
      EXPECT_EQ(decoder.header(), header) << text;
    }
  }
}

TEST(WireFrame, DoesNotMindHowBytesAreCut) {
  for (const Header header : {Header::seven, Header::eight}) {
    std::string bytes;
    std::vector<Seen> sent{{FrameType::data, kMessage},      {FrameType::ping, ""},
                           {FrameType::ping, "12345678"},    {FrameType::pong, "abc"},
                           {FrameType::error, "plain text"}, {FrameType::data, " " + kMessage},
                           {FrameType::close, "bye"}};
    for (const Seen& frame : sent) bytes += encode(header, frame.type, frame.payload);
    EXPECT_EQ(decoded(bytes, every_byte(bytes.size())), sent);
    for (std::size_t cut = 1; cut < bytes.size(); ++cut) EXPECT_EQ(decoded(bytes, {cut}), sent);
  }
}

// The low byte of a length of 8 bytes may look like the beginning of a text, and a text may look
// like a length.
TEST(WireFrame, IsNotFooledByLengths) {
  for (const Header header : {Header::seven, Header::eight}) {
    for (std::size_t size = 2; size < 1200; ++size) {
      for (const std::string_view lead : {"", " ", "\n", "\r\n  "}) {
        if (lead.size() + 2 > size) continue;
        std::string text(lead);
        text += "{" + std::string(size - lead.size() - 2, ' ') + "}";
        const std::string bytes = encode(header, FrameType::data, text);
        const std::vector<Seen> one{{FrameType::data, text}};
        ASSERT_EQ(decoded(bytes), one) << size_of(header) << " " << size << " '" << lead << "'";
        ASSERT_EQ(decoded(bytes, every_byte(std::min<std::size_t>(bytes.size(), 40))), one)
            << size_of(header) << " " << size << " '" << lead << "'";
      }
    }
  }
}

TEST(WireFrame, ReadsRandomStreamsInRandomPieces) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return random() % n; };
  for (int round = 0; round < 3000; ++round) {
    const Header header = below(2) ? Header::seven : Header::eight;
    std::vector<Seen> sent;
    std::string bytes;
    for (std::size_t i = 0; i < 1 + below(6); ++i) {
      const auto type = i == 0 ? FrameType::data : static_cast<FrameType>(1 + below(5));
      std::string payload(below(100), 'x');
      if (type == FrameType::data)
        payload = std::string(below(3), ' ') + R"({"a":")" + payload + "\"}";
      sent.push_back({type, payload});
      bytes += encode(header, type, payload);
    }
    std::vector<std::size_t> cuts;
    for (std::size_t at = below(20); at < bytes.size(); at += 1 + below(60)) cuts.push_back(at);
    ASSERT_EQ(decoded(bytes, cuts), sent) << round;
  }
}

TEST(WireFrame, AnswersAnEmptyPingOfEightBytesAtOnce) {
  FrameDecoder decoder({});
  const std::string ping = encode(Header::eight, FrameType::ping, "");
  auto first = decoder.next(ping.substr(0, 7));
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->size, 7u);
  // The last byte of the header arrives later and is dropped.
  auto rest = decoder.next(ping.substr(7));
  ASSERT_TRUE(rest && !*rest);
  const std::string more = ping.substr(7) + encode(Header::eight, FrameType::data, kMessage);
  auto next = decoder.next(more);
  ASSERT_TRUE(next && *next);
  EXPECT_EQ((*next)->payload, kMessage);
  EXPECT_EQ((*next)->size, more.size());
  EXPECT_EQ(decoder.header(), Header::eight);
}

TEST(WireFrame, FindsTheRestOfADribbledPing) {
  const std::string ping = encode(Header::eight, FrameType::ping, "12345678");
  EXPECT_EQ(decoded(ping, every_byte(ping.size())),
            (std::vector<Seen>{{FrameType::ping, ""}, {FrameType::ping, "12345678"}}));
  const std::string two =
      encode(Header::seven, FrameType::ping, "") + encode(Header::seven, FrameType::data, kMessage);
  EXPECT_EQ(decoded(two, every_byte(two.size())),
            (std::vector<Seen>{{FrameType::ping, ""}, {FrameType::data, kMessage}}));
}

TEST(WireFrame, TakesCompressedFramesBetweenOthers) {
  const std::string packed = *gzip(kMessage);
  std::string zipped;
  append_header(zipped, Header::eight, FrameType::data, packed.size(), true);
  zipped += packed;
  const std::string bytes = zipped + encode(Header::seven, FrameType::data, kMessage) + zipped;
  const std::vector<Seen> all{
      {FrameType::data, packed}, {FrameType::data, kMessage}, {FrameType::data, packed}};
  EXPECT_EQ(decoded(bytes), all);
  EXPECT_EQ(decoded(bytes, every_byte(bytes.size())), all);
  EXPECT_EQ(frame_fault("MC\x01\x01\x00\x00\x00\x04{}{}"s).code, Code::invalid_request);
}

TEST(WireFrame, ReadsTheHeadersOfTheOrigin) {
  for (const Header header : {Header::twelve, Header::sixteen}) {
    const std::string bytes = encode(header, FrameType::hello, "{}") +
                              encode(header, FrameType::data, kMessage) +
                              encode(header, FrameType::ping, "");
    const std::vector<Seen> all{
        {FrameType::hello, "{}"}, {FrameType::data, kMessage}, {FrameType::ping, ""}};
    const FrameRules rules{.origin_headers = true};
    EXPECT_EQ(decoded(bytes, {}, rules), all);
    EXPECT_EQ(decoded(bytes, every_byte(bytes.size()), rules), all);
    EXPECT_EQ(frame_fault(bytes).code, Code::invalid_request);
  }
}

TEST(WireFrame, RefusesWhatIsNoFrame) {
  EXPECT_EQ(frame_fault("GET / HTTP/1.1\r\n").code, Code::invalid_request);
  EXPECT_EQ(frame_fault("\x16\x03\x01\x02").code, Code::invalid_request);
  EXPECT_EQ(frame_fault("MD").code, Code::invalid_request);
  EXPECT_EQ(frame_fault("MC\x06\x00"s).code, Code::invalid_request);
  EXPECT_EQ(frame_fault("MC\x00\x00"s).code, Code::invalid_request);
  EXPECT_NE(frame_fault("MC\x09\x00"s).message.find("0x09"), std::string::npos);
}

TEST(WireFrame, RefusesTooMuchBeforeItComes) {
  EXPECT_EQ(frame_fault("MC\x01\xff\xff\xff\xff"s).code, Code::too_large);
  EXPECT_EQ(frame_fault("MC\x01\x7f\xff\xff\xff"s).code, Code::too_large);
  EXPECT_EQ(frame_fault("MC\x01\x01\xff\xff\xff\xff"s).code, Code::too_large);
  EXPECT_EQ(frame_fault("MC\x01\x02\x00\x00\x00{\""s).code, Code::too_large);
  EXPECT_EQ(frame_fault("MC\x02\x00\x00\x00\x7e"s).code, Code::too_large);
  EXPECT_EQ(frame_fault("MC\x05\x00\x00\x00\x00\x7e"s, {.header = Header::eight}).code,
            Code::too_large);
}

TEST(WireFrame, TheLargestFrameIsSixteenMebibytesInAll) {
  const auto head = [](Header header, std::size_t payload) {
    std::string bytes;
    append_header(bytes, header, FrameType::data, payload);
    return bytes + R"({"a":)";
  };
  for (const Header header : {Header::seven, Header::eight}) {
    FrameDecoder decoder({});
    const std::size_t most = kMaxFrame - size_of(header);
    auto waits = decoder.next(head(header, most));
    EXPECT_TRUE(waits && !*waits);
    EXPECT_EQ(decoder.wanted(), kMaxFrame);
    EXPECT_EQ(frame_fault(head(header, most + 1)).code, Code::too_large);
  }
}

TEST(WireGzip, ComesBack) {
  for (const std::string& text : {""s, kMessage, std::string(1 << 20, 'a'), "\0\1\2"s}) {
    const std::string packed = *gzip(text);
    EXPECT_EQ(*gunzip(packed, {.ratio = 2000}), text);
  }
  const std::string two = *gzip("one ") + *gzip("two");
  EXPECT_EQ(*gunzip(two, {}), "one two");
}

TEST(WireGzip, HasBounds) {
  const std::string text(1 << 20, 'a');
  const std::string packed = *gzip(text);
  EXPECT_EQ(gunzip(packed, {}).error().code, Code::too_large);  // About a thousandth.
  EXPECT_TRUE(gunzip(packed, {.most = text.size(), .ratio = 2000}));
  EXPECT_EQ(gunzip(packed, {.most = text.size() - 1, .ratio = 2000}).error().code, Code::too_large);
}

TEST(WireGzip, RefusesWhatIsBroken) {
  const std::string packed = *gzip(kMessage);
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_FALSE(gunzip(std::string_view(packed).substr(0, size), {})) << size;
  }
  for (std::size_t at = 10; at < packed.size(); ++at) {
    std::string bad = packed;
    bad[at] = static_cast<char>(bad[at] ^ 0x55);
    EXPECT_FALSE(gunzip(bad, {})) << at;
  }
}

}  // namespace
}  // namespace patchbay::wire
