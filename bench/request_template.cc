#include "bench/request_template.h"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

#include "bench/options.h"

namespace patchbay::bench {
namespace {

constexpr std::string_view kId = "{{id}}";
constexpr std::string_view kSession = "{{session}}";
constexpr std::string_view kLength = "Content-Length:";

// Below this, one write of joined bytes is cheaper than a gathered one.
constexpr std::size_t kWorthSharing = 4096;

void fill(std::string_view text, std::string_view session, Request& into) {
  while (!text.empty()) {
    auto position = text.find("{{");
    into.own += text.substr(0, position);
    if (position == text.npos) return;
    text.remove_prefix(position);
    if (text.starts_with(kId)) {
      into.id_positions.push_back(into.own.size());
      into.own.append(IdDigits{}.size(), '0');
      text.remove_prefix(kId.size());
    } else if (text.starts_with(kSession)) {
      into.own += session;
      text.remove_prefix(kSession.size());
    } else {
      into.own += "{{";
      text.remove_prefix(2);
    }
  }
}

// Everything after this point is the same on every connection.
std::size_t end_of_last_position(std::string_view text) {
  std::size_t end = 0;
  for (auto position : {kId, kSession}) {
    if (auto at = text.rfind(position); at != text.npos) end = std::max(end, at + position.size());
  }
  return end;
}

std::size_t filled_size(std::string_view text, std::string_view session) {
  Request scratch;
  fill(text, session, scratch);
  return scratch.own.size();
}

}  // namespace

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(fmt::format("cannot read '{}'", path));
  return {std::istreambuf_iterator<char>(file), {}};
}

IdDigits digits_of(std::uint64_t id) {
  IdDigits digits{};
  std::to_chars(digits.data(), digits.data() + digits.size(), id);
  return digits;
}

void Request::set_id(std::uint64_t id) {
  auto digits = digits_of(id);
  for (auto position : id_positions)
    std::copy(digits.begin(), digits.end(), own.begin() + static_cast<std::ptrdiff_t>(position));
}

RequestTemplate RequestTemplate::from_file(const std::string& path) {
  auto text = whole_file(path);
  auto blank = text.find("\r\n\r\n");
  if (blank == text.npos) fail(fmt::format("{} holds no whole HTTP request", path));

  RequestTemplate made;
  made.body_ = text.substr(blank + 4);
  std::size_t line = 0;
  while (line < blank + 2) {
    auto end = text.find("\r\n", line) + 2;
    bool is_length = strncasecmp(text.data() + line, kLength.data(), kLength.size()) == 0;
    if (!is_length) made.head_ += text.substr(line, end - line);
    line = end;
  }
  return made;
}

Request RequestTemplate::make(std::string_view session) const {
  auto fixed_from = end_of_last_position(body_);
  if (body_.size() - fixed_from < kWorthSharing) fixed_from = body_.size();
  auto variable = std::string_view(body_).substr(0, fixed_from);

  Request request;
  request.shared = std::string_view(body_).substr(fixed_from);
  fill(head_, session, request);
  if (!body_.empty()) {
    request.own +=
        fmt::format("{} {}\r\n", kLength, filled_size(variable, session) + request.shared.size());
  }
  request.own += "\r\n";
  fill(variable, session, request);
  return request;
}

}  // namespace patchbay::bench
