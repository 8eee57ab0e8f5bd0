// RequestTemplate: one HTTP request from a file, with placeholders for the session and the id.
//
// `{{session}}` is filled in once per connection. `{{id}}` is always ten digits, so an id is
// patched into the finished bytes and neither they nor Content-Length move from one call to the
// next. Read-only after from_file(); shared by all workers.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::bench {

inline constexpr std::uint64_t kFirstId = 1'000'000'000;
using IdDigits = std::array<char, 10>;

// The bytes of a file. Ends the program when it cannot be read.
std::string whole_file(const std::string& path);

IdDigits digits_of(std::uint64_t id);

// A request made ready for one connection.
struct Request {
  std::string own;          // This connection's bytes.
  std::string_view shared;  // A long end that is the same for all; points into the template.
  std::vector<std::size_t> id_positions;

  std::size_t size() const { return own.size() + shared.size(); }
  void set_id(std::uint64_t id);
};

class RequestTemplate {
 public:
  // Content-Length is written here; one in the file is replaced. Ends the program on a bad file.
  static RequestTemplate from_file(const std::string& path);

  // REQUIRES: this template outlives the request.
  Request make(std::string_view session) const;

 private:
  std::string head_;  // Request line and fields, without Content-Length and the blank line.
  std::string body_;
};

}  // namespace patchbay::bench
