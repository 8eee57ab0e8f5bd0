// The settings of the wire protocol, on TCP and on WebSocket. Values only.
#pragma once

#include <cstdint>
#include <string>

#include "config/settings.h"

namespace patchbay::frontends {

// Whether each message states its caller (`auth_token`). The first one that does authenticates the
// connection, unless a header or a certificate has done so before.
enum class MessageAuth : std::uint8_t { off, optional, required };

// The form in which faults of the protocol itself are reported: caller, rate, size, age.
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
const config::Fields& config::fields<frontends::WireRate>();

template <>
const config::Fields& config::fields<frontends::WireWsSettings>();

template <>
const config::Fields& config::fields<frontends::WireSettings>();

}  // namespace patchbay
