#include "gateway/event_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "json/text.h"
#include "observe/memory.h"

namespace patchbay::gateway {

std::string event_frame(std::string_view id, std::string_view data, std::string_view name) {
  std::string frame;
  frame.reserve(id.size() + data.size() + 32);
  if (!id.empty()) {
    frame += "id: ";
    frame += id;
    frame += '\n';
  }
  if (!data.empty()) {
    frame += "event: ";
    frame += name;
    frame += '\n';
  }
  frame += "data: ";
  if (data.find_first_of("\r\n") == std::string_view::npos) {
    frame += data;
  } else {
    frame += json::on_one_line(data);
  }
  frame += "\n\n";
  return frame;
}

void EventStream::append(std::string_view data, EventKind kind) {
  if (ended_) return;
  Event event{next_++, {}};
  event.frame = event_frame(fmt::format("{}{}", prefix_, event.number), data);
  send(event.frame, kind);
  const std::size_t before = bytes_;
  bytes_ += event.frame.size();
  events_.push_back(std::move(event));
  // The oldest are removed first; the newest always stays, because it may be the answer.
  const std::size_t most = memory::is_short() ? 0 : keep_bytes_;
  std::size_t drop = 0;
  while (bytes_ > most && drop + 1 < events_.size()) bytes_ -= events_[drop++].frame.size();
  events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(drop));
  total_ += bytes_ - before;
}

void EventStream::send(std::string_view frame, EventKind kind) {
  if (!sink_) return;
  if (&sink_->owner() == &here()) {
    sink_->on_event(frame, kind);
  } else {
    sink_->owner().post(
        [sink = sink_, copy = std::string(frame), kind] { sink->on_event(copy, kind); });
  }
}

void EventStream::finish(const std::shared_ptr<EventSink>& sink) {
  if (&sink->owner() == &here()) {
    sink->on_end();
  } else {
    sink->owner().post([sink] { sink->on_end(); });
  }
}

void EventStream::end() {
  ended_ = true;
  if (auto reader = std::exchange(sink_, nullptr)) finish(reader);
}

void EventStream::attach(std::shared_ptr<EventSink> sink, std::uint64_t after) {
  if (auto earlier = std::exchange(sink_, std::move(sink))) finish(earlier);
  for (const auto& event : events_) {
    if (event.number > after) send(event.frame, EventKind::answer);
  }
  if (ended_) {
    if (auto reader = std::exchange(sink_, nullptr)) finish(reader);
  } else if (notify_reader_) {
    notify_reader_(true);
  }
}

void EventStream::detach(const EventSink* sink) {
  if (!sink || sink_.get() != sink) return;
  sink_ = nullptr;
  if (notify_reader_) notify_reader_(false);
}

std::shared_ptr<EventStream> EventStreams::create(const std::string& session) {
  const auto number = next_++;
  auto stream = std::make_shared<EventStream>(fmt::format("{}.{}.", worker_, number), session,
                                              limits_.stream, total_);
  stream->number = number;
  streams_.emplace(number, stream);
  return stream;
}

std::shared_ptr<EventStream> EventStreams::find(std::uint64_t number) const {
  const auto found = streams_.find(number);
  return found == streams_.end() ? nullptr : found->second;
}

void EventStreams::close(EventStream& stream) {
  stream.end();
  ended_.push_back({stream.number, here().now() + limits_.time});
  while (total_ > limits_.total && !ended_.empty()) {
    streams_.erase(ended_.front().number);
    ended_.pop_front();
  }
}

void EventStreams::sweep(Deadline now) {
  while (!ended_.empty() && ended_.front().expires <= now) {
    streams_.erase(ended_.front().number);
    ended_.pop_front();
  }
}

std::optional<EventId> parse_event_id(std::string_view text) {
  EventId id;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](auto& value, bool last) {
    const auto [stop, fault] = std::from_chars(at, end, value);
    if (fault != std::errc()) return false;
    at = stop;
    if (last) return at == end;
    return at != end && *at++ == '.';
  };
  if (number(id.worker, false) && number(id.stream, false) && number(id.event, true)) return id;
  return std::nullopt;
}

}  // namespace patchbay::gateway
