// A RedisLink is one connection to the server. What is sent during a turn of the loop goes out in
// one write; replies arrive in the order of the commands.
//
// Confined to the loop of its store.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/io/input_buffer.h"
#include "net/stream/outbox.h"
#include "net/tls/context.h"
#include "store/redis/reply.h"
#include "store/redis/scripts.h"
#include "store/redis/settings.h"

namespace patchbay::store {

// What is asked of the server. `done` gets its reply, which may be an error of the server, or the
// failure of the link.
struct RedisRequest {
  std::optional<RedisScript> script;  // None: `args` are a command.
  std::vector<std::string> args;      // Of a script: its key, then its arguments.
  bool changes = false;
  std::move_only_function<void(Result<Reply>)> done;
};

class RedisLink {
 public:
  // Connects, with TLS if its scheme is rediss, and authenticates.
  static Task<std::unique_ptr<RedisLink>> open(const RedisAddress& address,
                                               std::shared_ptr<const net::TlsContext> tls,
                                               Deadline deadline);
  ~RedisLink();  // REQUIRES: fail() was called if anything was sent.

  void send(RedisRequest request);

  // Subscribes to a channel, or no longer. Confirmations are pushes.
  void subscribe(const std::string& channel) { put({"SUBSCRIBE", channel}); }
  void unsubscribe(const std::string& channel) { put({"UNSUBSCRIBE", channel}); }

  // Passes replies on until the link fails, and yields why. It has failed when the server answers
  // nothing for `timeout` while requests wait.
  Task<void> read(std::chrono::nanoseconds timeout,
                  const std::function<void(const Reply&)>& notify_push);

  // Ends everything that waits for a reply: the server may have received it.
  void fail(const std::string& why);

 private:
  struct Sent {
    RedisRequest request;
    Deadline at;
  };

  explicit RedisLink(std::unique_ptr<net::Stream> stream);
  Task<void> introduce(const RedisAddress& address, Deadline deadline);
  Task<Reply> receive(Deadline deadline);
  Result<void> deliver(Reply reply);
  void put(const std::vector<std::string>& args);
  void put_script(const RedisRequest& request, bool by_digest);

  const std::unique_ptr<net::Stream> stream_;
  net::Outbox outbox_;
  net::InputBuffer input_;
  std::array<std::string, kRedisScripts> digests_;  // As the server has computed them.
  std::deque<Sent> sent_;
};

// The error of a request that the server has refused.
Error refused(const Reply& reply);

}  // namespace patchbay::store
