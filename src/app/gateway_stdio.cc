// What a gateway does when it serves one conversation and no network: a client on its stdin and
// stdout, a person at the terminal, a bus, or whoever wants its OpenAPI document.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "app/chat.h"
#include "app/gateway.h"
#include "async/hop.h"
#include "frontends/rest/openapi.h"
#include "json/yaml.h"

namespace patchbay::app {

Task<void> Gateway::talk_lines() {
  Worker& owner = *workers_.front();
  auto talk = [this, &owner]() -> Task<void> {
    frontends::McpStdio frontend(owner.server(), net::Fd(::dup(STDIN_FILENO)),
                                 net::Fd(::dup(STDOUT_FILENO)), transport::LineLimits{});
    owner.catalog().on_change([&frontend](gateway::CatalogChanges& update) {
      frontend.conversation().notify_changed(update);
    });
    owner.on_updated([&frontend](gateway::ResourceUpdate& update) {
      frontend.conversation().notify_updated(update);
    });
    owner.on_task([&frontend](const std::string& upstream, const gateway::TaskUpdate& update) {
      frontend.conversation().notify_task(upstream, update);
    });
    control_.post([this, &owner, &frontend] {
      end_lines_ = [&owner, &frontend] {
        owner.loop().post([&frontend] { frontend.conversation().end(); });
      };
    });
    auto served = co_await frontend.run(configuration_.settings.stop.grace);
    owner.catalog().on_change({});
    owner.on_updated({});
    owner.on_task({});
    auto forget = [this]() -> Task<void> {
      end_lines_ = nullptr;
      co_return ok();
    };
    auto forgotten = co_await hop<void>(control_, forget);
    co_return served;
  };
  co_return co_await hop<void>(owner.loop(), talk);
}

// The person has a thread of their own, which ends before this does.
Task<void> Gateway::talk_goals() {
  auto synced = co_await synced_.wait();
  Worker& owner = *workers_.front();
  Chat chat(owner);
  OneShot<void> left;
  end_lines_ = [&chat] { chat.interrupt(); };
  if (stop_asked_.delivered()) chat.interrupt();
  std::thread person([this, &chat, &left] {
    chat.run();
    control_.post([&left] { left.deliver(ok()); });
  });
  auto gone = co_await left.wait();
  person.join();
  end_lines_ = nullptr;
  auto drain = [&chat] { return chat.drain(); };
  co_return co_await hop<void>(owner.loop(), drain);
}

Task<void> Gateway::talk_bus(const BusServeOptions& options) {
  auto synced = co_await synced_.wait();
  auto served =
      co_await serve_on_bus(*workers_.front(), control_, options,
                            configuration_.settings.stop.grace, [this](std::function<void()> end) {
                              end_lines_ = std::move(end);
                              if (end_lines_ && stop_asked_.delivered()) end_lines_();
                            });
  if (served) co_return ok();
  failed_ = true;
  std::fprintf(stderr, "patchbay: %s\n", served.error().message.c_str());
  co_return served;
}

Task<void> Gateway::write_openapi(bool yaml) {
  auto synced = co_await synced_.wait();
  Worker& owner = *workers_.front();
  auto write = [&owner, yaml]() -> Task<void> {
    const std::string text = frontends::openapi_document(*owner.catalog().whole());
    fmt::print("{}", yaml ? json::to_yaml(text) : text + "\n");
    co_return ok();
  };
  auto written = co_await hop<void>(owner.loop(), write);
  std::fflush(stdout);
  co_return written;
}

}  // namespace patchbay::app
