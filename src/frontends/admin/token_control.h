// The tokens of callers in the control API: GET /control/v1/tokens lists those of auth.token_file
// without their secrets, POST makes one and shows it, only once, and DELETE /control/v1/tokens/ID
// revokes one. For admins (admin.h), who give no role that they do not have themselves; audited.
//
// One per worker; confined to it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/admin/control_api.h"
#include "gateway/call/record.h"
#include "gateway/catalog/view.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class TokenControl final : public net::HttpHandler {
 public:
  static constexpr std::string_view kPath = "/control/v1/tokens";

  // REQUIRES: all outlive this.
  TokenControl(ControlShared& shared, const gateway::CatalogView& catalog,
               gateway::Recorder& recorder)
      : shared_(shared), catalog_(catalog), recorder_(recorder) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  // A token as it was requested.
  struct TokenRequest {
    std::string name;
    std::vector<std::string> roles;
    std::chrono::seconds lifetime;
  };

  Task<std::string> list(const net::HttpExchange& exchange);
  Task<std::string> create(const net::HttpExchange& exchange);
  Task<std::string> revoke(const net::HttpExchange& exchange);
  Result<TokenRequest> read_request(const net::HttpExchange& exchange,
                                    const TokenStore& store) const;
  Task<std::string> make(TokenRequest wanted, std::string by);
  bool may_give(const Principal& admin, const std::string& role) const;
  std::string roles_to_give(const Principal& admin) const;
  void note(const net::HttpExchange& exchange, std::string_view method, std::string target,
            const Result<void>& done);

  ControlShared& shared_;
  const gateway::CatalogView& catalog_;
  gateway::Recorder& recorder_;
};

}  // namespace patchbay::frontends
