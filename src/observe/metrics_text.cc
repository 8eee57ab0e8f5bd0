#include "observe/metrics_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace patchbay::metrics {
namespace {

constexpr std::string_view kTotal = "_total";

// Integers have no fraction and no exponent, as far as a double is exact.
std::string number_text(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (std::trunc(value) == value && std::abs(value) < kExact) {
    return fmt::format("{}", static_cast<std::int64_t>(value));
  }
  return fmt::format("{}", value);
}

// The same in both formats, so that a scraper that changes the format keeps its series.
std::string bound_text(double bound) {
  if (std::isinf(bound)) return "+Inf";
  return std::trunc(bound) == bound ? fmt::format("{:.1f}", bound) : fmt::format("{}", bound);
}

std::string_view type_text(Type type) {
  switch (type) {
    case Type::counter:
      return "counter";
    case Type::gauge:
      return "gauge";
    case Type::histogram:
      break;
  }
  return "histogram";
}

void add_escaped_help(std::string& out, std::string_view help, bool quotes) {
  for (const char c : help) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || (quotes && c == '"')) out += '\\';
    out += c;
  }
}

// One of the two formats.
struct Format {
  bool openmetrics = false;

  // OpenMetrics names a counter without the suffix of its sample.
  std::string_view family_name(const Family& family) const {
    std::string_view name = family.name;
    const bool cut = openmetrics && family.type == Type::counter && name.ends_with(kTotal);
    if (cut) name.remove_suffix(kTotal.size());
    return name;
  }

  void add_head(std::string& out, const Family& family) const {
    const std::string_view name = family_name(family);
    out += "# HELP ";
    out += name;
    out += ' ';
    add_escaped_help(out, family.help, openmetrics);
    fmt::format_to(std::back_inserter(out), "\n# TYPE {} {}\n", name, type_text(family.type));
    if (!openmetrics) return;
    for (const std::string_view unit : {"seconds", "bytes", "ratio"}) {
      if (name.ends_with(fmt::format("_{}", unit))) {
        fmt::format_to(std::back_inserter(out), "# UNIT {} {}\n", name, unit);
      }
    }
  }

  void add_histogram(std::string& out, std::string_view name, const Series& series) const {
    const std::string_view comma = series.labels.empty() ? "" : ",";
    std::uint64_t up_to = 0;
    for (const Bucket& bucket : series.buckets) {
      up_to += bucket.count;
      fmt::format_to(std::back_inserter(out), "{}_bucket{{{}{}le=\"{}\"}} {}", name, series.labels,
                     comma, bound_text(bucket.bound), up_to);
      if (openmetrics && bucket.exemplar) {
        const Exemplar& example = *bucket.exemplar;
        fmt::format_to(std::back_inserter(out), " # {{trace_id=\"{}\"", example.trace_id);
        if (!example.span_id.empty()) {
          fmt::format_to(std::back_inserter(out), ",span_id=\"{}\"", example.span_id);
        }
        fmt::format_to(std::back_inserter(out), "}} {} {:.3f}", example.value,
                       example.unix_seconds);
      }
      out += '\n';
    }
    add_sample(out, fmt::format("{}_sum", name), series.labels, fmt::format("{}", series.sum));
    add_sample(out, fmt::format("{}_count", name), series.labels, fmt::format("{}", series.count));
  }

  static void add_sample(std::string& out, std::string_view name, std::string_view labels,
                         std::string_view value) {
    out += name;
    if (!labels.empty()) fmt::format_to(std::back_inserter(out), "{{{}}}", labels);
    out += ' ';
    out += value;
    out += '\n';
  }

  std::string text(const Snapshot& snapshot) const {
    std::string out;
    for (const Family& family : snapshot.families) {
      add_head(out, family);
      for (const Series& series : family.series) {
        if (family.type == Type::histogram) {
          add_histogram(out, family.name, series);
        } else {
          add_sample(out, family.name, series.labels, number_text(series.value));
        }
      }
    }
    if (openmetrics) out += "# EOF\n";
    return out;
  }
};

}  // namespace

std::string prometheus_text(const Snapshot& snapshot) { return Format{false}.text(snapshot); }
std::string openmetrics_text(const Snapshot& snapshot) { return Format{true}.text(snapshot); }

}  // namespace patchbay::metrics
