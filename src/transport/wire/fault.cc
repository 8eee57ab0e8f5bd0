#include "transport/wire/fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "json/read.h"
#include "json/write.h"

namespace patchbay::wire {
namespace {

// Same order as the enum.
constexpr std::array kFaults{
    FaultInfo{"INVALID_REQUEST", 400, Code::invalid_request},
    FaultInfo{"UNAUTHORIZED", 401, Code::unauthenticated},
    FaultInfo{"FORBIDDEN", 403, Code::forbidden},
    FaultInfo{"NOT_FOUND", 404, Code::not_found},
    FaultInfo{"RATE_LIMIT_EXCEEDED", 429, Code::rate_limited},
    FaultInfo{"INTERNAL_ERROR", 500, Code::internal},
    FaultInfo{"SERVICE_UNAVAILABLE", 503, Code::unavailable},
};

constexpr std::size_t kLongestMessage = 1024;

// Some peers put a prefix in front of the names: SERVER_RATE_LIMIT_EXCEEDED.
Code code_named(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kFaults, [&](const FaultInfo& one) { return name.ends_with(one.name); });
  return found == kFaults.end() ? Code::upstream_failed : found->code;
}

}  // namespace

const FaultInfo& info(FaultCode code) { return kFaults[static_cast<std::size_t>(code)]; }

FaultCode fault_code(Code code) {
  switch (code) {
    case Code::parse_error:
    case Code::invalid_request:
    case Code::invalid_params:
    case Code::header_mismatch:
    case Code::missing_capability:
    case Code::unsupported_version:
    case Code::too_large:
      return FaultCode::invalid_request;
    case Code::unauthenticated:
      return FaultCode::unauthorized;
    case Code::forbidden:
      return FaultCode::forbidden;
    case Code::method_not_found:
    case Code::not_found:
    case Code::resource_not_found:
    case Code::session_not_found:
      return FaultCode::not_found;
    case Code::rate_limited:
      return FaultCode::rate_limit_exceeded;
    case Code::overloaded:
    case Code::timeout:
    case Code::cancelled:
    case Code::unavailable:
      return FaultCode::service_unavailable;
    case Code::upstream_failed:
    case Code::internal:
      break;
  }
  return FaultCode::internal_error;
}

std::string fault_object(const Error& error, std::string_view details) {
  std::string out;
  json::Object object(out);
  object.key("code");
  json::append_quoted(out, info(fault_code(error.code)).name);
  object.key("message");
  json::append_quoted(out, error.message);
  object.key("details");
  out += details.empty() ? fmt::format(R"({{"reason":"{}"}})", patchbay::info(error.code).name)
                         : std::string(details);
  object.end();
  return out;
}

Error parse_fault(std::string_view text) {
  if (json::type_of(text) != json::Type::object || !json::check(text)) {
    return {Code::upstream_failed, json::shortened(text, kLongestMessage)};
  }
  const std::string_view fault = json::member(text, "error").value_or(text);
  const auto name = json::string_member(fault, "code");
  const auto message = json::string_member(fault, "message");
  Error error{name ? code_named(*name) : Code::upstream_failed,
              message ? json::shortened(*message, kLongestMessage) : "the peer gave no reason"};
  const auto details = json::member(fault, "details");
  if (details && json::type_of(*details) == json::Type::object) error.data = *details;
  return error;
}

}  // namespace patchbay::wire
