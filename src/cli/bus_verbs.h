// The verbs of `patchbay bus …`: each a function from options to an exit code.
#pragma once

#include <string>
#include <vector>

#include "cli/bus_target.h"

namespace patchbay::app {

struct BusRegisterOptions : BusOptions {
  std::string name;
  std::string description;
  std::string request_topic;
  std::string response_topic;
  std::string correlation_field;
  std::string mime_type;       // Of a resource...
  std::string url;             // ...if these are set.
  std::string retrieval;       // Of a resource: topic, request, or the setting of the gateway.
  std::string request_schema;  // Files.
  std::string response_schema;
  int partitions = 1;
};

struct BusRecordOptions : BusOptions {
  std::string topic;
  std::string key;
  bool has_key = false;
  std::string value;
  bool has_value = false;
  bool deletes = false;
  bool typed = false;
  std::vector<std::string> headers;  // name=value
};

struct BusConsumeOptions : BusOptions {
  std::string topic;
  bool from_beginning = false;
  bool to_end = false;
  int count = 0;  // 0: no limit.
};

struct BusLagOptions : BusOptions {
  std::string group;
  std::vector<std::string> topics;
};

int bus_register(const BusRegisterOptions& options);
int bus_unregister(const BusRegisterOptions& options);
int bus_list(const BusOptions& options);
int bus_produce(const BusRecordOptions& options);
int bus_consume(const BusConsumeOptions& options);
int bus_lag(const BusLagOptions& options);

}  // namespace patchbay::app
