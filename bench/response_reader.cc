#include "bench/response_reader.h"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace patchbay::bench {
namespace {

constexpr std::size_t kBeginning = 512;

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

bool number(std::string_view text, int base, std::size_t& value) {
  return std::from_chars(text.data(), text.data() + text.size(), value, base).ec == std::errc();
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

}  // namespace

void ResponseReader::restart(bool keep_all) {
  state_ = State::head;
  status_ = 0;
  closes_ = chunked_ = counted_ = false;
  left_ = 0;
  keep_limit_ = keep_all ? std::numeric_limits<std::size_t>::max() : kBeginning;
  head_.clear();
  body_.clear();
}

std::size_t ResponseReader::feed(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && !done() && !broken()) {
    auto rest = bytes.substr(used);
    switch (state_) {
      case State::head:
        used += take_head(rest);
        break;
      case State::counted_body:
        used += take_data(rest, State::done);
        break;
      case State::chunk_data:
        used += take_data(rest, State::chunk_end);
        break;
      case State::body_until_close:
        keep(rest);
        used += rest.size();
        break;
      case State::chunk_size:
      case State::chunk_end:
      case State::trailer:
        used += take_line(rest);
        break;
      case State::done:
      case State::broken:
        break;
    }
  }
  return used;
}

void ResponseReader::end_of_stream() {
  closes_ = true;
  if (state_ == State::body_until_close) state_ = State::done;
  if (state_ != State::done) state_ = State::broken;
}

std::size_t ResponseReader::take_head(std::string_view bytes) {
  // The usual case: the whole head is in this read, and nothing is copied.
  if (head_.empty()) {
    auto end = bytes.find("\r\n\r\n");
    if (end == bytes.npos) {
      head_ = bytes;
      return bytes.size();
    }
    read_head(bytes.substr(0, end + 2));
    return end + 4;
  }
  auto before = head_.size();
  head_ += bytes;
  auto end = head_.find("\r\n\r\n");
  if (end == head_.npos) return bytes.size();
  auto head = head_.substr(0, end + 2);
  head_.clear();
  read_head(head);
  return end + 4 - before;
}

void ResponseReader::read_head(std::string_view head) {
  std::size_t status = 0;
  if (!head.starts_with("HTTP/1.1 ") || !number(head.substr(9), 10, status)) {
    state_ = State::broken;
    return;
  }
  status_ = static_cast<int>(status);
  auto line = head.find('\n') + 1;
  while (line < head.size()) {
    auto end = head.find('\n', line);
    auto field = head.substr(line, end - line);
    if (auto colon = field.find(':'); colon != field.npos) {
      read_field(field.substr(0, colon), trimmed(field.substr(colon + 1)));
    }
    line = end + 1;
  }
  if (status_ == 204 || status_ == 304) {
    state_ = State::done;
  } else if (chunked_) {
    state_ = State::chunk_size;
  } else if (counted_) {
    state_ = left_ == 0 ? State::done : State::counted_body;
  } else {
    state_ = State::body_until_close;
  }
}

void ResponseReader::read_field(std::string_view name, std::string_view value) {
  if (same(name, "content-length")) {
    counted_ = number(value, 10, left_);
  } else if (same(name, "transfer-encoding")) {
    chunked_ = same(value, "chunked");
  } else if (same(name, "connection")) {
    closes_ = same(value, "close");
  } else if (same(name, "mcp-session-id")) {
    session_ = value;
  }
}

std::size_t ResponseReader::take_data(std::string_view bytes, State after) {
  auto taken = std::min(left_, bytes.size());
  keep(bytes.substr(0, taken));
  left_ -= taken;
  if (left_ == 0) state_ = after;
  return taken;
}

std::size_t ResponseReader::take_line(std::string_view bytes) {
  auto end = bytes.find('\n');
  head_ += bytes.substr(0, end);
  if (end == bytes.npos) return bytes.size();
  auto line = trimmed(head_);
  if (state_ == State::chunk_end) {
    state_ = line.empty() ? State::chunk_size : State::broken;
  } else if (state_ == State::trailer) {
    if (line.empty()) state_ = State::done;
  } else if (!number(line, 16, left_)) {
    state_ = State::broken;
  } else {
    state_ = left_ == 0 ? State::trailer : State::chunk_data;
  }
  head_.clear();
  return end + 1;
}

void ResponseReader::keep(std::string_view bytes) {
  body_ += bytes.substr(0, std::min(bytes.size(), keep_limit_ - body_.size()));
}

}  // namespace patchbay::bench
