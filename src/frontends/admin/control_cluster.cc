// The page of the control API about the nodes of the cluster.
#include <fmt/format.h>

#include "frontends/admin/admin.h"
#include "frontends/admin/call_filter.h"
#include "frontends/admin/control_api.h"
#include "frontends/time_json.h"
#include "json/write.h"

namespace patchbay::frontends {
namespace {

std::string member_json(const cluster::Member& member, cluster::Run own) {
  std::string text;
  json::Object object(text);
  object.raw("id", fmt::format("\"{:016x}\"", member.run));
  object.raw("name", json::quote(member.name));
  object.raw("address", json::quote(member.address));
  object.raw("version", json::quote(member.version));
  object.raw("joined", time_json(member.joined));
  object.raw("state", member.leaving ? "\"leaving\"" : "\"member\"");
  object.raw("self", member.run == own ? "true" : "false");
  object.end();
  return text;
}

}  // namespace

Result<std::string> ControlApi::cluster(Asked& asked) {
  auto taken = check_taken(asked.query, "none");
  if (!taken) return taken.error();
  if (!asked.sees_all) return admins_only();
  std::string members = "[";
  for (const auto& member : shared_.members.list()->all()) {
    if (members.size() > 1) members += ',';
    members += member_json(member, shared_.members.run());
  }
  std::string text;
  json::Object object(text);
  object.raw("clustered", shared_.members.joined() ? "true" : "false");
  object.raw("members", members + "]");
  object.end();
  return text;
}

}  // namespace patchbay::frontends
