#include "agent/run_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base64.h"

namespace patchbay::agent {
namespace {

constexpr std::string_view kNames[] = {"timeout", "cwd",    "env",      "clear_env",
                                       "stdin",   "stream", "encoding", "max_output",
                                       "argv",    "grace",  "keep",     "max_stream"};

Clock::duration span_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

bool keeps_both_ends(Params& params) {
  const std::string keep = params.text("keep", "first");
  if (keep != "first" && keep != "ends") params.refuse("`keep` must be \"first\" or \"ends\"");
  return keep == "ends";
}

}  // namespace

RunOptions RunOptions::of(Asked asked) {
  Params& params = asked.params;
  const Settings& settings = asked.services.settings;
  RunOptions options;
  options.used = std::ranges::any_of(kNames, [&](auto name) { return params.has(name); });
  const auto most = static_cast<double>(settings.max_seconds);
  const double timeout = std::min(params.seconds("timeout", most), most);
  if (timeout <= 0) params.refuse("`timeout` must be more than 0");
  options.timeout = span_of(timeout);
  options.grace = span_of(std::min(params.seconds("grace", 0), most));
  options.cwd = params.text("cwd", "");
  options.env = params.pairs("env");
  options.clear_env = params.flag("clear_env");
  options.stream = params.flag("stream");
  options.max_stream = params.number("max_stream", UINT64_MAX);
  options.encoding = encoding_of(params);
  options.max_output = static_cast<std::size_t>(
      std::min(params.number("max_output", settings.max_output), settings.max_output));
  options.both_ends = keeps_both_ends(params);
  if (options.both_ends && options.encoding == Encoding::base64) {
    params.refuse("`keep` is for text: base64 cannot mark what is left out");
  }
  if (params.has("stdin")) {
    options.input = params.content("stdin");
    if (options.encoding == Encoding::base64) options.input = base64_decode(*options.input);
    if (!options.input) params.refuse("`stdin` must be base64");
  }
  for (const auto& [name, value] : options.env) {
    if (name.contains('=')) params.refuse("a name in `env` has a `=`");
  }
  return options;
}

void RunOptions::apply(const Services& services, net::Program& program) const {
  program.cwd = cwd.empty() ? services.tree.root() : cwd;
  if (!cwd.empty() && !cwd.starts_with('/') && !services.tree.root().empty()) {
    program.cwd = services.tree.root() + "/" + cwd;
  }
  program.reads_input = input.has_value();
  if (!clear_env) program.environment = services.environment;
  for (const auto& [name, value] : env) {
    const std::string start = name + "=";
    std::erase_if(program.environment,
                  [&](const std::string& entry) { return entry.starts_with(start); });
    if (value) program.environment.push_back(start + *value);
  }
}

Result<CommandLine> asked_line(Params& params) {
  if (!params.has("argv")) return shell_line(params.text("cmd"));
  CommandLine line;
  auto argv = params.texts("argv");
  if (params.has("cmd")) params.refuse("`argv` and `cmd` exclude each other");
  if (argv.empty() || argv.front().empty()) {
    params.refuse("`argv` must begin with a program");
    return line;
  }
  line.program.command = argv.front();
  line.program.args.assign(argv.begin() + 1, argv.end());
  line.program.pipe_size = 0;
  return line;
}

}  // namespace patchbay::agent
