#include "mcp_client/listen_stream.h"

#include "json/read.h"

namespace patchbay::upstreams {
namespace {

constexpr auto kPause = std::chrono::seconds(1);  // Before a broken stream is begun again.

}  // namespace

Task<void> NewsStream::hear(std::string params, Deadline deadline) {
  const auto ear = std::make_shared<Ear>();
  ear->id = link_.mint_id();
  ear->params = std::move(params);
  ears_.push_back(ear);
  scope_.spawn(run(ear));
  auto agreed = co_await ear->agreed.wait(deadline);
  if (!agreed) {
    ear->stop.request();
    co_return agreed;
  }
  // The new one is heard: those before it are not needed any more. What was wanted of one that the
  // server has not agreed to yet is wanted of the new one too.
  for (const auto& earlier : std::vector(ears_)) {
    if (earlier == ear) break;
    earlier->agreed.deliver(ok());
    earlier->stop.request();
  }
  co_return ok();
}

Task<void> NewsStream::run(std::shared_ptr<Ear> ear) {
  for (;;) {
    auto listening = link_.listen(ear->id, ear->params);
    auto ended = co_await listening.hearing(ear->stop);
    if (ended && ended->is_error) {
      const auto why = json::string_member(ended->body, "message").value_or("no message");
      ear->agreed.deliver(Error{Code::upstream_failed, "the server tells no news: " + why});
      break;
    }
    // Whoever waits for the server to agree has waited for nothing.
    ear->agreed.deliver(Error{Code::upstream_failed, "the server ended its news at once"});
    auto sleep = sleep_until(here().now() + kPause);
    auto slept = co_await sleep.hearing(ear->stop);
    if (!slept) break;
    link_.on_missed();
    ear->id = link_.mint_id();
  }
  std::erase(ears_, ear);
  co_return ok();
}

void NewsStream::on_agreed(std::uint64_t id) {
  for (const auto& ear : ears_) {
    if (ear->id == id) ear->agreed.deliver(ok());
  }
}

Task<void> NewsStream::stop() {
  for (const auto& ear : std::vector(ears_)) ear->stop.request();
  co_return co_await scope_.drain(kNever);
}

}  // namespace patchbay::upstreams
