// The token that is shown to brokers which ask for one (SASL OAUTHBEARER): given once, or in a file
// that somebody else renews. Pure but for reading that file.
#pragma once

#include <cstdint>
#include <string>

#include "core/result.h"

struct rd_kafka_s;

namespace patchbay::bus {

struct BearerSource {
  std::string token;  // The token itself...
  std::string file;   // ...or where it is.

  bool empty() const { return token.empty() && file.empty(); }
};

struct BearerToken {
  std::string value;
  std::int64_t expires = 0;  // In milliseconds since 1970.
  std::string principal;
};

// `now` in milliseconds since 1970. The token says itself when it expires and whose it is, if it is
// a JWT; of others it is taken that they last an hour.
BearerToken describe_token(std::string text, std::int64_t now);

Result<BearerToken> read_token(const BearerSource& source, std::int64_t now);

// Gives a client of librdkafka the token that it has asked for, or says why there is none.
void give_token(rd_kafka_s* client, const BearerSource& source);

}  // namespace patchbay::bus
