#include "app/flight_recorder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <vector>

#include "core/ids.h"
#include "frontends/admin/call_json.h"
#include "net/io/fd.h"
#include "net/io/system_failure.h"
#include "observe/log.h"

namespace patchbay::app {
namespace {

constexpr std::size_t kRecordsAtOnce = 500;

// The newest calls whose lines fit into `most_bytes`, at most `most`, the oldest first.
std::vector<std::string> newest_lines(const trace::CallHistories& histories, std::size_t most,
                                      std::size_t most_bytes) {
  std::vector<std::string> lines;
  std::size_t bytes = 0;
  auto at = histories.end();
  for (bool more = true; more && lines.size() < most && bytes < most_bytes;) {
    const auto found = histories.before(at, std::min(most - lines.size(), kRecordsAtOnce),
                                        [](const trace::CallRecord&) { return true; });
    for (const auto& call : found.calls) {
      std::string line = frontends::call_json(call.record()) + "\n";
      bytes += line.size();
      if (bytes > most_bytes) break;
      lines.push_back(std::move(line));
    }
    at = found.next;
    more = found.more;
  }
  std::ranges::reverse(lines);
  return lines;
}

Result<void> write_lines(const net::Fd& file, const std::vector<std::string>& lines,
                         const std::string& path) {
  for (const auto& line : lines) {
    for (std::string_view rest = line; !rest.empty();) {
      const auto written = ::write(file.get(), rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return net::system_failure(path);
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  return ok();
}

// The file is written completely before it gets its name.
Result<void> write_calls(const std::vector<std::string>& lines, const std::string& path) {
  const std::string fresh = fmt::format("{}.{}", path, random_hex(8));
  const net::Fd file(
      ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return net::system_failure(fresh);
  auto written = write_lines(file, lines, fresh);
  if (written && ::rename(fresh.c_str(), path.c_str()) != 0) written = net::system_failure(path);
  if (!written) ::unlink(fresh.c_str());
  return written;
}

}  // namespace

void dump_calls(const trace::CallHistories& histories, const std::string& state_folder) {
  if (state_folder.empty()) {
    const auto lines = newest_lines(histories, kMostCallsLogged, kMostCallsFile);
    for (const auto& line : lines) {
      log::Line(log::Level::info, "recorded call")
          .add("record", std::string_view(line).substr(0, line.size() - 1));
    }
    log::Line(log::Level::info, "calls recorded")
        .add("calls", std::uint64_t{lines.size()})
        .add("hint", "with a state folder they are written to a file there");
    return;
  }
  const std::string path = fmt::format("{}/{}", state_folder, kCallsFile);
  const auto lines = newest_lines(histories, SIZE_MAX, kMostCallsFile);
  const auto written = write_calls(lines, path);
  if (!written) {
    log::Line(log::Level::error, "calls not recorded").add("why", written.error().message);
    return;
  }
  log::Line(log::Level::info, "calls recorded")
      .add("file", path)
      .add("calls", std::uint64_t{lines.size()});
}

}  // namespace patchbay::app
