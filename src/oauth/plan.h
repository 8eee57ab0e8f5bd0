// A Plan is everything about an upstream's credentials that is known without a request: its
// settings, and the contents of the files that they name.
//
// Constant once made; shared by all workers.
#pragma once

#include <memory>
#include <string>

#include "net/http/syntax/url.h"
#include "oauth/client.h"
#include "oauth/fetcher.h"
#include "oauth/settings.h"

namespace patchbay::oauth {

struct Plan {
  std::string upstream;  // Its name.
  net::Url url;
  bool mcp = true;  // It may publish its authorization servers, and its URL is the resource.
  bool per_caller = false;  // Each caller has its own token; otherwise all share one.
  // Not configured: used only if the upstream refuses a request without a token and names its
  // metadata, by which people can sign in.
  bool on_demand = false;
  Settings settings;
  Client client;
  std::shared_ptr<const Fetcher> fetcher;
};

// The inputs of a plan besides the settings.
struct PlanOptions {
  bool mcp = true;         // It is an MCP server.
  bool shared = false;     // Callers share its connections.
  bool on_demand = false;  // See Plan.
};

// Reads files. The error names the setting and the reason.
Result<std::shared_ptr<const Plan>> make_plan(std::string upstream, net::Url url,
                                              const Settings& settings, const PlanOptions& options);

// The token in the file of `bearer`. Blocks on the file system.
Result<std::string> read_token_file(const std::string& path);

}  // namespace patchbay::oauth
