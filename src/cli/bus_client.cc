#include "cli/bus_client.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "core/discard.h"
#include "net/process/signals.h"
#include "observe/log.h"

namespace patchbay::app {
namespace {

constexpr std::size_t kMostArrived = 100'000;  // Records that wait to be handled.

}  // namespace

BusClient::BusClient(BusTarget target)
    : target_(std::move(target)),
      producer_(target_.connection, here(), *this, pool_),
      consumer_(target_.connection, true, here(), pool_,
                [this](const Error& error) { on_trouble(error); }) {
  if (target_.schemas) schemas_ = std::make_unique<bus::SchemaRegistry>(*target_.schemas);
}

BusClient::~BusClient() = default;

Result<void> BusClient::open() {
  auto sends = producer_.start();
  return sends ? consumer_.start() : sends;
}

Task<void> BusClient::close() {
  auto sent = co_await producer_.stop(here().now());
  auto read = co_await consumer_.stop();
  schemas_.reset();
  co_return sent ? read : sent;
}

Task<bus::RecordMetadata> BusClient::send(const bus::Outgoing& record, Deadline deadline) {
  // librdkafka delays a record for a topic that it does not know yet by a second.
  const std::string topic(record.topic);
  auto found = co_await producer_.prepare(topic, deadline);
  if (!found) co_return found.error();
  delivered_.reset();
  auto sent = producer_.send(record, 1);
  if (!sent) co_return sent.error();
  co_return co_await delivered_.wait(deadline);
}

void BusClient::on_delivered(std::uint64_t, const Result<bus::RecordMetadata>& outcome) {
  delivered_.deliver(outcome);
}

Task<void> BusClient::read(std::string topic, bool from_beginning, bool to_end, Take take,
                           Deadline deadline) {
  to_end_ = to_end;
  ended_.reset();
  update_.reset();
  bus::Reader reader(consumer_, *this);
  const auto from = from_beginning ? bus::Reader::From::beginning : bus::Reader::From::now;
  auto followed = co_await reader.follow(topic, from, deadline);
  Result<void> done = followed;
  if (followed) done = co_await take_all(take, deadline);
  end(ok());
  arrived_.clear();
  auto stopped = co_await reader.stop();
  discard(stopped, "the outcome of reading is what counts");
  co_return done;
}

Task<void> BusClient::take_all(const Take& take, Deadline deadline) {
  while (true) {
    while (!arrived_.empty()) {
      const bus::Record record = std::move(arrived_.front());
      arrived_.pop_front();
      auto wants_more = co_await take(record);
      if (!wants_more) co_return wants_more.error();
      if (!*wants_more) co_return ok();
    }
    if (ended_) co_return *ended_;
    auto updated = co_await update_.wait(deadline);
    if (!updated) co_return updated;
    update_.reset();
  }
}

void BusClient::end(Result<void> why) {
  if (!ended_) ended_ = std::move(why);
  update_.deliver(ok());
}

void BusClient::on_records(std::vector<bus::Record> records) {
  if (ended_) return;
  for (auto& record : records) arrived_.push_back(std::move(record));
  if (arrived_.size() > kMostArrived) {
    return end(Error{Code::too_large, "records arrive faster than they are handled"});
  }
  update_.deliver(ok());
}

void BusClient::on_caught_up(const std::string&) {
  if (to_end_) end(ok());
}

void BusClient::on_unreadable(const std::string&, const Error& why) { end(why); }

Task<std::vector<StandingRegistration>> read_registrations(BusClient& client, Deadline deadline) {
  std::map<std::string, StandingRegistration> table;
  const auto take = [&](const bus::Record& record) -> Task<bool> {
    auto update = bus::read_registry_record(record);
    if (update.registration) {
      StandingRegistration& standing = table[update.name];
      standing.registration = *std::move(update.registration);
      if (const auto key = record.key()) standing.keys.emplace(*key);
    } else if (update.problem.empty()) {
      table.erase(update.name);
    }
    co_return true;
  };
  auto read = co_await client.read(client.target().registry_topic, true, true, take, deadline);
  if (!read) co_return read.error();
  std::vector<StandingRegistration> all;
  for (auto& [name, registration] : table) all.push_back(std::move(registration));
  co_return all;
}

int run_bus(const BusOptions& options, const std::function<Task<int>(BusClient&, Deadline)>& work) {
  net::block_signals();
  log::start(log::Level::error, log::Format::text);
  int code = kExitFailed;
  const auto failed = [&](const Error& error, const std::string& trouble) {
    complain("patchbay: {}{}{}\n", error.message, trouble.empty() ? "" : ": ", trouble);
    code = error.code == Code::invalid_params ? kExitUsage
           : error.code == Code::not_found    ? kExitUnknown
                                              : kExitFailed;
  };
  net::Loop loop;
  Scope scope;
  auto main = [&]() -> Task<void> {
    net::Signals signals([](int) { std::_Exit(kExitFailed); });
    const Deadline deadline =
        here().now() + std::chrono::milliseconds(static_cast<std::int64_t>(options.seconds * 1000));
    auto target = co_await find_bus(options, deadline);
    if (!target) {
      failed(target.error(), "");
      loop.quit();
      co_return ok();
    }
    {
      BusClient client(*std::move(target));
      auto opened = client.open();
      if (opened) {
        auto worked = co_await work(client, deadline);
        if (worked) {
          code = *worked;
        } else {
          failed(worked.error(), client.trouble());
        }
      } else {
        failed(opened.error(), "");
      }
      std::fflush(stdout);
      auto closed = co_await client.close();
      discard(closed, "the exit code is that of the work");
    }
    loop.quit();
    co_return ok();
  };
  loop.post([&] { scope.spawn(main()); });
  loop.run();
  log::stop();
  return code;
}

}  // namespace patchbay::app
