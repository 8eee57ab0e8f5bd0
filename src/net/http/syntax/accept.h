// Content-Type and Accept headers (RFC 9110, 8.3 and 12.5.1): what a client sends, and which types
// it accepts and prefers. Pure.
#pragma once

#include <initializer_list>
#include <string_view>

#include "net/http/syntax/parse.h"

namespace patchbay::net {

// The type in the value of a Content-Type, without its parameters. Empty if the value is not
// exactly one well-formed media type.
std::string_view media_type(std::string_view value);

// True if Content-Type declares the body to be JSON.
bool is_json(const HttpRequest& request);

// True if the comma-separated list `methods` has exactly `method`: methods are case-sensitive.
bool has_method(std::string_view methods, std::string_view method);

// The Accept header of the client; everything if there is none.
std::string_view accept_of(const HttpRequest& request);

// Of the types `offered`, the one with the highest quality; among equals the one that the client
// lists first, then the one that is offered first. Empty if the client accepts none of them.
std::string_view preferred_type(std::string_view accept,
                                std::initializer_list<std::string_view> offered);

}  // namespace patchbay::net
