// The pages for people who sign in for an upstream, all below /oauth and open to everyone:
//  - /oauth/sign-in/ID says who wants to use what, and sends the browser on to sign in;
//  - /oauth/callback/UPSTREAM is where it comes back to;
//  - /oauth/client/UPSTREAM is what authorization servers may read about us.
// Who does not know an ID, or comes with another browser than the one that went, gets nowhere.
//
// One per worker; confined to it. The Keeper is shared.
#pragma once

#include <string>
#include <string_view>

#include "net/http_server.h"
#include "oauth/keeper.h"

namespace patchbay::frontends {

class SignInPages final : public net::HttpHandler {
 public:
  // REQUIRES: `keeper` outlives this.
  explicit SignInPages(oauth::Keeper& keeper) : keeper_(keeper) {}

  Task<void> handle(net::HttpExchange& exchange) override;

 private:
  Task<void> show(net::HttpExchange& exchange, std::string id);
  Task<void> send_on(net::HttpExchange& exchange, std::string id);
  Task<void> receive(net::HttpExchange& exchange, std::string upstream);
  Task<void> tell_about_us(net::HttpExchange& exchange, std::string upstream);

  oauth::Keeper& keeper_;
};

// Text as it may stand in HTML, between tags and in quotes.
std::string html_escape(std::string_view text);

}  // namespace patchbay::frontends
