// A Registration is how an agent says what it offers: one record of the registry topic. Read as all
// generations of agents write it, written so that all of them can read it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::bus {

struct Registration {
  std::string name;
  std::string description;
  std::string request_topic;
  std::string response_topic;
  std::string correlation_field = "correlationId";
  bool is_resource = false;
  std::string mime_type = {};  // Of a resource.
  std::string url = {};        // Of a resource, without a slash in front; may be a template.
  // Of a resource: it is the latest record of its response topic. Nothing: as the reader is set.
  std::optional<bool> from_topic = {};

  bool operator==(const Registration&) const = default;
};

// Reads the value of a record. The error says which member is wrong. Members that nobody knows are
// passed over.
Result<Registration> read_registration(std::string_view value);

// The value, with the type always in it.
std::string write_registration(const Registration& registration);

// The name in the key of a record: {"name":…}, or the text itself. Empty if it has none.
std::string registered_name(std::string_view key);
std::string registration_key(std::string_view name);

// The schemas of key and value, as they are put into the Schema Registry.
extern const std::string_view kRegistrationKeySchema;
extern const std::string_view kRegistrationSchema;

// True if the bus would take that as the name of a topic.
bool is_topic_name(std::string_view name);

inline constexpr std::size_t kMostName = 256;
inline constexpr std::size_t kMostDescription = 16 * 1024;

}  // namespace patchbay::bus
