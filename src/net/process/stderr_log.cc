#include "net/process/stderr_log.h"

#include <array>

#include "core/text.h"
#include "json/invisible.h"
#include "json/text.h"
#include "net/process/stderr_tails.h"
#include "observe/log.h"

namespace patchbay::upstreams {
namespace {

constexpr std::size_t kMostLine = 2048;
constexpr int kReadsPerTurn = 16;  // A flood must not monopolise the worker.
constexpr std::size_t kMostReadable = 200;

// The length of the terminal's escape sequence at the front: ESC [ parameters letter, or ESC and
// one character.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2 || text[1] != '[') return std::min<std::size_t>(text.size(), 2);
  std::size_t size = 2;
  while (size < text.size() && (text[size] < '@' || text[size] > '~')) ++size;
  return std::min(size + 1, text.size());
}

}  // namespace

StderrLog::StderrLog(net::Fd fd, std::string_view upstream, int lines_per_second)
    : upstream_(upstream), lines_per_second_(lines_per_second), source_(std::move(fd)) {
  source_.wait_readable(*this);
}

StderrLog::~StderrLog() {
  source_.forget(*this);
  if (!partial_.empty()) line(partial_);
  if (dropped_ > 0) {
    log::Line(log::Level::info, "upstream stderr dropped")
        .add("upstream", upstream_)
        .add("lines", dropped_);
  }
}

void StderrLog::on_ready() {
  if (read()) source_.wait_readable(*this);
}

// False once the pipe is closed; the child's end is noticed elsewhere.
bool StderrLog::read() {
  std::array<char, 16 * 1024> bytes;
  for (int i = 0; i < kReadsPerTurn; ++i) {
    auto got = source_.try_read(bytes);
    if (!got) return false;
    if (*got == 0) break;
    last_output_ = here().now();
    take({bytes.data(), *got});
  }
  return true;
}

std::string StderrLog::last_line() {
  read();
  return readable_line(trimmed(partial_).empty() ? last_ : partial_);
}

void StderrLog::take(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto piece = bytes.substr(0, end);
    if (partial_.size() < kMostLine) partial_ += piece.substr(0, kMostLine - partial_.size());
    if (end == std::string_view::npos) return;
    line(partial_);
    partial_.clear();
    bytes.remove_prefix(end + 1);
  }
}

void StderrLog::line(std::string_view text) {
  if (!trimmed(text).empty()) last_ = text;
  if (here().now() - second_ >= std::chrono::seconds(1)) {
    second_ = here().now();
    lines_ = 0;
  }
  if (++lines_ > lines_per_second_) {
    ++dropped_;
    return;
  }
  if (!trimmed(text).empty()) stderr_tails().add(upstream_, readable_line(text));
  log::Line(log::Level::info, "upstream stderr").add("upstream", upstream_).add("line", text);
}

std::string readable_line(std::string_view text) {
  std::string plain;
  text = trimmed(text);
  while (!text.empty() && plain.size() <= kMostReadable) {
    const std::size_t size = std::max<std::size_t>(json::utf8_length(text), 1);
    // A single byte beyond ASCII is not UTF-8.
    const auto first = static_cast<unsigned char>(text[0]);
    const bool left_out = size == 1 && (first < ' ' || first >= 0x7f);
    if (text[0] == 0x1b) {
      text.remove_prefix(escape_length(text));
    } else {
      if (!left_out) plain += text.substr(0, size);
      if (text[0] == '\t') plain += ' ';
      text.remove_prefix(size);
    }
  }
  return json::visible(json::shortened(plain, kMostReadable));
}

}  // namespace patchbay::upstreams
