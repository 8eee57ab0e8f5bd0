// A Connection answers the requests of one peer. It begins by answering each in turn, as the
// protocol's callers expect; a peer that asks for it gets them answered side by side.
//
// What the peer asked is answered also after it has said that nothing more comes. Once it has gone
// altogether, its commands are killed with their groups.
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
  struct Terms {
    // What was asked gets this long to end after the peer's end of input: for ever where it is seen
    // that the peer has gone altogether.
    Clock::duration linger = Clock::duration::max();
    bool trusted = true;  // Else the peer must show the token first.
    // Ends at the first line that is not a JSON object. The peer speaks another protocol
    // then, as a web page does that posts to our port; what follows must not be run.
    bool strict = true;
  };

  // A peer on a pair of pipes, or on one socket.
  Connection(Services& services, net::Fd in, net::Fd out, const Terms& terms);
  Connection(Services& services, net::Fd socket, const Terms& terms)
      : Connection(services, std::move(socket), net::Fd(), terms) {}
  ~Connection();

  // Serves until the peer has gone, or all that it asked is answered. Stops with its task.
  Task<void> run();

 private:
  class Watch;
  class Timeout;

  // A line that has come, as far as it could be read.
  struct Incoming {
    std::optional<std::uint64_t> id;
    Result<Request> request;
    const Method* method = nullptr;  // Null if there is an error.
    bool is_object = true;           // A JSON object, or one that is too long to tell.
  };

  // A request that is being answered, or waits for its turn.
  struct Active {
    std::optional<std::uint64_t> id;
    std::size_t bytes = 0;  // Of its parameters.
    bool in_turn = true;
    Stop stop = {};
    OneShot<void> turn = {};  // Delivered when it is this request's turn.
  };
  using Place = std::list<Active>::iterator;

  Writer& writer() override { return writer_; }
  bool cancel(std::uint64_t id) override;
  bool concurrent() const override { return concurrent_; }
  void set_concurrent(bool concurrent) override { concurrent_ = concurrent; }
  void set_trusted(bool trusted) override;
  void bind(const BackgroundProcess& process) override;

  Task<void> read_requests();
  Incoming read(const LineReader::Line& line) const;
  Task<void> admit(Incoming incoming);
  Task<void> serve(Incoming incoming, Place self);
  Task<std::string> answer_in_turn(const Incoming& incoming, Active& self);
  bool is_full(std::size_t more) const;
  void put_answer(std::optional<std::uint64_t> id, Result<std::string> result);
  void finished(Place self);
  bool greets(std::string_view line);
  void kill_bound();

  Services& services_;
  const Clock::duration linger_;
  const bool strict_;
  bool trusted_;
  bool refused_ = false;  // The peer has shown a wrong token.
  net::Source in_;
  std::optional<net::Source> out_;  // Empty: a socket, written where it is read.
  LineReader reader_;
  Writer writer_;
  bool concurrent_ = false;
  bool greeted_ = false;  // The first line has come.
  Stop gone_;             // Requested when the peer has gone, or the agent ends.
  Scope requests_;
  std::size_t active_bytes_ = 0;
  std::list<Active> active_;          // In the order they came.
  std::vector<std::uint64_t> bound_;  // Background processes that end with the connection.
  OneShot<void>* room_ = nullptr;     // Delivered when one more request may be taken.
  std::unique_ptr<Watch> watch_;
  std::unique_ptr<Timeout> timeout_;  // With a peer that has not shown the token.
};

}  // namespace patchbay::agent
