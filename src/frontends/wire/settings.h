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
    Field{"enabled", &frontends::WireRate::enabled, "Whether requests are rate limited."},
    Field{"default_limit", &frontends::WireRate::default_limit,
          "Maximum number of requests per client in one window. A client is a caller, or without "
          "`auth` a connection. The handshake, pings and cancellations do not count.",
          Range{1, 1'000'000'000}},
    Field{"window", &frontends::WireRate::window, "Duration of the window.",
          Range{Duration(1'000), Duration(86'400'000)}},
};

template <>
inline constexpr auto config::fields<frontends::WireWsSettings> = std::tuple{
    Field{"enabled", &frontends::WireWsSettings::enabled,
          "Whether GET /mcp accepts WebSocket upgrades."},
    Field{"max_fragments", &frontends::WireWsSettings::fragments,
          "Maximum number of frames in one message.", Range{1, 1'000'000}, Alias{"fragments"}},
    Field{"close_timeout", &frontends::WireWsSettings::close_time,
          "Maximum time a client may take to complete the closing handshake.",
          Range{Duration(10), Duration(600'000)}, Alias{"close_time"}},
};

template <>
inline constexpr auto config::fields<frontends::WireSettings> = std::tuple{
    Field{"tcp", &frontends::WireSettings::tcp,
          "Address of the TCP listener. Port 0: the system chooses. `off`: no listener."},
    Field{"per_message_auth", &frontends::WireSettings::per_message_auth,
          "Whether messages carry an `auth_token`: off checks one only until the connection is "
          "authenticated, optional checks those present, required demands one in every message."},
    Field{"rate_limiting", &frontends::WireSettings::rate_limiting,
          "Rate limit per client of the wire protocol. Clients are informed of it."},
    Field{"replay_window_s", &frontends::WireSettings::replay_window_s,
          "Maximum difference, in seconds, between a message's timestamp and the gateway's clock. "
          "0: timestamps are not checked.",
          Range{0, 86'400}},
    Field{"max_replay_ids", &frontends::WireSettings::replay_ids,
          "Maximum number of message ids remembered per client.", Range{16, 1'000'000},
          Alias{"replay_ids"}},
    Field{"message_id_timeout", &frontends::WireSettings::message_id_timeout,
          "How long a message id is remembered. A second message of the same client with a "
          "remembered id is refused. 0: without `replay_window_s`, ids are not checked.",
          Range{Duration(0), Duration(3'600'000)}},
    Field{"error_style", &frontends::WireSettings::error_style,
          "Format of protocol errors: an `error` in the envelope (auto, envelope), a JSON-RPC "
          "error if the request is known (jsonrpc), or both."},
    Field{"strict", &frontends::WireSettings::strict,
          "Whether a payload must contain \"jsonrpc\": \"2.0\"."},
    Field{"frame_header", &frontends::WireSettings::frame_header,
          "Frame header: 7 bytes, 8 bytes, or the same as the client (auto)."},
    Field{
        "origin_headers", &frontends::WireSettings::origin_headers,
        "Whether frames with the headers MCPB (12 bytes) and MCP\\0 (16 bytes) are accepted too."},
    Field{"max_frame_size", &frontends::WireSettings::max_frame,
          "Maximum size of a frame, compressed or decompressed.",
          Range{Bytes{4096}, Bytes{16 << 20}}, Alias{"max_frame"}},
    Field{"max_message_size", &frontends::WireSettings::max_message,
          "Maximum size of a chunked message.", Range{Bytes{4096}, Bytes{std::uint64_t{1} << 32}},
          Alias{"max_message"}},
    Field{"max_incomplete_messages", &frontends::WireSettings::incomplete_messages,
          "Maximum number of partially received messages per connection.", Range{1, 1000},
          Alias{"incomplete_messages"}},
    Field{"max_unauthenticated_frame_size", &frontends::WireSettings::max_unknown,
          "Maximum size of a frame from a client that has not authenticated yet.",
          Range{Bytes{4096}, Bytes{16 << 20}}, Alias{"max_unknown"}},
    Field{"chunk_size", &frontends::WireSettings::chunk,
          "Size of the chunks in which large responses are sent to clients that support chunking.",
          Range{Bytes{1024}, Bytes{4 << 20}}, Alias{"chunk"}},
    Field{
        "min_gzip_size", &frontends::WireSettings::gzip_above,
        "Responses above this size are compressed for clients that support compression. 0: never.",
        Range{Bytes{0}, Bytes{1 << 30}}, Alias{"gzip_above"}},
    Field{"max_gzip_ratio", &frontends::WireSettings::gzip_ratio,
          "Maximum ratio between the decompressed and the compressed size of a frame.",
          Range{2, 2000}, Alias{"gzip_ratio"}},
    Field{"max_requests", &frontends::WireSettings::requests,
          "Maximum number of requests in progress per connection.", Range{1, 1'000'000},
          Alias{"requests"}},
    Field{"max_outbox_size", &frontends::WireSettings::outbox,
          "Maximum size of the data queued for a slow reader. Beyond it, the connection is closed.",
          Range{Bytes{4096}, Bytes{1 << 30}}, Alias{"outbox"}},
    Field{"first_message_timeout", &frontends::WireSettings::first_message,
          "Maximum time a client may take to send its first message.",
          Range{Duration(10), Duration(600'000)}, Alias{"first_message"}},
    Field{"frame_timeout", &frontends::WireSettings::frame_time,
          "Maximum time to receive a frame after its first byte.",
          Range{Duration(10), Duration(3'600'000)}, Alias{"frame_time"}},
    Field{"ping_interval", &frontends::WireSettings::ping,
          "Time without a message after which a client is pinged.",
          Range{Duration(100), Duration(3'600'000)}, Alias{"ping"}},
    Field{"pong_timeout", &frontends::WireSettings::pong,
          "Maximum time to wait for the reply to a ping. Then the connection is closed.",
          Range{Duration(100), Duration(3'600'000)}, Alias{"pong"}},
    Field{"ws", &frontends::WireSettings::ws, "Settings of WebSocket connections only."},
};

}  // namespace patchbay
