#include "upstreams/sandbox/answers.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/base64.h"
#include "json/read.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"
#include "sandbox/spec.h"

namespace patchbay::upstreams {
namespace {

std::string written(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

// When it ends if it stays unused, as wall-clock time.
std::string expiry_of(const Sandbox& sandbox) {
  const auto left = sandbox.expires - Clock::now();
  return written(std::chrono::system_clock::now() +
                 std::chrono::duration_cast<std::chrono::system_clock::duration>(left));
}

std::int64_t number(std::string_view result, std::string_view name, std::int64_t otherwise = 0) {
  const auto raw = json::member(result, name);
  return raw ? json::as_int(*raw).value_or(otherwise) : otherwise;
}

// The limits in effect, and the names of those that are not set.
std::string limits_of(const SandboxLimits& limits, const std::vector<std::string>& absent) {
  std::string out;
  json::Object object(out);
  const auto add = [&](std::string_view name, const std::string& value,
                       std::string_view unit = "") {
    if (std::ranges::find(absent, name) != absent.end()) return;
    object.raw(fmt::format("{}{}", name, unit), value);
  };
  const auto& io = limits.io;
  add("memory", std::to_string(limits.memory.value));
  add("pids", std::to_string(limits.pids));
  add("cpu", fmt::format("{}", limits.cpu));
  add("io", fmt::format(R"({{"read":{},"write":{},"reads":{},"writes":{}}})", io.read.value,
                        io.write.value, io.reads, io.writes));
  add("cpu_time", std::to_string(limits.cpu_time.count()), "_ms");
  add("wall", std::to_string(limits.wall.count()), "_ms");
  add("disk", std::to_string(limits.disk.value));
  add("files", std::to_string(limits.files));
  add("open_files", std::to_string(limits.open_files));
  add("address_space", std::to_string(limits.address_space.value));
  add("output", std::to_string(limits.output.value));
  if (!absent.empty()) {
    std::string names;
    for (const auto& name : absent) names += (names.empty() ? "" : ",") + json::quote(name);
    object.raw("absent", fmt::format("[{}]", names));
  }
  object.end();
  return out;
}

// The end of an answer that is one list.
std::string closing(std::string_view isolation) {
  return fmt::format(R"(],"isolation":{}}})", json::quote(isolation));
}

}  // namespace

std::string_view verdict_on(std::string_view result, const sandbox::Usage& before,
                            const sandbox::Usage& after) {
  if (json::member(result, "timed_out") == "true") return "timeout";
  const auto code = number(result, "exit_code", -1);
  if (code != 0 && after.out_of_memory > before.out_of_memory) return "memory";
  if (code != 0 && after.pids_refused > before.pids_refused) return "pids";
  if (json::member(result, "signal")) return "signal";
  return code == -1 ? "failed" : "exit";
}

std::string run_answer(const RunOutcome& outcome, std::string_view isolation,
                       std::string_view sandbox_id) {
  const std::string_view result = outcome.result;
  std::string out;
  json::Object object(out);
  object.raw("exit_code", std::to_string(number(result, "exit_code", -1)));
  // Parsed and written again: what the agent wrote may be any JSON.
  for (const auto* const name : {"stdout", "stderr"}) {
    object.raw(name, json::quote(json::string_member(result, name).value_or("")));
  }
  object.raw("verdict", json::quote(outcome.verdict));
  for (const auto* const name : {"signal", "stdout_bytes", "stderr_bytes", "duration_ms"}) {
    if (json::member(result, name)) object.raw(name, std::to_string(number(result, name)));
  }
  if (const auto cut = json::member(result, "truncated")) {
    object.raw("truncated", *cut == "true" ? "true" : "false");
  }
  if (outcome.usage.memory_peak > 0) {
    object.raw("memory_peak", std::to_string(outcome.usage.memory_peak));
  }
  object.raw("isolation", json::quote(isolation));
  if (!sandbox_id.empty()) object.raw("sandbox_id", json::quote(sandbox_id));
  object.end();
  return out;
}

std::string created_answer(const Sandbox& sandbox, std::string_view isolation) {
  std::string out;
  json::Object object(out);
  object.raw("sandbox_id", json::quote(sandbox.id));
  object.raw("isolation", json::quote(isolation));
  object.raw("workspace", json::quote(sandbox::kWorkspace));
  object.raw("expires_at", json::quote(expiry_of(sandbox)));
  object.raw("limits", limits_of(sandbox.limits, sandbox.guest->absent()));
  object.end();
  return out;
}

std::string list_answer(const std::vector<std::shared_ptr<Sandbox>>& all,
                        std::string_view isolation) {
  std::string out = R"({"sandboxes":[)";
  for (const auto& sandbox : all) {
    if (out.back() == '}') out += ',';
    json::Object object(out);
    object.raw("sandbox_id", json::quote(sandbox->id));
    object.raw("state", sandbox->guest->agent().closed() ? R"("ended")" : R"("ready")");
    object.raw("created_at", json::quote(written(sandbox->created)));
    object.raw("expires_at", json::quote(expiry_of(*sandbox)));
    object.raw("isolation", json::quote(isolation));
  }
  return out + closing(isolation);
}

std::string destroyed_answer(std::string_view isolation) {
  return fmt::format(R"({{"success":true,"isolation":{}}})", json::quote(isolation));
}

Result<std::string> file_answer(const sandbox::FilePiece& piece, const FileRequest& request,
                                std::string_view isolation) {
  const bool base64 = request.base64;
  if (!base64 && !json::is_utf8(piece.bytes)) {
    return Error{Code::invalid_params, "the file is not text; read it with encoding base64"};
  }
  std::string out;
  json::Object object(out);
  object.raw("content", json::quote(base64 ? base64_encode(piece.bytes) : piece.bytes));
  object.raw("encoding", base64 ? R"("base64")" : R"("utf8")");
  object.raw("size", std::to_string(piece.size));
  object.raw("eof", request.offset + piece.bytes.size() >= piece.size ? "true" : "false");
  object.raw("isolation", json::quote(isolation));
  object.end();
  return out;
}

std::string folder_answer(const std::vector<sandbox::FileEntry>& entries,
                          std::string_view isolation) {
  std::string out = R"({"entries":[)";
  for (const auto& entry : entries) {
    if (out.back() == '}') out += ',';
    json::Object object(out);
    object.raw("name", json::quote(entry.name));
    object.raw("is_dir", entry.is_dir ? "true" : "false");
    object.raw("size", std::to_string(entry.size));
    object.raw("type", json::quote(entry.type));
  }
  return out + closing(isolation);
}

std::string written_answer(const FileRequest& request, std::string_view isolation) {
  // A path inside is one of the URI's too, each name by itself.
  std::string uri = fmt::format("sandbox://{}", request.sandbox);
  auto relative = sandbox::Workspace::relative(request.path);
  std::string_view rest = relative ? std::string_view(*relative) : request.path;
  while (!rest.empty()) {
    const auto slash = rest.find('/');
    uri += '/' + net::percent_encode(rest.substr(0, slash));
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  return fmt::format(R"({{"success":true,"bytes":{},"uri":{},"isolation":{}}})",
                     request.content.size(), json::quote(uri), json::quote(isolation));
}

std::string resource_answer(std::string_view uri, const std::string& bytes) {
  std::string out = R"({"contents":[)";
  {
    json::Object object(out);
    object.raw("uri", json::quote(uri));
    const bool text = json::is_utf8(bytes);
    object.raw("mimeType", text ? R"("text/plain")" : R"("application/octet-stream")");
    object.raw(text ? "text" : "blob", json::quote(text ? bytes : base64_encode(bytes)));
  }
  return out + "]}";
}

std::string structured_result(std::string_view json_text) {
  std::string out = R"({"content":[{"type":"text","text":)";
  json::append_quoted(out, json_text);
  out += R"(}],"structuredContent":)";
  out += json_text;
  out += '}';
  return out;
}

}  // namespace patchbay::upstreams
