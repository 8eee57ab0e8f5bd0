#include "net/websocket/frame.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace patchbay::net {
namespace {

using Kind = WsReader::Kind;

constexpr WsMask kMask{'\x37', '\xfa', '\x21', '\x3d'};

// A frame as a client sends it.
std::string frame(WsOpcode opcode, std::string payload, bool last = true) {
  std::string text = ws_frame_head(opcode, last, payload.size(), kMask);
  ws_mask(payload.data(), payload.size(), kMask, 0);
  return text + payload;
}

std::string text_frame(std::string payload, bool last = true) {
  return frame(WsOpcode::text, std::move(payload), last);
}

std::string more_frame(std::string payload, bool last = true) {
  return frame(WsOpcode::more, std::move(payload), last);
}

// The output of a reader: messages and control frames in order, and how it ended.
struct Received {
  std::vector<std::string> messages;
  int fault = 0;

  bool operator==(const Received&) const = default;
};

void PrintTo(const Received& received, std::ostream* out) {
  for (const auto& message : received.messages) *out << '[' << message.substr(0, 60) << "] ";
  *out << received.fault;
}

// Feeds `bytes` to a reader in pieces of that size, as a connection would.
Received read_all(std::string_view bytes, std::size_t piece = 1 << 30, WsSide side = WsSide::server,
                  const WsLimits& limits = {}) {
  WsReader reader(side, limits);
  Received received;
  std::string waiting;
  while (!bytes.empty()) {
    waiting += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    for (;;) {
      auto step = reader.next(waiting);
      if (!step) {
        received.fault = static_cast<int>(ws_close_code(step.error()));
        return received;
      }
      waiting.erase(0, step->taken);
      if (step->kind == Kind::none) break;
      if (step->kind == Kind::text) received.messages.push_back("text " + reader.message());
      if (step->kind == Kind::ping)
        received.messages.push_back("ping " + std::string(reader.control()));
      if (step->kind == Kind::pong)
        received.messages.push_back("pong " + std::string(reader.control()));
      if (step->kind == Kind::close) {
        received.messages.push_back("close " +
                                    std::to_string(static_cast<int>(reader.close_code())) + " " +
                                    std::string(reader.control()));
      }
    }
  }
  return received;
}

Received messages_of(std::vector<std::string> messages) { return {std::move(messages), 0}; }
Received fault(int code) { return {{}, code}; }

std::string close_frame(int code, std::string_view reason = "") {
  return frame(WsOpcode::close, ws_close_payload(static_cast<WsClose>(code), reason));
}

TEST(WebSocketFrame, ReadsTheExamplesOfTheRfc) {
  EXPECT_EQ(read_all("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"), messages_of({"text Hello"}));
  EXPECT_EQ(read_all("\x81\x05Hello", 100, WsSide::client), messages_of({"text Hello"}));
  EXPECT_EQ(read_all(std::string_view("\x01\x03Hel\x80\x02lo", 9), 100, WsSide::client),
            messages_of({"text Hello"}));
  EXPECT_EQ(read_all("\x89\x05Hello", 100, WsSide::client), messages_of({"ping Hello"}));
  EXPECT_EQ(read_all("\x8a\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"), messages_of({"pong Hello"}));
}

TEST(WebSocketFrame, ReadsTheSameHoweverTheBytesAreCut) {
  const std::string bytes =
      text_frame("{\"a\":1}") + frame(WsOpcode::ping, "p") + text_frame("Gr\xC3", false) +
      frame(WsOpcode::pong, "") + more_frame("\xBC", false) +
      more_frame(
          "\xC3\x9F"
          "e") +
      text_frame(std::string(70'000, 'x')) + text_frame("") + close_frame(1000, "done");
  const Received whole = read_all(bytes);
  EXPECT_EQ(whole, messages_of({"text {\"a\":1}", "ping p", "pong ",
                                "text Gr\xC3\xBC\xC3\x9F"
                                "e",
                                "text " + std::string(70'000, 'x'), "text ", "close 1000 done"}));
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 64U, 4096U})
    EXPECT_EQ(read_all(bytes, piece), whole);
}

TEST(WebSocketFrame, WritesLengthsAsShortAsTheyAre) {
  EXPECT_EQ(ws_frame_head(WsOpcode::text, true, 125), "\x81\x7d");
  EXPECT_EQ(ws_frame_head(WsOpcode::text, true, 126), std::string("\x81\x7e\x00\x7e", 4));
  EXPECT_EQ(ws_frame_head(WsOpcode::text, true, 65'535), "\x81\x7e\xff\xff");
  EXPECT_EQ(ws_frame_head(WsOpcode::more, false, 65'536),
            std::string("\x00\x7f\x00\x00\x00\x00\x00\x01\x00\x00", 10));
}

TEST(WebSocketFrame, RefusesLengthsThatAreLongerThanNeeded) {
  EXPECT_EQ(read_all(std::string_view("\x81\x7e\x00\x05Hello", 9), 100, WsSide::client),
            fault(1002));
  EXPECT_EQ(read_all(std::string_view("\x81\x7f\x00\x00\x00\x00\x00\x00\xff\xff", 10), 100,
                     WsSide::client),
            fault(1002));
  EXPECT_EQ(read_all(std::string_view("\x81\x7f\x80\x00\x00\x00\x00\x01\x00\x00", 10), 100,
                     WsSide::client),
            fault(1002));
}

TEST(WebSocketFrame, RequiresMasksFromClientsOnly) {
  EXPECT_EQ(read_all("\x81\x05Hello"), fault(1002));
  EXPECT_EQ(read_all(text_frame("Hello"), 100, WsSide::client), fault(1002));
}

TEST(WebSocketFrame, RefusesReservedBitsAndOpcodes) {
  for (const char bit : {'\x40', '\x20', '\x10'}) {
    std::string bytes = text_frame("x");
    bytes[0] = static_cast<char>(bytes[0] | bit);
    EXPECT_EQ(read_all(bytes), fault(1002));
  }
  for (const int opcode : {3, 4, 5, 6, 7, 11, 12, 13, 14, 15}) {
    EXPECT_EQ(read_all(frame(static_cast<WsOpcode>(opcode), "x")), fault(1002)) << opcode;
  }
}

TEST(WebSocketFrame, RefusesBinaryMessages) {
  EXPECT_EQ(read_all(frame(WsOpcode::binary, "x")), fault(1003));
}

TEST(WebSocketFrame, RefusesFramesOutOfSequence) {
  EXPECT_EQ(read_all(more_frame("x")), fault(1002));
  EXPECT_EQ(read_all(text_frame("x", false) + text_frame("y")), fault(1002));
  EXPECT_EQ(read_all(text_frame("x") + more_frame("y")), (Received{{"text x"}, 1002}));
}

TEST(WebSocketFrame, RefusesControlFramesThatAreLongOrFragmented) {
  EXPECT_EQ(read_all(frame(WsOpcode::ping, "x", false)), fault(1002));
  EXPECT_EQ(read_all(frame(WsOpcode::ping, std::string(126, 'x'))), fault(1002));
  EXPECT_EQ(read_all(frame(WsOpcode::ping, std::string(125, 'x'))),
            messages_of({"ping " + std::string(125, 'x')}));
}

TEST(WebSocketFrame, RefusesTextThatIsNotUtf8) {
  for (const std::string bad : {"\xFF", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "a\xC3",
                                "\xE2\x82", "\x80", "\xF8\x88\x80\x80\x80"}) {
    EXPECT_EQ(read_all(text_frame(bad)), fault(1007)) << bad;
  }
}

TEST(WebSocketFrame, NoticesBadTextBeforeTheMessageEnds) {
  EXPECT_EQ(read_all(text_frame("a\xED\xA0", false)), fault(1007));
  EXPECT_EQ(read_all(text_frame("a\xE2", false) + more_frame("x", false)), fault(1007));
  // The frame is not even complete.
  EXPECT_EQ(read_all(text_frame("a\xC0 and more", false).substr(0, 8)), fault(1007));
  EXPECT_EQ(read_all(text_frame("\xF0\x9F", false) + more_frame("\x98\x80")),
            messages_of({"text \xF0\x9F\x98\x80"}));
  EXPECT_EQ(read_all(text_frame("\xF0\x9F", false) + more_frame("")), fault(1007));
}

TEST(WebSocketFrame, BoundsMessagesByWhatIsAnnounced) {
  const WsLimits limits{100, 1024};
  EXPECT_EQ(read_all(text_frame(std::string(100, 'x')), 1, WsSide::server, limits),
            messages_of({"text " + std::string(100, 'x')}));
  // Only the header has arrived.
  EXPECT_EQ(read_all(text_frame(std::string(101, 'x')).substr(0, 6), 1, WsSide::server, limits),
            fault(1009));
  EXPECT_EQ(read_all(text_frame(std::string(60, 'x'), false) + more_frame(std::string(41, 'x')), 1,
                     WsSide::server, limits),
            fault(1009));
  EXPECT_EQ(read_all(std::string_view("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 14)),
            fault(1009));
}

TEST(WebSocketFrame, BoundsFragments) {
  const WsLimits limits{100, 3};
  const std::string three = text_frame("a", false) + more_frame("b", false) + more_frame("c");
  EXPECT_EQ(read_all(three + three, 5, WsSide::server, limits),
            messages_of({"text abc", "text abc"}));
  EXPECT_EQ(read_all(text_frame("", false) + more_frame("", false) + more_frame("", false) +
                         more_frame(""),
                     5, WsSide::server, limits),
            fault(1008));
}

TEST(WebSocketFrame, ReadsCloseFrames) {
  EXPECT_EQ(read_all(frame(WsOpcode::close, "")), messages_of({"close 1005 "}));
  for (const int code : {1000, 1001, 1002, 1003, 1007, 1011, 1013, 1014, 3000, 4999}) {
    EXPECT_EQ(read_all(close_frame(code, "why")),
              messages_of({"close " + std::to_string(code) + " why"}));
  }
  for (const int code : {0, 999, 1004, 1005, 1006, 1015, 1016, 2000, 2999, 5000, 65535}) {
    EXPECT_EQ(read_all(close_frame(code)), fault(1002)) << code;
  }
  EXPECT_EQ(read_all(frame(WsOpcode::close, "x")), fault(1002));
  EXPECT_EQ(read_all(close_frame(1000, "").substr(0, 6) + std::string(1, '\x34')), Received{});
  EXPECT_EQ(read_all(frame(WsOpcode::close, "\x03\xE8\xFF")), fault(1007));
}

TEST(WebSocketFrame, CutsReasonsBetweenCharacters) {
  std::string reason(122, 'x');
  reason += "\xC3\xBC";  // Only its first byte would fit.
  EXPECT_EQ(ws_close_payload(WsClose::normal, reason), "\x03\xE8" + std::string(122, 'x'));
}

TEST(WebSocketFrame, MasksFromAnyOffset) {
  const std::string plain = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string whole = plain;
  ws_mask(whole.data(), whole.size(), kMask, 0);
  for (std::size_t cut = 0; cut <= plain.size(); ++cut) {
    std::string parts = plain;
    ws_mask(parts.data(), cut, kMask, 0);
    ws_mask(parts.data() + cut, parts.size() - cut, kMask, cut);
    EXPECT_EQ(parts, whole) << cut;
  }
}

}  // namespace
}  // namespace patchbay::net
