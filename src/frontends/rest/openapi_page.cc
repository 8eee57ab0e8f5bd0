#include "frontends/rest/openapi_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/rest/call.h"
#include "frontends/rest/content.h"
#include "frontends/rest/openapi.h"
#include "json/yaml.h"
#include "net/http/syntax/conditions.h"

namespace patchbay::frontends {
namespace {

OpenApiDocuments::Notation noted(std::string text) {
  std::string etag = etag_of(text);
  return {std::move(text), std::move(etag)};
}

RestAnswer nothing_here() {
  return error_answer(Dialect::plain, {Code::not_found, "there is nothing at this path"});
}

}  // namespace

std::shared_ptr<const OpenApiDocuments::Document> OpenApiDocuments::find(
    std::uint64_t catalog) const {
  const auto found =
      std::ranges::find(newest_, catalog, [](const auto& one) { return one->catalog; });
  return found == newest_.end() ? nullptr : *found;
}

std::shared_ptr<const OpenApiDocuments::Document> OpenApiDocuments::of(
    const gateway::Catalog& catalog) {
  {
    const std::lock_guard lock(mutex_);
    if (auto found = find(catalog.number())) return found;
  }
  // Built without the lock: two concurrent requests both build it, and neither waits.
  std::string text = openapi_document(catalog);
  std::string yaml = json::to_yaml(text);
  auto made = std::make_shared<const Document>(
      Document{catalog.number(), catalog.family(), noted(std::move(text)), noted(std::move(yaml))});
  const std::lock_guard lock(mutex_);
  if (auto found = find(catalog.number())) return found;
  std::erase_if(newest_, [&](const auto& one) { return one->family < made->family; });
  newest_.push_front(made);
  if (newest_.size() > kMost) newest_.pop_back();
  return made;
}

OpenApiPage::OpenApiPage(const gateway::McpServer& server, gateway::CatalogView& catalog,
                         OpenApiDocuments& documents, const RestSettings& settings)
    : server_(server), catalog_(catalog), documents_(documents) {
  update(settings);
}

Task<void> OpenApiPage::handle(net::HttpExchange& exchange) {
  if (!enabled_) co_return co_await send_answer(exchange, nothing_here());
  auto catalog = co_await catalog_.wait_synced(*exchange.caller, server_.deadline());
  if (!catalog) co_return catalog.error();
  if ((*catalog)->access() && !(*catalog)->access()->has_method("tools/list")) {
    co_return co_await send_answer(exchange, nothing_here());
  }
  const auto document = documents_.of(**catalog);
  const bool yaml = exchange.request.path.ends_with(".yaml");
  const auto& notation = yaml ? document->yaml : document->json;
  const std::string fields =
      fmt::format("ETag: {}\r\nCache-Control: private, no-cache\r\n", notation.etag);
  const std::string_view type = yaml ? "application/yaml" : net::kJson;
  if (net::has_already(exchange.request.fields, notation.etag)) {
    co_return co_await exchange.answer(304, type, {}, fields);
  }
  co_return co_await exchange.answer(200, type, {notation.text}, fields);
}

}  // namespace patchbay::frontends
