#include "upstreams/openapi/style.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/read.h"
#include "json/uri.h"
#include "net/http/syntax/percent.h"
#include "upstreams/openapi/faults.h"

namespace patchbay::upstreams {
namespace {

using json::Type;

// How often a service might decode a path before it splits it into segments.
constexpr int kDecodings = 3;
// In a query these are no delimiters: not encoded where the document allows it.
constexpr std::string_view kHarmless = ":/?@!$'()*,";

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// True if a server that reads `text` as a path segment would see `.` or `..`.
bool has_dot_step(std::string_view text) {
  while (true) {
    const auto end = std::min(text.find_first_of("/\\"), text.size());
    const auto whole = text.substr(0, end);
    const auto step = whole.substr(0, whole.find(';'));
    if (step == "." || step == "..") return true;
    if (end == text.size()) return false;
    text.remove_prefix(end + 1);
  }
}

// A service may decode more often than it should: a value that would become a `..` segment even
// then is refused in a path.
Result<void> check_path_text(std::string_view text, std::string_view argument) {
  if (std::ranges::any_of(text, is_control))
    return openapi_argument_fault(argument, "has a control character");
  std::string decoded(text);
  for (int i = 0; i < kDecodings; ++i) {
    if (has_dot_step(decoded)) {
      return openapi_argument_fault(argument,
                                    "is part of a path, where '.' and '..' are not allowed");
    }
    auto next = json::decode_percents(decoded);
    if (!next || *next == decoded) break;
    decoded = *std::move(next);
  }
  return ok();
}

// Encodes one value, or one key, of a parameter for its location.
class Writer {
 public:
  explicit Writer(const OpenapiParameter& parameter) : parameter_(parameter) {}

  // `in_list`: delimiters surround it.
  Result<std::string> operator()(std::string_view text, bool in_list) const {
    const auto& argument = parameter_.argument;
    switch (parameter_.location) {
      case ParameterLocation::path: {
        auto checked = check_path_text(text, argument);
        if (!checked) return checked.error();
        return net::percent_encode(text);
      }
      case ParameterLocation::header:
        if (std::ranges::any_of(text, is_control)) {
          return openapi_argument_fault(argument,
                                        "has a control character, which no header may have");
        }
        if (in_list && text.find_first_of(",=") != std::string_view::npos) {
          return openapi_argument_fault(
              argument, "is a list in a header, where no element may have ',' or '='");
        }
        return std::string(text);
      case ParameterLocation::query:
        return parameter_.form.reserved ? encode_little(text) : net::percent_encode(text);
      case ParameterLocation::cookie:
        break;
    }
    return net::percent_encode(text);
  }

 private:
  static std::string encode_little(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool stays = kHarmless.find(text[i]) != std::string_view::npos;
      out += stays ? std::string(1, text[i]) : net::percent_encode(text.substr(i, 1));
    }
    return out;
  }

  const OpenapiParameter& parameter_;
};

// The delimiters around values, by style and location.
struct Joints {
  std::string_view first;    // Before everything.
  std::string_view between;  // Exploded values.
  std::string_view list;     // Values that are not.
  bool named = false;        // The parameter's name precedes values.
};

Joints joints_of(const OpenapiParameter& parameter) {
  using enum ParameterStyle;
  const std::string_view between = parameter.location == ParameterLocation::cookie ? "; " : "&";
  switch (parameter.form.style) {
    case simple:
      return {"", ",", ",", false};
    case label:
      return {".", ".", ",", false};
    case matrix:
      return {";", ";", ",", true};
    case space_delimited:
      return {"", between, "%20", true};
    case pipe_delimited:
      return {"", between, "%7C", true};
    case form:
    case deep_object:
      break;
  }
  return {"", between, ",", true};
}

class Expansion {
 public:
  Expansion(const OpenapiParameter& parameter, std::span<const std::string> taken)
      : parameter_(parameter),
        taken_(taken),
        write_(parameter),
        joints_(joints_of(parameter)),
        name_(joints_.named ? net::percent_encode(parameter.name) : "") {}

  Result<std::string> scalar(std::string_view value) {
    auto text = text_of_value(value, parameter_.argument);
    if (!text) return text;
    auto written = write_(*text, false);
    if (!written) return written;
    out_ = joints_.first;
    if (joints_.named) out_ += name_;
    // RFC 6570: a path parameter of this style without a value has no '=' either.
    const bool bare = parameter_.form.style == ParameterStyle::matrix && written->empty();
    if (joints_.named && !bare) out_ += '=';
    return out_ + *written;
  }

  Result<std::string> array(std::string_view value) {
    json::each_element(value, [&](std::string_view element) {
      if (fault_ || json::type_of(element) == Type::null) return;
      auto text = written(element);
      if (!text) return;
      begin_value();
      if (joints_.named && explode()) out_ += name_ + "=";
      out_ += *text;
    });
    return finished();
  }

  Result<std::string> object(std::string_view value) {
    json::each_member(value, [&](std::string_view key, std::string_view member) {
      if (fault_ || json::type_of(member) == Type::null) return;
      auto name = write_(key, true);
      auto text = written(member);
      if (!name) fault_ = name.error();
      if (!name || !text || !may_use(key)) return;
      begin_value();
      out_ += *name;
      out_ += explode() ? "=" : joints_.list;
      out_ += *text;
    });
    return finished();
  }

  Result<std::string> deep(std::string_view value) {
    bracket(name_, value);
    return finished();
  }

 private:
  bool explode() const { return parameter_.form.explode; }

  std::optional<std::string> written(std::string_view value) {
    auto text = text_of_value(value, parameter_.argument);
    if (text) text = write_(*text, true);
    if (text) return *std::move(text);
    fault_ = text.error();
    return std::nullopt;
  }

  // Keys that become names of parameters must not be those of others.
  bool may_use(std::string_view key) {
    const bool names = explode() && parameter_.location != ParameterLocation::path &&
                       parameter_.location != ParameterLocation::header;
    if (!names || key == parameter_.name) return true;
    const bool taken =
        std::ranges::any_of(taken_, [&key](const std::string& name) { return name == key; });
    if (taken) {
      fault_ = openapi_argument_fault(
          parameter_.argument, fmt::format("has the key '{}', which is another parameter", key));
    }
    return !taken;
  }

  void begin_value() {
    if (!std::exchange(begun_, true)) {
      out_ = joints_.first;
      if (joints_.named && !explode()) out_ += name_ + "=";
    } else {
      out_ += explode() ? joints_.between : joints_.list;
    }
  }

  // name[key]=value, with further brackets for nested values. As deep as the Cursor goes.
  void bracket(const std::string& name, std::string_view value) {
    const Type type = json::type_of(value);
    if (fault_ || type == Type::null) return;
    if (type == Type::object) {
      json::each_member(value, [&](std::string_view key, std::string_view member) {
        bracket(fmt::format("{}%5B{}%5D", name, net::percent_encode(key)), member);
      });
    } else if (type == Type::array) {
      json::each_element(value, [&](std::string_view element) {
        if (json::type_of(element) == Type::array) {
          fault_ = openapi_argument_fault(parameter_.argument, "has a list within a list");
        } else {
          bracket(name, element);
        }
      });
    } else if (const auto text = written(value)) {
      if (!out_.empty()) out_ += joints_.between;
      out_ += name + "=" + *text;
    }
  }

  Result<std::string> finished() {
    if (fault_) return *fault_;
    return std::move(out_);
  }

  const OpenapiParameter& parameter_;
  const std::span<const std::string> taken_;
  const Writer write_;
  const Joints joints_;
  const std::string name_;  // Encoded; empty where no name is written.
  std::string out_;
  bool begun_ = false;
  std::optional<Error> fault_;
};

}  // namespace

Result<std::string> text_of_value(std::string_view value, std::string_view argument) {
  switch (json::type_of(value)) {
    case Type::string: {
      auto text = json::unquote(value);
      if (!text) return openapi_argument_fault(argument, "is not UTF-8 text");
      return text;
    }
    case Type::number:
    case Type::boolean:
      return std::string(value);
    case Type::null:
      return std::string();
    default:
      return openapi_argument_fault(argument,
                                    "has a list or an object where a plain value is required");
  }
}

Result<std::string> write_parameter(const OpenapiParameter& parameter, std::string_view value,
                                    std::span<const std::string> taken) {
  const Type type = json::type_of(value);
  if (type == Type::null) return std::string();
  Expansion expansion(parameter, taken);
  if (parameter.form.as_json) return expansion.scalar(json::quote(json::on_one_line(value)));
  if (type == Type::object && parameter.form.style == ParameterStyle::deep_object) {
    return expansion.deep(value);
  }
  if (type == Type::object) return expansion.object(value);
  if (type == Type::array) return expansion.array(value);
  return expansion.scalar(value);
}

}  // namespace patchbay::upstreams
