// What becomes of the bytes that a program writes. Each of its two outputs goes into an Output that
// keeps a bounded part: FirstBytes for an answer, LastBytes for whoever asks from time to time.
//
// Confined to the thread of its loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::agent {

enum class Encoding : std::uint8_t { utf8, base64 };

// How outputs look in answers: a JSON string with what is no UTF-8 replaced, or base64.
void append_bytes(std::string& out, std::string_view bytes, Encoding encoding);

class Output {
 public:
  virtual ~Output() = default;

  virtual void take(std::string_view bytes) = 0;

  // Bytes are not looked at any more, only counted: they need not even be read.
  virtual bool only_counts() const { return false; }
  virtual void count(std::size_t /*bytes*/) {}

  // Whoever gets the bytes does not keep up; the program is made to wait.
  virtual bool busy() const { return false; }
};

// The first bytes, up to a bound, as the answer to a command shows them.
class FirstBytes final : public Output {
 public:
  explicit FirstBytes(std::size_t most) : most_(most) {}

  void take(std::string_view bytes) override;
  bool only_counts() const override { return kept_.size() > most_; }
  void count(std::size_t bytes) override { total_ += bytes; }

  std::uint64_t total() const { return total_; }
  bool truncated() const { return total_ > most_; }

  // As a JSON string. Text is cut between characters to at most the bound, and says so at its end.
  void append_to(std::string& out, Encoding encoding) const;

 private:
  const std::size_t most_;
  std::string kept_;  // One byte more than the bound is enough to know that there are more.
  std::uint64_t total_ = 0;
};

// The newest bytes that nobody has taken yet, up to a bound; older ones are dropped and counted.
class LastBytes final : public Output {
 public:
  explicit LastBytes(std::size_t most) : most_(most) {}

  void take(std::string_view bytes) override;

  bool empty() const { return kept_.empty() && dropped_ == 0; }

  struct Piece {
    std::string bytes;
    std::uint64_t dropped = 0;  // Bytes before it that are lost.
  };
  // At most so many bytes from the front. A character that is not whole yet stays, unless `last`.
  Piece take_front(std::size_t most, bool last);

 private:
  const std::size_t most_;
  std::string kept_;
  std::uint64_t dropped_ = 0;
};

// How many bytes at the end of `text` are the beginning of a character whose rest may follow.
std::size_t unfinished_tail(std::string_view text);

}  // namespace patchbay::agent
