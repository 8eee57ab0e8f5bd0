// A client's side of HTTP/1.1: one request and its response, whose body can be read as it comes.
//
// Confined to the thread that made it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_parse.h"
#include "net/source.h"

namespace patchbay::net {

struct Url {
  std::string host;
  int port = 80;
  std::string path = "/";
};

// `http://host[:port][/path]`. What else a URL can be is refused with the reason.
Result<Url> parse_url(std::string_view text);

class HttpClient {
 public:
  // Connects, sends the request and reads the response's head. `fields` are further header lines,
  // each with its CRLF.
  Task<void> request(const Url& url, std::string_view method, std::string_view fields,
                     std::string_view body, Deadline deadline);

  int status() const { return head_.status; }
  // Empty if there is no such field.
  std::string field(std::string_view name) const;

  // The next bytes of the body; empty at its end.
  Task<std::string> read(Deadline deadline);

  // All of it, at most `most` bytes.
  Task<std::string> read_all(std::size_t most, Deadline deadline);

 private:
  Task<void> more(Deadline deadline);
  Result<std::string> take_chunk();

  std::optional<Source> source_;
  std::string received_;  // What has come: the head, then parts of the body.
  std::size_t used_ = 0;
  std::string head_text_;
  HttpResponseHead head_;
  ChunkReader chunks_;
  std::uint64_t left_ = 0;
  bool done_ = false;
  bool closed_ = false;
};

}  // namespace patchbay::net
