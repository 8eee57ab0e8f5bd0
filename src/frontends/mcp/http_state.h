// The shared state of the requests of one worker over Streamable HTTP: the server that answers
// them, the streams that clients can resume, the calls in progress and the questions to clients.
//
// One per worker; confined to it.
#pragma once

#include <chrono>
#include <cstddef>

#include "gateway/call/in_flight.h"
#include "gateway/call/input_requests.h"
#include "gateway/event_stream.h"
#include "gateway/server.h"

namespace patchbay::frontends {

struct McpHttpSettings {
  std::chrono::nanoseconds stream_after = std::chrono::seconds(1);
  std::chrono::nanoseconds keep_alive = std::chrono::seconds(15);
  gateway::ReplayLimits replay;
};

struct McpHttpState {
  // `number` is the index of the worker. REQUIRES: the server outlives this.
  McpHttpState(int number, gateway::McpServer& answering, const McpHttpSettings& given)
      : server(answering), settings(given), streams(number, given.replay), questions(number) {}

  gateway::McpServer& server;
  McpHttpSettings settings;
  gateway::EventStreams streams;
  gateway::InFlight in_flight;
  gateway::Questions questions;
};

}  // namespace patchbay::frontends
