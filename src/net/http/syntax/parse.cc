#include "net/http/syntax/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/http_token.h"
#include "net/http/syntax/field_value.h"
#include "net/http/syntax/lexer.h"

namespace patchbay::net {
namespace {

constexpr std::size_t kMaxChunkLine = 128;  // Size and extensions of one chunk.
constexpr std::size_t kMaxTrailer = 4096;

// The codes below double as statuses; see parse_status().
Error bad(std::string message) { return {Code::invalid_request, std::move(message), "400"}; }
Error bad(int status, std::string message) {
  return {Code::too_large, std::move(message), std::to_string(status)};
}

bool is_visible(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F; });
}

// One line, without its CRLF, from the front of `rest`; empty optional if none is complete. A line
// feed without a carriage return is a fault. The line may contain carriage returns.
Result<std::optional<std::string_view>> take_raw_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  if (end == std::string_view::npos) return std::optional<std::string_view>();
  if (end == 0 || rest[end - 1] != '\r') return bad("a line ends without a carriage return");
  const auto line = rest.substr(0, end - 1);
  rest.remove_prefix(end + 1);
  return std::optional(line);
}

// The same for lines whose bytes nobody else checks: a carriage return anywhere else is a fault.
Result<std::optional<std::string_view>> take_line(std::string_view& rest) {
  const auto start = rest;
  auto line = take_raw_line(rest);
  if (!line) return line;
  auto bytes = line->value_or(start);
  if (!line->has_value() && bytes.ends_with('\r')) bytes.remove_suffix(1);
  if (bytes.contains('\r')) return bad("a carriage return has no line feed");
  return line;
}

Result<void> parse_field(std::string_view line, HttpFields& fields) {
  if (line.front() == ' ' || line.front() == '\t') return bad("a header field is folded");
  std::size_t colon = 0;
  while (colon < line.size() && kTokenBytes[static_cast<unsigned char>(line[colon])]) ++colon;
  if (colon == 0 || colon == line.size() || line[colon] != ':') {
    return bad(line.contains(':') ? "a header field has an invalid name"
                                  : "a header field has no colon");
  }
  const auto name = line.substr(0, colon);
  if (!is_field_value(line.substr(colon + 1))) return bad("a header field has an invalid value");
  fields.add({name, trim(line.substr(colon + 1))});
  return ok();
}

Error long_field(const HttpLimits& limits) {
  return bad(431, fmt::format("a header field exceeds {} bytes (limits.max_header_line_size)",
                              limits.field));
}

// The fields up to the empty line. False: incomplete.
Result<bool> parse_fields(std::string_view& rest, const HttpLimits& limits, HttpFields& fields) {
  for (;;) {
    auto line = take_raw_line(rest);
    if (!line) return line.error();
    if (!line->has_value()) {
      if (rest.size() - rest.ends_with('\r') > limits.field) return long_field(limits);
      return false;
    }
    if ((*line)->empty()) return true;
    if ((*line)->size() > limits.field) return long_field(limits);
    if (fields.size() == limits.fields) {
      return bad(431, fmt::format("more than {} header fields", limits.fields));
    }
    auto field = parse_field(**line, fields);
    if (!field) return field.error();
  }
}

// Fields that must not appear twice: it would be ambiguous which one counts.
constexpr std::array<std::string_view, 9> kOnce{
    "Host",          "Origin",         "Content-Type",
    "Authorization", "Mcp-Session-Id", "MCP-Protocol-Version",
    "Mcp-Method",    "Mcp-Name",       "Last-Event-ID"};

Result<void> check_once(const HttpFields& fields) {
  if (!fields.may_repeat()) return ok();
  for (auto field = fields.begin(); field != fields.end(); ++field) {
    const auto same = [&](const HttpField& other) {
      return other.name.size() == field->name.size() && same_token(other.name, field->name);
    };
    if (std::none_of(fields.begin(), field, same)) continue;
    for (const auto name : kOnce) {
      if (same_token(name, field->name)) return bad(fmt::format("more than one {}", name));
    }
  }
  return ok();
}

// How the codings of a Transfer-Encoding delimit the body. Only a body whose last coding is chunked
// has an unambiguous end.
Result<void> check_codings(std::string_view codings) {
  std::string_view last;
  std::size_t chunked = 0;
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    const auto comma = codings.find(',');
    last = trim(codings.substr(0, comma));
    auto rest = last;
    if (!take_token(rest) || (!rest.empty() && rest.front() != ';' && rest.front() != ' ')) {
      return bad("Transfer-Encoding is malformed");
    }
    if (same_token(last, "chunked")) ++chunked;
    more = comma != std::string_view::npos;
    if (more) codings.remove_prefix(comma + 1);
  }
  if (chunked != 1 || !same_token(last, "chunked")) {
    return bad("the last Transfer-Encoding, and only that, must be chunked");
  }
  if (count > 1) return bad(501, "the only supported Transfer-Encoding is chunked");
  return ok();
}

Result<HttpFraming> parse_framing(const HttpFields& fields, bool http10) {
  HttpFraming framing;
  const auto connection = fields.find("Connection");
  framing.keep_alive = !http10 && !(connection && has_token(*connection, "close"));
  const auto lengths = fields.count("Content-Length");
  const auto codings = fields.count("Transfer-Encoding");
  if (lengths > 1) return bad("more than one Content-Length");
  if (codings > 1) return bad("more than one Transfer-Encoding");
  if (lengths == 1 && codings == 1) return bad("both Content-Length and Transfer-Encoding");
  if (codings == 1) {
    if (http10) return bad("Transfer-Encoding in HTTP/1.0");
    auto good = check_codings(*fields.find("Transfer-Encoding"));
    if (!good) return good.error();
    framing.chunked = true;
  }
  if (lengths == 1) {
    const auto text = *fields.find("Content-Length");
    std::uint64_t length = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), length);
    if (text.empty() || fault != std::errc() || end != text.data() + text.size()) {
      return bad("Content-Length is not a number");
    }
    framing.length = length;
  }
  return framing;
}

Result<void> parse_request_line(std::string_view line, HttpRequest& request) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return bad("the request line is malformed");
  request.method = line.substr(0, first);
  request.target = line.substr(first + 1, last - first - 1);
  const auto version = line.substr(last + 1);
  if (!is_token(request.method)) return bad("the method is malformed");
  if (request.target.empty() || !is_visible(request.target) ||
      request.target.find('#') != std::string_view::npos) {
    return bad("the request target is malformed");
  }
  if (version == "HTTP/1.0") {
    request.http10 = true;
  } else if (version != "HTTP/1.1") {
    if (version.starts_with("HTTP/")) return bad(505, "only HTTP/1.1 and HTTP/1.0 are supported");
    return bad("the request line is malformed");
  }
  return ok();
}

constexpr std::string_view kResponseStart = "HTTP/1.";

Result<void> parse_status_line(std::string_view line, HttpResponseHead& head) {
  const auto digits = line.substr(std::min<std::size_t>(line.size(), 9), 3);
  const auto rest = line.substr(std::min<std::size_t>(line.size(), 12));
  const bool version = line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 ");
  if (!version || !is_field_value(rest)) return bad("this is not an HTTP response");
  const auto [end, fault] =
      std::from_chars(digits.data(), digits.data() + digits.size(), head.status);
  if (fault != std::errc() || end != digits.data() + digits.size() || head.status < 100 ||
      (!rest.empty() && rest.front() != ' ')) {
    return bad("the response has no status");
  }
  return ok();
}

constexpr auto kHostBytes = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = '0'; c <= '9'; ++c) table[c] = true;
  for (std::size_t c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = true;
  for (const char c : std::string_view("-._~%!$&'()*+,;="))
    table[static_cast<unsigned char>(c)] = true;
  return table;
}();

// In the brackets of an address of IPv6.
bool is_address_byte(char c) {
  const bool plain = (c >= '0' && c <= '9') || (lower_case(c) >= 'a' && lower_case(c) <= 'z');
  return plain || c == ':' || c == '.';
}

bool is_port(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// A name or an address, and perhaps a port (RFC 3986, 3.2.2); nothing else that others could read
// as another host.
bool is_host(std::string_view text) {
  const bool literal = text.starts_with('[');
  const auto end = literal ? text.find(']') : std::min(text.find(':'), text.size());
  if (end == std::string_view::npos) return false;
  const auto name = text.substr(literal, end - literal);
  const auto port = text.substr(end + literal);
  const auto fits = [literal](char c) {
    return literal ? is_address_byte(c) : kHostBytes[static_cast<unsigned char>(c)];
  };
  return std::ranges::all_of(name, fits) && (!literal || !name.empty()) &&
         (port.empty() || (port.front() == ':' && is_port(port.substr(1))));
}

// Converts the target into origin form and resolves which host is meant.
Result<void> resolve_target(HttpRequest& request) {
  const auto host = request.fields.find("Host");
  if (!host && !request.http10) return bad("the Host header is missing");
  request.host = host.value_or("");
  if (!is_host(request.host)) return bad("the Host header is malformed");
  constexpr std::string_view kScheme = "http://";
  if (request.target.starts_with(kScheme)) {
    const auto rest = request.target.substr(kScheme.size());
    const auto slash = rest.find('/');
    if (!same_token(rest.substr(0, slash), request.host)) {
      return bad("the request target names another host than the Host header");
    }
    request.target = slash == std::string_view::npos ? "/" : rest.substr(slash);
  } else if (request.target.front() != '/' &&
             !(request.target == "*" && request.method == "OPTIONS")) {
    return bad("the request target is malformed");
  }
  const auto mark = request.target.find('?');
  request.path = request.target.substr(0, mark);
  request.query = mark == std::string_view::npos ? "" : request.target.substr(mark + 1);
  return ok();
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool has_token(std::string_view value, std::string_view token) {
  if (same_token(value, token)) return true;  // The most frequent case.
  while (!value.empty()) {
    const auto comma = value.find(',');
    auto item = trim(value.substr(0, comma));
    item = trim(item.substr(0, item.find(';')));
    if (same_token(item, token)) return true;
    if (comma == std::string_view::npos) break;
    value.remove_prefix(comma + 1);
  }
  return false;
}

int parse_status(const Error& error) {
  int status = 400;
  std::from_chars(error.data.data(), error.data.data() + error.data.size(), status);
  return status;
}

Result<std::size_t> parse_request(std::string_view bytes, const HttpLimits& limits,
                                  HttpRequest& request) {
  auto rest = bytes;
  request.fields.clear();
  // Some clients send an extra line break after a body.
  if (rest.starts_with("\r\n")) rest.remove_prefix(2);
  const auto begin = rest;
  auto line = take_line(rest);
  if (!line) return line.error();
  // A carriage return at the end of the input belongs to the line end.
  const auto known = line->value_or(begin.substr(0, begin.size() - begin.ends_with('\r')));
  if (known.size() > limits.request_line) {
    return bad(414, fmt::format("the request line exceeds {} bytes", limits.request_line));
  }
  if (!line->has_value()) {
    // Input that cannot become a request line is refused at once: a TLS greeting, for example.
    const bool blank = begin == "\r" && begin.size() == bytes.size();
    if (!begin.empty() && !blank && !kTokenBytes[static_cast<unsigned char>(begin.front())]) {
      return bad("this is not HTTP");
    }
    return std::size_t{0};
  }
  auto first = parse_request_line(**line, request);
  if (!first) return first.error();

  auto complete = parse_fields(rest, limits, request.fields);
  if (!complete) return complete.error();
  const auto size = *complete ? bytes.size() - rest.size() : bytes.size();
  if (size > limits.headers) {
    return bad(431, fmt::format("the request head exceeds {} bytes", limits.headers));
  }
  if (!*complete) return std::size_t{0};

  auto framing = parse_framing(request.fields, request.http10);
  if (!framing) return framing.error();
  request.framing = *framing;
  auto once = check_once(request.fields);
  if (!once) return once.error();
  auto target = resolve_target(request);
  if (!target) return target.error();
  const auto expect = request.fields.find("Expect");
  request.expects_continue = expect && same_token(*expect, "100-continue");
  return size;
}

Result<std::size_t> parse_response(std::string_view bytes, const HttpLimits& limits,
                                   HttpResponseHead& head) {
  auto rest = bytes;
  head.fields.clear();
  auto line = take_line(rest);
  if (!line) return line.error();
  if (!line->has_value()) {
    if (bytes.size() > limits.headers) return bad("the response head is too long");
    if (!kResponseStart.starts_with(bytes.substr(0, kResponseStart.size()))) {
      return bad("this is not an HTTP response");
    }
    return std::size_t{0};
  }
  auto first = parse_status_line(**line, head);
  if (!first) return first.error();
  auto complete = parse_fields(rest, limits, head.fields);
  if (!complete) return complete.error();
  const auto size = *complete ? bytes.size() - rest.size() : bytes.size();
  if (size > limits.headers) return bad("the response head is too long");
  if (!*complete) return std::size_t{0};
  auto framing = parse_framing(head.fields, (**line).starts_with("HTTP/1.0"));
  if (!framing) return framing.error();
  head.framing = *framing;
  return size;
}

namespace {

// Extensions after the size of a chunk: `;name`, `;name=value`, any number of them.
bool are_chunk_extensions(std::string_view text) {
  while (!text.empty()) {
    skip_blanks(text);
    if (!take_char(text, ';')) return false;
    skip_blanks(text);
    if (!take_token(text)) return false;
    auto value = text;
    skip_blanks(value);
    if (!take_char(value, '=')) continue;
    skip_blanks(value);
    if (!take_token(value) && !take_quoted(value)) return false;
    text = value;
  }
  return true;
}

}  // namespace

Result<ChunkReader::Step> ChunkReader::next(std::string_view bytes) {
  if (state_ == State::data) {
    const auto size = std::min<std::uint64_t>(left_, bytes.size());
    left_ -= size;
    if (left_ == 0) state_ = State::data_end;
    return Step{size, bytes.substr(0, size), false};
  }
  auto rest = bytes;
  auto line = take_line(rest);
  if (!line) return line.error();
  if (!line->has_value()) {
    if (bytes.size() > kMaxTrailer ||
        (state_ == State::size && bytes.size() - bytes.ends_with('\r') > kMaxChunkLine)) {
      return bad("a chunk header is too long");
    }
    return Step{};
  }
  const auto text = **line;
  const auto taken = bytes.size() - rest.size();
  switch (state_) {
    case State::size: {
      if (text.size() > kMaxChunkLine) return bad("a chunk header is too long");
      const auto digits = text.substr(0, text.find_first_of("; \t"));
      const auto [end, fault] =
          std::from_chars(digits.data(), digits.data() + digits.size(), left_, 16);
      if (digits.empty() || digits.size() > 15 || fault != std::errc() ||
          end != digits.data() + digits.size()) {
        return bad("a chunk size is malformed");
      }
      if (!are_chunk_extensions(text.substr(digits.size()))) {
        return bad("a chunk extension is malformed");
      }
      state_ = left_ == 0 ? State::trailer : State::data;
      break;
    }
    case State::data_end:
      if (!text.empty()) return bad("a chunk is longer than its size");
      state_ = State::size;
      break;
    case State::trailer: {
      if (text.empty()) return Step{taken, {}, true};
      trailer_ += taken;
      if (trailer_ > kMaxTrailer) return bad("the trailer is too long");
      HttpFields ignored;
      auto field = parse_field(text, ignored);
      if (!field) return field.error();
      break;
    }
    case State::data:
      break;
  }
  return Step{taken, {}, false};
}

}  // namespace patchbay::net
