#include "upstreams/openapi/upstream.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>

#include "testing/loopback.h"

namespace patchbay::upstreams {
namespace {

class Watcher final : public gateway::UpstreamWatcher {
 public:
  void offers(const gateway::Upstream&, mcp::ItemLists items) override {
    tools = mcp::of(items, mcp::ItemKind::tool).size();
  }
  void updated(const gateway::Upstream&, const std::string&) override {}
  void task_changed(const gateway::Upstream&, const gateway::TaskUpdate&) override {}
  std::vector<std::string> subscribed(const gateway::Upstream&) override { return {}; }
  void refused(const gateway::Upstream&, const Error&) override {}

  std::size_t tools = 0;
};

class OpenapiUpstreamTest : public ::testing::Test {
 protected:
  OpenapiUpstreamTest() {
    std::string name = std::filesystem::temp_directory_path() / "patchbay-openapi-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    document_ = folder_ / "service.yaml";
    write("  /a: {get: {}}\n");
  }
  ~OpenapiUpstreamTest() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& paths) {
    std::ofstream(document_) << "openapi: 3.1.0\nservers: [{url: 'http://h/'}]\npaths:\n" + paths;
  }

  std::unique_ptr<OpenapiUpstream> make() {
    OpenapiSettings settings;
    settings.document = document_;
    auto plan = plan_openapi("up", settings);
    EXPECT_TRUE(plan);
    return std::make_unique<OpenapiUpstream>(*std::move(plan), no_workers_, watcher_, registry_,
                                             pool_, nullptr);
  }

  // Occupies the only thread of the pool until `release_` is set.
  Task<void> occupy_pool() {
    std::function<Result<void>()> job = [gate = release_.get_future().share()]() -> Result<void> {
      gate.wait();
      return ok();
    };
    co_return co_await pool_.run(std::move(job));
  }

  std::filesystem::path folder_;
  std::filesystem::path document_;
  std::vector<net::Loop*> no_workers_;
  metrics::Registry registry_;
  Watcher watcher_;
  std::promise<void> release_;
  ThreadPool pool_{1, 10};
};

// The pool's thread is held: whatever is parsed on the control thread would be done regardless.
TEST_F(OpenapiUpstreamTest, ParsesOnThePoolWhileTheControlThreadGoesOn) {
  const auto upstream = make();
  testing::on_loop([&]() -> Task<void> {
    Scope scope;
    scope.spawn(occupy_pool());
    scope.spawn(upstream->start());
    for (int turn = 0; turn < 20; ++turn) {
      auto slept = co_await sleep_until(here().now() + std::chrono::milliseconds(1));
      if (!slept) co_return slept;
      EXPECT_EQ(upstream->state().detail, "starting");
    }
    release_.set_value();
    auto started = co_await scope.drain(testing::in_time());
    if (!started) co_return started;
    EXPECT_TRUE(upstream->state().up);
    EXPECT_EQ(watcher_.tools, 1U);
    co_return co_await upstream->stop(testing::in_time());
  });
}

TEST_F(OpenapiUpstreamTest, ADocumentThatIsBrokenLaterLeavesTheLastGoodOne) {
  const auto upstream = make();
  testing::on_loop([&]() -> Task<void> {
    auto started = co_await upstream->start();
    if (!started) co_return started;
    write("  /a: {get: {}}\n  /b: [\n");
    upstream->reread();
    auto noticed = co_await testing::until([&] { return !upstream->state().detail.empty(); });
    if (!noticed) co_return noticed;
    EXPECT_TRUE(upstream->state().up);
    EXPECT_TRUE(upstream->state().detail.starts_with("the document is of no use: document:6: "));
    write("  /a: {get: {}}\n  /b: {get: {}}\n");
    upstream->reread();
    auto mended = co_await testing::until([&] { return watcher_.tools == 2; });
    if (!mended) co_return mended;
    co_return co_await upstream->stop(testing::in_time());
  });
}

}  // namespace
}  // namespace patchbay::upstreams
