// The allowed cost of a TLS handshake on either side: which key exchanges are allowed, and how
// large a greeting, a certificate chain and its keys may be. Without these limits, one small
// message of a peer could occupy a worker for a tenth of a second.
//
// Applied to a context when it is made; the callbacks run on the worker of the connection and have
// no state.
#pragma once

#include <cstddef>

struct ssl_ctx_st;

namespace patchbay::net {

// Bytes of a peer before its handshake is complete.
inline constexpr std::size_t kMostHandshakeBytes = 128 * 1024;

// Bytes of a peer without any data among them, once the handshake is complete: new keys and
// tickets.
inline constexpr std::size_t kMostSilentBytes = 64 * 1024;

enum class CertificateCheck : unsigned char { bounds_only, full };

// Bounds the handshakes of both sides. With `bounds_only` every certificate with affordable keys is
// accepted; SSL_get_verify_result() then reports that it was not verified.
void bound_handshakes(ssl_ctx_st* context, CertificateCheck check);

}  // namespace patchbay::net
