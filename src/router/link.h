// A RouterLink maintains one connection of the router to its gateway: it connects, lets the router
// restore the session first, and reconnects with growing pauses.
//
// Confined to the router's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "async/scope.h"
#include "mcp/reply.h"
#include "mcp_client/connect/connector.h"
#include "router/settings.h"
#include "router/token.h"

namespace patchbay::app {

class RouterLink final : transport::Channel::Listener {
 public:
  // The owner of the link. Must not destroy it from inside a call.
  class Owner {
   public:
    // The connection is made: restores the session on it.
    virtual Task<void> open(RouterLink& link) = 0;
    // The link accepts messages from now on,
    virtual void on_up(RouterLink& link) = 0;
    // a message has arrived,
    virtual void on_message(RouterLink& link, std::string_view text) = 0;
    // or the connection is lost, or could not be made.
    virtual void on_down(RouterLink& link, const Error& why) = 0;

   protected:
    ~Owner() = default;
  };

  // REQUIRES: the arguments outlive the link.
  RouterLink(int number, const RouterSettings& settings, RouterToken& token, Owner& owner)
      : number_(number), settings_(settings), token_(token), owner_(owner) {}

  int number() const { return number_; }
  bool up() const { return up_; }

  // Starts to maintain the connection.
  void start() { scope_.spawn(keep()); }

  // Disconnects. REQUIRES: awaited before the link is destroyed.
  Task<void> stop();

  Result<void> send(std::string text);

  // Reconnects for that reason.
  void renew(const Error& why);

  // There is a new token: later messages carry it, and a waiting attempt starts at once.
  void use_token(const std::string& token);

  // Sends a request of the router's own and waits for the answer.
  Task<mcp::Reply> ask(std::string_view method, std::string_view params);

 private:
  void on_message(std::string_view text, std::uint64_t cause) override;
  void on_closed(const std::string& why) override;

  Task<void> keep();
  Task<void> run_connection();
  Task<std::unique_ptr<upstreams::Connection>> connect();
  std::chrono::nanoseconds next_pause();

  const int number_;
  const RouterSettings& settings_;
  RouterToken& token_;
  Owner& owner_;
  std::unique_ptr<upstreams::Connection> connection_;
  std::optional<OneShot<void>> lost_;                            // Delivered with the reason.
  std::unordered_map<std::string, OneShot<mcp::Reply>*> asked_;  // Of the router's own, by raw id.
  std::uint64_t next_id_ = 1;
  OneShot<void>* pausing_ = nullptr;
  bool up_ = false;
  int failures_ = 0;  // Since it was last up.
  Scope scope_;
};

// Checks that the settings have a valid gateway.
Result<void> check_gateway(const RouterSettings& settings);

}  // namespace patchbay::app
