// The identity of a span, as W3C Trace Context defines it: its trace, its own id, and whether the
// trace is sampled.
//
// Pure, except for new ids, which are random. Usable from any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace patchbay::trace {

using TraceId = std::array<std::uint8_t, 16>;
using SpanId = std::array<std::uint8_t, 8>;

struct SpanContext {
  TraceId trace{};
  SpanId span{};
  bool sampled = false;

  // Zeros stand for no trace and no span.
  bool valid() const {
    const auto set = [](std::uint8_t byte) { return byte != 0; };
    return std::ranges::any_of(trace, set) && std::ranges::any_of(span, set);
  }
  bool operator==(const SpanContext&) const = default;
};

inline constexpr std::size_t kTraceparentSize = 55;

// A `traceparent`. Empty if it is not well formed. Fields that later versions add are ignored.
std::optional<SpanContext> parse_traceparent(std::string_view text);

// "00-TRACE-SPAN-FLAGS"
std::string to_traceparent(const SpanContext& context);
// The same without allocating memory.
void write_traceparent(const SpanContext& context, std::array<char, kTraceparentSize>& to);

// Ids in lower-case hexadecimal.
std::string to_hex(const TraceId& id);
std::string to_hex(const SpanId& id);
// The same without memory of its own.
using TraceDigits = std::array<char, 2 * sizeof(TraceId)>;
using SpanDigits = std::array<char, 2 * sizeof(SpanId)>;
void write_hex(const TraceId& id, TraceDigits& to);
void write_hex(const SpanId& id, SpanDigits& to);
std::optional<TraceId> parse_trace_id(std::string_view hex);
std::optional<SpanId> parse_span_id(std::string_view hex);

// Random ids, never zero. They need not be secret: the generator is fast, seeded by the kernel.
TraceId new_trace_id();
SpanId new_span_id();

// The text if it may be passed on as a `tracestate` or `baggage` as it is, otherwise nothing: it is
// too long for the standard, has too many members, or has characters that no header may have. A
// `tracestate` with one member that is malformed is malformed as a whole.
inline constexpr std::size_t kMaxTracestate = 512;
inline constexpr std::size_t kMaxTracestateMembers = 32;
inline constexpr std::size_t kMaxBaggage = 8192;
inline constexpr std::size_t kMaxBaggageMembers = 180;
std::string_view usable_tracestate(std::string_view text);
std::string_view usable_baggage(std::string_view text);

}  // namespace patchbay::trace
