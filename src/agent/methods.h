// The methods of the agent: one table from names to the functions that answer them.
//
// On the thread of the agent's loop; file operations run in the thread pool.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/background.h"
#include "agent/params.h"
#include "agent/settings.h"
#include "agent/tree.h"
#include "agent/writer.h"
#include "async/task.h"
#include "async/thread_pool.h"

namespace patchbay::agent {

// The connection of a request, as far as a method may use it.
class Peer {
 public:
  // Where notifications go.
  virtual Writer& writer() = 0;
  // Ends the requests of this connection that have the id; false if there is none.
  virtual bool cancel(std::uint64_t id) = 0;
  // Whether requests run concurrently, or one at a time.
  virtual bool concurrent() const = 0;
  virtual void set_concurrent(bool concurrent) = 0;
  // Whether the peer has presented the token, if one is required.
  virtual void set_trusted(bool trusted) = 0;
  // Kills the process when the connection ends.
  virtual void bind(const BackgroundProcess& process) = 0;

 protected:
  ~Peer() = default;
};

// What all connections share.
struct Services {
  const Settings& settings;
  Tree tree;
  std::string token;                     // The token that peers must present; empty: none.
  std::vector<std::string> environment;  // Of commands.
  ThreadPool& pool;
  Background& background;
  std::size_t commands = 0;  // Running commands.
};

// One request being handled by a method. What it refers to outlives the answer.
struct Asked {
  Services& services;
  Peer& peer;
  std::uint64_t id;
  Params& params;
};

struct Method {
  std::string_view name;
  std::array<std::string_view, 2> positions;  // Names of parameters that are sent as an array.
  Task<std::string> (*answer)(Asked asked);   // The raw JSON of the result, an object.
  std::string_view options = "";              // Names of the others, with blanks between them.
  bool out_of_turn = false;                   // Does not wait for earlier requests.
  bool before_token = false;                  // Also for a peer that has not presented the token.
};

std::span<const Method> methods();
const Method* find_method(std::string_view name);

// `encoding`: how bytes are written in a request and its answer.
Encoding encoding_of(Params& params);

// Runs a method that was found.
Task<std::string> answer(const Method& method, Services& services, Peer& peer, std::uint64_t id,
                         std::string_view params);

// In exec_methods.cc.
Task<std::string> exec(Asked asked);
Task<std::string> exec_code(Asked asked);

// In background_methods.cc.
Task<std::string> start(Asked asked);
Task<std::string> poll(Asked asked);
Task<std::string> write(Asked asked);
Task<std::string> kill(Asked asked);
Task<std::string> processes(Asked asked);

// In file_methods.cc.
Task<std::string> answer_read_file(Asked asked);
Task<std::string> answer_write_file(Asked asked);
Task<std::string> answer_list_dir(Asked asked);
Task<std::string> answer_stat(Asked asked);
Task<std::string> answer_mkdir(Asked asked);
Task<std::string> answer_remove(Asked asked);
Task<std::string> answer_move(Asked asked);

}  // namespace patchbay::agent
