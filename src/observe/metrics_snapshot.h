// A Snapshot contains all metrics at one moment, for the text at /metrics and the OTLP exporter.
//
// Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace patchbay::metrics {

enum class Type : std::uint8_t { counter, gauge, histogram };

// A sampled call whose value is in a bucket.
struct Exemplar {
  std::string trace_id;  // Hexadecimal.
  std::string span_id;   // The same; empty: the call has no span of ours.
  double value = 0;
  double unix_seconds = 0;
};

struct Bucket {
  double bound = 0;         // The largest value in it; the last one has infinity.
  std::uint64_t count = 0;  // Of this bucket alone.
  std::optional<Exemplar> exemplar = {};
};

using Label = std::pair<std::string, std::string>;

struct Series {
  std::string labels;  // As in the text format: see metrics::labels().
  double value = 0;    // Of a counter or gauge.

  // Of a histogram.
  std::vector<Bucket> buckets = {};
  double sum = 0;
  std::uint64_t count = 0;
};

struct Family {
  std::string name;
  std::string help;
  Type type = Type::gauge;
  std::vector<Series> series;
};

struct Snapshot {
  std::vector<Family> families;   // By name.
  double began_unix_seconds = 0;  // When counting began.
};

// The labels of a series, unescaped.
std::vector<Label> label_pairs(std::string_view labels);

}  // namespace patchbay::metrics
