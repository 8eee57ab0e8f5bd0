#include "frontends/auth/resource_metadata.h"

#include "frontends/content_types.h"

namespace patchbay::frontends {

void ResourcePage::update(const policy::AuthSettings& settings) {
  text_ = resource_metadata(settings);
  path_ = resource_path(settings);
}

Task<void> ResourcePage::handle(net::HttpExchange& exchange) {
  const auto behind = exchange.request.path.substr(kMetadataPath.size());
  const bool here = behind.empty() || behind == path_ || behind == "/mcp";
  if (text_.empty() || !here) {
    co_return co_await exchange.answer(404, net::kJson,
                                       {"{\"error\":\"there is nothing at this path\"}\n"});
  }
  co_return co_await exchange.answer(200, kJsonUtf8, {text_, "\n"},
                                     "Cache-Control: max-age=300\r\n");
}

}  // namespace patchbay::frontends
