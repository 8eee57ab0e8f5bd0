// serve, stdio, openapi, check, describe: the commands around a configuration.
#include <fmt/format.h>

#include <cstdio>

#include "app/configuration.h"
#include "app/one_line.h"
#include "app/problems.h"
#include "app/run_gateway.h"
#include "app/single_session.h"
#include "cli/ask_inputs.h"
#include "cli/chat.h"
#include "cli/commands.h"
#include "cli/stdio_session.h"
#include "cli/terminal.h"
#include "config/describe.h"
#include "core/discard.h"
#include "frontends/rest/openapi.h"
#include "json/text.h"
#include "json/yaml.h"

namespace patchbay::app {
namespace {

int with_gateway(const ServeOptions& options, const std::function<int(Gateway&)>& run) {
  config::Faults faults;
  const std::string file = choose_configuration(options.config);
  ask_inputs(file);
  const Overrides overrides{options.properties,
                            options.listen,
                            options.tls_listen,
                            options.wire_listen,
                            chosen<log::Level>(options.log_level),
                            chosen<log::Format>(options.log_format)};
  Configuration configuration = load_configuration(file, overrides, faults);
  if (!faults.empty()) {
    report_faults(faults);
    return kExitConfiguration;
  }
  return run_gateway(std::move(configuration), overrides, run);
}

// Prints the OpenAPI document of what the upstreams offer. Lives on the control thread.
class OpenApiSession final : public SingleSession {
 public:
  explicit OpenApiSession(bool yaml) : yaml_(yaml) {}

  Task<void> run(Context context) override {
    auto synced = co_await context.synced.wait();
    discard(synced, "it is only ever delivered without an error");
    auto write = [this, &context]() -> Task<void> {
      const std::string text = frontends::openapi_document(*context.worker.catalog().whole());
      fmt::print("{}", yaml_ ? json::to_yaml(text) : text + "\n");
      co_return ok();
    };
    auto written = co_await hop<void>(context.worker.loop(), write);
    std::fflush(stdout);
    co_return written;
  }

 private:
  const bool yaml_;
};

int serve_session(const ServeOptions& options, SingleSession& session) {
  return with_gateway(options, [&](Gateway& gateway) { return gateway.serve_one(session); });
}

}  // namespace

int serve(const ServeOptions& options) { return with_gateway(options, &Gateway::serve); }

int serve_stdio(const ServeOptions& options) {
  StdioSession session;
  return serve_session(options, session);
}

int chat(const ServeOptions& options) {
  ServeOptions changed = options;
  // The log goes to the terminal of the person.
  if (changed.log_level.empty()) changed.log_level = "warn";
  ChatSession session;
  return serve_session(changed, session);
}

int print_openapi(const ServeOptions& options, bool yaml) {
  OpenApiSession session(yaml);
  return serve_session(options, session);
}

int check(const std::string& file, bool as_json) {
  config::Faults faults;
  const Configuration configuration = load_configuration(file, {}, faults);
  if (!faults.empty()) {
    report_faults(faults);
    if (!as_json) print_notes(configuration.notes);
    if (!as_json) print_notes(configuration.warnings);
    return kExitConfiguration;
  }
  const auto problems = find_problems(configuration);
  if (!as_json) {
    print_notes(configuration.notes);
    print_notes(configuration.warnings);
    for (const auto& problem : problems) fmt::print(stderr, "warning: {}\n", on_line(problem));
    fmt::print("ok\n");
    return kExitOk;
  }
  std::string warnings;
  const auto add = [&warnings](std::string_view text) {
    warnings += (warnings.empty() ? "" : ",") + json::quote(text);
  };
  for (const auto& note : configuration.notes) add(config::to_string(note));
  for (const auto& warning : configuration.warnings) add(config::to_string(warning));
  for (const auto& problem : problems) add(problem);
  fmt::print("{{\"ok\":true,\"warnings\":[{}]}}\n", warnings);
  return kExitOk;
}

int describe(bool schema) {
  const config::Shape shape = configuration_shape();
  const std::string text = schema ? config::to_json_schema(shape, "Patchbay configuration", "")
                                  : config::to_markdown(shape, "Configuration");
  fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  return kExitOk;
}

}  // namespace patchbay::app
