#include "transport/event_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/release.h"

namespace patchbay::transport {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr auto kLongestRequestedRetry = std::chrono::milliseconds(60'000);
constexpr std::size_t kIdleMemory = 64 * 1024;  // Bytes of memory that an idle stream may hold.

}  // namespace

Result<void> EventReader::feed(std::string_view bytes) {
  if (bytes.empty()) return ok();
  if (!std::exchange(begun_, true) && bytes.starts_with(kByteOrderMark)) {
    bytes.remove_prefix(kByteOrderMark.size());
  }
  buffer_.erase(0, used_);
  searched_ -= used_;
  used_ = 0;
  buffer_ += bytes;
  if (buffer_.size() + event_.data.size() > most_ + bytes.size()) {
    return Error{Code::too_large, "an event of the server is too large"};
  }
  return ok();
}

// A line ends with LF, CR or CRLF. A CR at the very end may be half of a CRLF, so it waits.
std::optional<std::string_view> EventReader::next_line() {
  const auto end = buffer_.find_first_of("\r\n", std::max(used_, searched_));
  if (end == std::string::npos || (buffer_[end] == '\r' && end + 1 == buffer_.size())) {
    searched_ = end == std::string::npos ? buffer_.size() : end;
    return std::nullopt;
  }
  const std::string_view line(buffer_.data() + used_, end - used_);
  used_ = end + (buffer_[end] == '\r' && buffer_[end + 1] == '\n' ? 2 : 1);
  searched_ = used_;
  return line;
}

bool EventReader::next(Event& event) {
  while (const auto line = next_line()) {
    if (!line->empty()) {
      take_line(*line);
      continue;
    }
    const bool complete = std::exchange(has_data_, false);
    std::swap(event, event_);
    forget_event();
    if (complete) return true;
  }
  if (used_ == buffer_.size()) {
    release_beyond(buffer_, kIdleMemory);
    used_ = searched_ = 0;
  }
  return false;
}

void EventReader::forget_event() {
  release_beyond(event_.type, kIdleMemory);
  release_beyond(event_.data, kIdleMemory);
}

void EventReader::take_line(std::string_view line) {
  const auto colon = line.find(':');
  const auto field = line.substr(0, colon);
  auto value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    if (std::exchange(has_data_, true)) event_.data += '\n';
    event_.data += value;
  } else if (field == "event") {
    event_.type = value == "message" ? "" : value;
  } else if (field == "id" && value.find('\0') == std::string_view::npos) {
    last_id_ = value;
  } else if (field == "retry") {
    std::uint32_t wait = 0;
    const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), wait);
    if (fault == std::errc() && end == value.data() + value.size()) {
      retry_ = std::min(std::chrono::milliseconds(wait), kLongestRequestedRetry);
    }
  }
}

void EventReader::restart() {
  release_beyond(buffer_, kIdleMemory);
  used_ = searched_ = 0;
  begun_ = has_data_ = false;
  forget_event();
}

}  // namespace patchbay::transport
