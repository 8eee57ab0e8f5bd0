#include "trace/context.h"

#include <sys/random.h>

#include <random>
#include <utility>

namespace patchbay::trace {
namespace {

constexpr std::string_view kForm = "hh-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh";
static_assert(kForm.size() == kTraceparentSize);
constexpr std::size_t kTraceBegin = 3;
constexpr std::size_t kSpanBegin = 36;
constexpr std::size_t kFlagsBegin = 53;
constexpr unsigned kSampledFlag = 1;

bool is_lower_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// Later versions may add fields at the end, after a dash. Version ff is not allowed.
bool well_formed(std::string_view text) {
  if (text.size() < kForm.size() || text.starts_with("ff")) return false;
  if (text.size() > kForm.size() && (text.starts_with("00") || text[kForm.size()] != '-')) {
    return false;
  }
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == '-' ? text[i] != '-' : !is_lower_hex(text[i])) return false;
  }
  return true;
}

unsigned nibble(char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); }

template <std::size_t N>
std::array<std::uint8_t, N> read_hex(std::string_view hex) {
  std::array<std::uint8_t, N> bytes{};
  for (std::size_t i = 0; i < N; ++i) {
    bytes[i] = static_cast<std::uint8_t>(nibble(hex[2 * i]) << 4U | nibble(hex[2 * i + 1]));
  }
  return bytes;
}

template <std::size_t N>
std::optional<std::array<std::uint8_t, N>> parse_id(std::string_view hex) {
  if (hex.size() != 2 * N || !std::ranges::all_of(hex, is_lower_hex)) return std::nullopt;
  return read_hex<N>(hex);
}

// Returns where the digits end.
template <std::size_t N>
char* put_hex(char* to, const std::array<std::uint8_t, N>& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const unsigned byte : bytes) {
    *to++ = kDigits[byte >> 4U];
    *to++ = kDigits[byte & 15U];
  }
  return to;
}

template <std::size_t N>
std::string hex_of(const std::array<std::uint8_t, N>& bytes) {
  std::string hex(2 * N, '0');
  put_hex(hex.data(), bytes);
  return hex;
}

// SplitMix64 over a seed of the kernel: each thread has a stream of its own.
std::uint64_t next_random() {
  thread_local std::uint64_t state = [] {
    std::uint64_t seed = 0;
    if (::getrandom(&seed, sizeof seed, 0) != sizeof seed) {
      std::random_device device;
      seed = std::uint64_t{device()} << 32U | device();
    }
    return seed;
  }();
  std::uint64_t mixed = state += 0x9e3779b97f4a7c15U;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31U);
}

template <std::size_t N>
std::array<std::uint8_t, N> new_id() {
  std::array<std::uint8_t, N> id{};
  for (std::size_t i = 0; i < N; i += sizeof(std::uint64_t)) {
    const std::uint64_t random = next_random();
    for (std::size_t j = 0; j < sizeof random; ++j) {
      id[i + j] = static_cast<std::uint8_t>(random >> (8 * j));
    }
  }
  id[0] |= 1U;  // Never zero.
  return id;
}

// Characters that a header value may contain, with limits on bytes and list members.
bool is_list(std::string_view text, std::size_t most, std::size_t most_members) {
  const auto may_stand = [](char c) { return (c >= ' ' && c <= '~') || c == '\t'; };
  return text.size() <= most && std::ranges::all_of(text, may_stand) &&
         std::cmp_less(std::ranges::count(text, ','), most_members);
}

// A part of the key of a member: one that begins with a letter or digit.
bool is_key_part(std::string_view part, std::size_t most) {
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto may_follow = [&](char c) {
    return is_plain(c) || c == '_' || c == '-' || c == '*' || c == '/';
  };
  return !part.empty() && part.size() <= most && is_plain(part.front()) &&
         std::ranges::all_of(part, may_follow);
}

// "vendor", or "tenant@vendor".
bool is_key(std::string_view key) {
  constexpr std::size_t kMostKey = 256;
  constexpr std::size_t kMostTenant = 241;
  constexpr std::size_t kMostVendor = 14;
  const std::size_t at = key.find('@');
  if (at == std::string_view::npos) return is_key_part(key, kMostKey);
  return is_key_part(key.substr(0, at), kMostTenant) &&
         is_key_part(key.substr(at + 1), kMostVendor);
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// `key=value`, or nothing, as lists may have it. REQUIRES: it is a part of what is_list().
bool is_state_member(std::string_view member) {
  constexpr std::size_t kMostValue = 256;
  member = without_blanks(member);
  if (member.empty()) return true;
  const std::size_t equals = member.find('=');
  if (equals == std::string_view::npos || !is_key(member.substr(0, equals))) return false;
  const std::string_view value = member.substr(equals + 1);
  return !value.empty() && value.size() <= kMostValue && !value.contains('=') &&
         !value.contains('\t');
}

bool has_state_members(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (!is_state_member(text.substr(0, end))) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

}  // namespace

std::optional<SpanContext> parse_traceparent(std::string_view text) {
  if (!well_formed(text)) return std::nullopt;
  SpanContext context;
  context.trace = read_hex<16>(text.substr(kTraceBegin));
  context.span = read_hex<8>(text.substr(kSpanBegin));
  context.sampled = (nibble(text[kFlagsBegin + 1]) & kSampledFlag) != 0;
  if (!context.valid()) return std::nullopt;
  return context;
}

void write_traceparent(const SpanContext& context, std::array<char, kTraceparentSize>& to) {
  char* at = to.data();
  *at++ = '0';
  *at++ = '0';
  *at++ = '-';
  at = put_hex(at, context.trace);
  *at++ = '-';
  at = put_hex(at, context.span);
  *at++ = '-';
  *at++ = '0';
  *at = context.sampled ? '1' : '0';
}

std::string to_traceparent(const SpanContext& context) {
  std::array<char, kTraceparentSize> text{};
  write_traceparent(context, text);
  return {text.data(), text.size()};
}

std::string to_hex(const TraceId& id) { return hex_of(id); }

std::string to_hex(const SpanId& id) { return hex_of(id); }

void write_hex(const TraceId& id, TraceDigits& to) { put_hex(to.data(), id); }

void write_hex(const SpanId& id, SpanDigits& to) { put_hex(to.data(), id); }

std::optional<TraceId> parse_trace_id(std::string_view hex) { return parse_id<16>(hex); }

std::optional<SpanId> parse_span_id(std::string_view hex) { return parse_id<8>(hex); }

TraceId new_trace_id() { return new_id<16>(); }

SpanId new_span_id() { return new_id<8>(); }

std::string_view usable_tracestate(std::string_view text) {
  const bool usable =
      is_list(text, kMaxTracestate, kMaxTracestateMembers) && has_state_members(text);
  return usable ? text : std::string_view();
}

std::string_view usable_baggage(std::string_view text) {
  return is_list(text, kMaxBaggage, kMaxBaggageMembers) ? text : std::string_view();
}

}  // namespace patchbay::trace
