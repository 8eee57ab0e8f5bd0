// A WireSession is one client of the wire protocol, whether it came by TCP or by WebSocket:
// envelopes in, envelopes out, and in between an MCP conversation like any other. It finds the
// caller of each message, refuses messages that are too old, too frequent or too large, and gives
// each answer the id of its request. Any number of requests run at once and are answered as they
// finish.
//
// How a transport uses it:
//
//   class Connection : WireSink { … send() queues one text for the peer … };
//
//   WireSession session(host, sink, {"wire-ws", from, ip, certificate, caller});
//   scope.spawn(session.run(grace));        // Serves until end(), then answers what was asked.
//   while (a text message comes) {
//     auto taken = co_await session.take(text);   // One at a time, in order.
//     if (!taken) break;                          // Refused: write out what was queued, and close.
//   }
//   session.end();
//   co_await scope.drain(kNever);
//
// `caller` is the caller that the connection has authenticated (by the header of an upgrade), or
// null: then the certificate identifies it, or the `auth_token` of a message. Until the caller is
// known, allowed() limits how much the transport may read at a time, and after `first_message` it
// should close the connection.
//
// Confined to one worker.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/shares.h"
#include "core/text_hash.h"
#include "frontends/mcp/conversation.h"
#include "frontends/wire/host.h"
#include "frontends/wire/initialize.h"
#include "frontends/wire/namespace.h"
#include "transport/channel.h"
#include "transport/wire/chunks.h"
#include "transport/wire/envelope.h"

namespace patchbay::frontends {

// The output to one client.
class WireSink {
 public:
  enum class Kind : std::uint8_t { message, error };

  // Queues one text. Code::overloaded if the client does not read, Code::unavailable once it has
  // disconnected; in both cases the transport ends the session.
  virtual Result<void> send(std::string_view text, Kind kind) = 0;

  // The largest text that it carries; clients that accept chunks get larger ones in chunks.
  virtual std::size_t most() const = 0;
  // False: it splits large texts by itself.
  virtual bool in_pieces() const = 0;

 protected:
  ~WireSink() = default;
};

// The client at the other end.
struct WirePeer {
  std::string_view frontend;  // "wire-tcp" or "wire-ws"; outlives the session.
  net::PeerAddress from;
  std::string ip;                                        // Of the address, as text.
  std::shared_ptr<const net::TlsPeer> certificate = {};  // Null: it has none.
  Caller caller = {};                                    // Null: not known yet.
};

class WireSession final : WireHost::Session, transport::Channel, AnswerSink {
 public:
  // REQUIRES: host and sink outlive the session.
  WireSession(WireHost& host, WireSink& sink, WirePeer peer);
  ~WireSession() override;

  // Serves until end(), then answers the requests in progress, for at most `grace`.
  Task<void> run(std::chrono::nanoseconds grace);

  // Takes one message. Fails if the connection must be closed; the client has been notified.
  // REQUIRES: run() has begun; the last take() is done; the text stays valid until then.
  Task<void> take(std::string_view text);

  // The client has ended its side, or has disconnected and needs no answers.
  void end();
  void end_at_once();

  // Sends the client a fault that concerns no message in particular.
  void report_fault(const Error& why) { refuse({}, "", why); }

  // The maximum size of a message, which depends on whether the client is authenticated.
  std::size_t allowed() const;
  bool known() const { return caller_ != nullptr; }
  bool idle() const { return pending_.empty(); }

 private:
  // A running request.
  struct Pending {
    std::string envelope;          // The id of its envelope.
    std::string correlation = {};  // The client's own correlation id, if it has one.
    std::string method = {};
    std::string upstream = {};            // The namespace, if it is one upstream's.
    std::optional<WireOffer> offer = {};  // Of an `initialize`.
  };

  // WireHost::Session.
  void notify_changed(gateway::CatalogChanges& update) override;
  void notify_updated(gateway::ResourceUpdate& update) override;
  void notify_task(const std::string& upstream, const gateway::TaskUpdate& update) override;
  // transport::Channel, for the conversation.
  void start(Listener& listener) override { listener_ = &listener; }
  Result<void> send(std::string message, const transport::Sending& how) override;
  void close_sending() override {}
  void close() override {}
  // AnswerSink: puts the answer into an envelope with the id of its request.
  Result<void> answer(std::string_view id, const mcp::Reply& reply) override;

  Task<Caller> sender(const wire::Envelope& envelope);
  Task<void> enter(Caller caller);
  Result<void> turn_away(const wire::Envelope& envelope, const Error& why);
  Result<void> check_fresh(const wire::Envelope& envelope, const Principal& caller) const;
  void note_size(std::size_t size) const;
  void dispatch(const wire::Envelope& envelope);
  // `message` was parsed from `text`, which is consumed.
  void request(const wire::Envelope& envelope, std::unique_ptr<mcp::OwnMessage> own);
  void request_within(const wire::Envelope& envelope, const NamedRequest& named);
  Result<void> admit(const mcp::Message& message) const;
  // The response in the form that its client expects.
  std::string response_to(const Pending& asked, std::string_view id, const mcp::Reply& reply) const;
  Result<void> post(const wire::Heading& heading, std::string_view payload, std::string_view id);
  void answer_fault(const wire::Envelope& about, std::string_view id, const Error& why);
  void refuse(const wire::Envelope& about, std::string_view id, const Error& why);
  bool would_let_in(const Caller& caller) const;
  // Notifications need credentials that are still valid.
  bool mute() const { return !would_let_in(caller_); }

  WireHost& host_;
  WireSink& sink_;
  const WirePeer peer_;
  const std::shared_ptr<WireState> state_;
  Principal connection_;  // The key by which rates count an unauthenticated caller.
  Caller caller_;         // The caller of the last message; always the same principal.
  Shares::Share share_;   // Of a caller that authenticated later.
  Listener* listener_ = nullptr;
  std::optional<Conversation> conversation_;  // Set once the caller is known.
  OneShot<void> begun_;
  TextMap<Pending> pending_;  // By the raw id of the request.
  wire::ChunkReader chunks_;
  bool chunking_ = false;  // The client accepts chunks.
};

}  // namespace patchbay::frontends
