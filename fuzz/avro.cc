// Fuzzes Avro: schemas as a registry has them, and values in binary and in JSON. The input is a
// schema and a value, with a line break between them. The JSON Schema of the schema must be usable,
// decoded values must be JSON, and encoded values must be readable.
#include "bus/avro/avro.h"
#include "fuzz/require.h"
#include "json/read.h"

using patchbay::fuzz::require;

namespace {

using namespace patchbay;

constexpr bus::AvroLimits kLimits{.values = 10'000, .bytes = 1 << 20};
constexpr std::size_t kSmall = 4096;  // Bytes of a schema that is within all limits.

// A value that fits may exceed the size limit; it fails for no other reason.
void write_and_read(const bus::AvroSchema& schema, std::string_view json) {
  const auto bytes = schema.encode(json);
  if (!bytes) return require(bytes.error().code == Code::too_large);
  const auto again = schema.decode(*bytes);
  if (!again) return require(again.error().code == Code::too_large);
  require(static_cast<bool>(json::check(*again)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = fuzz::text_of(data, size);
  const std::size_t line = std::min(input.find('\n'), input.size());
  const auto text = input.substr(0, line);
  const auto value = input.substr(std::min(line + 1, input.size()));

  const auto schema = bus::AvroSchema::parse(text, {}, kLimits);
  if (!schema) return 0;
  const std::string described = (*schema)->json_schema();
  const auto compiled = json::Schema::compile(described);
  require(compiled || text.size() > kSmall);

  if (const auto read = (*schema)->decode(value)) {
    require(static_cast<bool>(json::check(*read)));
    if (compiled) {
      const auto fits = (*compiled)->validate(*read);
      require(fits || fits.error().code == Code::too_large);
    }
    write_and_read(**schema, *read);
  }
  if ((*schema)->encode(value)) write_and_read(**schema, value);
  return 0;
}
