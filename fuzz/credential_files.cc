// Fuzzes the files of tokens and passwords: a file that was read can be written and read again.
#include "fuzz/require.h"
#include "net/io/address_range.h"
#include "policy/auth/htpasswd.h"
#include "policy/auth/token_table.h"

using patchbay::fuzz::require;
using namespace patchbay::policy;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = patchbay::fuzz::text_of(data, size);
  if (const auto table = TokenTable::parse(text)) {
    const auto again = TokenTable::parse(table->text());
    require(again && again->text() == table->text());
  }
  if (const auto hash = TokenHash::parse(text)) require(hash->text() == text);
  (void)static_cast<bool>(Htpasswd::parse(text));
  (void)static_cast<bool>(patchbay::net::AddressRange::parse(text));
  return 0;
}
