// The front end for those who look after agents on a bus: GET /control/registrations lists what is
// registered, POST registers, PATCH below it changes and DELETE takes back. Only for
// admins (admin.h).
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
  // How it is called where only one registration is meant, too.
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
