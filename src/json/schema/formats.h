// The formats of the keyword `format`. Pure; usable from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace patchbay::json {

// The index of a format; empty for one that is not checked here.
std::optional<std::uint32_t> find_format(std::string_view name);

// True if `text`, which is UTF-8, has that format.
bool has_format(std::uint32_t format, std::string_view text);

// The formats one by one.
namespace format {

bool date(std::string_view text);
bool time(std::string_view text);
bool date_time(std::string_view text);
bool duration(std::string_view text);

bool hostname(std::string_view text);
bool ipv4(std::string_view text);
bool ipv6(std::string_view text);
bool email(std::string_view text);
bool idn_email(std::string_view text);

bool uri(std::string_view text);
bool uri_reference(std::string_view text);
bool iri(std::string_view text);
bool iri_reference(std::string_view text);
bool uri_template(std::string_view text);

bool uuid(std::string_view text);
bool json_pointer(std::string_view text);
bool relative_json_pointer(std::string_view text);

}  // namespace format
}  // namespace patchbay::json
