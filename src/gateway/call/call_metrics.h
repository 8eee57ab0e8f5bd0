// CallMetrics counts finished calls: by upstream, tool and client, with durations and sizes. Series
// are created when they are first needed. The number of names that clients or upstreams choose is
// bounded.
//
// One per worker; confined to it. The underlying series are shared.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/text_hash.h"
#include "observe/metrics.h"

namespace patchbay::gateway {

// The outcome of a call: the number of a Code, or an outcome without a Code.
enum class Outcome : std::uint8_t {
  ok = kCodes.size(),
  upstream_error,  // The upstream answered with an error.
  tool_error,      // The tool failed: its result has `isError`.
};
inline constexpr std::size_t kOutcomes = kCodes.size() + 3;

std::string_view name_of(Outcome outcome);

// Classes of outcomes, for durations.
enum class OutcomeClass : std::uint8_t {
  ok,
  tool_error,
  refused,  // Not sent to an upstream, because of the request, the caller or a limit.
  error,    // The upstream or the gateway failed, or there was no answer in time.
};
inline constexpr std::size_t kOutcomeClasses = 4;

OutcomeClass class_of(Outcome outcome);

struct FinishedCall {
  const std::string& upstream;  // Empty: none.
  std::string_view tool;        // Empty: the call does not call a tool.
  std::string_view client;
  std::string_view frontend;  // A constant.
  Outcome outcome;
  double seconds;
  std::size_t bytes_in;
  std::size_t bytes_out;
  const metrics::SampledCall* sampled = nullptr;  // Null: it is not exported.
};

enum class SchemaDirection : std::uint8_t { arguments, result };

class CallMetrics {
 public:
  explicit CallMetrics(metrics::Registry& registry);

  void count(const FinishedCall& call);

  // How many tools, and how many clients, are counted by name. All others are counted together.
  void set_max_names(std::size_t most);

  // Arguments or a result violate the schema of a tool of that upstream.
  void count_violation(SchemaDirection direction, std::string_view upstream);

 private:
  using Counters =
      std::array<std::shared_ptr<metrics::Counter>, kOutcomes>;  // Created when counted.
  using Histograms = std::array<std::shared_ptr<metrics::Histogram>, kOutcomeClasses>;
  struct ByFrontend {
    std::string_view frontend;
    Histograms seconds;
  };
  struct UpstreamSeries {
    Counters calls;
    std::vector<ByFrontend> frontends;  // Only a few.
    std::shared_ptr<metrics::Histogram> request_size;
    std::shared_ptr<metrics::Histogram> response_size;
    std::array<std::shared_ptr<metrics::Counter>, 2> violations;  // By SchemaDirection.
  };
  struct NamedSeries {
    std::string label;  // With the name of the label.
    Counters calls;
    std::shared_ptr<metrics::Histogram> seconds;
  };
  // Calls by the name of a tool or of a client.
  struct Named {
    std::string family;
    std::string help;
    std::string_view label;
    TextMap<NamedSeries> by_name = {};  // At most as many as are counted by name, and "other".
    bool full = false;                  // All names that are counted are in `by_name`.
  };

  UpstreamSeries& upstream_series(std::string_view upstream);
  metrics::Histogram& duration(UpstreamSeries& known, const FinishedCall& call);
  NamedSeries& count(Named& named, std::string_view name, Outcome outcome);
  NamedSeries& named_series(Named& named, std::string_view name);

  metrics::Registry& registry_;
  std::size_t max_names_ = 500;
  TextMap<UpstreamSeries> by_upstream_;
  Named by_tool_{"patchbay_tool_calls_total", "Calls by tool and outcome.", "tool"};
  Named by_client_{"patchbay_client_calls_total", "Calls by client and outcome.", "client"};
};

}  // namespace patchbay::gateway
