#include "upstreams/openapi/body.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base64.h"
#include "core/ids.h"
#include "json/read.h"
#include "net/http/syntax/percent.h"
#include "upstreams/openapi/faults.h"
#include "upstreams/openapi/style.h"

namespace patchbay::upstreams {
namespace {

using json::Type;

constexpr std::size_t kBoundaryBytes = 16;

const OpenapiField* find_field(const OpenapiBody& body, std::string_view name) {
  const auto found = std::ranges::find(body.fields, name, &OpenapiField::name);
  return found == body.fields.end() ? nullptr : &*found;
}

Result<std::string> bytes_of(std::string_view value, std::string_view argument) {
  auto text = text_of_value(value, argument);
  if (!text) return text;
  auto bytes = base64_decode(*text);
  if (!bytes) return openapi_argument_fault(argument, "must be base64, with its padding");
  return *std::move(bytes);
}

bool is_plain(Type type) {
  return type == Type::string || type == Type::number || type == Type::boolean;
}

// One field of a form. Lists repeat it and objects are JSON, unless the document specifies
// otherwise.
Result<std::string> write_form_field(const OpenapiBody& body, std::string_view key,
                                     std::string_view value) {
  const OpenapiField* const field = find_field(body, key);
  OpenapiParameter as;
  as.name = key;
  as.argument = fmt::format("{}.{}", body.argument, key);
  as.form = {ParameterStyle::form, true, false, false};
  if (field && field->form) {
    as.form = *field->form;
  } else {
    as.form.as_json = json::type_of(value) == Type::object;
  }
  std::vector<std::string> taken;
  for (const auto& one : body.fields) taken.push_back(one.name);
  return write_parameter(as, value, taken);
}

Result<WrittenBody> write_form(const OpenapiBody& body, std::string_view value) {
  WrittenBody out{"application/x-www-form-urlencoded", {}};
  Result<void> done = ok();
  json::each_member(value, [&](std::string_view key, std::string_view member) {
    if (!done) return;
    auto text = write_form_field(body, key, member);
    if (!text) {
      done = text.error();
    } else if (!text->empty()) {
      if (!out.bytes.empty()) out.bytes += '&';
      out.bytes += *text;
    }
  });
  if (!done) return done.error();
  return out;
}

// As browsers write names: quotes and line breaks are encoded.
std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto byte = static_cast<unsigned char>(name[i]);
    const bool encodes = byte < 0x20 || byte == 0x7F || byte == '"' || byte == '\\';
    out += encodes ? net::percent_encode(name.substr(i, 1)) : std::string(1, name[i]);
  }
  return out + '"';
}

class Parts {
 public:
  explicit Parts(const OpenapiBody& body)
      : body_(body), boundary_("patchbay-" + random_hex(kBoundaryBytes)) {}

  Result<void> add(std::string_view key, std::string_view value) {
    const Type type = json::type_of(value);
    if (type == Type::null) return ok();
    if (type != Type::array) return add_one(key, value);
    Result<void> done = ok();
    json::each_element(value, [&](std::string_view element) {
      if (done) done = add_one(key, element);
    });
    return done;
  }

  WrittenBody take() {
    return {"multipart/form-data; boundary=" + boundary_, out_ + "--" + boundary_ + "--\r\n"};
  }

 private:
  Result<void> add_one(std::string_view key, std::string_view value) {
    const OpenapiField* const field = find_field(body_, key);
    const auto argument = fmt::format("{}.{}", body_.argument, key);
    const bool binary = field && field->binary;
    const bool plain = is_plain(json::type_of(value));
    std::string type = field ? field->content_type : "";
    if (type.empty() && binary) type = "application/octet-stream";
    if (type.empty() && !plain) type = "application/json";
    Result<std::string> content = std::string(value);
    if (binary) {
      content = bytes_of(value, argument);
    } else if (plain && !type.ends_with("json")) {
      content = text_of_value(value, argument);
    }
    if (!content) return content.error();
    out_ +=
        fmt::format("--{}\r\nContent-Disposition: form-data; name={}{}{}\r\n", boundary_,
                    quoted_name(key), binary ? "; filename=" : "", binary ? quoted_name(key) : "");
    if (!type.empty()) out_ += fmt::format("Content-Type: {}\r\n", type);
    out_ += "\r\n" + *content + "\r\n";
    return ok();
  }

  const OpenapiBody& body_;
  const std::string boundary_;
  std::string out_;
};

Result<WrittenBody> write_parts(const OpenapiBody& body, std::string_view value) {
  Parts parts(body);
  Result<void> done = ok();
  json::each_member(value, [&](std::string_view key, std::string_view member) {
    if (done) done = parts.add(key, member);
  });
  if (!done) return done.error();
  return parts.take();
}

}  // namespace

Result<WrittenBody> write_body(const OpenapiBody& body, std::string_view value) {
  const bool fields = body.kind == BodyKind::form || body.kind == BodyKind::multipart;
  if (fields && json::type_of(value) != Type::object) {
    return openapi_argument_fault(body.argument, "must be an object");
  }
  switch (body.kind) {
    case BodyKind::json:
      return WrittenBody{body.content_type, std::string(value)};
    case BodyKind::form:
      return write_form(body, value);
    case BodyKind::multipart:
      return write_parts(body, value);
    case BodyKind::bytes: {
      auto bytes = bytes_of(value, body.argument);
      if (!bytes) return bytes.error();
      return WrittenBody{body.content_type, *std::move(bytes)};
    }
    case BodyKind::text:
    case BodyKind::none:
      break;
  }
  auto text = text_of_value(value, body.argument);
  if (!text) return text.error();
  return WrittenBody{body.content_type, *std::move(text)};
}

}  // namespace patchbay::upstreams
