#include "frontends/synthetic_request.h"

#include "json/text.h"

namespace patchbay::frontends {

SyntheticRequest::SyntheticRequest(std::string_view method, std::string id) : id_(std::move(id)) {
  message_.method = method;
  message_.id = id_;
}

void SyntheticRequest::add(std::string_view key, std::string_view raw) {
  message_.params.push_back({key, raw});
  size_ += key.size() + raw.size();
}

void SyntheticRequest::add_text(std::string_view key, std::string_view text) {
  add(key, texts_.emplace_front(json::quote(text)));
}

void SyntheticRequest::add_meta(std::string_view key, std::string_view raw) {
  message_.meta.push_back({key, raw});
  message_.has_meta = true;
}

}  // namespace patchbay::frontends
