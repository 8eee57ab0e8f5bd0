#include "sandbox/spec.h"

#include <fmt/format.h>

#include "json/read.h"
#include "json/write.h"

namespace patchbay::sandbox {
namespace {

std::string list_of(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const auto& text : texts) {
    if (out.size() > 1) out += ',';
    json::append_quoted(out, text);
  }
  return out + "]";
}

std::string list_of(const std::vector<Share>& shares) {
  std::string out = "[";
  for (const auto& share : shares) {
    if (out.size() > 1) out += ',';
    json::Object object(out);
    object.raw("from", json::quote(share.from));
    object.raw("to", json::quote(share.to));
    object.raw("write", share.write ? "true" : "false");
  }
  return out + "]";
}

std::string list_of(const std::vector<CgroupPath>& paths) {
  std::string out = "[";
  for (const auto& base : paths) {
    if (out.size() > 1) out += ',';
    json::Object object(out);
    object.raw("folder", json::quote(base.folder));
    object.raw("controllers", list_of(base.controllers));
    object.raw("unified", base.unified ? "true" : "false");
  }
  return out + "]";
}

std::string written(const IoLimits& io) {
  return fmt::format(R"({{"read":{},"write":{},"reads":{},"writes":{}}})", io.read.value,
                     io.write.value, io.reads, io.writes);
}

std::string written(const Limits& limits) {
  std::string out;
  json::Object object(out);
  object.raw("memory", std::to_string(limits.memory.value));
  object.raw("pids", std::to_string(limits.pids));
  object.raw("cpu", fmt::format("{}", limits.cpu));
  object.raw("io", written(limits.io));
  object.raw("cpu_time", std::to_string(limits.cpu_time.count()));
  object.raw("disk", std::to_string(limits.disk.value));
  object.raw("files", std::to_string(limits.files));
  object.raw("open_files", std::to_string(limits.open_files));
  object.raw("address_space", std::to_string(limits.address_space.value));
  object.key("not_required");
  out += '[';
  bool first = true;
  for (const Bound bound : limits.not_required) {
    if (!first) out += ',';
    first = false;
    out += std::to_string(static_cast<int>(bound));
  }
  out += ']';
  object.end();
  return out;
}

std::int64_t number(std::string_view object, std::string_view name) {
  return json::as_int(json::member(object, name).value_or("0")).value_or(0);
}

IoLimits io_from(std::string_view raw) {
  IoLimits io;
  io.read.value = static_cast<std::uint64_t>(number(raw, "read"));
  io.write.value = static_cast<std::uint64_t>(number(raw, "write"));
  io.reads = static_cast<int>(number(raw, "reads"));
  io.writes = static_cast<int>(number(raw, "writes"));
  return io;
}

Limits limits_from(std::string_view raw) {
  Limits limits;
  limits.memory.value = static_cast<std::uint64_t>(number(raw, "memory"));
  limits.pids = static_cast<int>(number(raw, "pids"));
  limits.cpu = json::as_double(json::member(raw, "cpu").value_or("1")).value_or(1);
  limits.io = io_from(json::member(raw, "io").value_or("{}"));
  limits.cpu_time = config::Duration(number(raw, "cpu_time"));
  limits.disk.value = static_cast<std::uint64_t>(number(raw, "disk"));
  limits.files = static_cast<int>(number(raw, "files"));
  limits.open_files = static_cast<int>(number(raw, "open_files"));
  limits.address_space.value = static_cast<std::uint64_t>(number(raw, "address_space"));
  json::each_element(json::member(raw, "not_required").value_or("[]"), [&](std::string_view one) {
    limits.not_required.push_back(static_cast<Bound>(json::as_int(one).value_or(0)));
  });
  return limits;
}

}  // namespace

std::vector<std::string> texts_in(std::string_view object, std::string_view name) {
  std::vector<std::string> texts;
  json::each_element(json::member(object, name).value_or("[]"), [&](std::string_view one) {
    texts.push_back(json::as_string(one).value_or(""));
  });
  return texts;
}

std::string to_json(const Spec& spec) {
  std::string out;
  json::Object object(out);
  object.raw("args", list_of(spec.args));
  object.key("environment");
  {
    json::Object variables(out);
    for (const auto& [name, value] : spec.environment) variables.raw(name, json::quote(value));
  }
  object.raw("folder", json::quote(spec.folder));
  object.raw("shares", list_of(spec.shares));
  object.raw("root", json::quote(spec.root));
  object.raw("network", spec.network ? "true" : "false");
  object.raw("relay", std::to_string(spec.relay));
  object.raw("user", std::to_string(spec.user));
  object.raw("bwrap", json::quote(spec.bwrap));
  object.raw("limits", written(spec.limits));
  object.raw("cgroups", list_of(spec.cgroups));
  object.raw("cgroup", json::quote(spec.cgroup));
  object.end();
  return out;
}

Result<Spec> spec_from(std::string_view text) {
  auto sound = json::check(text);
  if (!sound) return sound.error();
  Spec spec;
  spec.args = texts_in(text, "args");
  json::each_member(json::member(text, "environment").value_or("{}"),
                    [&](std::string_view name, std::string_view value) {
                      spec.environment.emplace_back(name, json::as_string(value).value_or(""));
                    });
  json::each_element(json::member(text, "shares").value_or("[]"), [&](std::string_view one) {
    spec.shares.push_back({json::string_member(one, "from").value_or(""),
                           json::string_member(one, "to").value_or(""),
                           json::member(one, "write") == "true"});
  });
  json::each_element(json::member(text, "cgroups").value_or("[]"), [&](std::string_view one) {
    spec.cgroups.push_back({json::string_member(one, "folder").value_or(""),
                            texts_in(one, "controllers"), json::member(one, "unified") == "true"});
  });
  spec.cgroup = json::string_member(text, "cgroup").value_or("");
  spec.folder = json::string_member(text, "folder").value_or(spec.folder);
  spec.root = json::string_member(text, "root").value_or("");
  spec.network = json::member(text, "network") == "true";
  spec.relay = static_cast<int>(number(text, "relay"));
  spec.user = static_cast<std::uint32_t>(number(text, "user"));
  spec.bwrap = json::string_member(text, "bwrap").value_or(spec.bwrap);
  spec.limits = limits_from(json::member(text, "limits").value_or("{}"));
  if (spec.args.empty()) return Error{Code::invalid_params, "no program to run is named"};
  return spec;
}

}  // namespace patchbay::sandbox
