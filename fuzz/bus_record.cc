// Fuzzes the readers of bus records: framing, ids, registrations, requests, replies of agents. The
// input is key and value of a record, with a line break between them. No input may cause a crash,
// and records that we write are read back as the same. Tokens for brokers are read here too.
#include "bus/bearer_token.h"
#include "bus/correlation.h"
#include "bus/framing.h"
#include "bus/registration.h"
#include "frontends/kafka/request.h"
#include "fuzz/require.h"
#include "json/read.h"
#include "upstreams/kafka/reply.h"

using patchbay::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace patchbay;
  const auto text = fuzz::text_of(data, size);
  const std::size_t line = std::min(text.find('\n'), text.size());
  const auto key = text.substr(0, line);
  const auto value = text.substr(std::min(line + 1, text.size()));

  for (const auto& id : bus::find_ids({.key = key, .id = key, .value = value}, "correlationId")) {
    require(!id.empty() && id.size() <= bus::kMostCorrelation);
  }
  (void)bus::registered_name(key);
  const std::string framed = bus::frame(7, value);
  const auto whole = bus::unframe(framed, std::nullopt);
  require(whole && whole->id == 7 && whole->payload == value);

  const auto unframed = bus::unframe(value, key);
  require(bus::describe_token(std::string(value), 1).expires >= 0);
  const bus::OwnedMessage message{"t", 0, 0, std::string(key), std::string(value), {}};
  if (const auto asked = frontends::read_bus_request(message)) {
    require(static_cast<bool>(json::check(asked->arguments)));
  }
  const auto bare = bus::unframe(value, std::nullopt);
  const std::string_view payload = bare ? bare->payload : value;
  require(payload.size() <= value.size());
  if (const auto registration = bus::read_registration(payload)) {
    const auto again = bus::read_registration(bus::write_registration(*registration));
    require(static_cast<bool>(again));
    require(*again == *registration);
    require(bus::is_topic_name(registration->request_topic));
  }
  if (!json::check(payload)) return 0;
  const auto reply = upstreams::read_agent_reply(payload);
  require(static_cast<bool>(json::check(reply.result)));
  require(static_cast<bool>(json::check(upstreams::agent_result(reply, "id", false).body)));
  require(static_cast<bool>(json::check(upstreams::question_params(reply))));
  require(static_cast<bool>(json::check(upstreams::progress_params(reply, "1", 1))));
  const auto resource = upstreams::resource_result(payload, "u", "text/plain", true);
  require(!resource || json::check(resource->body));
  return 0;
}
