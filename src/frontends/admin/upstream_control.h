// One upstream in the control API. GET /control/v1/upstreams/NAME says how it is, with its
// instances and the last lines of its programs on stderr. POST /control/v1/upstreams/NAME/restart
// ends its connections and programs and makes them anew; /drain, /disable and /enable override its
// configuration. Changes and stderr are for admins (admin.h).
//
// One per worker; confined to it. What it reads is shared.
#pragma once

#include <string>

#include "frontends/admin/control_api.h"
#include "gateway/call/record.h"
#include "gateway/catalog/view.h"
#include "net/http/server/server.h"
#include "oauth/token_service.h"

namespace patchbay::frontends {

class UpstreamControl final : public net::HttpHandler {
 public:
  static constexpr std::string_view kPath = "/control/v1/upstreams/";

  // REQUIRES: all outlive this.
  UpstreamControl(ControlShared& shared, const gateway::CatalogView& catalog,
                  gateway::Recorder& recorder, oauth::TokenService& tokens)
      : shared_(shared), catalog_(catalog), recorder_(recorder), tokens_(tokens) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  Task<std::string> answer(const net::HttpExchange& exchange);
  Task<std::string> show(Caller caller, std::string name);
  Task<std::string> change(const net::HttpExchange& exchange, std::string name,
                           std::string_view action);
  Task<void> apply(const net::HttpExchange& exchange, const std::string& name,
                   std::string_view action);
  Task<std::string> sign_in(Caller caller, std::string name);
  bool sees(const Principal& caller, const std::string& name) const;

  ControlShared& shared_;
  const gateway::CatalogView& catalog_;
  gateway::Recorder& recorder_;
  oauth::TokenService& tokens_;
};

}  // namespace patchbay::frontends
