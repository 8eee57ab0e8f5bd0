// What `patchbay serve` says on stdout when it starts: what runs, where, and what to type next.
//
// Writing never blocks: if nobody reads stdout, what is left is tried again from time to time, and
// the gateway starts and stops all the same.
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
  // The version, the configuration, and where each front end is.
  void print_head(const Configuration& configuration,
                  std::span<const std::unique_ptr<frontends::SharedFrontend>> frontends,
                  const net::Address& address);

  // The TLS listener, which serves the same front ends.
  void print_tls(const TlsSection& section, const net::Address& address);

  // A listener of a front end's own.
  void print_listener(const FrontendListener& listener, const net::Address& address);

  // The gateway is not ready without the required upstreams that are down; why they are.
  void print_waiting(const std::vector<UpstreamReport>& upstreams);

  // `bus` is where the embedded bus is; empty if there is none.
  void print_ready(const std::vector<UpstreamReport>& upstreams, const std::string& bus,
                   const net::Address& address);

  // What has not been written by now never is.
  void close() { drop(); }

 private:
  void put(const std::string& text);
  void write_out();
  void on_deadline() override { write_out(); }

  std::string rest_;  // Still to be written.
  std::string_view try_path_ = "/health";
};

}  // namespace patchbay::app
