// A SyntheticRequest is an MCP request that a frontend builds itself, because its client speaks
// another protocol or because the gateway sends a request for it. It is built from parts that have
// been checked, so nothing is parsed again.
//
// Confined to its worker; exists as long as its call.
#pragma once

#include <forward_list>
#include <string>
#include <string_view>

#include "mcp/message.h"

namespace patchbay::frontends {

class SyntheticRequest {
 public:
  // `id` identifies the call in the log and to the client, as raw JSON. REQUIRES: `method`, and the
  // keys that are added, outlive the request.
  SyntheticRequest(std::string_view method, std::string id);
  SyntheticRequest(const SyntheticRequest&) = delete;
  SyntheticRequest& operator=(const SyntheticRequest&) = delete;

  // A parameter. REQUIRES: `raw` is one JSON value and outlives the request.
  void add(std::string_view key, std::string_view raw);
  // The same for a text, which is copied.
  void add_text(std::string_view key, std::string_view text);
  void add_meta(std::string_view key, std::string_view raw);

  const mcp::Message& message() const { return message_; }
  std::size_t size() const { return size_; }  // Of all parameters, in bytes.

 private:
  const std::string id_;
  std::forward_list<std::string> texts_;
  mcp::Message message_;
  std::size_t size_ = 0;
};

}  // namespace patchbay::frontends
