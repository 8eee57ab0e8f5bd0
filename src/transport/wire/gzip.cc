#include "transport/wire/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "core/text.h"

namespace patchbay::wire {
namespace {

constexpr int kGzipWindow = MAX_WBITS + 16;  // How zlib selects gzip.
constexpr int kLevel = 1;                    // Frames are compressed to save bandwidth, on the
                                             // thread that also serves others, so speed matters.
constexpr int kMemory = 8;
constexpr std::size_t kFirstRoom = 16 << 10;
constexpr std::size_t kAnyRatio = 64 << 10;  // Up to this size the ratio does not matter.

Bytef* in_of(std::string_view bytes) {
  // zlib does not write there, although its type is not const.
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

Error corrupt(const char* why) {
  return {Code::invalid_request, fmt::format("the gzip payload is broken: {}", why)};
}

Error too_much(std::size_t most, const GunzipLimits& limits) {
  if (most == limits.most) {
    return {Code::too_large,
            fmt::format("the gzip payload decompresses to more than {} bytes", most)};
  }
  return {
      Code::too_large,
      fmt::format("the gzip payload decompresses to more than {} times its size", limits.ratio)};
}

// A z_stream that is always released.
class Inflating {
 public:
  explicit Inflating(std::string_view bytes) {
    stream_.next_in = in_of(bytes);
    stream_.avail_in = static_cast<uInt>(bytes.size());
    ready_ = ::inflateInit2(&stream_, kGzipWindow) == Z_OK;
  }
  ~Inflating() {
    if (ready_) ::inflateEnd(&stream_);
  }
  Inflating(const Inflating&) = delete;
  Inflating& operator=(const Inflating&) = delete;

  bool ready() const { return ready_; }
  z_stream& operator*() { return stream_; }
  z_stream* operator->() { return &stream_; }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

}  // namespace

Result<std::string> gunzip(std::string_view bytes, const GunzipLimits& limits) {
  Inflating at(bytes);
  if (!at.ready()) return Error{Code::internal, "no memory to decompress"};
  const std::size_t by_ratio = std::max(kAnyRatio, bytes.size() * limits.ratio);
  const std::size_t most = std::min(limits.most, by_ratio);
  std::string out;
  std::size_t size = 0;
  for (;;) {
    if (size == out.size()) {
      if (size > most) return too_much(most, limits);
      // One byte more than allowed, to distinguish a text of exactly that size from a longer one.
      stretch(out, std::min(std::max(kFirstRoom, size * 2), most + 1));
    }
    at->next_out = reinterpret_cast<Bytef*>(out.data() + size);
    at->avail_out = static_cast<uInt>(out.size() - size);
    const int code = ::inflate(&*at, Z_NO_FLUSH);
    size = out.size() - at->avail_out;
    if (code == Z_STREAM_END) {
      if (at->avail_in == 0) break;
      if (::inflateReset(&*at) != Z_OK) return corrupt("what follows cannot be read");
    } else if (code == Z_BUF_ERROR && at->avail_out != 0) {
      return corrupt("it breaks off");
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      return corrupt(at->msg ? at->msg : "it is not gzip");
    }
  }
  if (size > most) return too_much(most, limits);
  out.resize(size);
  return out;
}

Result<std::string> gzip(std::string_view bytes) {
  z_stream at{};
  if (::deflateInit2(&at, kLevel, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    return Error{Code::internal, "no memory to compress"};
  }
  std::string out;
  stretch(out, ::deflateBound(&at, bytes.size()));
  at.next_in = in_of(bytes);
  at.avail_in = static_cast<uInt>(bytes.size());
  at.next_out = reinterpret_cast<Bytef*>(out.data());
  at.avail_out = static_cast<uInt>(out.size());
  const int code = ::deflate(&at, Z_FINISH);
  out.resize(out.size() - at.avail_out);
  ::deflateEnd(&at);
  if (code != Z_STREAM_END) return Error{Code::internal, "the payload could not be compressed"};
  return out;
}

}  // namespace patchbay::wire
