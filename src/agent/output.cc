#include "agent/output.h"

#include <algorithm>

#include "core/base64.h"
#include "json/text.h"

namespace patchbay::agent {
namespace {

constexpr std::string_view kMarker = "\n... [output truncated]";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// `bytes` as UTF-8 of at most `most` bytes; true in `cut` if not all of it fits.
std::string to_text(std::string_view bytes, std::size_t most, bool& cut) {
  std::string text;
  text.reserve(std::min(bytes.size(), most));
  while (!bytes.empty()) {
    std::size_t plain = 0;
    while (plain < bytes.size() && static_cast<signed char>(bytes[plain]) >= 0) ++plain;
    plain = std::min(plain, most - text.size());
    text += bytes.substr(0, plain);
    bytes.remove_prefix(plain);
    if (bytes.empty()) break;
    const std::size_t length = json::utf8_length(bytes);
    const auto character = length == 0 ? kReplacement : bytes.substr(0, length);
    if (text.size() + character.size() > most) {
      cut = true;
      break;
    }
    text += character;
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

}  // namespace

void append_bytes(std::string& out, std::string_view bytes, Encoding encoding) {
  if (encoding == Encoding::utf8) return json::append_quoted(out, bytes);
  out += '"';
  out += base64_encode(bytes);
  out += '"';
}

std::size_t unfinished_tail(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

void FirstBytes::take(std::string_view bytes) {
  total_ += bytes.size();
  const std::size_t room = most_ + 1 - std::min(kept_.size(), most_ + 1);
  kept_ += bytes.substr(0, room);
}

void FirstBytes::append_to(std::string& out, Encoding encoding) const {
  if (encoding == Encoding::base64) {
    return append_bytes(out, std::string_view(kept_).substr(0, most_), encoding);
  }
  bool cut = truncated();
  if (!cut && json::is_utf8(kept_)) return json::append_quoted(out, kept_);
  std::string_view kept = std::string_view(kept_).substr(0, most_);
  // A character that the bound has cut through is left out, not replaced.
  if (cut) kept.remove_suffix(unfinished_tail(kept));
  std::string text = to_text(kept, most_, cut);
  if (cut) text += kMarker;
  json::append_quoted(out, text);
}

void LastBytes::take(std::string_view bytes) {
  if (bytes.size() > most_) {
    dropped_ += kept_.size() + bytes.size() - most_;
    kept_ = bytes.substr(bytes.size() - most_);
    return;
  }
  if (kept_.size() + bytes.size() > most_) {
    // Half of it goes at once, so that not each piece moves the whole.
    const std::size_t least = kept_.size() + bytes.size() - most_;
    const std::size_t drop = std::min(kept_.size(), std::max(least, most_ / 2));
    kept_.erase(0, drop);
    dropped_ += drop;
  }
  kept_ += bytes;
}

LastBytes::Piece LastBytes::take_front(std::size_t most, bool last) {
  Piece piece;
  piece.dropped = dropped_;
  dropped_ = 0;
  piece.bytes = kept_.substr(0, most);
  if (piece.bytes.size() < kept_.size() || !last) {
    piece.bytes.resize(piece.bytes.size() - unfinished_tail(piece.bytes));
  }
  kept_.erase(0, piece.bytes.size());
  return piece;
}

}  // namespace patchbay::agent
