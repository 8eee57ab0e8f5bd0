// Where the output of a program goes. Each of its two outputs has an Output that stores a bounded
// part: FirstBytes or BothEnds for an answer, LastBytes for polling.
//
// Confined to the thread of its loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::agent {

enum class Encoding : std::uint8_t { utf8, base64 };

// How outputs are written in answers: a JSON string with invalid UTF-8 replaced, or base64.
void append_bytes(std::string& out, std::string_view bytes, Encoding encoding);

class Output {
 public:
  virtual ~Output() = default;

  virtual void take(std::string_view bytes) = 0;

  // From now on bytes are only counted; they need not even be read.
  virtual bool only_counts() const { return false; }
  virtual void count(std::size_t /*bytes*/) {}

  // The consumer does not keep up; the program is made to wait.
  virtual bool busy() const { return false; }
};

// An output as part of the answer to a command.
class AnsweredOutput : public Output {
 public:
  // Everything that was written.
  virtual std::uint64_t total() const = 0;

  // Appends the stored bytes as a JSON string; text is cut between characters, with a note about
  // missing bytes. True if bytes are missing.
  virtual bool append_to(std::string& out, Encoding encoding) const = 0;
};

// The first bytes, up to a bound.
class FirstBytes final : public AnsweredOutput {
 public:
  explicit FirstBytes(std::size_t most) : most_(most) {}

  void take(std::string_view bytes) override;
  bool only_counts() const override { return stored_.size() > most_; }
  void count(std::size_t bytes) override { total_ += bytes; }
  std::uint64_t total() const override { return total_; }
  bool append_to(std::string& out, Encoding encoding) const override;

 private:
  const std::size_t most_;
  std::string stored_;  // One byte more than the bound shows that there are more.
  std::uint64_t total_ = 0;
};

// The first and the last bytes, up to a bound, and the number of bytes between them. Errors are
// usually at the end.
class BothEnds final : public AnsweredOutput {
 public:
  explicit BothEnds(std::size_t most) : most_head_(most / 2), most_tail_(most - most / 2) {}

  void take(std::string_view bytes) override;
  std::uint64_t total() const override { return total_; }
  bool append_to(std::string& out, Encoding encoding) const override;

 private:
  std::string_view tail() const;
  // Appends as much of the tail as fits once it is text; yields how many of its bytes that is.
  std::size_t append_tail(std::string& text) const;

  const std::size_t most_head_;
  const std::size_t most_tail_;
  std::string head_;
  std::string tail_;  // Up to twice its bound, so that memory is not moved for every piece.
  std::uint64_t total_ = 0;
};

// The newest unread bytes, up to a bound; older ones are dropped and counted.
class LastBytes final : public Output {
 public:
  explicit LastBytes(std::size_t most) : most_(most) {}

  void take(std::string_view bytes) override;

  bool empty() const { return stored_.empty() && dropped_ == 0; }

  struct Piece {
    std::string bytes;
    std::uint64_t dropped = 0;  // Bytes before it that are lost.
  };
  // At most that many bytes from the front. An incomplete character stays, unless `last`.
  Piece take_front(std::size_t most, bool last);

 private:
  const std::size_t most_;
  std::string stored_;
  std::uint64_t dropped_ = 0;
};

// The number of bytes at the end of `text` that begin a character whose rest may follow.
std::size_t unfinished_tail(std::string_view text);

}  // namespace patchbay::agent
