// A CallTrace is the trace of one call while it runs: the context of its span, the context of its
// request that it passes on, and when each stage began and ended. Clocks are read only for calls
// that are recorded.
//
// Part of a Call. Used by the thread that works on the call: the caller's worker, or the owner
// worker of the upstream while the caller's waits.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "trace/call_record.h"
#include "trace/context.h"
#include "trace/sampling.h"

namespace patchbay::trace {

using Time = std::chrono::steady_clock::time_point;

// The trace context of a request as it was sent, unchecked.
struct ReceivedContext {
  std::string_view traceparent = {};
  std::string_view tracestate = {};
  std::string_view baggage = {};
  // Where it was received: the method and path of HTTP, or a topic alone. Empty: in neither.
  std::string_view method = {};
  std::string_view to = {};

  // No context came.
  bool empty() const { return traceparent.empty() && tracestate.empty() && baggage.empty(); }
};

// The same with its own memory.
struct OwnedContext {
  OwnedContext() = default;
  explicit OwnedContext(const ReceivedContext& from)
      : traceparent(from.traceparent),
        tracestate(from.tracestate),
        baggage(from.baggage),
        method(from.method),
        to(from.to) {}
  ReceivedContext view() const { return {traceparent, tracestate, baggage, method, to}; }

  std::string traceparent;
  std::string tracestate;
  std::string baggage;
  std::string method;
  std::string to;
};

// The context for a continuation of the call. Each part may be empty. The views point into the
// call.
class SentContext {
 public:
  SentContext() = default;
  SentContext(const SpanContext& span, std::string_view state, std::string_view bag);

  std::string_view traceparent() const { return {text_.data(), size_}; }
  std::string_view tracestate() const { return tracestate_; }
  std::string_view baggage() const { return baggage_; }
  bool empty() const { return size_ == 0 && baggage_.empty(); }

 private:
  std::array<char, kTraceparentSize> text_{};
  std::size_t size_ = 0;
  std::string_view tracestate_;
  std::string_view baggage_;
};

// The duration of a step that ended before the call began.
struct Lapse {
  Time began{};
  Time ended{};
};

class CallTrace {
 public:
  CallTrace() = default;
  // With the context from outside the message: from HTTP headers or record headers.
  explicit CallTrace(const ReceivedContext& beside, const Lapse& authenticated = {})
      : received_(beside), authenticated_(authenticated) {}
  CallTrace(const CallTrace&) = delete;
  CallTrace& operator=(const CallTrace&) = delete;

  // The context from outside the message, and how long the caller's authentication took.
  const ReceivedContext& received() const { return received_; }
  const Lapse& authenticated() const { return authenticated_; }

  // The call begins. `in_message` is the context in the message, which is used if there was none
  // outside it. `is_recorded`: its stages are timed. REQUIRES: all texts outlive the call.
  void begin(const ReceivedContext& in_message, const Sampling& sampling, bool is_recorded);

  // Memory for a text in the message that has escapes.
  std::string& decoded_tracestate() { return decoded_tracestate_; }
  std::string& decoded_baggage() { return decoded_baggage_; }

  bool is_recorded() const { return is_recorded_; }
  bool is_traced() const { return is_traced_; }            // Upstreams continue our spans.
  const SpanContext& context() const { return context_; }  // Not valid: not recorded.
  const std::optional<SpanContext>& parent() const { return parent_; }
  std::string_view tracestate() const { return tracestate_; }

  // The trace id for log lines and audit records; empty if no other program knows it.
  std::optional<TraceId> known_trace() const;

  // The call continues another one.
  void link_to(const SpanContext& other) { link_ = other; }
  const SpanContext& link() const { return link_; }

  // Successive stages: enter() ends the stage in progress and begins this one.
  void enter(Stage stage) {
    if (is_recorded_) start(stage);
  }
  void leave(bool failed = false) {
    if (is_recorded_) stop(failed);
  }

  // A request to the upstream is sent. for_upstream() now belongs to this attempt.
  void begin_attempt() { enter(Stage::attempt); }

  // Where the attempt in progress is sent, for its span. REQUIRES: is_traced().
  void set_target(RequestTarget target) {
    sent_ = std::make_unique<const RequestTarget>(std::move(target));
  }
  const RequestTarget* target() const { return sent_.get(); }  // Null: not known.
  // The answer of an attempt over HTTP has come. It ends with leave().
  void set_http_status(int status) {
    if (current_ != kNone)
      stages_.stages[current_].http_status = static_cast<std::uint16_t>(status);
  }

  // Stages that run beside the others: questions. The number is for end_question(). `cause` is the
  // traceparent that came with the question, if one did: a span of the upstream in this trace is
  // the parent, otherwise the latest attempt, which may have ended with the question.
  static constexpr std::size_t kNone = kMaxStages;
  std::size_t begin_question(std::string_view cause = {});
  void end_question(std::size_t number, bool failed = false);

  // The context that an upstream continues: the attempt in progress. Without tracing, the client's
  // own.
  SentContext for_upstream() const;
  // The context that a client continues when it is asked a question. Empty without tracing.
  SentContext for_client(std::size_t question) const;

  // The members of `_meta` that hold the context are not forwarded: for_upstream() replaces them.
  bool replaces_meta() const { return replaces_meta_; }

  // Ends the stage in progress. Returns when the last stage of the call ended.
  // REQUIRES: is_recorded().
  Time end();
  // How long the call took up to then.
  std::chrono::nanoseconds took() const { return last_ - began_; }
  const StageTimes& stages() const { return stages_; }

 private:
  static Time now() { return std::chrono::steady_clock::now(); }
  std::size_t add(Stage stage, Time when);
  void start(Stage stage);
  void stop(bool failed);
  void finish_stage(std::size_t number, Time when, bool failed);
  SpanContext span_of(std::size_t number) const;

  ReceivedContext received_;
  Lapse authenticated_;
  SpanContext context_;
  SpanContext link_;
  std::optional<SpanContext> parent_;
  std::string_view tracestate_;  // May be passed on.
  std::string_view baggage_;     // The same.
  std::string decoded_tracestate_;
  std::string decoded_baggage_;
  bool is_recorded_ = false;
  bool is_traced_ = false;  // Our span is the parent of later spans.
  bool replaces_meta_ = false;
  Time began_{};
  Time last_{};  // When a stage began or ended last.
  std::size_t current_ = kNone;
  std::size_t attempt_ = kNone;  // The latest one.
  StageTimes stages_;
  std::unique_ptr<const RequestTarget> sent_;
};

// A stage for as long as the guard exists.
class StageGuard {
 public:
  StageGuard(CallTrace& trace, Stage stage) : trace_(trace) { trace_.enter(stage); }
  StageGuard(const StageGuard&) = delete;
  StageGuard& operator=(const StageGuard&) = delete;
  ~StageGuard() { trace_.leave(); }

 private:
  CallTrace& trace_;
};

}  // namespace patchbay::trace
