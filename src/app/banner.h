// What `patchbay serve` prints to stdout when it starts: what runs, where, and what to type next.
//
// Writing never blocks: if nobody reads stdout, the rest is retried from time to time, and the
// gateway starts and stops regardless.
//
// Lives on the control thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/configuration.h"
#include "app/upstream_set.h"
#include "async/timers.h"
#include "net/io/address.h"

namespace patchbay::app {

class Banner final : Timer {
 public:
  // The version, the configuration, and the address of each frontend.
  void print_head(const Configuration& configuration,
                  std::span<const std::unique_ptr<frontends::SharedFrontend>> frontends,
                  const net::Address& address);

  // The TLS listener, which serves the same frontends.
  void print_tls(const TlsSection& section, const net::Address& address);

  // The listener of one frontend.
  void print_listener(const FrontendListener& listener, const net::Address& address);

  // The required upstreams that are down, and why, so that the gateway is not ready.
  void print_waiting(const std::vector<UpstreamReport>& upstreams);

  // `bus` is the address of the embedded bus; empty if there is none.
  void print_ready(const std::vector<UpstreamReport>& upstreams, const std::string& bus,
                   const net::Address& address);

  // Gives up the text that has not been written yet.
  void close() { drop(); }

 private:
  void put(const std::string& text);
  void write_out();
  void on_deadline() override { write_out(); }

  std::string rest_;  // Still to be written.
  std::string_view try_path_ = "/health";
  std::string try_command_ = "curl -s";
};

}  // namespace patchbay::app
