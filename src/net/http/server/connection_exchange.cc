#include "net/http/server/connection_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <ctime>

#include "core/discard.h"
#include "observe/log.h"

namespace patchbay::net {
namespace {

struct Reason {
  int status;
  std::string_view phrase;
};

constexpr std::array kReasons{
    Reason{100, "Continue"},
    Reason{101, "Switching Protocols"},
    Reason{200, "OK"},
    Reason{202, "Accepted"},
    Reason{204, "No Content"},
    Reason{206, "Partial Content"},
    Reason{302, "Found"},
    Reason{304, "Not Modified"},
    Reason{400, "Bad Request"},
    Reason{401, "Unauthorized"},
    Reason{403, "Forbidden"},
    Reason{404, "Not Found"},
    Reason{405, "Method Not Allowed"},
    Reason{406, "Not Acceptable"},
    Reason{408, "Request Timeout"},
    Reason{409, "Conflict"},
    Reason{412, "Precondition Failed"},
    Reason{413, "Content Too Large"},
    Reason{414, "URI Too Long"},
    Reason{415, "Unsupported Media Type"},
    Reason{416, "Range Not Satisfiable"},
    Reason{422, "Unprocessable Content"},
    Reason{426, "Upgrade Required"},
    Reason{428, "Precondition Required"},
    Reason{429, "Too Many Requests"},
    Reason{431, "Request Header Fields Too Large"},
    Reason{500, "Internal Server Error"},
    Reason{501, "Not Implemented"},
    Reason{502, "Bad Gateway"},
    Reason{503, "Service Unavailable"},
    Reason{504, "Gateway Timeout"},
    Reason{505, "HTTP Version Not Supported"},
};

// Up to this size head and body are joined, so that one small buffer is sent in one write.
constexpr std::size_t kJoin = 16 * 1024;
constexpr std::size_t kMostParts = 8;

constexpr std::string_view kCacheControl = "Cache-Control:";

// The time in the form of Date. Formatted once a second.
const std::string& date_line() {
  static constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed",
                                                         "Thu", "Fri", "Sat"};
  static constexpr std::array<std::string_view, 12> kMonths{
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  static thread_local std::time_t written = -1;
  static thread_local std::string line;
  const std::time_t now = std::time(nullptr);  // Whole seconds cost a fraction of an exact time.
  if (now == written) return line;
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  line = fmt::format("Date: {}, {:02} {} {} {:02}:{:02}:{:02} GMT\r\n",
                     kDays[static_cast<std::size_t>(utc.tm_wday)], utc.tm_mday,
                     kMonths[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900, utc.tm_hour,
                     utc.tm_min, utc.tm_sec);
  written = now;
  return line;
}

}  // namespace

std::string_view reason_phrase(int status) {
  const auto* const found = std::ranges::find(kReasons, status, &Reason::status);
  return found == kReasons.end() ? "Unknown" : found->phrase;
}

std::string ConnectionExchange::head(int status, std::string_view type, std::string_view fields,
                                     std::size_t body_size) const {
  std::string text;
  text.reserve(384 + fields_.size() + fields.size() + body_size);
  text += "HTTP/1.1 ";
  text += fmt::format_int(status).c_str();
  text += ' ';
  text += reason_phrase(status);
  if (!type.empty()) {
    text += "\r\nContent-Type: ";
    text += type;
  }
  text += "\r\n";
  text += fields_;
  text += fields;
  if (status >= 200) {
    text += date_line();
    // No page of another origin may load it, unless CORS allows that page to read it.
    text += "Cross-Origin-Resource-Policy: same-origin\r\n";
    if (!fields.contains(kCacheControl)) text += "Cache-Control: no-store\r\n";
  }
  if (!keep_alive_) text += "Connection: close\r\n";
  return text;
}

Task<void> ConnectionExchange::answer(int status, std::string_view type,
                                      std::initializer_list<std::string_view> parts,
                                      std::string_view fields) {
  answered_ = true;
  if (idle.requested()) close_after();  // The server has begun to stop meanwhile.
  std::size_t size = 0;
  for (const auto part : parts) size += part.size();
  std::string text = head(status, type, fields, size <= kJoin ? size : 0);
  if (status != 204 && status != 304) {
    text += "Content-Length: ";
    text += fmt::format_int(size).c_str();
    text += "\r\n";
  }
  text += "\r\n";
  const bool bodiless = request.method == "HEAD";
  if (bodiless || size <= kJoin) {
    if (!bodiless) {
      for (const auto part : parts) text += part;
    }
    const iovec whole{text.data(), text.size()};
    auto written = connection_.try_write(std::span(&whole, 1));
    if (!written) co_return written.error();
    if (*written == text.size()) co_return ok();
    const auto rest = std::string_view(text).substr(*written);
    auto taken = co_await connection_.write_all(rest, write_time_);
    log_cut_off(taken, size);
    co_return taken;
  }
  std::array<iovec, kMostParts> gathered{};
  std::size_t count = 0;
  gathered[count++] = {text.data(), text.size()};
  for (const auto part : parts) {
    if (!part.empty()) gathered[count++] = {const_cast<char*>(part.data()), part.size()};
  }
  auto taken = co_await connection_.write_all(std::span(gathered).first(count), write_time_);
  log_cut_off(taken, size);
  co_return taken;
}

Task<HttpExchange::Upgraded> ConnectionExchange::switch_protocols(std::string_view fields) {
  answered_ = true;
  keep_alive_ = true;  // As far as this response is concerned.
  const std::string text = head(101, "", fields) + "\r\n";
  close_after();
  forget_request();
  auto written = co_await connection_.write_all(text, write_time_);
  if (!written) co_return written.error();
  co_return Upgraded{connection_, input_};
}

void ConnectionExchange::begin_stream(std::string_view fields) {
  answered_ = true;
  if (idle.requested()) close_after();
  stream_.emplace(connection_, stream_buffer_);
  if (request.http10) keep_alive_ = false;
  std::string text = head(200, kEventStream, fields);
  text += "X-Accel-Buffering: no\r\n";
  text += request.http10 ? "\r\n" : "Transfer-Encoding: chunked\r\n\r\n";
  auto queued = stream_->put({text});
  discard(queued, "an empty outbox takes everything");
}

// The parts as one piece of the body.
std::string ConnectionExchange::piece_of(std::initializer_list<std::string_view> parts) const {
  std::string piece;
  std::size_t size = 0;
  for (const auto part : parts) size += part.size();
  piece.reserve(size + 24);
  if (!request.http10) fmt::format_to(std::back_inserter(piece), "{:x}\r\n", size);
  for (const auto part : parts) piece += part;
  if (!request.http10) piece += "\r\n";
  return piece;
}

Result<void> ConnectionExchange::put(std::initializer_list<std::string_view> parts) {
  auto queued = stream_->put({piece_of(parts)});
  if (!queued && queued.error().code == Code::overloaded) log_dropped();
  return queued;
}

Result<void> ConnectionExchange::put_answer(std::initializer_list<std::string_view> parts) {
  return stream_->put_answer({piece_of(parts)});
}

void ConnectionExchange::log_dropped() {
  if (std::exchange(logged_dropped_, true)) return;
  log::Line(log::Level::warn, "notifications dropped: the client reads too slowly")
      .add("client", peer.ip)
      .add("limit", "limits.max_stream_buffer_size")
      .add("bytes", std::uint64_t{stream_buffer_});
}

void ConnectionExchange::log_stalled() {
  if (std::exchange(logged_stalled_, true)) return;
  log::Line(log::Level::warn, "event stream closed: the client does not read")
      .add("client", peer.ip)
      .add("limit", "limits.write_timeout")
      .add_ms("after", std::chrono::duration<double, std::milli>(write_time_).count());
}

// The records of the call say how it ended; this, that its client does not have all of the answer.
void ConnectionExchange::log_cut_off(const Result<void>& written, std::size_t size) const {
  if (written || written.error().code != Code::timeout) return;
  log::Line(log::Level::warn, "answer cut off: the client does not read")
      .add("client", peer.ip)
      .add("path", request.path)
      .add("bytes", std::uint64_t{size})
      .add("limit", "limits.write_timeout");
}

bool ConnectionExchange::stalled() {
  if (!stream_ || !stream_->stalled(write_time_)) return false;
  log_stalled();
  return true;
}

Task<void> ConnectionExchange::room() { co_return co_await stream_->room(write_time_); }

Task<void> ConnectionExchange::drained() { co_return co_await stream_->drained(write_time_); }

Task<void> ConnectionExchange::end_stream() {
  // The end needs no room in the outbox: it belongs to data that is already queued.
  if (!cut_off_ && !request.http10) stream_->add({"0\r\n\r\n"});
  auto written = co_await stream_->drained(write_time_);
  if (!written) {
    keep_alive_ = false;
    if (written.error().code == Code::timeout) log_stalled();
  }
  stream_.reset();
  co_return written;
}

}  // namespace patchbay::net
