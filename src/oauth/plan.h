// A Plan is what is known of an upstream's credentials before anything is asked of anybody: its
// settings, with the files that they name.
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
  bool mcp = true;          // It may publish who gives its tokens, and they are for it by its name.
  bool per_caller = false;  // Each caller has a token; otherwise all have the same.
  Settings settings;
  Client client;
  std::shared_ptr<const Fetcher> fetcher;
};

// What a plan depends on beside the settings.
struct PlanOptions {
  bool mcp = true;      // It is an MCP server.
  bool shared = false;  // Callers share its connections.
};

// Reads files. The error names the setting and says what is wrong with it.
Result<std::shared_ptr<const Plan>> make_plan(std::string upstream, net::Url url,
                                              const Settings& settings, const PlanOptions& options);

// The token in the file of `bearer`. Blocks on the file system.
Result<std::string> read_token_file(const std::string& path);

}  // namespace patchbay::oauth
