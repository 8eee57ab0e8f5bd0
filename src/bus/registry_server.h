// The small Schema Registry of the embedded bus: the REST API of Confluent's, over a SchemaStore in
// memory. It does not check compatibility: any schema may follow any other.
//
// Confined to the worker of its HTTP server.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bus/schema_store.h"
#include "net/http/server/exchange.h"
#include "net/http/server/routes.h"

namespace patchbay::bus {

class RegistryServer final : public net::HttpHandler {
 public:
  Task<void> handle(net::HttpExchange& exchange) override;
  net::HttpRefusal refusal(const net::HttpRequest& request, int status,
                           std::string_view message) const override;

  SchemaStore& store() { return store_; }

 private:
  struct Answer {
    int status = 200;
    std::string body;
  };
  using Parts = std::vector<std::string>;  // Of the path.

  static Answer fault(int code, std::string_view message);
  Answer answer(std::string_view method, const Parts& parts, std::string_view body);
  Answer subjects(std::string_view method, const Parts& parts, std::string_view body);
  Answer versions(std::string_view method, const Parts& parts);
  Answer schemas(const Parts& parts) const;
  Answer config(std::string_view method, const Parts& parts, std::string_view body);
  Answer add(const std::string& subject, std::string_view body);
  Answer look_up(const std::string& subject, std::string_view body) const;

  SchemaStore store_;
  std::map<std::string, std::string> compatibility_;  // As requested; it is not enforced.
};

}  // namespace patchbay::bus
