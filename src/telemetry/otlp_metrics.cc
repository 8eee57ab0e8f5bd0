#include <cmath>
#include <vector>

#include "telemetry/otlp_encode.h"
#include "trace/context.h"

namespace patchbay::telemetry {
namespace {

using metrics::Family;
using metrics::Series;

constexpr OtlpLevels kMetricLevels{{1, "resourceMetrics"}, {2, "scopeMetrics"}};
constexpr OtlpField kMetrics{2, "metrics"};

// Of a metric.
constexpr OtlpField kMetricName{1, "name"};
constexpr OtlpField kDescription{2, "description"};
constexpr OtlpField kUnit{3, "unit"};
constexpr OtlpField kGauge{5, "gauge"};
constexpr OtlpField kSum{7, "sum"};
constexpr OtlpField kHistogram{9, "histogram"};

// Of a gauge, sum or histogram.
constexpr OtlpField kDataPoints{1, "dataPoints"};
constexpr OtlpField kTemporality{2, "aggregationTemporality"};
constexpr OtlpField kMonotonic{3, "isMonotonic"};
constexpr unsigned kCumulative = 2;

// Of a point.
constexpr OtlpField kPointStart{2, "startTimeUnixNano"};
constexpr OtlpField kPointTime{3, "timeUnixNano"};
constexpr OtlpField kAsDouble{4, "asDouble"};
constexpr OtlpField kAsInt{6, "asInt"};
constexpr OtlpField kNumberAttributes{7, "attributes"};
constexpr OtlpField kPointCount{4, "count"};
constexpr OtlpField kPointSum{5, "sum"};
constexpr OtlpField kBucketCounts{6, "bucketCounts"};
constexpr OtlpField kExplicitBounds{7, "explicitBounds"};
constexpr OtlpField kExemplars{8, "exemplars"};
constexpr OtlpField kHistogramAttributes{9, "attributes"};

// Of an exemplar.
constexpr OtlpField kExemplarTime{2, "timeUnixNano"};
constexpr OtlpField kExemplarValue{3, "asDouble"};
constexpr OtlpField kExemplarSpan{4, "spanId"};
constexpr OtlpField kExemplarTrace{5, "traceId"};

std::uint64_t to_unix_ns(double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); }

// Determined by the end of the name, as in Prometheus.
std::string_view unit_of(std::string_view name) {
  if (name.ends_with("_total")) name.remove_suffix(std::string_view("_total").size());
  if (name.ends_with("_seconds")) return "s";
  if (name.ends_with("_bytes")) return "By";
  return "";
}

template <class Writer>
class FamilyPoints {
 public:
  FamilyPoints(Writer& out, std::uint64_t start, std::uint64_t now)
      : out_(out), start_(start), now_(now) {}

  std::size_t points() const { return points_; }

  void write(const Family& family) {
    out_.text(kMetricName, family.name);
    out_.text(kDescription, family.help);
    if (const auto unit = unit_of(family.name); !unit.empty()) out_.text(kUnit, unit);
    const auto numbers = [&] { put_numbers(family); };
    const auto sum = [&] {
      put_numbers(family);
      out_.number(kTemporality, kCumulative);
      out_.flag(kMonotonic, true);
    };
    const auto histogram = [&] {
      put_histograms(family);
      out_.number(kTemporality, kCumulative);
    };
    switch (family.type) {
      case metrics::Type::counter:
        out_.message(kSum, sum);
        break;
      case metrics::Type::gauge:
        out_.message(kGauge, numbers);
        break;
      case metrics::Type::histogram:
        out_.message(kHistogram, histogram);
        break;
    }
    points_ += family.series.size();
  }

 private:
  void put_times() {
    out_.fixed64(kPointStart, start_);
    out_.fixed64(kPointTime, now_);
  }

  void put_labels(OtlpField field, const Series& series) {
    const auto labels = [&] {
      for (const auto& [key, value] : metrics::label_pairs(series.labels)) {
        out_.attribute(field, key, std::string_view(value));
      }
    };
    out_.list(field, labels);
  }

  void put_numbers(const Family& family) {
    const auto points = [&] {
      for (const auto& series : family.series) {
        out_.element(kDataPoints, [&] { put_number(series); });
      }
    };
    out_.list(kDataPoints, points);
  }

  void put_number(const Series& series) {
    put_times();
    // Whole numbers stay exact.
    constexpr double kMostExact = 9007199254740992.0;  // 2^53
    if (std::abs(series.value) < kMostExact && std::trunc(series.value) == series.value) {
      out_.signed64(kAsInt, static_cast<std::int64_t>(series.value));
    } else {
      out_.real(kAsDouble, series.value);
    }
    put_labels(kNumberAttributes, series);
  }

  void put_histograms(const Family& family) {
    const auto points = [&] {
      for (const auto& series : family.series) {
        out_.element(kDataPoints, [&] { put_histogram(series); });
      }
    };
    out_.list(kDataPoints, points);
  }

  void put_histogram(const Series& series) {
    counts_.clear();
    bounds_.clear();
    for (const auto& bucket : series.buckets) {
      counts_.push_back(bucket.count);
      if (!std::isinf(bucket.bound)) bounds_.push_back(bucket.bound);
    }
    put_times();
    out_.fixed64(kPointCount, series.count);
    out_.real(kPointSum, series.sum);
    out_.fixed64_list(kBucketCounts, counts_);
    out_.real_list(kExplicitBounds, bounds_);
    out_.list(kExemplars, [&] { put_exemplars(series); });
    put_labels(kHistogramAttributes, series);
  }

  void put_exemplars(const Series& series) {
    for (const auto& bucket : series.buckets) {
      if (!bucket.exemplar) continue;
      const auto trace_id = trace::parse_trace_id(bucket.exemplar->trace_id);
      const auto span_id = trace::parse_span_id(bucket.exemplar->span_id);
      const auto exemplar = [&] {
        out_.fixed64(kExemplarTime, to_unix_ns(bucket.exemplar->unix_seconds));
        out_.real(kExemplarValue, bucket.exemplar->value);
        if (span_id) out_.id(kExemplarSpan, *span_id);
        if (trace_id) out_.id(kExemplarTrace, *trace_id);
      };
      out_.element(kExemplars, exemplar);
    }
  }

  Writer& out_;
  const std::uint64_t start_;
  const std::uint64_t now_;
  std::size_t points_ = 0;
  std::vector<std::uint64_t> counts_;
  std::vector<double> bounds_;
};

template <class Writer>
std::size_t put_families(Writer out, const Resource& resource, const metrics::Snapshot& snapshot,
                         std::uint64_t now) {
  FamilyPoints<Writer> points(out, to_unix_ns(snapshot.began_unix_seconds), now);
  const auto families = [&] {
    for (const auto& family : snapshot.families) {
      out.element(kMetrics, [&] { points.write(family); });
    }
  };
  put_request(out, kMetricLevels, resource, [&] { out.list(kMetrics, families); });
  return points.points();
}

}  // namespace

std::size_t encode_metrics(Encoding encoding, const Resource& resource,
                           const metrics::Snapshot& snapshot, std::int64_t now_unix_ns,
                           OtlpBuffer& out) {
  const auto now = static_cast<std::uint64_t>(now_unix_ns);
  return encoding == Encoding::json ? put_families(OtlpJsonWriter(out), resource, snapshot, now)
                                    : put_families(ProtobufWriter(out), resource, snapshot, now);
}

}  // namespace patchbay::telemetry
