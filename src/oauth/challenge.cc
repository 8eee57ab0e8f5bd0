#include "oauth/challenge.h"

#include <vector>

#include "core/http_token.h"

namespace patchbay::oauth {
namespace {

struct Parameter {
  std::string name;
  std::string value;
};

struct Parsed {
  std::string_view scheme;
  std::vector<Parameter> parameters;
};

// Of one challenge. Each is compared with all earlier ones.
constexpr std::size_t kMostParameters = 64;

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_token68(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("-._~+/").find(c) != std::string_view::npos;
}

// Parses one value of the header. A fault ends it, since the rest is ambiguous.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool failed() const { return failed_; }

  // The next challenge; false at the end, or at a fault.
  bool next(Parsed& parsed) {
    skip_separators();
    if (rest_.empty()) return false;
    parsed = {token(), {}};
    if (parsed.scheme.empty()) return fail();
    const bool ends = rest_.empty() || is_blank(rest_.front()) || rest_.front() == ',';
    if (!ends) return fail();
    skip_blanks();
    if (rest_.empty() || rest_.front() == ',') return true;
    // Bearer has no such form: `scope=` is a fault.
    if (!same_token(parsed.scheme, "Bearer") && take_token68()) return true;
    return read_parameters(parsed);
  }

 private:
  bool fail() {
    failed_ = true;
    rest_ = {};
    return false;
  }

  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }
  void skip_separators() {
    while (!rest_.empty() && (is_blank(rest_.front()) || rest_.front() == ',')) {
      rest_.remove_prefix(1);
    }
  }

  std::string_view token() {
    std::size_t size = 0;
    while (size < rest_.size() && kTokenBytes[static_cast<unsigned char>(rest_[size])]) ++size;
    const auto found = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return found;
  }

  // Credentials of other schemes stand alone: `Negotiate YII=`.
  bool take_token68() {
    std::string_view after = rest_;
    while (!after.empty() && is_token68(after.front())) after.remove_prefix(1);
    if (after.size() == rest_.size()) return false;
    while (!after.empty() && after.front() == '=') after.remove_prefix(1);
    std::string_view next = after;
    while (!next.empty() && is_blank(next.front())) next.remove_prefix(1);
    if (!next.empty() && next.front() != ',') return false;
    rest_ = after;
    return true;
  }

  // True if a name and an equals sign come next; otherwise a comma starts a new challenge.
  bool at_parameter() const {
    std::string_view after = rest_;
    while (!after.empty() && kTokenBytes[static_cast<unsigned char>(after.front())]) {
      after.remove_prefix(1);
    }
    if (after.size() == rest_.size()) return false;
    while (!after.empty() && is_blank(after.front())) after.remove_prefix(1);
    return after.starts_with('=');
  }

  bool read_parameters(Parsed& parsed) {
    for (;;) {
      if (!at_parameter()) return parsed.parameters.empty() ? fail() : true;
      Parameter one{std::string(token()), {}};
      skip_blanks();
      rest_.remove_prefix(1);  // The equals sign.
      skip_blanks();
      if (!read_value(one.value)) return fail();
      if (parsed.parameters.size() == kMostParameters) return fail();
      for (const auto& other : parsed.parameters) {
        if (same_token(other.name, one.name)) return fail();
      }
      parsed.parameters.push_back(std::move(one));
      skip_blanks();
      if (rest_.empty()) return true;
      if (rest_.front() != ',') return fail();
      skip_separators();
      if (rest_.empty()) return true;
    }
  }

  bool read_value(std::string& value) {
    if (!rest_.starts_with('"')) {
      value = token();
      // Unquoted URLs and scopes are accepted: some servers forget the quotes.
      while (!rest_.empty() && !is_blank(rest_.front()) && rest_.front() != ',') {
        if (rest_.front() == '"' || rest_.front() < 0x21) return false;
        value += rest_.front();
        rest_.remove_prefix(1);
      }
      return !value.empty();
    }
    rest_.remove_prefix(1);
    for (; !rest_.empty(); rest_.remove_prefix(1)) {
      if (rest_.front() == '"') {
        rest_.remove_prefix(1);
        return true;
      }
      if (rest_.front() == '\\') rest_.remove_prefix(1);
      if (rest_.empty()) break;
      value += rest_.front();
    }
    return false;
  }

  std::string_view rest_;
  bool failed_ = false;
};

Challenge challenge_of(Parsed parsed) {
  Challenge challenge;
  for (auto& [name, value] : parsed.parameters) {
    if (same_token(name, "error")) challenge.error = std::move(value);
    if (same_token(name, "scope")) challenge.scopes = split_scopes(value);
    if (same_token(name, "resource_metadata")) challenge.resource_metadata = std::move(value);
  }
  return challenge;
}

}  // namespace

std::optional<Challenge> bearer_challenge(std::span<const std::string> values) {
  for (const std::string& value : values) {
    Reader reader(value);
    Parsed parsed;
    while (reader.next(parsed)) {
      if (same_token(parsed.scheme, "Bearer")) return challenge_of(std::move(parsed));
    }
  }
  return std::nullopt;
}

}  // namespace patchbay::oauth
