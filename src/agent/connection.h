// A Connection answers the requests of one peer: one at a time, as clients of the protocol expect;
// concurrently for a peer that requests it.
//
// Requests are answered also after the peer has ended its input. Once it has disconnected, its
// commands are killed with their groups.
//
// Confined to the thread of its loop.
#pragma once

#include <list>
#include <memory>
#include <optional>

#include "agent/line_reader.h"
#include "agent/methods.h"
#include "agent/protocol.h"
#include "agent/writer.h"
#include "async/scope.h"

namespace patchbay::agent {

class Connection final : Peer {
 public:
  struct Options {
    // The time for requests in progress after the peer's end of input: unlimited where a disconnect
    // is detected.
    Clock::duration linger = Clock::duration::max();
    bool trusted = true;  // Otherwise the peer must present the token first.
    // Ends at the first line that is not a JSON object. Such a peer speaks another protocol, like a
    // web page that posts to our port, and nothing after that line may be executed.
    bool strict = true;
  };

  // A peer on a pair of pipes, or on one socket.
  Connection(Services& services, net::Fd in, net::Fd out, const Options& options);
  Connection(Services& services, net::Fd socket, const Options& options)
      : Connection(services, std::move(socket), net::Fd(), options) {}
  ~Connection();

  // Serves until the peer has disconnected, or all its requests are answered. Stops with its task.
  Task<void> run();

 private:
  class Watch;
  class Timeout;

  // A line that has arrived, as far as it could be parsed.
  struct Incoming {
    std::optional<std::uint64_t> id;
    Result<Request> request;
    const Method* method = nullptr;  // Null if there is an error.
    bool is_object = true;           // A JSON object, or a line that is too long to decide.
  };

  // A request that is being answered or waits for its turn.
  struct Active {
    std::optional<std::uint64_t> id;
    std::size_t bytes = 0;  // Of its parameters.
    bool in_turn = true;
    Stop stop = {};
    OneShot<void> turn = {};  // Delivered when it is this request's turn.
  };
  using ActiveCall = std::list<Active>::iterator;

  Writer& writer() override { return writer_; }
  bool cancel(std::uint64_t id) override;
  bool concurrent() const override { return concurrent_; }
  void set_concurrent(bool concurrent) override { concurrent_ = concurrent; }
  void set_trusted(bool trusted) override;
  void bind(const BackgroundProcess& process) override;

  Task<void> read_requests();
  Incoming read(const LineReader::Line& line) const;
  Task<void> admit(Incoming incoming);
  Task<void> serve(Incoming incoming, ActiveCall self);
  Task<std::string> answer_in_turn(const Incoming& incoming, Active& self);
  bool is_full(std::size_t more) const;
  void put_answer(std::optional<std::uint64_t> id, Result<std::string> result);
  void finished(ActiveCall self);
  bool greets(std::string_view line);
  void kill_bound();

  Services& services_;
  const Clock::duration linger_;
  const bool strict_;
  bool trusted_;
  bool refused_ = false;  // The peer has presented a wrong token.
  net::Source in_;
  std::optional<net::Source> out_;  // Empty: a socket, written where it is read.
  LineReader reader_;
  Writer writer_;
  bool concurrent_ = false;
  bool greeted_ = false;  // The first line has arrived.
  Stop gone_;             // Requested when the peer has disconnected, or the agent stops.
  Scope requests_;
  std::size_t active_bytes_ = 0;
  std::list<Active> active_;          // In the order of arrival.
  std::vector<std::uint64_t> bound_;  // Background processes that end with the connection.
  OneShot<void>* room_ = nullptr;     // Delivered when one more request may be accepted.
  std::unique_ptr<Watch> watch_;
  std::unique_ptr<Timeout> timeout_;  // For a peer that has not presented the token.
};

}  // namespace patchbay::agent
