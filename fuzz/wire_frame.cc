// Fuzzes the frame decoder: however the input is split, a frame is never larger than allowed, no
// byte is read before it has arrived, and bytes that arrive one by one cause no fault that the same
// bytes in one piece would not cause.
#include <string>

#include "fuzz/require.h"
#include "transport/wire/frame.h"
#include "transport/wire/gzip.h"

using patchbay::fuzz::require;
namespace wire = patchbay::wire;

namespace {

constexpr std::size_t kMost = 4096;

// Decodes as much as possible; the number of bytes that were taken.
std::size_t decode(wire::FrameDecoder& decoder, std::string_view bytes) {
  std::size_t taken = 0;
  for (;;) {
    auto frame = decoder.next(bytes.substr(taken));
    if (!frame || !*frame) return taken;
    const wire::Frame& one = **frame;
    require(one.size > 0 && one.size <= bytes.size() - taken && one.size <= kMost + 1);
    require(one.payload.size() < one.size);
    if (one.compressed) {
      auto text = wire::gunzip(one.payload, {.most = 1 << 16});
      require(!text || text->size() <= 1 << 16);
    }
    taken += one.size;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const auto header = static_cast<wire::Header>(data[0] % 3);
  const wire::FrameRules rules{
      .most = kMost, .header = header, .origin_headers = (data[0] & 0x80) != 0};
  const auto bytes = patchbay::fuzz::text_of(data + 1, size - 1);
  wire::FrameDecoder at_once(rules);
  (void)decode(at_once, bytes);
  wire::FrameDecoder slowly(rules);
  std::string buffer;
  for (const char c : bytes) {
    buffer += c;
    buffer.erase(0, decode(slowly, buffer));
    require(buffer.size() <= kMost + 256);
    if (buffer.size() > 256 && !slowly.next(buffer)) break;
  }
  return 0;
}
