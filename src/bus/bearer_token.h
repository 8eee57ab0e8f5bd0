// The token for brokers that require one (SASL OAUTHBEARER): configured, or in a file that another
// program renews. Pure but for reading that file.
#pragma once

#include <cstdint>
#include <string>

#include "core/result.h"

struct rd_kafka_s;

namespace patchbay::bus {

struct BearerSource {
  std::string token;  // The token itself...
  std::string file;   // ...or its file.

  bool empty() const { return token.empty() && file.empty(); }
};

struct BearerToken {
  std::string value;
  std::int64_t expires = 0;  // In milliseconds since 1970.
  std::string principal;
};

// `now` in milliseconds since 1970. A JWT states its expiry and its principal; other tokens are
// assumed to last an hour.
BearerToken describe_token(std::string text, std::int64_t now);

Result<BearerToken> read_token(const BearerSource& source, std::int64_t now);

// Sets the token that a client of librdkafka has requested, or reports why there is none.
void give_token(rd_kafka_s* client, const BearerSource& source);

}  // namespace patchbay::bus
