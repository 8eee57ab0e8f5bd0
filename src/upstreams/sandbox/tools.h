// The tools of an upstream for sandboxes, and how their arguments are read.
//
// Values only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "mcp/items.h"
#include "upstreams/sandbox/settings.h"

namespace patchbay::upstreams {

enum class SandboxTool : std::uint8_t {
  create,
  destroy,
  list,
  execute_code,
  run_command,
  read_file,
  write_file,
  list_directory,
};

mcp::ItemLists sandbox_items();
std::optional<SandboxTool> find_sandbox_tool(std::string_view name);

// The arguments of create_sandbox.
struct CreateRequest {
  SandboxLimits limits;
  config::Duration ttl{0};
  bool as_configured = true;  // No limits were requested.
};

Result<CreateRequest> read_create(std::string_view arguments, const SandboxSettings& settings);

// The arguments of execute_code and run_command, in the form for the agent.
struct RunRequest {
  std::string sandbox;  // Empty: a new sandbox for this run only.
  std::string method;
  std::string params;  // Without its last brace.
  config::Duration wall{0};
  std::string what;       // The program, for its log line.
  bool extended = false;  // Needs an agent with more than the six methods.
};

Result<RunRequest> read_run(SandboxTool tool, std::string_view arguments,
                            const SandboxSettings& settings);

// The arguments of the tools about files.
struct FileRequest {
  std::string sandbox;
  std::string path;
  bool base64 = false;
  bool append = false;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  // 0: the rest.
  std::string content;       // To be written: bytes.
};

Result<FileRequest> read_file_request(SandboxTool tool, std::string_view arguments,
                                      const SandboxSettings& settings);

// `sandbox://ID/PATH` as a request to read.
Result<FileRequest> read_resource_request(std::string_view uri);

// Of destroy_sandbox.
Result<std::string> read_sandbox_id(std::string_view arguments);

}  // namespace patchbay::upstreams
