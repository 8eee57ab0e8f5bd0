// HTTP/1.1 heads and chunks, parsed strictly: anything ambiguous is refused, so that no proxy can
// read it differently. Views into the given bytes; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/result.h"
#include "net/http/syntax/fields.h"

namespace patchbay::net {

struct HttpLimits {
  std::size_t request_line = 8 * 1024;
  std::size_t headers = 64 * 1024;  // The whole head.
  std::size_t fields = 100;
  // One header field. A credential of 16 KiB just fits.
  std::size_t field = 16 * 1024 + 128;
};

// How the body of a message is delimited.
struct HttpFraming {
  bool chunked = false;
  bool keep_alive = true;
  std::optional<std::uint64_t> length;
};

struct HttpRequest {
  std::string_view method;
  std::string_view target;  // Origin form: path and query.
  std::string_view path;
  std::string_view query;
  std::string_view host;
  bool http10 = false;
  bool expects_continue = false;
  HttpFraming framing;
  HttpFields fields;
};

struct HttpResponseHead {
  int status = 0;
  HttpFraming framing;  // No length and not chunked: the body ends with the connection.
  HttpFields fields;
};

// Parses a request head at the front of `bytes`. Yields its size, 0 if it is not complete yet. The
// code of the error selects the status of the response (see status_of()).
Result<std::size_t> parse_request(std::string_view bytes, const HttpLimits& limits,
                                  HttpRequest& request);

Result<std::size_t> parse_response(std::string_view bytes, const HttpLimits& limits,
                                   HttpResponseHead& head);

// The HTTP status of an error of the parser: 400, 413, 414, 431, 501 or 505.
int parse_status(const Error& error);

// A chunked body that arrives in pieces. Each call takes bytes from the front of the input and
// returns where the data part is.
class ChunkReader {
 public:
  struct Step {
    std::size_t taken = 0;  // How many bytes were consumed.
    std::string_view data;  // Body bytes among them; may be empty.
    bool done = false;      // The last chunk and the trailer have been read.
  };
  // Yields a step with taken == 0 if more bytes are needed.
  Result<Step> next(std::string_view bytes);

  // How much of the current chunk is still missing.
  std::uint64_t announced() const { return left_; }

 private:
  enum class State : std::uint8_t { size, data, data_end, trailer };
  State state_ = State::size;
  std::uint64_t left_ = 0;
  std::size_t trailer_ = 0;
};

// Without the blanks around it.
std::string_view trim(std::string_view text);

// True if the comma-separated list `value` has the token `token` (parameters ignored).
bool has_token(std::string_view value, std::string_view token);

}  // namespace patchbay::net
