// A RestRequest is what came by REST as the request that a stateless MCP client would have sent. It
// is put together from parts that have been checked, so nothing needs to be read again.
//
// Confined to its worker; lives as long as its call.
#pragma once

#include <forward_list>
#include <string>
#include <string_view>

#include "mcp/message.h"

namespace patchbay::frontends {

class RestRequest {
 public:
  // `id` is what the call is known by in the log and to the client. REQUIRES: `method`, and every
  // key that follows, outlive the request.
  RestRequest(std::string_view method, std::string_view id);
  RestRequest(const RestRequest&) = delete;
  RestRequest& operator=(const RestRequest&) = delete;

  // A parameter. REQUIRES: `raw` is one JSON value and outlives the request.
  void add(std::string_view key, std::string_view raw) { message_.params.push_back({key, raw}); }
  // The same for a text, which is kept.
  void add_text(std::string_view key, std::string_view text);
  void add_meta(std::string_view key, std::string_view raw) {
    message_.meta.push_back({key, raw});
    message_.has_meta = true;
  }

  const mcp::Message& message() const { return message_; }

 private:
  const std::string id_;  // Raw.
  std::forward_list<std::string> texts_;
  mcp::Message message_;
};

}  // namespace patchbay::frontends
