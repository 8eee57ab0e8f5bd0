// Buses in the control API: GET /control/v1/buses has their topics and what is wrong with replies;
// GET /control/v1/buses/UPSTREAM/lag what its agents have not read yet, and
// GET /control/v1/buses/UPSTREAM/records?topic=…&limit=… the newest records of a topic. For admins
// (admin.h); looking at records is audited, since they are the arguments and results of calls.
//
// One per worker; confined to it.
#pragma once

#include <memory>
#include <string>

#include "frontends/operations.h"
#include "gateway/bus_view.h"
#include "gateway/call/record.h"
#include "gateway/catalog/view.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class BusControl final : public net::HttpHandler {
 public:
  static constexpr std::string_view kPath = "/control/v1/buses";

  // REQUIRES: all outlive this.
  BusControl(const OperationsView& operations, const gateway::CatalogView& catalog,
             gateway::Recorder& recorder)
      : operations_(operations), catalog_(catalog), recorder_(recorder) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  using Bus = std::shared_ptr<gateway::BusView>;

  Task<std::string> answer(const net::HttpExchange& exchange);
  Task<std::string> list();
  Task<std::string> lag(const net::HttpExchange& exchange, std::string upstream);
  Task<std::string> records(const net::HttpExchange& exchange, std::string upstream);
  Bus bus(const std::string& upstream) const;

  const OperationsView& operations_;
  const gateway::CatalogView& catalog_;
  gateway::Recorder& recorder_;
  bool reading_ = false;  // Records, for somebody.
};

}  // namespace patchbay::frontends
