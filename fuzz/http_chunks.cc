// Fuzzes the reader of chunked bodies: the data must be the same whether the bytes come at once or
// one by one.
#include <optional>
#include <string>

#include "fuzz/require.h"
#include "net/http/syntax/parse.h"

namespace {

using patchbay::fuzz::require;

// The body, or nothing if the text is malformed; `step` bytes arrive at a time.
std::optional<std::string> read(std::string_view text, std::size_t step, bool& done) {
  patchbay::net::ChunkReader reader;
  std::size_t arrived = 0;
  std::string body;
  done = false;
  while (!done) {
    auto piece = reader.next(text.substr(0, arrived));
    if (!piece) return std::nullopt;
    body += piece->data;
    done = piece->done;
    require(piece->taken <= arrived);
    text.remove_prefix(piece->taken);
    arrived -= piece->taken;
    if (piece->taken > 0 || done) continue;
    if (arrived == text.size()) return body;
    arrived = std::min(arrived + step, text.size());
  }
  return body;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = patchbay::fuzz::text_of(data, size);
  bool done_whole = false;
  bool done_slow = false;
  const auto whole = read(text, text.size() + 1, done_whole);
  const auto slow = read(text, 1, done_slow);
  // Byte by byte a fault may show later, but a good body is good either way.
  if (done_whole) require(done_slow && whole == slow);
  if (done_slow) require(done_whole);
  return 0;
}
