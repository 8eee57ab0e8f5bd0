// What the client commands have in common: connect to a server, send a request, print the answer
// for a person.
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

// Takes the target off the front of `args`: the first one if it looks like one, else the local
// gateway.
std::string take_target(std::vector<std::string>& args);

// The URL of the control API of the gateway at `server`, with credentials.
Result<transport::HttpTarget> control_target(const std::string& server,
                                             const ClientOptions& options);

// Reports that there are too many arguments; yields the exit code.
int too_many_args(const std::vector<std::string>& args);

// Sends a request about `target` and waits for its answer; progress goes to stderr.
Task<mcp::Reply> ask(Client& client, std::string_view method, std::string_view params,
                     const std::string& target, Deadline deadline);

// The Error of a reply. REQUIRES: reply.is_error.
Error error_of(const mcp::Reply& reply);

// The item that a person means: the name as listed, or upstream.name, upstream_name or the bare
// name if only one fits.
const mcp::Item* find_item(const std::vector<mcp::Item>& items, std::string_view name);

// A JSON object from the arguments: one such object, as it is, in a file (@FILE) or on stdin (-);
// or pairs of key=value, where `value_of` makes JSON of a value.
Result<std::string> arguments_of(const std::vector<std::string>& args,
                                 const mcp::ReadValue& value_of);

// One line per item, or all definitions as a JSON array. `kind` names them, for an empty list.
void print_items(const std::vector<mcp::Item>& items, bool as_json, std::string_view kind);

// A piece of content: its text, or a description of it.
void print_content(std::FILE* out, std::string_view content);

}  // namespace patchbay::app
