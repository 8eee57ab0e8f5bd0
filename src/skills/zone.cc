#include "skills/zone.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace patchbay {

using std::chrono::seconds;
using std::chrono::sys_seconds;

// Takes the parts of a TZif file off the front of its bytes. The counts of a header are checked
// against the available bytes before they are used.
class TzifReader {
 public:
  explicit TzifReader(std::string_view tzif) : rest_(tzif) {}

  Result<Zone> zone() {
    auto header = take_header();
    if (!header) return std::move(header).error();
    std::size_t time_bytes = 4;
    if (header->version >= '2') {
      // The first block repeats the 32-bit part of the second.
      if (!take(header->body_bytes(4))) return broken("is cut short");
      header = take_header();
      if (!header) return std::move(header).error();
      time_bytes = 8;
    }
    const auto body = take(header->body_bytes(time_bytes));
    if (!body) return broken("is cut short");
    auto zone = read_body(*header, *body, time_bytes);
    if (!zone || time_bytes == 4) return zone;
    if (!take_rule(*zone)) return broken("ends with a rule that is not understood");
    return zone;
  }

 private:
  struct Header {
    char version;
    std::size_t universal_flags;
    std::size_t standard_flags;
    std::size_t leap_seconds;
    std::size_t transitions;
    std::size_t types;
    std::size_t name_bytes;

    std::size_t body_bytes(std::size_t time_bytes) const {
      return transitions * (time_bytes + 1) + types * kTypeBytes + name_bytes +
             leap_seconds * (time_bytes + 4) + standard_flags + universal_flags;
    }
  };

  static constexpr std::size_t kHeaderBytes = 44;
  static constexpr std::size_t kTypeBytes = 6;

  static Error broken(std::string_view why) {
    return Error{Code::unavailable, fmt::format("the time zone file {}", why)};
  }

  std::optional<std::string_view> take(std::size_t bytes) {
    if (bytes > rest_.size()) return std::nullopt;
    const auto taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  // Signed and big-endian, as everything in the file.
  static std::int64_t integer(std::string_view bytes) {
    std::uint64_t value = (bytes[0] & 0x80) ? ~std::uint64_t{0} : 0;
    for (const char byte : bytes) value = (value << 8) | static_cast<unsigned char>(byte);
    return static_cast<std::int64_t>(value);
  }

  Result<Header> take_header() {
    const auto bytes = take(kHeaderBytes);
    if (!bytes || !bytes->starts_with("TZif")) return broken("is not a TZif file");
    const auto count = [&](std::size_t index) {
      return static_cast<std::uint32_t>(integer(bytes->substr(20 + 4 * index, 4)));
    };
    const Header header{(*bytes)[4], count(0), count(1), count(2), count(3), count(4), count(5)};
    if (header.types == 0 || header.types > 256) return broken("has a wrong number of types");
    if (header.leap_seconds != 0) return broken("counts leap seconds, which is not supported");
    return header;
  }

  static Result<Zone> read_body(const Header& header, std::string_view body,
                                std::size_t time_bytes) {
    const auto times = body.substr(0, header.transitions * time_bytes);
    const auto indexes = body.substr(times.size(), header.transitions);
    const auto types = body.substr(times.size() + indexes.size(), header.types * kTypeBytes);
    const auto names = body.substr(times.size() + indexes.size() + types.size(), header.name_bytes);

    Zone zone;
    for (std::size_t i = 0; i < header.types; ++i) {
      const auto type = types.substr(i * kTypeBytes, kTypeBytes);
      const auto name = names.substr(std::min<std::size_t>(names.size(), type[5] & 0xFF));
      zone.types_.push_back(ZoneTime{seconds(integer(type.substr(0, 4))),
                                     std::string(name.substr(0, name.find('\0')))});
    }
    for (std::size_t i = 0; i < header.transitions; ++i) {
      const auto when = sys_seconds(seconds(integer(times.substr(i * time_bytes, time_bytes))));
      const auto type = static_cast<std::uint8_t>(indexes[i]);
      if (type >= header.types) return broken("refers to a type that it does not have");
      if (i > 0 && when <= zone.transitions_.back().when) return broken("is out of order");
      zone.transitions_.push_back({when, type});
    }
    return zone;
  }

  // "\nrule\n"; with an empty rule the last type applies forever.
  bool take_rule(Zone& zone) {
    if (!rest_.starts_with('\n')) return false;
    const auto end = rest_.find('\n', 1);
    if (end == std::string_view::npos) return false;
    const auto text = rest_.substr(1, end - 1);
    if (text.empty()) return true;
    zone.rule_ = PosixRule::parse(text);
    return zone.rule_.has_value();
  }

  std::string_view rest_;
};

namespace {

// ASCII letters, digits and "_+-" between single slashes: no dot, so the path stays in the
// directory.
bool is_zone_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxZoneNameBytes) return false;
  if (name.starts_with('/') || name.ends_with('/')) return false;
  if (name.find("//") != std::string_view::npos) return false;
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '+' || c == '-' || c == '/';
  });
}

Error no_such_zone(std::string_view name) {
  return Error{Code::invalid_params,
               fmt::format("there is no time zone '{}'; give an IANA name such as Europe/Berlin, "
                           "an offset such as +02:00, UTC or local",
                           name)};
}

std::optional<std::string> read_small_file(const std::filesystem::path& path) {
  std::error_code fault;
  if (!std::filesystem::is_regular_file(path, fault)) return std::nullopt;
  const auto size = std::filesystem::file_size(path, fault);
  if (fault || size > kMaxZoneFileBytes) return std::nullopt;
  std::string contents(size, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(contents.data(), static_cast<std::streamsize>(size))) return std::nullopt;
  return contents;
}

}  // namespace

Zone Zone::fixed(seconds offset, std::string abbreviation) {
  Zone zone;
  zone.types_.push_back(ZoneTime{offset, std::move(abbreviation)});
  return zone;
}

Zone Zone::ruled(PosixRule rule) {
  Zone zone;
  zone.types_.push_back(ZoneTime{});
  zone.rule_ = std::move(rule);
  return zone;
}

Result<Zone> Zone::parse(std::string_view tzif) { return TzifReader(tzif).zone(); }

ZoneTime Zone::at(sys_seconds moment) const {
  const auto after = std::ranges::upper_bound(transitions_, moment, {}, &Transition::when);
  if (after == transitions_.end() && rule_) return rule_->at(moment);
  if (after == transitions_.begin()) return types_.front();
  return types_[std::prev(after)->type];
}

Result<Zone> load_zone(std::string_view name, std::string_view directory) {
  if (!is_zone_name(name)) {
    return Error{Code::invalid_params,
                 "that is not the name of a time zone; give an IANA name such as Europe/Berlin, an "
                 "offset such as +02:00, UTC or local"};
  }
  const std::filesystem::path base(directory);
  std::error_code fault;
  if (!std::filesystem::is_directory(base, fault)) {
    return Error{Code::unavailable,
                 fmt::format("this machine has no time zone database ({} is not there): install "
                             "tzdata, or give UTC or an offset such as +02:00",
                             directory)};
  }
  const auto contents = read_small_file(base / name);
  // The directory also holds lists and tables, which are no zones.
  if (!contents || !contents->starts_with("TZif")) return no_such_zone(name);
  return Zone::parse(*contents);
}

Result<Zone> local_zone() {
  if (const char* variable = std::getenv("TZ")) {
    std::string_view setting(variable);
    if (setting.starts_with(':')) setting.remove_prefix(1);
    if (setting.empty()) return Zone::fixed(seconds(0), "UTC");
    auto zone = load_zone(setting);
    if (zone) return zone;
    if (auto rule = PosixRule::parse(setting)) return Zone::ruled(*std::move(rule));
    return zone;
  }
  const auto contents = read_small_file("/etc/localtime");
  if (!contents) return Zone::fixed(seconds(0), "UTC");
  return Zone::parse(*contents);
}

}  // namespace patchbay
