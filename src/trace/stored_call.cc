#include "trace/stored_call.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace patchbay::trace {
namespace {

struct TextField {
  std::string_view CallRecord::* text;
  std::uint8_t most;  // Bytes.
};
constexpr std::array kTexts{
    TextField{&CallRecord::method, 64},
    TextField{&CallRecord::target, 192},
    TextField{&CallRecord::tool, 128},
    TextField{&CallRecord::upstream, 64},
    TextField{&CallRecord::upstream_kind, 64},
    TextField{&CallRecord::caller, 64},
    TextField{&CallRecord::caller_id, kMaxCallerId},
    TextField{&CallRecord::client, 96},
    TextField{&CallRecord::from, 48},
    TextField{&CallRecord::session, 64},
    TextField{&CallRecord::request_id, 48},
    TextField{&CallRecord::rule, 48},
};

// The block begins with this. The stages follow, then the texts, one after the other.
struct Head {
  CallNumbers numbers;
  std::uint8_t stages;
  std::array<std::uint8_t, kTexts.size()> sizes;
};
static_assert(std::is_trivially_copyable_v<Head> && std::is_trivially_copyable_v<StageTime>);
static_assert(sizeof(Head) % alignof(StageTime) == 0 && kMaxStages <= UINT8_MAX);

std::string_view cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  // Not within the bytes of one UTF-8 character.
  std::size_t size = most;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  return text.substr(0, size);
}

}  // namespace

void StoredCall::store(const CallRecord& record) {
  Head head{record, static_cast<std::uint8_t>(record.stages.size()), {}};
  std::array<std::string_view, kTexts.size()> texts;
  std::size_t size = sizeof(Head) + record.stages.size_bytes();
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    texts[i] = cut(record.*kTexts[i].text, kTexts[i].most);
    head.sizes[i] = static_cast<std::uint8_t>(texts[i].size());
    size += texts[i].size();
  }
  block_.resize(size);
  std::byte* to = block_.data();
  const auto put = [&to](const void* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
    to += bytes;
  };
  put(&head, sizeof(Head));
  put(record.stages.data(), record.stages.size_bytes());
  for (const auto text : texts) put(text.data(), text.size());
}

CallRecord StoredCall::record() const {
  Head head;
  std::memcpy(&head, block_.data(), sizeof(Head));
  CallRecord record{head.numbers};
  const std::byte* from = block_.data() + sizeof(Head);
  record.stages = {reinterpret_cast<const StageTime*>(from), head.stages};
  from += record.stages.size_bytes();
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    record.*kTexts[i].text = {reinterpret_cast<const char*>(from), head.sizes[i]};
    from += head.sizes[i];
  }
  return record;
}

}  // namespace patchbay::trace
