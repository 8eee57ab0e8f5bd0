// What admins change in the catalog while the gateway runs: tools that are off, and changed
// definitions of tools (pins).
//
//   GET  /control/v1/tools-off                      which tools are off
//   GET  /control/v1/catalog/hidden                 what clients are not offered, and why
//   POST /control/v1/tools/UPSTREAM/TOOL/off, /on   by the upstream's own name of the tool
//   GET  /control/v1/pins                           changed definitions, beside the accepted ones
//   POST /control/v1/pins/UPSTREAM/TOOL/accept?digest=…
//
// Everything here is for admins (admin.h), and each change is audited.
//
// One per worker; confined to it.
#pragma once

#include <string>

#include "frontends/operations.h"
#include "gateway/call/record.h"
#include "gateway/catalog/view.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class CatalogControl final : public net::HttpHandler {
 public:
  // REQUIRES: all outlive this.
  CatalogControl(const OperationsView& operations, const gateway::CatalogView& catalog,
                 gateway::Recorder& recorder)
      : operations_(operations), catalog_(catalog), recorder_(recorder) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  // The segments of a path behind its root, decoded.
  struct Named {
    std::string upstream;
    std::string tool;
    std::string action;
  };

  static Result<Named> named(std::string_view rest);
  Task<std::string> answer(const net::HttpExchange& exchange);
  Result<std::string> tools_off(const net::HttpExchange& exchange) const;
  Task<std::string> pins(const net::HttpExchange& exchange);
  // In hidden_control.cc.
  Task<std::string> hidden(const net::HttpExchange& exchange);
  Result<HiddenQuery> read_hidden_query(const net::HttpExchange& exchange) const;
  Task<std::string> switch_tool(const net::HttpExchange& exchange, Named named);
  Task<std::string> accept(const net::HttpExchange& exchange, Named named);
  bool has_tool(const Named& named) const;
  void note(const net::HttpExchange& exchange, const Named& named, const Result<void>& done);

  const OperationsView& operations_;
  const gateway::CatalogView& catalog_;
  gateway::Recorder& recorder_;
};

}  // namespace patchbay::frontends
