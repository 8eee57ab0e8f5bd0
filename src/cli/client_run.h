// What the client commands have in common: reach a server, ask it, print what a person wants to
// see of the answer.
//
// Everything runs on one loop on the thread of the caller.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/client.h"
#include "cli/commands.h"
#include "mcp/typed_arguments.h"
#include "transport/http_channel.h"

namespace patchbay::app {

// Runs `work` with a client of `target` until it is done; yields the exit code.
int run_client(const std::string& target, const ClientOptions& options,
               const std::function<Task<int>(Client&, Deadline)>& work);

// Takes the target off the front of `words`: the first one if it looks like one, else the local
// gateway.
std::string take_target(std::vector<std::string>& words);

// Where the control API of the gateway at `server` is, and how it is spoken to.
Result<transport::HttpTarget> control_target(const std::string& server,
                                             const ClientOptions& options);

// Says that `words` hold what the command does not take; yields the exit code.
int too_many_words(const std::vector<std::string>& words);

// Sends a request about `target` and waits for its answer; progress goes to stderr.
Task<mcp::Reply> ask(Client& client, std::string_view method, std::string_view params,
                     const std::string& target, Deadline deadline);

// The Error that a reply is. REQUIRES: reply.is_error.
Error error_of(const mcp::Reply& reply);

// The item that a person means: the name as listed, or upstream.name, upstream_name or the bare
// name if only one fits.
const mcp::Item* find_item(const std::vector<mcp::Item>& items, std::string_view name);

// A JSON object of what was typed: one such object, or pairs of key=value, where `value_of` makes
// JSON of a value.
Result<std::string> arguments_of(const std::vector<std::string>& words,
                                 const mcp::ReadValue& value_of);

// One line an item, or all definitions as a JSON array.
void print_items(const std::vector<mcp::Item>& items, bool as_json);

// A piece of content: its text, or what it is.
void print_content(std::FILE* out, std::string_view content);

}  // namespace patchbay::app
