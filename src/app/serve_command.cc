// serve, stdio, openapi, check, describe: the commands around a configuration.
#include <fmt/format.h>
#include <malloc.h>

#include <cstdio>

#include "app/commands.h"
#include "app/configuration.h"
#include "app/gateway.h"
#include "config/describe.h"
#include "net/signals.h"
#include "observe/log.h"

namespace patchbay::app {
namespace {

void print_faults(const config::Faults& faults) {
  for (const auto& fault : faults) fmt::print(stderr, "{}\n", config::to_string(fault));
}

template <class E>
std::optional<E> chosen(std::string_view name) {
  for (const auto& choice : config::choices<E>) {
    if (choice.name == name) return choice.value;
  }
  return std::nullopt;
}

// Answers of a megabyte come and go; giving their memory back to the kernel each time, to get it
// again page by page, costs more than moving them. Set once, before there are other threads.
void keep_large_blocks() {
  ::mallopt(M_MMAP_THRESHOLD, 8 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 16 << 20);
}

template <class Run>
int with_gateway(const ServeOptions& options, Run run) {
  config::Faults faults;
  const std::string file = choose_configuration(options.config);
  const Overrides overrides{options.listen, chosen<log::Level>(options.log_level),
                            chosen<log::Format>(options.log_format)};
  Configuration configuration = load_configuration(file, overrides, faults);
  if (!faults.empty()) {
    print_faults(faults);
    return kExitConfiguration;
  }
  keep_large_blocks();
  net::block_signals();
  log::start(configuration.settings.log.level, configuration.settings.log.format);
  int code = kExitFailed;
  {
    Gateway gateway(std::move(configuration), overrides);
    code = run(gateway);
  }
  log::stop();
  return code;
}

}  // namespace

int serve(const ServeOptions& options) {
  return with_gateway(options, [](Gateway& gateway) { return gateway.serve(); });
}

int serve_stdio(const ServeOptions& options) {
  return with_gateway(options, [](Gateway& gateway) { return gateway.serve_stdio(); });
}

int print_openapi(const ServeOptions& options, bool yaml) {
  return with_gateway(options, [yaml](Gateway& gateway) { return gateway.print_openapi(yaml); });
}

int check(const std::string& file) {
  config::Faults faults;
  const Configuration configuration = load_configuration(file, {}, faults);
  if (!faults.empty()) {
    print_faults(faults);
    return kExitConfiguration;
  }
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
