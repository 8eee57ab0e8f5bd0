// What a TLS handshake may cost us, on either side: which key exchanges are made, how large a
// greeting, a chain of certificates and the keys in it may be. Without these, one small message of
// a peer could occupy a worker for a tenth of a second.
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

// Bounds the handshakes of both sides. With `bounds_only` any certificate is taken whose keys are
// affordable; SSL_get_verify_result() then says that it was not verified.
void bound_handshakes(ssl_ctx_st* context, CertificateCheck check);

}  // namespace patchbay::net
