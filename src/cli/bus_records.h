// A RecordPrinter prints records of a bus for people: without the frames of their schemas, and in
// JSON where they are Avro and a Schema Registry has the schema.
//
// Confined to the thread of its loop.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "bus/framing.h"
#include "bus/record.h"
#include "bus/schema_registry.h"

namespace patchbay::app {

class RecordPrinter {
 public:
  // `schemas` may be null. REQUIRES: it outlives the printer.
  explicit RecordPrinter(bus::SchemaRegistry* schemas) : schemas_(schemas) {}

  // One line: an object, or key and value separated by a tab.
  Task<std::string> json_line(const bus::Record& record, Deadline deadline);
  // Key and value, with unprintable characters as escapes.
  Task<std::string> text_line(const bus::Record& record, Deadline deadline);

 private:
  // A key or a value.
  struct Part {
    std::optional<std::string> bytes;
    std::optional<int> schema;
  };
  Task<Part> read(std::optional<std::string_view> bytes, std::optional<std::string_view> header,
                  Deadline deadline);
  Task<std::string> plain(const bus::Unframed& part, Deadline deadline);
  void complain(const std::string& schema, const Error& why);

  bus::SchemaRegistry* const schemas_;
  std::set<std::string> unusable_;  // Schemas that could not be fetched, which was reported.
};

}  // namespace patchbay::app
