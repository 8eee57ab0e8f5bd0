#include "mcp/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "core/http_token.h"
#include "json/index.h"
#include "json/read.h"

namespace patchbay::mcp {
namespace {

using json::Cursor;
using json::Type;

Error invalid(std::string message) { return {Code::invalid_request, std::move(message)}; }

constexpr std::size_t kUsualMembers = 4;
constexpr std::size_t kQuotedKey = 80;  // Bytes of a key that an error repeats.
constexpr std::size_t kFewMembers = 8;  // Up to this number all pairs of keys are compared.

enum Key : unsigned { kJsonrpc = 1, kId = 2, kMethod = 4, kParams = 8, kResult = 16, kError = 32 };

struct KnownKey {
  std::string_view name;
  Key key;
};
constexpr std::array kKnownKeys{
    KnownKey{"jsonrpc", kJsonrpc}, KnownKey{"id", kId},         KnownKey{"method", kMethod},
    KnownKey{"params", kParams},   KnownKey{"result", kResult}, KnownKey{"error", kError},
};

// A key that differs from one of ours only in case may be an attempt to be read differently by two
// parsers.
bool looks_like_known(std::string_view key) {
  return std::ranges::any_of(kKnownKeys,
                             [&](const KnownKey& known) { return same_token(key, known.name); });
}

const Member* find(const std::vector<Member>& members, std::string_view key) {
  const auto found = std::ranges::find(members, key, &Member::key);
  return found == members.end() ? nullptr : &*found;
}

// The index of the first member with a duplicate key; the number of members if there is none. Takes
// time linear in the text: only keys with the same hash are compared.
std::size_t repeated(const std::vector<Member>& members) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> hashes;
  hashes.reserve(members.size());
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    hashes.emplace_back(json::hash_key(members[i].key), i);
  }
  std::ranges::sort(hashes);
  for (std::size_t i = 1; i < hashes.size(); ++i) {
    const auto& [hash, at] = hashes[i];
    for (std::size_t before = i; before-- > 0 && hashes[before].first == hash;) {
      if (members[hashes[before].second].key == members[at].key) return at;
    }
  }
  return members.size();
}

class Scan {
 public:
  Scan(std::string_view text, Message& message) : at_(text), message_(message) {}

  Result<void> run() {
    if (at_.peek() != Type::object) {
      auto whole = at_.skip() && at_.finish();
      if (!whole) return at_.error();
      return invalid("a message is a JSON object");
    }
    at_.enter_object();
    std::string_view key;
    while (at_.next_member(key)) {
      if (fault_.empty()) {
        take(key);
      } else {
        at_.skip();
      }
    }
    if (!at_.finish()) return at_.error();
    if (!fault_.empty()) return Error{fault_code_, std::move(fault_)};
    return finish();
  }

 private:
  void fault(std::string message) {
    if (fault_.empty()) fault_ = std::move(message);
  }

  // Decoded text that lives as long as the message.
  std::string_view keep(std::string decoded) {
    return message_.decoded.emplace_front(std::move(decoded));
  }

  void take(std::string_view key) {
    const auto* const known = std::ranges::find(kKnownKeys, key, &KnownKey::name);
    if (known == kKnownKeys.end()) {
      if (looks_like_known(key)) fault(fmt::format("'{}' must be written in lower case", key));
      at_.skip();
      return;
    }
    if (seen_ & known->key) repeats(key);
    seen_ |= known->key;
    switch (known->key) {
      case kJsonrpc:
        take_version();
        break;
      case kId:
        take_id();
        break;
      case kMethod:
        take_method();
        break;
      case kParams:
        take_params();
        break;
      case kResult:
        take_result();
        break;
      case kError:
        at_.value(message_.error);
        break;
    }
  }

  void take_version() {
    std::string_view raw;
    if (at_.value(raw) && raw != "\"2.0\"") fault("'jsonrpc' must be \"2.0\"");
  }

  void take_id() {
    const Type type = at_.peek();
    std::string_view raw;
    if (!at_.value(raw)) return;
    if (raw.size() > kMaxId) return fault("'id' is too long");
    const bool whole = raw.find_first_of(".eE") == std::string_view::npos;
    if (type == Type::string || (type == Type::number && whole)) {
      message_.id = raw;
    } else if (type == Type::null) {
      null_id_ = true;
    } else {
      fault("'id' must be a string or a whole number");
    }
  }

  void take_method() {
    std::string_view raw;
    if (!at_.value(raw)) return;
    std::string decoded;
    const auto text = json::as_text(raw, decoded);
    if (!text) return fault("'method' must be a string");
    message_.method = decoded.empty() ? *text : keep(std::move(decoded));
  }

  void take_params() {
    if (at_.peek() != Type::object) {
      at_.skip();
      if (fault_.empty()) fault_code_ = Code::invalid_params;
      return fault("'params' must be an object");
    }
    const char* const from = at_.position();
    bool seen_meta = false;
    members(message_.params, [&](std::string_view key) {
      if (key != "_meta") return false;
      if (std::exchange(seen_meta, true)) repeats(key);
      if (at_.peek() != Type::object) return false;
      message_.has_meta = true;
      members(message_.meta, [](std::string_view) { return false; });
      return true;
    });
    message_.raw_params = {from, static_cast<std::size_t>(at_.position() - from)};
  }

  // Adds the members of an object to `list`, except those that `special` consumes.
  template <class Special>
  void members(std::vector<Member>& list, Special special) {
    at_.enter_object();
    list.reserve(kUsualMembers);
    std::string_view key;
    while (at_.next_member(key)) {
      if (special(key)) continue;
      if (list.size() == kMaxMembers) {
        fault(fmt::format("'params' or its '_meta' has more than {} members", kMaxMembers));
        at_.skip();
        continue;
      }
      if (list.size() < kFewMembers && find(list, key)) repeats(key);
      if (at_.key_was_decoded()) key = keep(std::string(key));
      Member& added = list.emplace_back(key, std::string_view());
      at_.value(added.raw);
    }
    if (list.size() <= kFewMembers) return;
    const std::size_t twice = repeated(list);
    if (twice < list.size()) repeats(list[twice].key);
  }

  void repeats(std::string_view key) {
    fault(fmt::format("'{}' is given twice", json::shortened(key, kQuotedKey)));
  }

  void take_result() {
    if (at_.peek() != Type::object) {
      at_.value(message_.result);
      return;
    }
    const char* const from = at_.position();
    at_.enter_object();
    std::string_view key;
    while (at_.next_member(key)) {
      const bool type = key == "resultType";
      message_.result_has_hints |= key == "ttlMs" || key == "cacheScope";
      message_.result_is_loose |= key == "structuredContent" && at_.peek() != Type::object;
      const bool meta = key == "_meta";
      const bool failure = key == "isError";
      std::string_view raw;
      if (!at_.value(raw)) return;
      if (failure) message_.result_failed = raw == "true";
      if (type) message_.result_type = raw;
      if (meta) message_.result_meta = raw;
    }
    message_.result = {from, static_cast<std::size_t>(at_.position() - from)};
  }

  Result<void> finish() {
    if (!(seen_ & kJsonrpc)) return invalid("'jsonrpc' is missing");
    if (seen_ & kMethod) {
      if (seen_ & (kResult | kError)) return invalid("a request has no 'result' or 'error'");
      if (null_id_) return invalid("'id' must not be null");
      message_.kind = message_.id.empty() ? Message::Kind::notification : Message::Kind::request;
      return ok();
    }
    const bool result = seen_ & kResult;
    const bool error = seen_ & kError;
    if (result == error) return invalid("'method' is missing");
    message_.kind = Message::Kind::response;
    return ok();
  }

  Cursor at_;
  Message& message_;
  unsigned seen_ = 0;
  bool null_id_ = false;
  Code fault_code_ = Code::invalid_request;
  std::string fault_;
};

void each_slice(Message& message, const auto& take) {
  for (auto* const members : {&message.params, &message.meta}) {
    for (Member& member : *members) {
      take(member.key);
      take(member.raw);
    }
  }
  for (auto* const slice : {&message.id, &message.method, &message.result, &message.error,
                            &message.result_type, &message.result_meta}) {
    take(*slice);
  }
}

bool lies_in(std::string_view whole, std::string_view part) {
  const std::less_equal<const char*> before;
  return before(whole.data(), part.data()) &&
         before(part.data() + part.size(), whole.data() + whole.size());
}

}  // namespace

OwnMessage::OwnMessage(const Message& from) {
  message.kind = from.kind;
  message.id = from.id;
  message.method = from.method;
  message.params = from.params;
  message.meta = from.meta;
  message.has_meta = from.has_meta;
  message.result = from.result;
  message.error = from.error;
  message.result_type = from.result_type;
  message.result_has_hints = from.result_has_hints;
  message.result_is_loose = from.result_is_loose;
  message.result_failed = from.result_failed;
  message.result_meta = from.result_meta;
  // Most slices point into the params, which may be large: they are copied once.
  std::size_t size = from.raw_params.size();
  each_slice(message, [&](std::string_view slice) {
    if (!lies_in(from.raw_params, slice)) size += slice.size();
  });
  text.reserve(size);  // From here on its address is stable.
  const auto put = [this](std::string_view slice) {
    const auto at = text.size();
    text += slice;
    return std::string_view(text).substr(at);
  };
  message.raw_params = put(from.raw_params);
  each_slice(message, [&](std::string_view& slice) {
    slice = lies_in(from.raw_params, slice)
                ? message.raw_params.substr(
                      static_cast<std::size_t>(slice.data() - from.raw_params.data()), slice.size())
                : put(slice);
  });
}

const Member* Message::param(std::string_view key) const { return find(params, key); }
const Member* Message::meta_member(std::string_view key) const { return find(meta, key); }

Result<void> parse(std::string_view text, Message& message) { return Scan(text, message).run(); }

bool is_batch(std::string_view text) { return json::type_of(text) == Type::array; }

Result<std::vector<std::string_view>> split_batch(std::string_view text) {
  std::vector<std::string_view> messages;
  Cursor at(text);
  at.enter_array();
  while (at.next_element()) {
    std::string_view raw;
    if (at.value(raw)) messages.push_back(raw);
  }
  if (!at.finish()) return at.error();
  return messages;
}

}  // namespace patchbay::mcp
