#include "observe/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>
#include <vector>

#include "core/environment.h"
#include "json/text.h"
#include "observe/line_text.h"
#include "observe/log_export.h"
#include "observe/ring.h"

namespace patchbay::log {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;

constexpr std::size_t kRing = 512 * 1024;   // Bytes of queued lines, per thread.
constexpr std::size_t kAtomicWrite = 4096;  // A pipe that polls writable takes this much at once.
constexpr auto kGather = milliseconds(5);   // Lines of this interval are written together.
constexpr std::size_t kMostValue = 4096;    // A longer value is truncated.
constexpr std::string_view kLevels[] = {"debug", "info", "warn", "error", "off"};

// A file or /dev/null accepts any number of bytes at once; a pipe, socket or terminal may not.
bool waits_for_a_reader(int fd) {
  struct stat about{};
  if (::fstat(fd, &about) != 0) return true;
  return !S_ISREG(about.st_mode) && !(S_ISCHR(about.st_mode) && ::isatty(fd) == 0);
}

void put_three_digits(char* at, int number) {
  at[0] = static_cast<char>('0' + number / 100);
  at[1] = static_cast<char>('0' + number / 10 % 10);
  at[2] = static_cast<char>('0' + number % 10);
}

// "2026-11-15T04:00:00.123Z"; what changes once a second is written once a second.
std::string_view time_text(system_clock::time_point now) {
  thread_local std::time_t second = 0;
  thread_local std::string text;
  const std::time_t whole = system_clock::to_time_t(now);
  if (whole != second) {
    second = whole;
    text = fmt::format("{:%Y-%m-%dT%H:%M:%S}.000Z", fmt::gmtime(whole));
  }
  const auto part = std::chrono::duration_cast<milliseconds>(now.time_since_epoch()).count() % 1000;
  put_three_digits(text.data() + text.size() - 4, static_cast<int>(part));
  return text;
}

// The priorities of syslog, in the order of the levels, as the journal takes them from a line.
constexpr std::string_view kPriorities[] = {"<7>", "<6>", "<4>", "<3>", ""};
constexpr std::size_t kPrioritySize = 3;

// Whether systemd has connected the descriptor to the journal: JOURNAL_STREAM has the device and
// the inode of the stream.
bool is_journal(int fd) {
  const auto stream = read_variable("JOURNAL_STREAM");
  struct stat about{};
  return stream && ::fstat(fd, &about) == 0 &&
         *stream == fmt::format("{}:{}", about.st_dev, about.st_ino);
}

// The time that a line begins with.
std::string_view time_of(std::string_view line) {
  if (line.starts_with('<')) line.remove_prefix(kPrioritySize);
  constexpr std::string_view kJsonStart = "{\"ts\":\"";
  constexpr std::size_t kSize = std::string_view("2026-11-15T04:00:00.123Z").size();
  if (line.starts_with(kJsonStart)) line.remove_prefix(kJsonStart.size());
  return line.substr(0, kSize);
}

// Sorts the lines of several threads by time.
void sort_lines(std::string& text) {
  std::vector<std::string_view> lines;
  std::string_view last;
  bool in_order = true;  // The lines of one thread always are.
  for (std::string_view rest = text; !rest.empty();) {
    const auto size = std::min(rest.find('\n'), rest.size() - 1) + 1;
    lines.push_back(rest.substr(0, size));
    const auto time = time_of(lines.back());
    in_order = in_order && last <= time;
    last = time;
    rest.remove_prefix(size);
  }
  if (in_order) return;
  // Lines with the same time keep their order.
  std::ranges::sort(lines, {},
                    [](std::string_view line) { return std::pair(time_of(line), line.data()); });
  std::string sorted;
  sorted.reserve(text.size());
  for (const auto line : lines) sorted += line;
  text = std::move(sorted);
}

// The size of the lines, which are in order, up to that time.
std::size_t size_until(std::string_view text, std::string_view time) {
  std::size_t size = 0;
  while (size < text.size() && time_of(text.substr(size)) <= time) {
    size = std::min(text.find('\n', size), text.size() - 1) + 1;
  }
  return size;
}

class Writer {
 public:
  void start(Level level, Format format, int fd) {
    level_ = level;
    format_ = format;
    fd_ = fd;
    may_block_ = waits_for_a_reader(fd);
    journal_ = is_journal(fd);
    thread_ = std::thread([this] { work(); });
  }

  void stop() {
    if (!thread_.joinable()) return;
    deadline_ = steady_clock::now() + std::chrono::seconds(1);
    stopping_.store(true, std::memory_order_release);
    wake();
    thread_.join();
  }

  void send(std::string_view line) {
    thread_local Ring& client = add_client();
    if (!client.put(line)) dropped_.fetch_add(1, std::memory_order_relaxed);
    if (sleeping_.load(std::memory_order_seq_cst)) wake();
  }

  std::atomic<Level> level_ = Level::off;
  std::atomic<Format> format_ = Format::text;
  std::atomic<bool> messages_ = false;
  std::atomic<bool> journal_ = false;  // Lines of text begin with their priority.
  std::atomic<std::uint64_t> dropped_ = 0;

 private:
  Ring& add_client() {
    const std::lock_guard lock(clients_mutex_);
    return *clients_.emplace_back(std::make_unique<Ring>(kRing));
  }

  void wake() {
    if (!sleeping_.exchange(false)) return;
    sleeping_.notify_one();
  }

  bool gather(std::string& out) {
    const std::lock_guard lock(clients_mutex_);
    bool any = false;
    for (const auto& client : clients_) any |= client->take(out);
    return any;
  }

  // Under load lines are fetched once per kGather, not at once: a few large writes cost a fraction
  // of many small ones. Only a ring that fills faster is drained at once. A line waits for that
  // time too, so that older lines of other threads come before it.
  void work() {
    std::string lines;
    for (;;) {
      const bool last = stopping_.load(std::memory_order_acquire);
      const std::string until(time_text(system_clock::now() - kGather));
      const auto before = lines.size();
      const bool more = gather(lines);
      if (lines.empty()) {
        if (last) return;
        sleeping_.store(true, std::memory_order_seq_cst);
        if (gather(lines)) {
          sleeping_ = false;
        } else if (!stopping_.load(std::memory_order_acquire)) {
          sleeping_.wait(true);
        }
        rest();
        continue;
      }
      // If nothing follows, or too much waits, there is no reason to wait.
      const bool all = last || !more || lines.size() > kRing;
      const bool busy = lines.size() - before > kRing / 2;
      sort_lines(lines);
      const auto size = all ? lines.size() : size_until(lines, until);
      write_out(std::string_view(lines).substr(0, size));
      lines.erase(0, size);
      if (!busy) rest();
    }
  }

  void rest() {
    if (!stopping_.load(std::memory_order_acquire)) std::this_thread::sleep_for(kGather);
  }

  // Never blocks past the deadline of stop(), even when nobody reads.
  void write_out(std::string_view bytes) {
    while (!bytes.empty()) {
      if (may_block_) {
        pollfd watch{fd_, POLLOUT, 0};
        const int ready = ::poll(&watch, 1, 100);
        if (stopping_.load(std::memory_order_acquire) && steady_clock::now() > deadline_) return;
        if (ready <= 0) continue;
      }
      const auto most = may_block_ ? kAtomicWrite : bytes.size();
      const auto n = ::write(fd_, bytes.data(), std::min(bytes.size(), most));
      if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
      if (n < 0 && errno != EINTR && errno != EAGAIN) return;
    }
  }

  std::mutex clients_mutex_;  // Taken when a thread logs for the first time, and by the writer.
  std::vector<std::unique_ptr<Ring>> clients_;
  std::atomic<bool> sleeping_ = false;
  std::atomic<bool> stopping_ = false;
  steady_clock::time_point deadline_;
  int fd_ = 2;
  bool may_block_ = true;
  std::thread thread_;
};

Writer& writer() {
  static Writer the_writer;
  return the_writer;
}

LineText& line_text() {
  thread_local LineText text;
  return text;
}

std::string_view view(const fmt::format_int& digits) { return {digits.data(), digits.size()}; }

bool json_format() { return writer().format_.load(std::memory_order_relaxed) == Format::json; }

}  // namespace

void start(Level level, Format format, int fd) { writer().start(level, format, fd); }
void configure(Level level, Format format) {
  writer().level_ = level;
  writer().format_ = format;
}
void stop() { writer().stop(); }
std::uint64_t dropped_lines() { return writer().dropped_.load(std::memory_order_relaxed); }

void log_messages(bool on) { writer().messages_ = on; }
bool messages_logged() {
  return writer().messages_.load(std::memory_order_relaxed) && enabled(Level::debug);
}

bool enabled(Level level) { return level >= writer().level_.load(std::memory_order_relaxed); }

std::string plain_event(std::string_view text) {
  std::string event(text.substr(0, kMostValue));
  for (char& c : event) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) c = ' ';
  }
  return event;
}

Line::Line(Level level, std::string_view event, system_clock::time_point time)
    : enabled_(enabled(level)), json_(json_format()), text_(line_text()), exported_(nullptr) {
  if (!enabled_) return;
  const auto name = kLevels[static_cast<std::size_t>(level)];
  // The clock is read for lines that are written only.
  if (time == system_clock::time_point::min()) time = system_clock::now();
  const auto now = time_text(time);
  exported_ = LinePacker::of_this_thread();
  if (exported_) exported_->begin(time, level, event);
  text_.clear();
  if (json_) {
    text_.put("{\"ts\":\"");
    text_.put(now);
    text_.put("\",\"level\":\"");
    text_.put(name);
    text_.put("\",\"event\":");
    put_quoted(event);
  } else {
    if (writer().journal_.load(std::memory_order_relaxed)) {
      text_.put(kPriorities[static_cast<std::size_t>(level)]);
    }
    text_.put(now);
    text_.put(" ");
    text_.put(name);
    text_.put(" ");
    text_.put(event);
  }
}

Line::~Line() {
  if (!enabled_) return;
  text_.put(json_ ? "}\n" : "\n");
  writer().send(text_.view());
  if (exported_) exported_->send();
}

void Line::put(std::string_view name, std::string_view value) {
  if (!json_) return text_.put_pair(name, value);
  text_.put(",\"");
  text_.put(name);
  text_.put("\":");
  text_.put(value);
}

void Line::put_quoted(std::string_view value) { text_.put(json::quote(value)); }

Line& Line::add(std::string_view name, std::string_view value) {
  if (!enabled_ || value.empty()) return *this;
  if (value.size() > kMostValue) value = value.substr(0, kMostValue);
  if (exported_) exported_->add(name, value);
  if (json_ || !text_.put_plain_pair(name, value)) {
    put(name, "");
    put_quoted(value);
  }
  return *this;
}

Line& Line::add(std::string_view name, std::int64_t value) {
  if (exported_) exported_->add(name, value);
  if (enabled_) put(name, view(fmt::format_int(value)));
  return *this;
}

Line& Line::add(std::string_view name, std::uint64_t value) {
  if (exported_) exported_->add(name, static_cast<std::int64_t>(value));
  if (enabled_) put(name, view(fmt::format_int(value)));
  return *this;
}

Line& Line::add_ms(std::string_view name, double milliseconds_spent) {
  if (!enabled_) return *this;
  if (exported_) exported_->add(name, milliseconds_spent);
  // Whole microseconds are written several times faster than a fraction.
  const auto microseconds = std::llround(milliseconds_spent * 1000);
  const fmt::format_int whole(microseconds / 1000);
  std::array<char, 32> text;  // A whole number takes at most 20 of them.
  char* const point = std::ranges::copy(view(whole), text.begin()).out;
  *point = '.';
  put_three_digits(point + 1, static_cast<int>(microseconds % 1000));
  put(name, {text.data(), whole.size() + 4});
  return *this;
}

}  // namespace patchbay::log
