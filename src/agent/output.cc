#include "agent/output.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base64.h"
#include "json/text.h"

namespace patchbay::agent {
namespace {

constexpr std::string_view kMarker = "\n... [output truncated]";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Appends `bytes` as UTF-8, at most `most` bytes of it; yields how many of them fitted.
std::size_t append_text(std::string& out, std::string_view bytes, std::size_t most) {
  const std::size_t all = bytes.size();
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
    if (text.size() + character.size() > most) break;
    text += character;
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  out += text;
  return all - bytes.size();
}

// How many bytes at the front of `text` belong to a character that began before it.
std::size_t broken_front(std::string_view text) {
  std::size_t count = 0;
  while (count < std::min<std::size_t>(3, text.size()) && (text[count] & 0xC0) == 0x80) ++count;
  return count;
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
  const std::size_t room = most_ + 1 - std::min(stored_.size(), most_ + 1);
  stored_ += bytes.substr(0, room);
}

bool FirstBytes::append_to(std::string& out, Encoding encoding) const {
  bool cut = total_ > most_;
  std::string_view stored = std::string_view(stored_).substr(0, most_);
  if (encoding == Encoding::base64 || (!cut && json::is_utf8(stored))) {
    append_bytes(out, stored, encoding);
    return cut;
  }
  // A character that the limit cuts is left out, not replaced.
  if (cut) stored.remove_suffix(unfinished_tail(stored));
  std::string text;
  if (append_text(text, stored, most_) < stored.size()) cut = true;
  if (cut) text += kMarker;
  json::append_quoted(out, text);
  return cut;
}

void BothEnds::take(std::string_view bytes) {
  total_ += bytes.size();
  const std::size_t room = std::min(bytes.size(), most_head_ - head_.size());
  head_ += bytes.substr(0, room);
  bytes.remove_prefix(room);
  if (bytes.size() >= most_tail_) {
    tail_ = bytes.substr(bytes.size() - most_tail_);
    return;
  }
  tail_ += bytes;
  if (tail_.size() > 2 * most_tail_) tail_.erase(0, tail_.size() - most_tail_);
}

std::string_view BothEnds::tail() const {
  const std::string_view all = tail_;
  return all.substr(all.size() - std::min(all.size(), most_tail_));
}

std::size_t BothEnds::append_tail(std::string& text) const {
  std::string_view visible = tail();
  visible.remove_prefix(broken_front(visible));
  std::string last;
  if (append_text(last, visible, most_tail_) < visible.size()) {
    // Each byte that is not text becomes three.
    visible.remove_prefix(visible.size() - most_tail_ / 3);
    last.clear();
    append_text(last, visible, most_tail_);
  }
  text += last;
  return visible.size();
}

bool BothEnds::append_to(std::string& out, Encoding encoding) const {
  const bool whole = total_ <= most_head_ + most_tail_;
  const std::string all = whole ? head_ + tail_ : std::string();
  if (whole && (encoding == Encoding::base64 || json::is_utf8(all))) {
    append_bytes(out, all, encoding);
    return false;
  }
  std::string text;
  if (whole && append_text(text, all, most_head_ + most_tail_) == all.size()) {
    json::append_quoted(out, text);
    return false;
  }
  text.clear();
  std::string_view head = head_;
  head.remove_suffix(unfinished_tail(head));
  const std::size_t first = append_text(text, head, most_head_);
  std::string last;
  const std::size_t rest = append_tail(last);
  text += fmt::format("\n... [{} bytes left out] ...\n", total_ - first - rest);
  text += last;
  json::append_quoted(out, text);
  return true;
}

void LastBytes::take(std::string_view bytes) {
  if (bytes.size() > most_) {
    dropped_ += stored_.size() + bytes.size() - most_;
    stored_ = bytes.substr(bytes.size() - most_);
    return;
  }
  if (stored_.size() + bytes.size() > most_) {
    // Half of it is dropped at once, so that memory is not moved for every piece.
    const std::size_t least = stored_.size() + bytes.size() - most_;
    const std::size_t drop = std::min(stored_.size(), std::max(least, most_ / 2));
    stored_.erase(0, drop);
    dropped_ += drop;
  }
  stored_ += bytes;
}

LastBytes::Piece LastBytes::take_front(std::size_t most, bool last) {
  Piece piece;
  piece.dropped = dropped_;
  dropped_ = 0;
  piece.bytes = stored_.substr(0, most);
  if (piece.bytes.size() < stored_.size() || !last) {
    piece.bytes.resize(piece.bytes.size() - unfinished_tail(piece.bytes));
  }
  stored_.erase(0, piece.bytes.size());
  return piece;
}

}  // namespace patchbay::agent
