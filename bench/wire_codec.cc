// Times the cost that the wire protocol adds to a message of 1 KB, its frame and its envelope in
// both directions, beside reading the same JSON. Prints one JSON object: nanoseconds of CPU of
// each, the median of several rounds.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "json/read.h"
#include "transport/wire/envelope.h"
#include "transport/wire/frame.h"

namespace {

namespace wire = patchbay::wire;

constexpr int kRounds = 21;

template <class Work>
double nanoseconds(Work work) {
  constexpr int kCalls = 5000;
  const std::clock_t start = std::clock();
  for (int i = 0; i < kCalls; ++i) work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC * 1e9 / kCalls;
}

template <class Work>
double median(Work work) {
  std::vector<double> figures;
  for (int i = 0; i < kRounds; ++i) figures.push_back(nanoseconds(work));
  std::ranges::nth_element(figures, figures.begin() + kRounds / 2);
  return figures[kRounds / 2];
}

}  // namespace

int main() {
  const std::string payload =
      R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":")" +
      std::string(950, 'x') + R"("}]}})";
  const std::string text = wire::write({.correlation_id = "1"}, payload);
  bool good = true;
  wire::FrameDecoder decoder({});
  std::string frame;
  const double framing = median([&] {
    frame.clear();
    wire::append_header(frame, wire::Header::seven, wire::FrameType::data, text.size());
    frame += text;
    auto read = decoder.next(frame);
    good &= read && *read && (*read)->payload.size() == text.size();
  });
  const double envelope = median([&] {
    const std::string written = wire::write({.correlation_id = "1"}, payload);
    wire::Envelope back;
    good &= wire::parse(written, back) && back.payload.size() == payload.size();
  });
  const double json = median([&] { good &= static_cast<bool>(patchbay::json::check(text)); });
  fmt::print(R"({{"bytes":{},"frame_ns":{:.0f},"envelope_ns":{:.0f},"json_ns":{:.0f}}})"
             "\n",
             text.size(), framing, envelope, json);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
