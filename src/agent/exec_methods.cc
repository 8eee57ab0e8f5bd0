// exec and exec_code: programs that are run to their end.
#include <fmt/format.h>

#include <algorithm>

#include "agent/command.h"
#include "agent/languages.h"
#include "agent/methods.h"
#include "agent/protocol.h"
#include "agent/run_options.h"
#include "json/text.h"

namespace patchbay::agent {
namespace {

// An output whose pieces are also sent to the peer as they arrive, up to a bound.
class StreamedOutput final : public Output {
 public:
  StreamedOutput(AnsweredOutput& stored, const Asked& asked, std::string_view stream,
                 const RunOptions& options)
      : stored_(stored),
        writer_(asked.peer.writer()),
        id_(asked.id),
        stream_(stream),
        encoding_(options.encoding),
        left_(options.max_stream) {}

  void take(std::string_view bytes) override {
    stored_.take(bytes);
    const auto sent = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left_));
    left_ -= sent;
    rest_ += bytes.substr(0, sent);
    notify(encoding_ == Encoding::utf8 ? rest_.size() - unfinished_tail(rest_) : rest_.size());
  }
  bool only_counts() const override { return left_ == 0 && stored_.only_counts(); }
  void count(std::size_t bytes) override { stored_.count(bytes); }
  bool busy() const override { return left_ > 0 && !writer_.has_room() && !writer_.broken(); }

  void finish() { notify(rest_.size()); }

 private:
  void notify(std::size_t size) {
    if (size == 0) return;
    std::string params = fmt::format("{{\"id\":{},\"stream\":\"{}\",\"data\":", id_, stream_);
    append_bytes(params, std::string_view(rest_).substr(0, size), encoding_);
    params += '}';
    rest_.erase(0, size);
    writer_.put(notification("output", params));
  }

  AnsweredOutput& stored_;
  Writer& writer_;
  const std::uint64_t id_;
  const std::string_view stream_;
  const Encoding encoding_;
  std::uint64_t left_;  // Bytes that may still be sent.
  std::string rest_;    // A character that is not whole yet.
};

// One of the commands that run at once.
class Slot {
 public:
  explicit Slot(std::size_t& taken) : taken_(taken) { ++taken_; }
  ~Slot() { --taken_; }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

 private:
  std::size_t& taken_;
};

std::string not_run(std::string_view why) {
  return fmt::format(R"({{"exit_code":-1,"stdout":"","stderr":{}}})", json::quote(why));
}

std::unique_ptr<AnsweredOutput> make_output(const RunOptions& options) {
  if (options.both_ends) return std::make_unique<BothEnds>(options.max_output);
  return std::make_unique<FirstBytes>(options.max_output);
}

std::string result_of(const CommandEnd& end, const AnsweredOutput& out, const AnsweredOutput& err,
                      const RunOptions& options, Clock::duration time) {
  std::string result =
      fmt::format("{{\"exit_code\":{},\"stdout\":", end.ending.by_signal ? -1 : end.ending.status);
  bool truncated = out.append_to(result, options.encoding);
  result += ",\"stderr\":";
  truncated |= err.append_to(result, options.encoding);
  if (options.used) {
    if (end.ending.by_signal) result += fmt::format(",\"signal\":{}", end.ending.status);
    result += fmt::format(
        ",\"timed_out\":{},\"stdout_bytes\":{},\"stderr_bytes\":{},\"truncated\":{},"
        "\"duration_ms\":{}",
        end.timed_out, out.total(), err.total(), truncated,
        std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
  }
  result += '}';
  return result;
}

Task<std::string> run(Asked asked, CommandLine line, RunOptions options) {
  Services& services = asked.services;
  if (services.commands >= services.settings.max_commands) {
    co_return Error{Code::overloaded,
                    fmt::format("{} commands are running already", services.commands)};
  }
  const Slot slot(services.commands);
  options.apply(services, line.program);
  const auto begin = Clock::now();
  auto child = net::Child::spawn(line.program);
  if (!child) co_return not_run(child.error().message);
  line.code.reset();

  const auto out = make_output(options);
  const auto err = make_output(options);
  StreamedOutput sent_out(*out, asked, "stdout", options);
  StreamedOutput sent_err(*err, asked, "stderr", options);
  Output& to_out = options.stream ? static_cast<Output&>(sent_out) : *out;
  Output& to_err = options.stream ? static_cast<Output&>(sent_err) : *err;
  CommandLimits limits{std::move(options.input), begin + options.timeout, options.grace,
                       options.stream ? &asked.peer.writer() : nullptr};
  auto end = co_await run_command(**child, std::move(limits), to_out, to_err);
  if (!end) co_return end.error();
  if (options.stream) {
    sent_out.finish();
    sent_err.finish();
  }
  co_return result_of(*end, *out, *err, options, Clock::now() - begin);
}

}  // namespace

Task<std::string> exec(Asked asked) {
  auto line = asked_line(asked.params);
  RunOptions options = RunOptions::of(asked);
  if (auto good = asked.params.check(); !good) co_return good.error();
  if (!line) co_return not_run(line.error().message);
  co_return co_await run(asked, *std::move(line), std::move(options));
}

Task<std::string> exec_code(Asked asked) {
  const std::string name = asked.params.text("lang");
  const std::string code = asked.params.text("code");
  RunOptions options = RunOptions::of(asked);
  if (auto good = asked.params.check(); !good) co_return good.error();
  const Language* const language = find_language(name);
  if (!language) co_return not_run("unsupported language: " + name);
  auto line = code_line(language->program, language->option, code, language->reader);
  if (!line) co_return not_run(line.error().message);
  co_return co_await run(asked, *std::move(line), std::move(options));
}

}  // namespace patchbay::agent
