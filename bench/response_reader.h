// ResponseReader: finds the end of one HTTP answer in a stream of bytes, and the parts that the
// load generator needs. Content-Length, chunked, and answers that end with the connection.
//
// A text/event-stream answer to a POST ends in the same ways, so it needs no extra code. Belongs to
// one connection; used on that connection's worker thread.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::bench {

class ResponseReader {
 public:
  // Prepares for the next answer. `keep_all` stores the whole body, otherwise only its beginning.
  void restart(bool keep_all);

  // Takes from `bytes` what belongs to this answer and returns how much that was.
  std::size_t feed(std::string_view bytes);

  // The connection has ended. Completes an answer that is delimited by that.
  void end_of_stream();

  bool done() const { return state_ == State::done; }
  bool broken() const { return state_ == State::broken; }
  bool untouched() const { return state_ == State::head && head_.empty(); }

  int status() const { return status_; }
  bool closes() const { return closes_; }
  std::string_view session() const { return session_; }
  std::string_view body() const { return body_; }

 private:
  enum class State : std::uint8_t {
    head,
    counted_body,
    body_until_close,
    chunk_size,
    chunk_data,
    chunk_end,
    trailer,
    done,
    broken,
  };

  std::size_t take_head(std::string_view bytes);
  std::size_t take_data(std::string_view bytes, State after);
  std::size_t take_line(std::string_view bytes);
  void read_head(std::string_view head);
  void read_field(std::string_view name, std::string_view value);
  void keep(std::string_view bytes);

  State state_ = State::head;
  int status_ = 0;
  bool closes_ = false;
  bool chunked_ = false;
  bool counted_ = false;
  std::size_t keep_limit_ = 0;
  std::size_t left_ = 0;  // Of the counted body, or of the chunk in progress.
  std::string head_;      // A head, or a chunk's line, without its end.
  std::string session_;   // Stored from answer to answer.
  std::string body_;
};

}  // namespace patchbay::bench
