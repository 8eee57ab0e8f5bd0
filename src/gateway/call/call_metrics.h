// CallMetrics counts finished calls: by upstream, tool and client, with durations and sizes. Series
// are created when they are first needed. Of the tools and clients, whose names others choose, the
// busiest have series of their own; all others are counted together.
//
// One per worker; confined to it. The underlying series are shared.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "async/timers.h"
#include "core/error.h"
#include "core/text_hash.h"
#include "observe/metrics.h"
#include "observe/space_saving.h"
#include "observe/top_names.h"

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

  // How many tools, and how many clients, are counted by name.
  void set_max_names(std::size_t most);

  // Now and then: which names are counted may change.
  void rank_names(Deadline now);

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
    metrics::TopNames::Slot slot = 0;
    std::uint64_t recent = 0;  // Calls that have not been reported to TopNames.
  };
  // Calls by the name of a tool or of a client.
  struct Named {
    std::string family;
    std::string help;
    std::string_view label;
    std::string_view durations;  // The family of the histogram; empty: none.
    metrics::TopNames& top;
    TextMap<NamedSeries> by_name = {};  // Those with a slot, as far as this worker knows.
    NamedSeries other = {};
    metrics::SpaceSaving others = {};  // The names that were counted there since the last report.
    std::uint64_t version = 0;         // Of `top`, when `by_name` agreed with it.
    std::uint64_t full_at = 0;         // The version at which no slot was free.
  };

  UpstreamSeries& upstream_series(std::string_view upstream);
  metrics::Histogram& duration(UpstreamSeries& known, const FinishedCall& call);
  NamedSeries& count(Named& named, std::string_view name, Outcome outcome);
  static NamedSeries& named_series(Named& named, std::string_view name);
  void report(Named& named);
  void forget_lost(Named& named);
  void merge_into_other(const Named& named, std::string_view name);

  metrics::Registry& registry_;
  TextMap<UpstreamSeries> by_upstream_;
  Named by_tool_;
  Named by_client_;
  Deadline next_report_ = {};
};

}  // namespace patchbay::gateway
