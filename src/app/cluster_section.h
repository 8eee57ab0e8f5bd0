// The section `cluster`: what gateways that act as one have in common, and what one gateway needs
// to go on after a restart.
//
// Values only.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/node.h"
#include "config/settings.h"
#include "store/redis/settings.h"

namespace patchbay::app {

enum class StoreKind : std::uint8_t { embedded, redis };

struct ClusterSection {
  std::vector<std::string> keys;
  StoreKind store = StoreKind::embedded;
  store::RedisSettings redis;
  config::Duration rates_interval{100};
  int max_store_queue = 65'536;
  config::Bytes max_store_size{256 << 20};
  std::string listen;     // Empty: this gateway is alone.
  std::string advertise;  // Empty: the address of `listen`.
  std::string name;       // Empty: the host name.
  config::Duration lease_timeout{2'000};
  config::Duration connect_timeout{1'000};
  config::Duration link_timeout{2'000};
  int max_forwarded = 10'000;
  config::Bytes max_forward_buffer_size{8 << 20};
};

// Adds a fault for each key that could be guessed, and for a shared store that cannot be one.
void check_cluster(const ClusterSection& section, const config::Node& root, const std::string& file,
                   config::Faults& faults);

}  // namespace patchbay::app

namespace patchbay {

template <>
inline constexpr auto config::choices<app::StoreKind> = std::array{
    Choice{"embedded", app::StoreKind::embedded},
    Choice{"redis", app::StoreKind::redis},
};

template <>
const config::Fields& config::fields<app::ClusterSection>();

}  // namespace patchbay
