// How the arguments of the sandbox tools are read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base64.h"
#include "gateway/call/arguments.h"
#include "json/read.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"
#include "upstreams/sandbox/tools.h"

namespace patchbay::upstreams {
namespace {

constexpr std::size_t kLongestId = 128;
constexpr std::size_t kLongestPath = 4'096;
constexpr std::size_t kMostVariables = 256;
constexpr std::size_t kMaxArgs = 4'096;
constexpr std::string_view kScheme = "sandbox://";

std::optional<std::string_view> given(std::string_view arguments, std::string_view name) {
  auto raw = json::member(arguments, name);
  if (raw && json::type_of(*raw) == json::Type::null) raw.reset();
  return raw;
}

Error wrong(std::string_view name, std::string_view what) {
  return {Code::invalid_params, fmt::format("'{}' must be {}", name, what)};
}

// An empty text is not the same as an absent one here: a caller that intended to name a sandbox
// must not get a new one.
Result<void> check_id(const std::optional<std::string>& id) {
  if (!id || !id->empty()) return ok();
  return Error{Code::invalid_params,
               "'sandbox_id' is empty; give the id that create_sandbox has answered with"};
}

// The id of a sandbox that must be named.
Result<std::string> id_argument(std::string_view arguments) {
  auto id = text_argument(arguments, "sandbox_id", kLongestId);
  if (!id) return id;
  auto named = check_id(*id);
  return named ? id : named.error();
}

// A number of seconds in (0, most].
Result<config::Duration> seconds_argument(std::string_view arguments, std::string_view name,
                                          config::Duration usual, config::Duration most) {
  const auto raw = given(arguments, name);
  if (!raw) return usual;
  const auto seconds = json::as_double(*raw);
  const double limit = static_cast<double>(most.count()) / 1000;
  if (!seconds || !(*seconds > 0) || *seconds > limit) {
    return wrong(name, fmt::format("a number of seconds above 0 and at most {}", limit));
  }
  return config::Duration(std::max<std::int64_t>(1, std::llround(*seconds * 1000)));
}

Result<std::uint64_t> count_argument(std::string_view arguments, std::string_view name) {
  const auto raw = given(arguments, name);
  if (!raw) return std::uint64_t{0};
  const auto number = json::as_int(*raw);
  if (!number || *number < 0) return wrong(name, "a whole number from 0");
  return static_cast<std::uint64_t>(*number);
}

Result<bool> truth_argument(std::string_view arguments, std::string_view name) {
  const auto raw = given(arguments, name);
  if (!raw) return false;
  const auto truth = json::as_bool(*raw);
  if (!truth) return wrong(name, "true or false");
  return *truth;
}

// Appends member `env`, an object of strings.
Result<void> add_variables(json::Object& to, std::string_view raw) {
  std::size_t count = 0;
  bool good = json::type_of(raw) == json::Type::object;
  json::each_member(raw, [&](std::string_view name, std::string_view value) {
    ++count;
    const bool plain =
        !name.empty() && name.find_first_of(std::string_view("=\0", 2)) == std::string_view::npos;
    if (!plain || json::type_of(value) != json::Type::string) good = false;
  });
  if (!good || count > kMostVariables) {
    return wrong("env", fmt::format("an object of at most {} strings", kMostVariables));
  }
  to.raw("env", raw);
  return ok();
}

Result<void> add_argv(json::Object& to, std::string_view raw, std::size_t most) {
  std::size_t count = 0;
  bool good = json::type_of(raw) == json::Type::array && raw.size() <= most;
  json::each_element(raw, [&](std::string_view arg) {
    ++count;
    if (json::type_of(arg) != json::Type::string) good = false;
  });
  if (!good || count == 0 || count > kMaxArgs) {
    return wrong("argv",
                 fmt::format("an array of 1 to {} strings, {} bytes at most", kMaxArgs, most));
  }
  to.raw("argv", raw);
  return ok();
}

// The arguments that execute_code and run_command share.
Result<void> add_options(RunRequest& request, json::Object& to, std::string_view arguments,
                         const SandboxSettings& settings) {
  auto sandbox = optional_text_argument(arguments, "sandbox_id", kLongestId);
  auto cwd = optional_text_argument(arguments, "cwd", kLongestPath);
  auto input = optional_text_argument(arguments, "stdin", settings.content.value);
  for (const auto* const one : {&sandbox, &cwd, &input}) {
    if (!*one) return one->error();
  }
  auto named = check_id(*sandbox);
  if (!named) {
    return Error{named.error().code,
                 named.error().message + ", or leave it out for a fresh sandbox of this run's own"};
  }
  request.sandbox = sandbox->value_or("");
  auto wall = seconds_argument(arguments, "timeout_s", settings.limits.wall,
                               std::max(settings.limits.wall, settings.limits.wall_most));
  if (!wall) return wall.error();
  request.wall = *wall;
  request.extended = *cwd || *input || given(arguments, "env") || given(arguments, "argv");
  if (*cwd) to.raw("cwd", json::quote(**cwd));
  if (*input) to.raw("stdin", json::quote(**input));
  if (const auto variables = given(arguments, "env")) return add_variables(to, *variables);
  return ok();
}

Result<void> read_code(RunRequest& request, json::Object& to, std::string_view arguments,
                       const SandboxSettings& settings) {
  auto language = text_argument(arguments, "language", 64);
  auto code = text_argument(arguments, "code", settings.command.value);
  if (!language) return language.error();
  if (!code) return code.error();
  request.method = "exec_code";
  request.what = *std::move(code);
  to.raw("lang", json::quote(*language));
  to.raw("code", json::quote(request.what));
  return ok();
}

Result<void> read_command(RunRequest& request, json::Object& to, std::string_view arguments,
                          const SandboxSettings& settings) {
  request.method = "exec";
  const auto args = given(arguments, "argv");
  if (args.has_value() == given(arguments, "command").has_value()) {
    return Error{Code::invalid_params, "give either 'command' or 'argv'"};
  }
  if (args) {
    request.what = *args;
    return add_argv(to, *args, settings.command.value);
  }
  auto command = text_argument(arguments, "command", settings.command.value);
  if (!command) return command.error();
  request.what = *std::move(command);
  to.raw("cmd", json::quote(request.what));
  return ok();
}

Result<void> check_file_names(SandboxTool tool, std::string_view arguments) {
  if (tool == SandboxTool::write_file) {
    return check_argument_names(arguments, {"sandbox_id", "path", "content", "encoding", "append"});
  }
  if (tool == SandboxTool::list_directory) {
    return check_argument_names(arguments, {"sandbox_id", "path"});
  }
  return check_argument_names(arguments, {"sandbox_id", "path", "encoding", "offset", "length"});
}

// The content to write: bytes.
Result<std::string> content_argument(std::string_view arguments, bool base64, std::size_t most) {
  // Base64 is a third longer than its content.
  auto content = text_argument(arguments, "content", most / 3 * 4 + 4);
  if (!content) return content.error();
  if (base64) {
    auto bytes = base64_decode(*content);
    if (!bytes) return wrong("content", "base64");
    content = *std::move(bytes);
  }
  if (content->size() > most) {
    return Error{Code::too_large, fmt::format("'content' has {} bytes; at most {} are written at "
                                              "once, so write it in parts with append",
                                              content->size(), most)};
  }
  return content;
}

}  // namespace

Result<CreateRequest> read_create(std::string_view arguments, const SandboxSettings& settings) {
  auto known = check_argument_names(arguments, {"memory_mib", "vcpu_count", "ttl_s"});
  if (!known) return known.error();
  CreateRequest request{settings.limits};
  auto ttl =
      seconds_argument(arguments, "ttl_s", settings.ttl, std::max(settings.ttl, settings.ttl_most));
  if (!ttl) return ttl.error();
  request.ttl = *ttl;
  if (const auto raw = given(arguments, "memory_mib")) {
    const auto most = static_cast<std::int64_t>(settings.limits.memory.value >> 20);
    const auto wanted = json::as_int(*raw);
    if (!wanted || *wanted < 16 || *wanted > most) {
      return wrong("memory_mib", fmt::format("a whole number from 16 to {}", most));
    }
    request.limits.memory.value = static_cast<std::uint64_t>(*wanted) << 20;
  }
  if (const auto raw = given(arguments, "vcpu_count")) {
    const auto wanted = json::as_double(*raw);
    if (!wanted || !(*wanted > 0) || *wanted > settings.limits.cpu) {
      return wrong("vcpu_count",
                   fmt::format("a number above 0 and at most {}", settings.limits.cpu));
    }
    request.limits.cpu = std::max(*wanted, 0.01);
  }
  request.as_configured =
      request.limits.memory == settings.limits.memory && request.limits.cpu == settings.limits.cpu;
  return request;
}

Result<RunRequest> read_run(SandboxTool tool, std::string_view arguments,
                            const SandboxSettings& settings) {
  const bool code = tool == SandboxTool::execute_code;
  auto known =
      code ? check_argument_names(
                 arguments, {"sandbox_id", "language", "code", "timeout_s", "stdin", "env", "cwd"})
           : check_argument_names(
                 arguments, {"sandbox_id", "command", "argv", "timeout_s", "stdin", "env", "cwd"});
  if (!known) return known.error();
  RunRequest request;
  std::string params;
  json::Object object(params);
  auto read = code ? read_code(request, object, arguments, settings)
                   : read_command(request, object, arguments, settings);
  if (read) read = add_options(request, object, arguments, settings);
  if (!read) return read.error();
  request.params = params;  // Not closed: members that depend on the agent follow.
  return request;
}

Result<FileRequest> read_file_request(SandboxTool tool, std::string_view arguments,
                                      const SandboxSettings& settings) {
  const bool lists = tool == SandboxTool::list_directory;
  auto known = check_file_names(tool, arguments);
  auto sandbox = id_argument(arguments);
  auto path = optional_text_argument(arguments, "path", kLongestPath);
  auto encoding = optional_text_argument(arguments, "encoding", 16);
  auto offset = count_argument(arguments, "offset");
  auto length = count_argument(arguments, "length");
  auto append = truth_argument(arguments, "append");
  if (!known) return known.error();
  if (!sandbox) return sandbox.error();
  if (!path) return path.error();
  if (!*path && !lists) {
    return Error{Code::invalid_params, "'path' is missing; give it as a string"};
  }
  if (!encoding) return encoding.error();
  if (!offset) return offset.error();
  if (!length) return length.error();
  if (!append) return append.error();
  const auto form = encoding->value_or("utf8");
  if (form != "utf8" && form != "base64") return wrong("encoding", "utf8 or base64");
  FileRequest request{
      *sandbox, path->value_or("/workspace"), form == "base64", *append, *offset, *length, ""};
  if (tool != SandboxTool::write_file) return request;
  auto content = content_argument(arguments, request.base64, settings.content.value);
  if (!content) return content.error();
  request.content = *std::move(content);
  return request;
}

Result<FileRequest> read_resource_request(std::string_view uri) {
  const Error nowhere{Code::resource_not_found, fmt::format("there is no '{}'", clip(uri))};
  if (!uri.starts_with(kScheme)) return nowhere;
  uri.remove_prefix(kScheme.size());
  const auto slash = uri.find('/');
  if (slash == std::string_view::npos || slash > kLongestId) return nowhere;
  auto path = net::percent_decode(uri.substr(slash + 1));
  if (!path || path->empty() || path->size() > kLongestPath) return nowhere;
  FileRequest request;
  request.sandbox = uri.substr(0, slash);
  request.path = *std::move(path);
  return request;
}

Result<std::string> read_sandbox_id(std::string_view arguments) {
  auto known = check_argument_names(arguments, {"sandbox_id"});
  if (!known) return known.error();
  return id_argument(arguments);
}

}  // namespace patchbay::upstreams
