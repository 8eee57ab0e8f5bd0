// A ParkedCall is one call that outlives the request that began it: it asks its client through the
// answers to a series of requests, the rounds.
//
// Confined to the worker of its ParkedCalls.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "async/one_shot.h"
#include "core/shares.h"
#include "gateway/pipeline.h"
#include "mcp/message.h"

namespace patchbay::gateway {

class ParkedCall final : public Peer, Timer {
 public:
  // The shared state of the calls of one worker.
  class Owner {
   public:
    // The maximum number of calls that wait for their clients is reached.
    virtual bool is_full() const = 0;
    // The maximum number of questions to the client of one call.
    virtual int max_questions() const = 0;
    // A call begins to wait for its client, or ends waiting.
    virtual void on_parked(bool parked) = 0;
    // The state that the client of `call` must return to continue it.
    virtual std::string state_of(const ParkedCall& call) const = 0;
    // The client has not returned in time.
    virtual void on_expired(std::uint64_t id) = 0;

   protected:
    ~Owner() = default;
  };

  // Takes over the parameters of `first`; the request itself may be destroyed.
  ParkedCall(Owner& owner, std::uint64_t id, const Call& first);
  ~ParkedCall() override;

  std::uint64_t id() const { return id_; }
  int round() const { return round_; }
  // A request waits for it.
  bool busy() const { return request_in_round_ != nullptr; }
  // Its answer has been delivered.
  bool over() const { return over_; }
  const Call& call() const { return call_; }

  // Runs until the upstream has answered. Called once.
  Task<void> run(Pipeline& pipeline);

  // Waits for the message of the call to the client of `request`: its answer, or questions.
  Task<mcp::Reply> wait(const Call& request);

  // Takes the answers that came with `request`.
  void take_answers(const Call& request);

  // Requests the call to end early.
  void give_up() { stop_.request(); }

 private:
  struct Question {
    std::string method;
    std::string params;
    Answer answer;
  };

  void notify(std::string_view method, std::string_view params) override;
  void ask(std::string_view method, std::string_view params, Answer answer) override;
  void withdraw_questions() override;
  void on_deadline() override;
  void send_questions();
  void end_questions();
  void set_parked(bool parked);
  Result<void> take_share();

  Owner& owner_;
  const std::uint64_t id_;
  const mcp::OwnMessage request_;
  const std::string capabilities_;
  const std::string client_info_;
  const std::string from_;
  const trace::OwnedContext context_;
  Call call_;
  Stop stop_;
  const Call* request_in_round_ =
      nullptr;                       // The request that waits for this call; null between rounds.
  OneShot<mcp::Reply> round_reply_;  // The answer to the current round.
  OneShot<void> ended_;
  std::optional<mcp::Reply> answer_;  // Arrived between rounds.
  std::map<std::string, Question> questions_;
  int round_ = 0;
  int asked_ = 0;  // The number of questions so far.
  bool running_ = true;
  bool over_ = false;
  bool parked_ = false;
  std::optional<Shares::Share> share_;  // Of its caller, once it has asked something.
};

// The identity of a request, however often it is sent: all of it except the envelope and the
// answers.
std::string essence_of(const Call& call);

}  // namespace patchbay::gateway
