// Calls of clients without sessions that can answer questions. When an upstream asks, the call is
// answered with its questions (`input_required`) and waits here, without a request, until the
// client repeats it with the answers. The state that the client returns to find its call is sealed:
// it cannot be forged, used twice, or used for another call. A call does not outlive the process,
// its state does: a client that returns to a later process learns that its call was interrupted.
//
// One per worker; confined to it. A client that returns on another worker is forwarded to this one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "async/scope.h"
#include "cluster/members.h"
#include "crypto/keyring.h"
#include "gateway/parked_call.h"
#include "gateway/pipeline.h"

namespace patchbay::gateway {

class ParkedCalls final : ParkedCall::Owner {
 public:
  // Shared by all workers.
  struct Directory {
    // REQUIRES: both outlive this.
    Directory(const policy::Keyring& ring, const cluster::Members& nodes)
        : keys(ring), members(nodes) {}
    const policy::Keyring& keys;
    const cluster::Members& members;  // Our membership is part of our states.
    std::vector<ParkedCalls*> workers;
    std::vector<Executor*> executors;
    std::atomic<int> most = 1'000;         // Calls that wait for their client, on one worker.
    std::atomic<int> most_questions = 64;  // Maximum number of questions to the client of one call.
  };

  // `number` is the index of this worker in the directory. REQUIRES: both outlive this.
  ParkedCalls(int number, Pipeline& pipeline, Directory& directory)
      : number_(number), pipeline_(pipeline), directory_(directory) {}

  // The node that has the call of a requestState; 0: it is none of ours.
  static cluster::Run node_of(std::string_view state);

  // Whether a call may ask its client a question, or continues one that did.
  bool may_ask(const Call& call) const;

  // Answers the call: starts it, or continues the one that it belongs to.
  Task<mcp::Reply> answer(Call& call);

  // Ends all calls.
  Task<void> stop();

 private:
  Task<mcp::Reply> begin(Call& call);
  Task<void> run(std::shared_ptr<ParkedCall> call);
  Task<mcp::Reply> go_on(Call& call, std::uint64_t id, int round);
  std::string sealed_part(const Call& call) const;
  bool can_be_asked(const Call& call) const;

  // ParkedCall::Owner.
  bool is_full() const override { return parked_ >= directory_.most.load(); }
  int max_questions() const override { return directory_.most_questions.load(); }
  void on_parked(bool parked) override { parked_ += parked ? 1 : -1; }
  std::string state_of(const ParkedCall& call) const override;
  void on_expired(std::uint64_t id) override;

  const int number_;
  Pipeline& pipeline_;
  Directory& directory_;
  std::uint64_t next_id_ = 1;
  int parked_ = 0;
  std::unordered_map<std::uint64_t, std::shared_ptr<ParkedCall>> calls_;
  Scope scope_;
  // The latest capabilities and what they mean, since clients without sessions declare the same
  // ones with every request.
  mutable std::string seen_;
  mutable mcp::Revision seen_of_ = mcp::kNewest;
  mutable bool seen_can_ = false;
};

}  // namespace patchbay::gateway
