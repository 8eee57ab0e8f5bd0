// A SchemaRegistry is a client of a Schema Registry with Confluent's REST API. Schemas by id are
// cached, since an id never changes its meaning.
//
// Confined to the worker that made it. RegisteredSchemas are constant; threads may share them.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "bus/avro/avro.h"
#include "bus/schema_store.h"
#include "json/schema/schema.h"
#include "net/http/client/pool.h"

namespace patchbay::bus {

struct RegistrySettings {
  net::Url url;
  std::shared_ptr<const net::TlsContext> tls = {};  // Null for http.
  std::string key = {};                             // Basic authentication; empty: none.
  std::string secret = {};
  net::HttpPoolSettings pool = {};
  std::size_t answer = 4 << 20;  // Maximum size.
  std::chrono::nanoseconds answer_time{std::chrono::seconds(10)};
  std::size_t stored = 10'000;  // Maximum number of cached schemas.
};

struct RegisteredSchema {
  int id = 0;
  SchemaKind kind = SchemaKind::json;
  std::string text;                              // JSON Schema; for Avro, that of its values.
  std::shared_ptr<const json::Schema> compiled;  // The same for validation; null if it is unusable.
  std::string problem = {};                      // Why it is unusable.
  std::shared_ptr<const AvroSchema> avro = {};   // Null unless values are in Avro.
};

class SchemaRegistry {
 public:
  using Schema = std::shared_ptr<const RegisteredSchema>;

  explicit SchemaRegistry(RegistrySettings settings);
  ~SchemaRegistry();  // REQUIRES: no request is in progress.

  // The newest version of a subject. Code::not_found if there is none, Code::unavailable if the
  // registry does not answer, with the reason.
  Task<Schema> latest(std::string subject, Deadline deadline);
  Task<Schema> by_id(int id, Deadline deadline);
  Task<Schema> by_guid(std::string guid, Deadline deadline);
  // The same from the cache; null if it is not there.
  Schema known(int id) const;

  // Makes a JSON Schema the newest version of a subject, unless it already is. Yields its id.
  Task<int> add(std::string subject, std::string_view schema, Deadline deadline);

  const net::Url& url() const { return settings_.url; }

 private:
  Task<std::string> ask(std::string_view method, std::string path, std::string_view body,
                        Deadline deadline);
  using References = std::map<std::string, std::string>;  // Texts by name.
  Task<References> find_references(std::string answer, Deadline deadline);
  Task<Schema> take(std::string answer, int id, Deadline deadline);
  Task<Schema> find(std::map<std::string, Schema>& stored, std::string key, std::string path,
                    int id, Deadline deadline);

  const RegistrySettings settings_;
  std::string fields_;
  net::HttpPool pool_;
  std::map<std::string, Schema> by_id_;
  std::map<std::string, Schema> by_guid_;
};

// The raw JSON `value` in the form that its schema requires in a record: framed, and in Avro if it
// is that. Code::invalid_params for a value that does not fit Avro; JSON is not checked.
Result<std::string> written_by(const SchemaRegistry::Schema& schema, std::string value);

}  // namespace patchbay::bus
