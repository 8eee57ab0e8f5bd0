#include "frontends/stateless_request.h"

#include "json/text.h"

namespace patchbay::frontends {

RestRequest::RestRequest(std::string_view method, std::string_view id) : id_(json::quote(id)) {
  message_.method = method;
  message_.id = id_;
}

void RestRequest::add_text(std::string_view key, std::string_view text) {
  add(key, texts_.emplace_front(json::quote(text)));
}

}  // namespace patchbay::frontends
