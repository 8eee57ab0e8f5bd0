// An EnvelopeChannel is the client's side of the wire protocol as a Channel: MCP messages are sent
// in envelopes over another channel (frames on TCP, texts on WebSocket), and received out of them.
// A fault in an envelope becomes the response to the request that it belongs to.
//
// Confined to one worker.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "transport/channel.h"
#include "transport/wire/chunks.h"
#include "transport/wire/envelope.h"

namespace patchbay::transport {

struct EnvelopeSettings {
  std::string token = {};  // Sent with each message; empty: none.
  // Larger messages are sent in pieces, if the gateway accepts that; 0: never.
  std::size_t most = 0;
  wire::ChunkLimits chunks = {};
};

class EnvelopeChannel final : public Channel, Channel::Listener {
 public:
  // REQUIRES: `texts` outlives this and has not been started; it carries one envelope in each
  // message.
  EnvelopeChannel(Channel& texts, const EnvelopeSettings& settings)
      : texts_(texts), settings_(settings), token_(settings.token), chunks_(settings.chunks) {}

  // Later messages carry this token.
  void set_token(std::string token) { token_ = std::move(token); }

  void start(Channel::Listener& listener) override;
  using Channel::send;
  Result<void> send(std::string message, const Sending& how) override;
  void close_sending() override { texts_.close_sending(); }
  void close() override { texts_.close(); }

 private:
  void on_message(std::string_view text, std::uint64_t cause) override;
  void on_closed(const std::string& why) override;

  void on_payload(const wire::Envelope& envelope);
  void on_fault(const wire::Envelope& envelope);
  // The raw id of the request of ours that `envelope` answers, by its fields other than the
  // payload; empty if there is none.
  std::string answered(const wire::Envelope& envelope) const;
  void forget(const std::string& id);

  Channel& texts_;
  const EnvelopeSettings settings_;
  std::string token_;
  Channel::Listener* listener_ = nullptr;
  // Requests of ours without an answer yet: raw id by the id of the envelope, and back.
  std::map<std::string, std::string, std::less<>> asked_;
  std::map<std::string, std::string, std::less<>> envelopes_;
  wire::ChunkReader chunks_;
  std::string fault_;          // The last fault received, if nothing has arrived since.
  std::string initialize_id_;  // The raw id of `initialize`, until it is answered.
  bool in_pieces_ = false;     // The gateway accepts messages in pieces.
};

}  // namespace patchbay::transport
