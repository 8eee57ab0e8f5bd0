// An HttpChannel is a Channel to a server that speaks Streamable HTTP, session-based or stateless:
// each message is posted, and the response, one JSON text or an event stream, is received. A stream
// that breaks is resumed where the server allows it. With a session there is one more stream, for
// the server's own messages.
//
// Confined to the worker that made it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "async/scope.h"
#include "net/http/client/pool.h"
#include "transport/channel.h"
#include "transport/credentials.h"
#include "transport/event_reader.h"

namespace patchbay::transport {

// The timeout of a message that gets no response until it is accepted.
inline constexpr auto kAcceptance = std::chrono::seconds(30);

// The address of a server, and how to connect to it.
struct HttpTarget {
  net::Url url;
  std::shared_ptr<const net::TlsContext> tls;
  std::string fields;  // Further header lines of every request, each with its CRLF.
  net::HttpPoolSettings pool;
  std::size_t most = 64 << 20;                         // Bytes of one answer, or of one event.
  std::shared_ptr<Credentials> credentials = nullptr;  // Null: only those in `fields`.
  std::string on_401 = {};  // What to do if the server requires other credentials; for people.
};

class HttpChannel final : public Channel {
 public:
  explicit HttpChannel(const HttpTarget& target);

  void start(Listener& listener) override { listener_ = &listener; }
  using Channel::send;
  Result<void> send(std::string message, const Sending& how) override;
  bool abandon(std::uint64_t id) override;
  void agreed(mcp::Revision revision) override;
  void close_sending() override {}
  void close() override;

  // The server has answered in a manner that no Streamable HTTP server does.
  bool misunderstood() const { return misunderstood_; }

  // Ends the session at the server, if there is one, by `deadline`, and waits for requests in
  // progress. REQUIRES: called before the channel is destroyed.
  Task<void> finish(Deadline deadline);

 private:
  // One message being posted.
  struct Post {
    std::string message;
    std::string fields;
    std::uint64_t id = 0;   // Of a request of ours, or 0.
    int session = 0;        // The number of the session it belongs to, or 0.
    bool opens = false;     // A session, if the server has them.
    bool harmless = false;  // May be sent twice.
    bool begun = false;     // A part of it may have reached the server.
  };
  struct Running {
    Stop* stop;
    const bool* begun;
  };

  Task<void> post(Post post);
  Task<void> exchange(Post& post);
  Task<void> receive(net::HttpResponse& response, std::uint64_t id);
  Task<void> receive_answer(net::HttpResponse& response, const Post& post);
  Task<void> resume(EventReader& events, std::uint64_t id);
  Task<void> read_events(net::HttpResponse& response, EventReader& events, std::uint64_t id);
  Task<std::unique_ptr<net::HttpResponse>> get_stream(const EventReader& events);
  Task<void> read_stream();
  void failed(const Post& post, const Error& error);
  void nobody_there(const Error& error);
  Result<void> refused(int status, std::string_view body, std::string_view retry_after,
                       const Post& post);
  std::string fields_of(const Sending& how) const;
  bool wanted(std::uint64_t id) const { return !closed_ && (id == 0 || listener_->awaits(id)); }

  const HttpTarget target_;
  net::HttpPool pool_;
  Listener* listener_ = nullptr;
  std::string session_;
  int sessions_ = 0;                       // That there have been: the number of the last one.
  std::optional<mcp::Revision> revision_;  // Agreed in the handshake.
  std::unordered_map<std::uint64_t, Running> running_;
  Scope posts_;
  Stop stream_stop_;
  bool stream_open_ = false;
  bool misunderstood_ = false;
  bool closed_ = false;
};

// The same failure as a failure of the server: a client is not responsible for an answer that is
// too large.
Error fault_of_server(const Error& error);

// The reason in a JSON-RPC error in `body`, or the status itself.
std::string reason_of(const HttpTarget& target, int status, std::string_view body);

}  // namespace patchbay::transport
