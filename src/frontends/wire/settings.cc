#include "frontends/wire/settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<frontends::WireRate>() {
  static const Fields kFields = fields_of<frontends::WireRate>({
      {"enabled", &frontends::WireRate::enabled, "Whether requests are rate limited."},
      {"default_limit", &frontends::WireRate::default_limit,
       "Maximum number of requests per client in one window. A client is a caller, or without "
       "`auth` a connection. The handshake, pings and cancellations do not count.",
       Range{1, 1'000'000'000}},
      {"window", &frontends::WireRate::window, "Duration of the window.",
       Range{Duration(1'000), Duration(86'400'000)}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<frontends::WireWsSettings>() {
  static const Fields kFields = fields_of<frontends::WireWsSettings>({
      {"enabled", &frontends::WireWsSettings::enabled,
       "Whether GET /mcp accepts WebSocket upgrades."},
      {"max_fragments", &frontends::WireWsSettings::fragments,
       "Maximum number of frames in one message.", Range{1, 1'000'000}, Alias{"fragments"}},
      {"close_timeout", &frontends::WireWsSettings::close_time,
       "Maximum time a client may take to complete the closing handshake.",
       Range{Duration(10), Duration(600'000)}, Alias{"close_time"}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<frontends::WireSettings>() {
  static const Fields kFields = fields_of<frontends::WireSettings>({
      {"tcp", &frontends::WireSettings::tcp,
       "Address of the TCP listener. Port 0: the system chooses. `off`: no listener."},
      {"per_message_auth", &frontends::WireSettings::per_message_auth,
       "Whether messages carry an `auth_token`: off checks one only until the connection is "
       "authenticated, optional checks those present, required demands one in every message."},
      {"rate_limiting", &frontends::WireSettings::rate_limiting,
       "Rate limit per client of the wire protocol. Clients are informed of it."},
      {"replay_window_s", &frontends::WireSettings::replay_window_s,
       "Maximum difference, in seconds, between a message's timestamp and the gateway's clock. "
       "0: timestamps are not checked.",
       Range{0, 86'400}},
      {"max_replay_ids", &frontends::WireSettings::replay_ids,
       "Maximum number of message ids remembered per client.", Range{16, 1'000'000},
       Alias{"replay_ids"}},
      {"message_id_timeout", &frontends::WireSettings::message_id_timeout,
       "How long a message id is remembered. A second message of the same client with a "
       "remembered id is refused. 0: without `replay_window_s`, ids are not checked.",
       Range{Duration(0), Duration(3'600'000)}},
      {"error_style", &frontends::WireSettings::error_style,
       "Format of protocol errors: an `error` in the envelope (auto, envelope), a JSON-RPC "
       "error if the request is known (jsonrpc), or both."},
      {"strict", &frontends::WireSettings::strict,
       "Whether a payload must contain \"jsonrpc\": \"2.0\"."},
      {"frame_header", &frontends::WireSettings::frame_header,
       "Frame header: 7 bytes, 8 bytes, or the same as the client (auto)."},
      {"origin_headers", &frontends::WireSettings::origin_headers,
       "Whether frames with the headers MCPB (12 bytes) and MCP\\0 (16 bytes) are accepted too."},
      {"max_frame_size", &frontends::WireSettings::max_frame,
       "Maximum size of a frame, compressed or decompressed.", Range{Bytes{4096}, Bytes{16 << 20}},
       Alias{"max_frame"}},
      {"max_message_size", &frontends::WireSettings::max_message,
       "Maximum size of a chunked message.", Range{Bytes{4096}, Bytes{std::uint64_t{1} << 32}},
       Alias{"max_message"}},
      {"max_incomplete_messages", &frontends::WireSettings::incomplete_messages,
       "Maximum number of partially received messages per connection.", Range{1, 1000},
       Alias{"incomplete_messages"}},
      {"max_unauthenticated_frame_size", &frontends::WireSettings::max_unknown,
       "Maximum size of a frame from a client that has not authenticated yet.",
       Range{Bytes{4096}, Bytes{16 << 20}}, Alias{"max_unknown"}},
      {"chunk_size", &frontends::WireSettings::chunk,
       "Size of the chunks in which large responses are sent to clients that support chunking.",
       Range{Bytes{1024}, Bytes{4 << 20}}, Alias{"chunk"}},
      {"min_gzip_size", &frontends::WireSettings::gzip_above,
       "Responses above this size are compressed for clients that support compression. 0: never.",
       Range{Bytes{0}, Bytes{1 << 30}}, Alias{"gzip_above"}},
      {"max_gzip_ratio", &frontends::WireSettings::gzip_ratio,
       "Maximum ratio between the decompressed and the compressed size of a frame.", Range{2, 2000},
       Alias{"gzip_ratio"}},
      {"max_requests", &frontends::WireSettings::requests,
       "Maximum number of requests in progress per connection.", Range{1, 1'000'000},
       Alias{"requests"}},
      {"max_outbox_size", &frontends::WireSettings::outbox,
       "Maximum size of the data queued for a slow reader. Beyond it, the connection is closed.",
       Range{Bytes{4096}, Bytes{1 << 30}}, Alias{"outbox"}},
      {"first_message_timeout", &frontends::WireSettings::first_message,
       "Maximum time a client may take to send its first message.",
       Range{Duration(10), Duration(600'000)}, Alias{"first_message"}},
      {"frame_timeout", &frontends::WireSettings::frame_time,
       "Maximum time to receive a frame after its first byte.",
       Range{Duration(10), Duration(3'600'000)}, Alias{"frame_time"}},
      {"ping_interval", &frontends::WireSettings::ping,
       "Time without a message after which a client is pinged.",
       Range{Duration(100), Duration(3'600'000)}, Alias{"ping"}},
      {"pong_timeout", &frontends::WireSettings::pong,
       "Maximum time to wait for the reply to a ping. Then the connection is closed.",
       Range{Duration(100), Duration(3'600'000)}, Alias{"pong"}},
      {"ws", &frontends::WireSettings::ws, "Settings of WebSocket connections only."},
  });
  return kFields;
}

}  // namespace patchbay
