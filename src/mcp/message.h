// A Message is one JSON-RPC message, scanned once: the envelope is parsed, the payload stays raw.
// Slices point into the text, which must outlive the message; a name with escapes is decoded into
// memory of the message.
//
// Values only.
#pragma once

#include <forward_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::mcp {

// The keys of `_meta` that the protocol defines.
inline constexpr std::string_view kMetaPrefix = "io.modelcontextprotocol/";
inline constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaSubscription = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kMetaClientInfo = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kMetaServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kMetaRelatedTask = "io.modelcontextprotocol/related-task";

struct Member {
  std::string_view key;
  std::string_view raw;
};

struct Message {
  Message() = default;
  Message(Message&&) = default;
  Message& operator=(Message&&) = default;

  enum class Kind : std::uint8_t { request, notification, response };

  Kind kind = Kind::request;
  std::string_view id;  // Raw, with its JSON type; empty if there is none.
  std::string_view method;

  // Of `params`, in order. `_meta` is separate.
  std::vector<Member> params;
  std::string_view raw_params;  // As received, `_meta` included.
  std::vector<Member> meta;
  bool has_meta = false;

  // Of a response: one of the two, raw.
  std::string_view result;
  std::string_view error;
  std::string_view result_type;   // result.resultType, raw; empty if there is none.
  bool result_has_hints = false;  // result.ttlMs or result.cacheScope is there.
  bool result_is_loose = false;   // result.structuredContent is there and is not an object.
  bool result_failed = false;     // result.isError is true.
  std::string_view result_meta;   // result._meta, raw; empty if there is none.

  std::forward_list<std::string> decoded;  // Names that had escapes, for the slices above.

  const Member* param(std::string_view key) const;
  const Member* meta_member(std::string_view key) const;
};

// A message with its text, which its slices point into, so it cannot move.
struct OwnMessage {
  // REQUIRES: the creator parses `text`.
  explicit OwnMessage(std::string from) : text(std::move(from)) {}
  // A copy, so that the original may be destroyed. Its text has only what it needs, in any order.
  explicit OwnMessage(const Message& from);
  OwnMessage(const OwnMessage&) = delete;
  OwnMessage& operator=(const OwnMessage&) = delete;

  std::string text;
  Message message;
};

// Scans `text`, which is one message. On failure the error's code is parse_error or
// invalid_request, and message.id is set if it could be read.
Result<void> parse(std::string_view text, Message& message);

// True if the text is an array: a batch.
bool is_batch(std::string_view text);

// The raw messages of a batch.
Result<std::vector<std::string_view>> split_batch(std::string_view text);

inline constexpr std::size_t kMaxId = 256;        // Bytes of a request id.
inline constexpr std::size_t kMaxMembers = 1024;  // Of `params`, and of its `_meta`.

}  // namespace patchbay::mcp
