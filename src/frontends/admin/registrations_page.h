// The pages for managing agents on a bus: GET /control/registrations lists the registrations, POST
// registers an agent, PATCH below it changes one and DELETE removes one. Only for admins (admin.h).
//
// One per worker; confined to it.
#pragma once

#include <string>

#include "gateway/call/record.h"
#include "gateway/catalog/view.h"
#include "gateway/registrar.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class RegistrationsPage final : public net::HttpHandler {
 public:
  static constexpr std::string_view kPath = "/control/registrations";
  // An alias for requests about a single registration.
  static constexpr std::string_view kOnePath = "/control/registration";

  // REQUIRES: all outlive this.
  RegistrationsPage(const gateway::FindRegistrars& registrars, const gateway::CatalogView& catalog,
                    gateway::Recorder& recorder)
      : registrars_(registrars), catalog_(catalog), recorder_(recorder) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  struct Answer {
    int status = 200;
    std::string body;
  };
  using Registrar = std::shared_ptr<gateway::Registrar>;

  Task<Answer> answer(const net::HttpExchange& exchange);
  Result<Registrar> registrar_of(const net::HttpExchange& exchange) const;
  Task<Answer> list(Registrar registrar, std::string name);
  Task<Answer> add(Registrar registrar, std::string_view body);
  Task<Answer> change(Registrar registrar, std::string name, std::string_view body);
  Task<Answer> remove(Registrar registrar, std::string name);
  void note(const net::HttpExchange& exchange, std::string_view upstream, const std::string& name,
            const Result<Answer>& answer);

  const gateway::FindRegistrars& registrars_;
  const gateway::CatalogView& catalog_;
  gateway::Recorder& recorder_;
};

}  // namespace patchbay::frontends
