// A TlsSession is TLS over one Source: it encrypts what is written and decrypts what is read. It is
// a part of a Stream.
//
// OpenSSL reads from the source directly and writes into a buffer of ours, which is sent in one
// write per call. So reading never waits for writing or vice versa, and what the peer demands in
// between (new keys, for example) waits in the buffer.
//
// Confined to the thread of its source.
#pragma once

#include <sys/uio.h>

#include <memory>
#include <span>
#include <string>

#include "net/io/source.h"
#include "net/tls/context.h"
#include "net/tls/peer.h"

struct ssl_st;
struct bio_st;
struct bio_method_st;

namespace patchbay::net {

class TlsSession {
 public:
  // A client checks that the peer is `host`. REQUIRES: `source` outlives the session.
  TlsSession(std::shared_ptr<const TlsContext> context, Source& source, const std::string& host);
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;
  ~TlsSession();

  Task<void> do_handshake(Deadline deadline);

  // The verified identity of the peer; null if it has presented no certificate.
  std::unique_ptr<const TlsPeer> peer() const;

  // See Stream.
  Result<std::size_t> try_read(std::span<char> into);
  Result<std::size_t> try_write(std::span<const iovec> parts);

  // Sends close_notify, if that is possible without waiting.
  void end();

  // Resumed by a ticket of an earlier session, without certificates. REQUIRES: the handshake is
  // complete.
  bool resumed() const;

  bool holds_more() const;
  // The peer has sent close_notify, so nothing was truncated.
  bool ended() const { return ended_; }

 private:
  static const bio_method_st* bio_method();
  static int bio_read(bio_st* bio, char* into, int size);
  static int bio_write(bio_st* bio, const char* from, int size);
  static long bio_control(bio_st* bio, int command, long number, void* pointer);

  void expect(const std::string& host);
  Result<void> check_resumed();
  Result<std::size_t> encrypt_some(std::span<const iovec> parts);
  Result<void> encrypt(std::string_view bytes);
  Result<void> flush();
  Error fail(int code);
  Error fault(int code);

  const std::shared_ptr<const TlsContext> context_;
  Source& source_;
  ssl_st* const ssl_;
  std::string out_;             // Encrypted, and not taken by the source yet.
  std::size_t flushed_ = 0;     // How much of its front has been taken.
  std::size_t unreported_ = 0;  // Bytes that were encrypted but not reported as written.
  std::size_t silent_ = 0;      // Bytes that arrived since the last data.
  std::string source_fault_;    // Why the source failed.
  bool open_ = false;           // The handshake is complete, and nothing has failed since.
  bool ended_ = false;
};

}  // namespace patchbay::net
