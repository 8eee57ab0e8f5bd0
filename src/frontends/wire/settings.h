// The settings of the wire protocol, on TCP and on WebSocket. Values only.
#pragma once

#include <cstdint>
#include <string>

#include "config/fields.h"

namespace patchbay::frontends {

// Whether each message says who sends it (`auth_token`). The first that does also speaks for the
// connection, unless a header or a certificate has done so before.
enum class MessageAuth : std::uint8_t { off, optional, required };

// How a fault of the protocol itself is reported: who sends, how often, how large, how old.
enum class ErrorStyle : std::uint8_t { automatic, envelope, jsonrpc, both };

// Which header of a frame is read and written.
enum class FrameHeader : std::uint8_t { automatic, seven, eight };

struct WireRate {
  bool enabled = true;
  int default_limit = 100;
  config::Duration window{60'000};

  bool operator==(const WireRate&) const = default;
};

struct WireWsSettings {
  bool enabled = true;
  int fragments = 1024;
  config::Duration close_time{5'000};

  bool operator==(const WireWsSettings&) const = default;
};

struct WireSettings {
  std::string tcp = "127.0.0.1:8444";  // Empty or "off": none.
  MessageAuth per_message_auth = MessageAuth::optional;
  WireRate rate_limiting = {};
  int replay_window_s = 0;
  int replay_ids = 1000;
  config::Duration message_id_timeout{60'000};
  ErrorStyle error_style = ErrorStyle::automatic;
  bool strict = true;
  FrameHeader frame_header = FrameHeader::automatic;
  bool origin_headers = false;
  config::Bytes max_frame{16 << 20};
  config::Bytes max_message{64 << 20};
  int incomplete_messages = 4;
  config::Bytes max_unknown{1 << 20};
  config::Bytes chunk{256 << 10};
  config::Bytes gzip_above{16 << 10};
  int gzip_ratio = 200;
  int requests = 1000;
  config::Bytes outbox{16 << 20};
  config::Duration first_message{10'000};
  config::Duration frame_time{30'000};
  config::Duration ping{30'000};
  config::Duration pong{60'000};
  WireWsSettings ws = {};

  bool operator==(const WireSettings&) const = default;

  bool listens() const { return !tcp.empty() && tcp != "off"; }
};

}  // namespace patchbay::frontends

namespace patchbay {

template <>
inline constexpr auto config::choices<frontends::MessageAuth> = std::array{
    Choice{"off", frontends::MessageAuth::off},
    Choice{"optional", frontends::MessageAuth::optional},
    Choice{"required", frontends::MessageAuth::required},
};

template <>
inline constexpr auto config::choices<frontends::ErrorStyle> = std::array{
    Choice{"auto", frontends::ErrorStyle::automatic},
    Choice{"envelope", frontends::ErrorStyle::envelope},
    Choice{"jsonrpc", frontends::ErrorStyle::jsonrpc},
    Choice{"both", frontends::ErrorStyle::both},
};

template <>
inline constexpr auto config::choices<frontends::FrameHeader> = std::array{
    Choice{"auto", frontends::FrameHeader::automatic},
    Choice{"7", frontends::FrameHeader::seven},
    Choice{"8", frontends::FrameHeader::eight},
};

template <>
inline constexpr auto config::fields<frontends::WireRate> = std::tuple{
    Field{"enabled", &frontends::WireRate::enabled, "Whether requests are counted."},
    Field{"default_limit", &frontends::WireRate::default_limit,
          "How many requests a client may make in the window.", Range{1, 1'000'000'000}},
    Field{"window", &frontends::WireRate::window, "The time in which they may be made.",
          Range{Duration(1'000), Duration(86'400'000)}},
};

template <>
inline constexpr auto config::fields<frontends::WireWsSettings> = std::tuple{
    Field{"enabled", &frontends::WireWsSettings::enabled,
          "Whether GET /mcp becomes a WebSocket for clients that ask for one."},
    Field{"fragments", &frontends::WireWsSettings::fragments,
          "The most frames that a message may come in.", Range{1, 1'000'000}},
    Field{"close_time", &frontends::WireWsSettings::close_time,
          "How long a client may take to close its side once we have closed ours.",
          Range{Duration(10), Duration(600'000)}},
};

template <>
inline constexpr auto config::fields<frontends::WireSettings> = std::tuple{
    Field{"tcp", &frontends::WireSettings::tcp,
          "The address of the binary TCP listener; port 0 lets the system choose, `off`: there is "
          "none."},
    Field{"per_message_auth", &frontends::WireSettings::per_message_auth,
          "Whether messages carry an `auth_token`: only the first needs to, those that do are "
          "checked, or all must."},
    Field{"rate_limiting", &frontends::WireSettings::rate_limiting,
          "How often a client may ask over the wire protocol; clients are told."},
    Field{
        "replay_window_s", &frontends::WireSettings::replay_window_s,
        "How many seconds the timestamp of a message may differ from our clock. 0: timestamps are "
        "not looked at.",
        Range{0, 86'400}},
    Field{"replay_ids", &frontends::WireSettings::replay_ids,
          "How many message ids of each client are remembered.", Range{16, 1'000'000}},
    Field{
        "message_id_timeout", &frontends::WireSettings::message_id_timeout,
        "How long the id of a message is remembered. A message of the same client with an id that "
        "is remembered is refused. 0: without `replay_window_s`, ids are not looked at.",
        Range{Duration(0), Duration(3'600'000)}},
    Field{"error_style", &frontends::WireSettings::error_style,
          "How faults of the wire are told: as an `error` of the envelope (auto, envelope), as a "
          "JSON-RPC error where the request is known, or as both."},
    Field{"strict", &frontends::WireSettings::strict,
          "Whether a payload must say \"jsonrpc\": \"2.0\"."},
    Field{"frame_header", &frontends::WireSettings::frame_header,
          "The header of frames: of 7 bytes, of 8, or as the client does."},
    Field{"origin_headers", &frontends::WireSettings::origin_headers,
          "Whether frames with the headers MCPB (12 bytes) and MCP\\0 (16 bytes) are taken too."},
    Field{"max_frame", &frontends::WireSettings::max_frame,
          "The largest frame, and the most that a compressed one may come to.",
          Range{Bytes{4096}, Bytes{16 << 20}}},
    Field{"max_message", &frontends::WireSettings::max_message,
          "The largest message that comes in pieces.",
          Range{Bytes{4096}, Bytes{std::uint64_t{1} << 32}}},
    Field{"incomplete_messages", &frontends::WireSettings::incomplete_messages,
          "How many messages of one connection may have come in part.", Range{1, 1000}},
    Field{"max_unknown", &frontends::WireSettings::max_unknown,
          "The largest frame of a client of whom it is not known yet who it is.",
          Range{Bytes{4096}, Bytes{16 << 20}}},
    Field{"chunk", &frontends::WireSettings::chunk,
          "How large the pieces are in which large answers go to clients that take them.",
          Range{Bytes{1024}, Bytes{4 << 20}}},
    Field{"gzip_above", &frontends::WireSettings::gzip_above,
          "Answers larger than this are compressed for clients that compress; 0: never.",
          Range{Bytes{0}, Bytes{1 << 30}}},
    Field{"gzip_ratio", &frontends::WireSettings::gzip_ratio,
          "How many times its size a compressed frame may come to.", Range{2, 2000}},
    Field{"requests", &frontends::WireSettings::requests,
          "How many requests of one connection may run at once.", Range{1, 1'000'000}},
    Field{"outbox", &frontends::WireSettings::outbox,
          "What may wait for a client that reads slowly before it is cut off.",
          Range{Bytes{4096}, Bytes{1 << 30}}},
    Field{"first_message", &frontends::WireSettings::first_message,
          "How long a client may take until its first message.",
          Range{Duration(10), Duration(600'000)}},
    Field{"frame_time", &frontends::WireSettings::frame_time,
          "How long a frame may take to arrive, once it has begun.",
          Range{Duration(10), Duration(3'600'000)}},
    Field{"ping", &frontends::WireSettings::ping,
          "After how long without a word a client is asked whether it is still there.",
          Range{Duration(100), Duration(3'600'000)}},
    Field{"pong", &frontends::WireSettings::pong,
          "How long it may take to answer that; then the connection is closed.",
          Range{Duration(100), Duration(3'600'000)}},
    Field{"ws", &frontends::WireSettings::ws, "What concerns WebSockets alone."},
};

}  // namespace patchbay
