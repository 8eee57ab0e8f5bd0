#include "transport/event_reader.h"

#include <gtest/gtest.h>

#include <vector>

namespace patchbay::transport {
namespace {

std::vector<std::string> data_of(EventReader& reader, std::string_view text) {
  EXPECT_TRUE(reader.feed(text));
  std::vector<std::string> all;
  Event event;
  while (reader.next(event)) all.push_back(event.type + "|" + event.data);
  return all;
}

using Strings = std::vector<std::string>;

TEST(EventReader, ReadsEventsWithAllThreeLineEnds) {
  for (const std::string_view end : {"\n", "\r\n", "\r"}) {
    EventReader reader(1000);
    const std::string e(end);
    // The last line end may be half of a CRLF, so one more byte is needed.
    EXPECT_EQ(data_of(reader, "event: endpoint" + e + "data: /a" + e + e + "data: x" + e +
                                  "data:y" + e + e + ": comment" + e),
              (Strings{"endpoint|/a", "|x\ny"}));
  }
}

TEST(EventReader, YieldsTheSameHoweverTheTextIsSplit) {
  const std::string text =
      "\xEF\xBB\xBFid: 7\r\nretry: 250\r\nevent: message\r\ndata: {}\r\n\r\n:\n\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EventReader reader(1000);
    auto all = data_of(reader, text.substr(0, cut));
    for (auto& one : data_of(reader, text.substr(cut))) all.push_back(one);
    // A byte order mark counts only in one piece; servers do not send it in two.
    if (cut == 0 || cut >= 3) EXPECT_EQ(reader.last_id(), "7") << cut;
    EXPECT_EQ(all, (Strings{"|{}"})) << cut;
    EXPECT_EQ(reader.retry(), std::chrono::milliseconds(250));
  }
}

TEST(EventReader, RemembersTheIdOfAnEventWithoutData) {
  EventReader reader(1000);
  EXPECT_EQ(data_of(reader, "id: first\n\n"), Strings());
  EXPECT_EQ(reader.last_id(), "first");
  EXPECT_EQ(data_of(reader, "id: second\ndata:\n\n"), (Strings{"|"}));
  EXPECT_EQ(reader.last_id(), "second");
}

TEST(EventReader, RefusesAnEventThatDoesNotEnd) {
  EventReader reader(100);
  bool refused = false;
  for (int i = 0; i < 10 && !refused; ++i) {
    refused = !reader.feed("data: " + std::string(30, 'x') + "\n");
    Event event;
    EXPECT_FALSE(reader.next(event));
  }
  EXPECT_TRUE(refused);
}

TEST(EventReader, ForgetsHalfAnEventAfterABreak) {
  EventReader reader(100);
  EXPECT_EQ(data_of(reader, "id: 1\ndata: half"), Strings());
  reader.restart();
  EXPECT_EQ(data_of(reader, "data: whole\n\n"), (Strings{"|whole"}));
  EXPECT_EQ(reader.last_id(), "1");
}

}  // namespace
}  // namespace patchbay::transport
