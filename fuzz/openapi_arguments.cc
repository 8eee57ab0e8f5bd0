// Fuzzes the encoding of the arguments of an operation, which come from the caller of the tool: in
// every location and style, they stay within their part of the request.
#include "fuzz/require.h"
#include "json/read.h"
#include "upstreams/openapi/request.h"
#include "upstreams/openapi/service.h"

namespace patchbay {
namespace {

using fuzz::require;

// Parameters of every style, and a body that is a form.
constexpr std::string_view kDocument = R"yaml(
openapi: 3.1.0
servers: [{url: "http://h/base"}]
paths:
  "/s/{a}/{b}.{c}/e":
    post:
      operationId: op
      parameters:
        - {name: a, in: path}
        - {name: b, in: path, style: label, explode: true}
        - {name: c, in: path, style: matrix}
        - {name: d, in: query}
        - {name: e, in: query, style: pipeDelimited, explode: false}
        - {name: f, in: query, style: deepObject}
        - {name: g, in: query, allowReserved: true}
        - {name: h, in: header, explode: true}
        - {name: i, in: cookie}
      requestBody:
        content:
          multipart/form-data: {schema: {properties: {x: {format: binary}}}}
)yaml";

const upstreams::OpenapiService& service() {
  static const auto made =
      upstreams::read_service(kDocument, "up", upstreams::OpenapiSettings(), std::nullopt);
  require(static_cast<bool>(made) && made->operations.size() == 1);
  return *made;
}

void check_request(const upstreams::OpenapiRequest& request) {
  require(request.path.starts_with("/base/s/"));
  for (const char c : request.path) require(c > 0x20 && c < 0x7F && c != '#');
  const auto mark = request.path.find('?');
  require(mark == std::string::npos ||
          request.path.find_first_of("[]\"<>\\^`{|}", mark) == std::string::npos);
  std::string_view path = std::string_view(request.path).substr(0, mark);
  int steps = 0;
  while (!path.empty()) {
    const auto end = std::min(path.find('/', 1), path.size());
    const auto step = path.substr(1, end - 1);
    require(step != "" && step != "." && step != "..");
    path.remove_prefix(end);
    ++steps;
  }
  require(steps == 5);
  // Lines of a name and a value, each with its end.
  std::string_view fields = request.fields;
  while (!fields.empty()) {
    const auto end = fields.find("\r\n");
    require(end != std::string_view::npos);
    const auto line = fields.substr(0, end);
    require(line.find(": ") != std::string_view::npos);
    for (const char c : line) require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
    fields.remove_prefix(end + 2);
  }
}

}  // namespace
}  // namespace patchbay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace patchbay;
  const auto arguments = fuzz::text_of(data, size);
  if (!json::check(arguments) || json::type_of(arguments) != json::Type::object) return 0;
  const auto request =
      upstreams::make_request({"", 32768}, service().operations.front(), arguments);
  if (request) {
    check_request(*request);
  } else {
    require(!request.error().message.empty());
  }
  return 0;
}
