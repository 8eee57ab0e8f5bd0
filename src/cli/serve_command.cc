// serve, stdio, openapi, check, describe: the commands around a configuration.
#include <fmt/format.h>

#include <cstdio>

#include "app/commands.h"
#include "app/configuration.h"
#include "app/run_gateway.h"
#include "config/describe.h"

namespace patchbay::app {
namespace {

int with_gateway(const ServeOptions& options, const std::function<int(Gateway&)>& run) {
  config::Faults faults;
  const std::string file = choose_configuration(options.config);
  const Overrides overrides{options.properties,
                            options.listen,
                            options.tls_listen,
                            options.wire_listen,
                            chosen<log::Level>(options.log_level),
                            chosen<log::Format>(options.log_format)};
  Configuration configuration = load_configuration(file, overrides, faults);
  if (!faults.empty()) {
    print_faults(faults);
    return kExitConfiguration;
  }
  return run_gateway(std::move(configuration), overrides, run);
}

}  // namespace

int serve(const ServeOptions& options) { return with_gateway(options, &Gateway::serve); }

int serve_stdio(const ServeOptions& options) {
  return with_gateway(options, &Gateway::serve_stdio);
}

int chat(const ServeOptions& options) {
  ServeOptions idle = options;
  // Logs would disturb the prompt on the same terminal.
  if (idle.log_level.empty()) idle.log_level = "warn";
  return with_gateway(idle, &Gateway::serve_chat);
}

int print_openapi(const ServeOptions& options, bool yaml) {
  return with_gateway(options, [yaml](Gateway& gateway) { return gateway.print_openapi(yaml); });
}

int check(const std::string& file) {
  config::Faults faults;
  const Configuration configuration = load_configuration(file, {}, faults);
  if (!faults.empty()) {
    print_faults(faults);
    print_notes(configuration.notes);
    return kExitConfiguration;
  }
  print_notes(configuration.notes);
  fmt::print("ok\n");
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
