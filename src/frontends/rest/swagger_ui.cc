#include "frontends/rest/swagger_ui.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "frontends/rest/call.h"
#include "frontends/rest/content.h"
#include "net/http/syntax/conditions.h"

namespace patchbay::frontends {
namespace {

constexpr std::string_view kFolder = "/swagger-ui/";
constexpr std::string_view kHtml = "text/html; charset=utf-8";
constexpr std::string_view kScript = "text/javascript; charset=utf-8";

// Scripts come only from our own files, requests go only to ourselves, and no page may frame ours.
// Swagger UI sets styles on its elements.
constexpr std::string_view kPolicy =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self' "
    "'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action "
    "'none'; frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n";

constexpr std::string_view kPage = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Patchbay</title>
<link rel="stylesheet" href="swagger-ui.css">
<link rel="icon" type="image/png" href="favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="swagger-ui-bundle.js"></script>
<script src="start.js"></script>
</body>
</html>
)";

constexpr std::string_view kStart = R"(window.ui = SwaggerUIBundle({
  url: "../openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
)";

constexpr std::string_view kMissing = R"(<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Patchbay</title></head>
<body><p>Swagger UI is not in this build: run <code>npm ci</code> in <code>web/</code> and build again. The
OpenAPI document is at <a href="../openapi.json">/openapi.json</a>.</p></body>
</html>
)";

struct Served {
  WebAsset asset;
  std::string etag;
};

// All files below the folder.
const std::vector<Served>& served() {
  static const std::vector<Served> all = [] {
    const auto files = swagger_assets();
    std::vector<WebAsset> assets(files.begin(), files.end());
    assets.push_back({"index.html", kHtml, files.empty() ? kMissing : kPage});
    if (!files.empty()) assets.push_back({"start.js", kScript, kStart});
    std::vector<Served> made;
    for (const auto& asset : assets) made.push_back({asset, etag_of(asset.content)});
    return made;
  }();
  return all;
}

const Served* find_served(std::string_view name) {
  for (const auto& one : served()) {
    if (one.asset.name == name) return &one;
  }
  return nullptr;
}

}  // namespace

Task<void> SwaggerUi::handle(net::HttpExchange& exchange) {
  const auto& request = exchange.request;
  auto name = request.path;
  const bool inside = name.starts_with(kFolder);
  if (inside) name.remove_prefix(kFolder.size());
  if (enabled_ && (!inside || name.empty())) {
    co_return co_await exchange.answer(302, "", {}, "Location: /swagger-ui/index.html\r\n");
  }
  const Served* const found = enabled_ ? find_served(name) : nullptr;
  if (!found) {
    const auto answer =
        error_answer(Dialect::plain, {Code::not_found, "there is nothing at this path"});
    co_return co_await send_answer(exchange, answer);
  }
  const auto& [asset, etag] = *found;
  const std::string fields =
      fmt::format("ETag: {}\r\nCache-Control: no-cache\r\n{}", etag, kPolicy);
  if (net::has_already(request.fields, etag)) {
    co_return co_await exchange.answer(304, asset.type, {}, fields);
  }
  co_return co_await exchange.answer(200, asset.type, {asset.content}, fields);
}

}  // namespace patchbay::frontends
