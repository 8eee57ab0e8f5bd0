#include "trace/call_trace.h"

#include <algorithm>

namespace patchbay::trace {

SentContext::SentContext(const SpanContext& span, std::string_view state, std::string_view bag)
    : tracestate_(state), baggage_(bag) {
  if (!span.valid()) return;
  write_traceparent(span, text_);
  size_ = text_.size();
}

void CallTrace::begin(const ReceivedContext& in_message, const Sampling& sampling,
                      bool is_recorded) {
  parent_ = parse_traceparent(received_.traceparent);
  const bool is_beside = parent_.has_value();
  const ReceivedContext& from = is_beside ? received_ : in_message;
  if (!parent_) parent_ = parse_traceparent(in_message.traceparent);
  // A state without its trace has no meaning.
  if (parent_) tracestate_ = usable_tracestate(from.tracestate);
  const bool has_bag = !received_.baggage.empty();
  baggage_ = usable_baggage(has_bag ? received_.baggage : in_message.baggage);
  is_traced_ = sampling.enabled;
  const bool refused = (!in_message.tracestate.empty() && tracestate_.empty()) ||
                       (!in_message.baggage.empty() && baggage_.empty());
  replaces_meta_ = is_traced_ || is_beside || !received_.baggage.empty() || refused;
  is_recorded_ = is_recorded || is_traced_;
  if (!is_recorded_) return;
  context_.trace = parent_ ? parent_->trace : new_trace_id();
  context_.span = new_span_id();
  context_.sampled = sampling.samples(context_.trace, parent_ ? &*parent_ : nullptr);
  began_ = last_ = now();
  if (authenticated_.ended <= authenticated_.began) return;
  const std::size_t number = add(Stage::authenticate, authenticated_.began);
  finish_stage(number, authenticated_.ended, false);
}

std::optional<TraceId> CallTrace::known_trace() const {
  if (parent_) return parent_->trace;
  return context_.sampled ? std::optional(context_.trace) : std::nullopt;
}

std::size_t CallTrace::add(Stage stage, Time when) {
  if (stages_.count == kMaxStages) {
    ++stages_.dropped;
    return kNone;
  }
  const bool continued = is_traced_ && (stage == Stage::attempt || stage == Stage::ask);
  stages_.stages[stages_.count] = {.stage = stage,
                                   .failed = false,
                                   .http_status = 0,
                                   .span = continued ? new_span_id() : SpanId(),
                                   .began_ns = (when - began_).count(),
                                   .took_ns = 0};
  return stages_.count++;
}

void CallTrace::finish_stage(std::size_t number, Time when, bool failed) {
  if (number == kNone) return;
  StageTime& stage = stages_.stages[number];
  stage.took_ns = (when - began_).count() - stage.began_ns;
  stage.failed = failed;
}

void CallTrace::start(Stage stage) {
  // The first stage begins with the call.
  last_ = stages_.count == 0 ? began_ : now();
  finish_stage(current_, last_, false);
  current_ = add(stage, last_);
  if (stage == Stage::attempt) attempt_ = current_;
}

void CallTrace::stop(bool failed) {
  if (current_ == kNone) return;
  last_ = now();
  finish_stage(current_, last_, failed);
  current_ = kNone;
}

std::size_t CallTrace::begin_question(std::string_view cause) {
  if (!is_recorded_) return kNone;
  const std::size_t number = add(Stage::ask, now());
  if (number == kNone || !is_traced_) return number;
  const auto asked_by = parse_traceparent(cause);
  const bool is_ours = asked_by && asked_by->trace == context_.trace;
  stages_.stages[number].parent = is_ours ? asked_by->span : span_of(attempt_).span;
  return number;
}

void CallTrace::end_question(std::size_t number, bool failed) {
  if (number != kNone) finish_stage(number, now(), failed);
}

// A stage that was not stored cannot be a parent.
SpanContext CallTrace::span_of(std::size_t number) const {
  SpanContext context = context_;
  if (number != kNone && stages_.stages[number].span != SpanId()) {
    context.span = stages_.stages[number].span;
  }
  return context;
}

SentContext CallTrace::for_upstream() const {
  if (is_traced_) return {span_of(current_), tracestate_, baggage_};
  return {parent_.value_or(SpanContext()), tracestate_, baggage_};
}

SentContext CallTrace::for_client(std::size_t question) const {
  return is_traced_ ? SentContext(span_of(question), tracestate_, "") : SentContext();
}

Time CallTrace::end() {
  if (stages_.count == 0) last_ = now();
  stop(false);
  return last_;
}

}  // namespace patchbay::trace
