#include "net/process/stderr_log.h"

#include <array>

#include "observe/log.h"

namespace patchbay::upstreams {
namespace {

constexpr std::size_t kMostLine = 2048;
constexpr int kReadsPerTurn = 16;  // A flood must not keep the worker to itself.

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
  std::array<char, 16 * 1024> bytes;
  for (int i = 0; i < kReadsPerTurn; ++i) {
    auto got = source_.try_read(bytes);
    if (!got) return;  // Closed; the child's end is noticed elsewhere.
    if (*got == 0) break;
    take({bytes.data(), *got});
  }
  source_.wait_readable(*this);
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
  if (here().now() - second_ >= std::chrono::seconds(1)) {
    second_ = here().now();
    lines_ = 0;
  }
  if (++lines_ > lines_per_second_) {
    ++dropped_;
    return;
  }
  log::Line(log::Level::info, "upstream stderr").add("upstream", upstream_).add("line", text);
}

}  // namespace patchbay::upstreams
