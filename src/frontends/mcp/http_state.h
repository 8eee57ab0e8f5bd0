// The shared state of the requests of one worker over Streamable HTTP: the server that answers
// them, the streams that clients can resume, the calls in progress and the questions to clients.
//
// One per worker; confined to it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "gateway/call/in_flight.h"
#include "gateway/call/input_requests.h"
#include "gateway/event_stream.h"
#include "gateway/server.h"
#include "gateway/sessions.h"

namespace patchbay::frontends {

struct McpHttpSettings {
  std::chrono::nanoseconds stream_after = std::chrono::seconds(1);
  std::chrono::nanoseconds keep_alive = std::chrono::seconds(15);
  gateway::ReplayLimits replay;
};

struct McpHttpState {
  // `number` is the index of the worker. REQUIRES: the server outlives this.
  // `run` is that of the process.
  McpHttpState(int number, std::uint64_t run, gateway::McpServer& answering,
               const McpHttpSettings& given)
      : server(answering),
        settings(given),
        streams(number, given.replay, gateway::EventStreams::first_of(run)),
        questions(number) {}

  gateway::McpServer& server;
  McpHttpSettings settings;
  gateway::EventStreams streams;
  gateway::InFlight in_flight;
  gateway::Questions questions;
  // Stores what a client has set in its session.
  std::function<void(const std::shared_ptr<gateway::Session>&)> save_session;
};

}  // namespace patchbay::frontends
