#include "upstreams/sandbox/tools.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace patchbay::upstreams {
namespace {

// A tool: its name, its description, and the JSON Schemas of its arguments and its answer.
struct Row {
  SandboxTool tool;
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::vector<std::string_view> properties;
  std::string_view required;
  std::string_view output;
  std::string_view hints;
};

// Pieces that several tools have.
constexpr std::string_view kSandboxId =
    R"("sandbox_id":{"type":"string","description":"The sandbox, as create_sandbox has named it"})";
constexpr std::string_view kAnySandboxId =
    R"("sandbox_id":{"type":"string","description":"The sandbox to run it in. Without one it runs )"
    R"(in a fresh sandbox that is gone afterwards"})";
constexpr std::string_view kRunOptions =
    R"("timeout_s":{"type":"number","exclusiveMinimum":0,"description":"Seconds after which it is )"
    R"(ended"},"stdin":{"type":"string","description":"What it reads"},)"
    R"("env":{"type":"object","additionalProperties":{"type":"string"},"description":)"
    R"("Variables of its environment"},"cwd":{"type":"string","description":"The folder it runs in; )"
    R"(/workspace without"})";
constexpr std::string_view kRunOutput =
    R"({"type":"object","properties":{"exit_code":{"type":"integer"},"stdout":{"type":"string"},)"
    R"("stderr":{"type":"string"},"verdict":{"type":"string","enum":["exit","signal","timeout",)"
    R"("memory","pids","failed"]},"signal":{"type":"integer"},"truncated":{"type":"boolean"},)"
    R"("stdout_bytes":{"type":"integer"},"stderr_bytes":{"type":"integer"},)"
    R"("duration_ms":{"type":"integer"},"memory_peak":{"type":"integer"},)"
    R"("isolation":{"type":"string"},"sandbox_id":{"type":"string"}},)"
    R"("required":["exit_code","stdout","stderr","verdict","isolation"]})";
constexpr std::string_view kPath =
    R"("path":{"type":"string","description":"In /workspace, or relative to it"})";
constexpr std::string_view kEncoding =
    R"("encoding":{"type":"string","enum":["utf8","base64"],"default":"utf8","description":)"
    R"("base64 for files that are not text"})";
constexpr std::string_view kReads = R"("readOnlyHint":true,"openWorldHint":false)";
constexpr std::string_view kChanges =
    R"("readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false)";
constexpr std::string_view kDestroys =
    R"("readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false)";

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {SandboxTool::create,
       "create_sandbox",
       "Create a sandbox",
       "Makes a sandbox: a folder and processes of its own, isolated from the machine and from "
       "other sandboxes. It exists until it is destroyed, or unused for its time to live.",
       {R"("memory_mib":{"type":"integer","minimum":16,"description":"Memory it may use"})",
        R"("vcpu_count":{"type":"number","exclusiveMinimum":0,"description":"Processors' worth of )"
        R"(time it may use"})",
        R"("ttl_s":{"type":"number","exclusiveMinimum":0,"description":"Seconds that it may )"
        R"(stay unused"})"},
       "",
       R"({"type":"object","properties":{"sandbox_id":{"type":"string"},)"
       R"("isolation":{"type":"string"},"workspace":{"type":"string"},)"
       R"("expires_at":{"type":"string"},"limits":{"type":"object"}},)"
       R"("required":["sandbox_id","isolation"]})",
       kChanges},
      {SandboxTool::destroy,
       "destroy_sandbox",
       "Destroy a sandbox",
       "Ends a sandbox with everything that runs in it; its files are gone.",
       {kSandboxId},
       R"("sandbox_id")",
       R"({"type":"object","properties":{"success":{"type":"boolean"},)"
       R"("isolation":{"type":"string"}},"required":["success","isolation"]})",
       kDestroys},
      {SandboxTool::list,
       "list_sandboxes",
       "List sandboxes",
       "Lists your sandboxes.",
       {},
       "",
       R"({"type":"object","properties":{"sandboxes":{"type":"array","items":{"type":"object",)"
       R"("properties":{"sandbox_id":{"type":"string"},"state":{"type":"string"},)"
       R"("created_at":{"type":"string"},"expires_at":{"type":"string"},)"
       R"("isolation":{"type":"string"}},"required":["sandbox_id","state","created_at"]}},)"
       R"("isolation":{"type":"string"}},"required":["sandboxes","isolation"]})",
       kReads},
      {SandboxTool::execute_code,
       "execute_code",
       "Run code",
       "Runs code in a sandbox and yields what it has written.",
       {kAnySandboxId,
        R"("language":{"type":"string","description":"python, node (javascript, js), bash or sh"})",
        R"("code":{"type":"string","description":"The program itself"})", kRunOptions},
       R"("language","code")",
       kRunOutput,
       kChanges},
      {SandboxTool::run_command,
       "run_command",
       "Run a command",
       "Runs a command line of the shell in a sandbox, or a program without a shell, and yields "
       "what it has written.",
       {kAnySandboxId, R"("command":{"type":"string","description":"A line for the shell"})",
        R"("argv":{"type":"array","items":{"type":"string"},"minItems":1,"description":"Instead of )"
        R"(command: a program and its arguments, without a shell"})",
        kRunOptions},
       "",
       kRunOutput,
       kChanges},
      {SandboxTool::read_file,
       "read_file",
       "Read a file",
       "Reads a file of a sandbox.",
       {kSandboxId, kPath, kEncoding,
        R"("offset":{"type":"integer","minimum":0},"length":{"type":"integer","minimum":1})"},
       R"("sandbox_id","path")",
       R"({"type":"object","properties":{"content":{"type":"string"},"encoding":{"type":"string"},)"
       R"("size":{"type":"integer"},"eof":{"type":"boolean"},"isolation":{"type":"string"}},)"
       R"("required":["content","isolation"]})",
       kReads},
      {SandboxTool::write_file,
       "write_file",
       "Write a file",
       "Writes a file of a sandbox; folders that are missing are made.",
       {kSandboxId, kPath, R"("content":{"type":"string"})", kEncoding,
        R"("append":{"type":"boolean","default":false})"},
       R"("sandbox_id","path","content")",
       R"({"type":"object","properties":{"success":{"type":"boolean"},"bytes":{"type":"integer"},)"
       R"("uri":{"type":"string"},"isolation":{"type":"string"}},)"
       R"("required":["success","isolation"]})",
       kDestroys},
      {SandboxTool::list_directory,
       "list_directory",
       "List a folder",
       "Lists a folder of a sandbox.",
       {kSandboxId, R"("path":{"type":"string","default":"/workspace"})"},
       R"("sandbox_id")",
       R"({"type":"object","properties":{"entries":{"type":"array","items":{"type":"object",)"
       R"("properties":{"name":{"type":"string"},"is_dir":{"type":"boolean"},)"
       R"("size":{"type":"integer"},"type":{"type":"string"}},)"
       R"("required":["name","is_dir","size"]}},"isolation":{"type":"string"}},)"
       R"("required":["entries","isolation"]})",
       kReads},
  };
  return all;
}

std::string definition_of(const Row& row) {
  return fmt::format(
      R"({{"name":"{}","title":"{}","description":"{}","inputSchema":{{"type":"object",)"
      R"("properties":{{{}}},"required":[{}],"additionalProperties":false}},"outputSchema":{},)"
      R"("annotations":{{{}}}}})",
      row.name, row.title, row.description, fmt::join(row.properties, ","), row.required,
      row.output, row.hints);
}

constexpr std::string_view kFiles = "sandbox://{sandbox_id}/{+path}";

}  // namespace

mcp::ItemLists sandbox_items() {
  mcp::ItemLists items;
  for (const auto& row : rows()) {
    mcp::of(items, mcp::ItemKind::tool).push_back({std::string(row.name), definition_of(row)});
  }
  mcp::of(items, mcp::ItemKind::resource_template)
      .push_back({std::string(kFiles),
                  fmt::format(R"({{"uriTemplate":"{}","name":"sandbox file","description":)"
                              R"("A file of a sandbox of yours, below /workspace."}})",
                              kFiles)});
  return items;
}

std::optional<SandboxTool> find_sandbox_tool(std::string_view name) {
  const auto found = std::ranges::find(rows(), name, &Row::name);
  if (found == rows().end()) return {};
  return found->tool;
}

}  // namespace patchbay::upstreams
