#include "upstreams/openapi/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/glob.h"
#include "core/text.h"
#include "json/text.h"
#include "upstreams/openapi/document.h"
#include "upstreams/openapi/names.h"
#include "upstreams/openapi/parameters.h"
#include "upstreams/openapi/resources.h"
#include "upstreams/openapi/security.h"
#include "upstreams/openapi/server.h"
#include "upstreams/openapi/tool.h"

namespace patchbay::upstreams {
namespace {

using json::NodeId;
using json::Type;

constexpr std::size_t kMostProblems = 50;
constexpr std::array<std::string_view, 7> kMethods{"get",   "head",   "post",   "put",
                                                   "patch", "delete", "options"};

std::string in_capitals(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

bool fits_one(const std::vector<std::string>& globs, std::string_view text) {
  return std::ranges::any_of(globs,
                             [&text](const std::string& glob) { return matches_glob(glob, text); });
}

// Walks a document and collects the operations that are offered.
class Gatherer {
 public:
  Gatherer(const OpenapiDocument& document, const std::string& upstream,
           const OpenapiSettings& settings, const std::optional<net::Url>& from,
           OpenapiService& service)
      : document_(document),
        upstream_(upstream),
        settings_(settings),
        from_(from),
        service_(service),
        security_(document, settings.credentials) {
    for (const auto& [name, value] : settings.headers) fixed_.push_back(name);
  }

  void gather() {
    if (const auto paths = document_.find(0, "paths")) {
      document_.each(*paths, [&](NodeId path) { add_path(path); });
    }
    for (auto& problem : security_.problems()) note(std::move(problem));
    if (left_over_ > 0) {
      note(
          fmt::format("{} more operations are left out: `limits.max_operations` or "
                      "`limits.max_definitions_size` is reached",
                      left_over_));
    }
    if (unnoted_ > 0) service_.problems.push_back(fmt::format("and {} more", unnoted_));
  }

 private:
  void note(std::string problem) {
    if (service_.problems.size() < kMostProblems) {
      service_.problems.push_back(std::move(problem));
    } else {
      ++unnoted_;
    }
  }

  void add_path(NodeId listed) {
    const std::string path(document_.index().key(listed));
    if (path.starts_with("x-")) return;
    const auto item = document_.resolve(listed);
    if (!item) {
      service_.left_out.add(std::nullopt, path, item.error().message);
      return note(fmt::format("{}: {}", quoted(path), item.error().message));
    }
    for (const auto method : kMethods) {
      const auto operation = document_.find(*item, method);
      if (!operation) continue;
      const std::string_view setting = deselected_by(*operation, method, path);
      if (!setting.empty()) {
        leave_out(method, path, fmt::format("{} of its upstream does not select it", setting));
        continue;
      }
      auto added = add(*item, *operation, in_capitals(method), path);
      if (!added) {
        leave_out(method, path, added.error().message);
        note(fmt::format("{} {} is left out: {}", in_capitals(method), quoted(path),
                         added.error().message));
      }
    }
  }

  void leave_out(std::string_view method, const std::string& path, std::string_view why) {
    service_.left_out.add(mcp::ItemKind::tool, fmt::format("{} {}", in_capitals(method), path),
                          why);
  }

  static std::string quoted(std::string_view path) { return json::shortened(path, 120); }

  // The setting that leaves the operation out; empty: none does.
  std::string_view deselected_by(NodeId operation, std::string_view method,
                                 std::string_view path) const {
    const auto& select = settings_.select;
    const auto same = [&method](const std::string& one) { return ascii_lower(one) == method; };
    if (std::ranges::none_of(select.methods, same)) return "select.methods";
    if (!select.deprecated && document_.flag(operation, "deprecated")) return "select.deprecated";
    if (!select.operations.empty() &&
        !fits_one(select.operations, document_.string(operation, "operationId")) &&
        !fits_one(select.operations, fmt::format("{} {}", in_capitals(method), path))) {
      return "select.operations";
    }
    bool tagged = select.tags.empty();
    if (const auto tags = document_.find(operation, "tags")) {
      document_.each(*tags, [&](NodeId tag) {
        std::string scratch;
        tagged |= document_.type(tag) == Type::string &&
                  fits_one(select.tags, document_.index().text(tag, scratch));
      });
    }
    return tagged ? "" : "select.tags";
  }

  Result<void> add(NodeId item, NodeId at, std::string method, const std::string& path) {
    const bool many =
        service_.operations.size() >= static_cast<std::size_t>(settings_.limits.operations);
    if (many || size_ >= settings_.limits.definitions.value) {
      ++left_over_;
      leave_out(method, path,
                fmt::format("limits.{} of its upstream is reached",
                            many ? "max_operations" : "max_definitions_size"));
      return ok();
    }
    OpenapiOperation operation;
    operation.method = std::move(method);
    operation.path = path;
    auto server = server_of_part(document_, settings_, service_.server, from_,
                                 document_.find(at, "servers") ? at : item);
    if (!server) return server.error();
    operation.base = server->path;
    operation.proof = security_.proof_for(at);
    auto parameters = read_parameters(document_, item, at, operation.proof, fixed_);
    if (!parameters) return parameters.error();
    operation.parameters = *std::move(parameters);
    auto body = read_body(document_, at);
    if (!body) return body.error();
    // The meaning of a body with these is not defined, and some servers refuse it.
    if (!operation.is_safe()) operation.body = *std::move(body);
    auto pieces = read_path(path, operation.parameters);
    if (!pieces) return pieces.error();
    operation.pieces = *std::move(pieces);
    operation.accept = accept_of(document_, at);
    name_arguments(operation);
    offer(at, std::move(operation));
    return ok();
  }

  void offer(NodeId at, OpenapiOperation operation) {
    operation.name =
        unique_name(tool_name(document_, at, operation.method, operation.path), names_);
    const std::size_t number = service_.operations.size();
    const bool reads = settings_.gets != GetsAs::tools && is_readable(operation);
    if (reads) {
      auto resource = define_resource(document_, at, upstream_, operation);
      mcp::of(service_.items, resource.kind).push_back(std::move(resource.item));
      service_.resources.push_back(number);
    }
    if (!reads || settings_.gets == GetsAs::both) {
      auto tool = define_tool(document_, at, operation, settings_.limits.schema.value);
      if (!tool.problem.empty()) note(fmt::format("{}: {}", operation.name, tool.problem));
      size_ += tool.text.size();
      mcp::of(service_.items, mcp::ItemKind::tool)
          .push_back({operation.name, std::move(tool.text)});
      service_.tools.emplace(operation.name, number);
    }
    service_.operations.push_back(std::move(operation));
  }

  const OpenapiDocument& document_;
  const std::string& upstream_;
  const OpenapiSettings& settings_;
  const std::optional<net::Url>& from_;
  OpenapiService& service_;
  OpenapiSecurity security_;
  std::vector<std::string> fixed_;  // Header fields that the configuration sets.
  std::set<std::string> names_;
  std::size_t size_ = 0;  // Of all definitions.
  std::size_t left_over_ = 0;
  std::size_t unnoted_ = 0;
};

}  // namespace

Result<OpenapiService> read_service(std::string_view text, const std::string& upstream,
                                    const OpenapiSettings& settings,
                                    const std::optional<net::Url>& from) {
  auto document = OpenapiDocument::read(text, static_cast<std::size_t>(settings.limits.values));
  if (!document) return document.error();
  auto server = server_of(*document, settings, from);
  if (!server) return server.error();
  OpenapiService service;
  service.server = *std::move(server);
  Gatherer(*document, upstream, settings, from, service).gather();
  return service;
}

}  // namespace patchbay::upstreams
