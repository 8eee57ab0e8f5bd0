// An HttpResponse is a server's response to one request of an HttpPool: its head, and its body as
// it arrives. At the end of the body the connection returns to the pool by itself. A response that
// is destroyed earlier closes it.
//
// Confined to the worker of its pool, which must outlive it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "async/frame_pool.h"
#include "async/task.h"
#include "async/timers.h"
#include "net/http/syntax/parse.h"
#include "net/io/input_buffer.h"

namespace patchbay::net {

class PooledConnection;

class HttpResponse {
 public:
  ~HttpResponse();
  static void* operator new(std::size_t size) { return frame_pool::allocate(size); }
  static void operator delete(void* self, std::size_t size) { frame_pool::release(self, size); }

  int status() const { return head_.status; }
  // Empty if there is no such field. Valid until the next read.
  std::string_view field(std::string_view name) const;
  const HttpFields& fields() const { return head_.fields; }

  // The whole body, if it arrived together with the head, as small ones do. Valid as long as the
  // response. Nothing once reading has started.
  std::optional<std::string_view> body_at_hand() const { return at_hand_; }

  // The next bytes of the body, valid until the next read; empty at its end. A failure closes the
  // connection: Code::upstream_failed if the body broke off or is malformed.
  Task<std::string_view> read(Deadline deadline);

  // The rest of the body; Code::too_large above `most` bytes.
  Task<std::string> read_all(std::size_t most, Deadline deadline);

 private:
  friend class HttpPool;

  HttpResponse(std::unique_ptr<PooledConnection> connection, bool bodiless);

  // Parses what has arrived. True: the head is complete.
  Result<bool> take_head();
  void begin_body();
  std::optional<std::string_view> join_chunks();
  Result<std::string_view> take_piece();
  Task<void> read_more(Deadline deadline);
  Task<std::string> read_sized(Deadline deadline);
  Result<void> on_end_of_stream(const Error& why);
  void keep_head();
  void end(bool reusable);

  // Null after the end of the body, or after a failure.
  std::unique_ptr<PooledConnection> connection_;
  const bool bodiless_;  // Whatever the head announces.
  bool done_ = false;
  int interim_ = 0;  // Interim responses (1xx) so far.
  InputBuffer input_;
  std::size_t searched_ = 0;      // The input up to here has no line end that was not parsed.
  std::size_t used_ = 0;          // Of the input: returned by the last read.
  std::size_t read_step_ = 4096;  // Grows with what arrives at a time.
  std::string_view head_text_;
  std::string stored_head_;  // The same with its own memory.
  HttpResponseHead head_;
  std::uint64_t left_ = 0;  // Of a body with a length.
  ChunkReader chunks_;
  std::optional<std::string_view> at_hand_;
  std::string joined_;  // A complete body that arrived in several chunks.
};

}  // namespace patchbay::net
