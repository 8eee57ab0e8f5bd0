// The OpenAPI document over HTTP, at /v3/api-docs, /openapi.json and /openapi.yaml. It is built at
// the first request after a catalog change, and cached for all callers.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "frontends/rest/answer.h"
#include "frontends/rest/settings.h"
#include "gateway/catalog/view.h"
#include "gateway/server.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

// The newest documents in both notations: one of the whole catalog, and one of each part of it that
// some callers see. Shared by all workers.
class OpenApiDocuments {
 public:
  struct Notation {
    std::string text;
    std::string etag;
  };
  struct Document {
    std::uint64_t catalog = 0;  // The catalog that it describes...
    std::uint64_t family = 0;   // ...and the whole catalog of which that is a part.
    Notation json;
    Notation yaml;
  };

  std::shared_ptr<const Document> of(const gateway::Catalog& catalog);

 private:
  static constexpr std::size_t kMost = 64;

  std::shared_ptr<const Document> find(std::uint64_t catalog) const;

  std::mutex mutex_;
  std::deque<std::shared_ptr<const Document>> newest_;  // The newest first.
};

// One per worker; confined to it.
class OpenApiPage final : public net::HttpHandler {
 public:
  // REQUIRES: everything referred to outlives this.
  OpenApiPage(const gateway::McpServer& server, gateway::CatalogView& catalog,
              OpenApiDocuments& documents, const RestSettings& settings);

  Task<void> handle(net::HttpExchange& exchange) override;
  net::HttpRefusal refusal(const net::HttpRequest&, int status,
                           std::string_view message) const override {
    return rest_refusal(Dialect::plain, status, message);
  }

  void update(const RestSettings& settings) { enabled_ = settings.enabled && settings.openapi; }

 private:
  const gateway::McpServer& server_;
  gateway::CatalogView& catalog_;
  OpenApiDocuments& documents_;
  bool enabled_ = true;
};

}  // namespace patchbay::frontends
