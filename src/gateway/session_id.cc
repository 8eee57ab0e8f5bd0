#include "gateway/session_id.h"

#include <sys/random.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "crypto/sha256.h"

namespace patchbay::gateway {
namespace {

constexpr char kSessionFormat = 1;
constexpr std::string_view kSessionContext = "session";
constexpr std::size_t kRevisionName = 10;  // A date.
constexpr std::size_t kMaxClientInfo = 100;

// Writes and reads the parts of an id in their order.
class PartWriter {
 public:
  void bytes(std::string_view text) { out_ += text; }
  template <class Number>
  void number(Number value) {
    for (std::size_t i = sizeof value; i-- > 0;) out_ += static_cast<char>(value >> (8 * i) & 0xFF);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

class PartReader {
 public:
  explicit PartReader(std::string_view text) : rest_(text) {}

  std::string_view bytes(std::size_t size) {
    good_ = good_ && rest_.size() >= size;
    if (!good_) return {};
    const auto part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }
  template <class Number>
  Number number() {
    Number value = 0;
    for (const char byte : bytes(sizeof value)) {
      value = static_cast<Number>(value << 8 | static_cast<unsigned char>(byte));
    }
    return value;
  }
  template <std::size_t size>
  void copy_to(std::array<char, size>& to) {
    std::ranges::copy(bytes(size), to.begin());
  }
  std::string_view rest() const { return rest_; }
  bool good() const { return good_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

template <std::size_t size>
std::string_view text_of(const std::array<char, size>& bytes) {
  return {bytes.data(), bytes.size()};
}

}  // namespace

SessionId new_session_id() {
  SessionId id;
  // Without randomness an id could be guessed.
  const auto got = ::getrandom(id.random.data(), id.random.size(), 0);
  if (got != static_cast<ssize_t>(id.random.size())) std::abort();
  id.created = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  return id;
}

SessionId::Digest owner_digest(const Principal& caller) {
  const policy::Digest digest = policy::sha256_of({caller.id});
  SessionId::Digest first;
  std::memcpy(first.data(), digest.data(), first.size());
  return first;
}

std::string seal(const policy::Keyring& keys, const SessionId& id) {
  PartWriter parts;
  parts.number(static_cast<std::uint8_t>(kSessionFormat));
  parts.number(id.run);
  parts.number(id.worker);
  parts.bytes(mcp::info(id.revision).name);
  parts.number(static_cast<std::uint64_t>(id.created.time_since_epoch().count()));
  parts.bytes(text_of(id.random));
  parts.bytes(text_of(id.owner));
  parts.number(static_cast<std::uint8_t>(mcp::bits_of(id.abilities)));
  parts.bytes(std::string_view(id.client_info).substr(0, kMaxClientInfo));
  return keys.seal(policy::Purpose::sessions, parts.take(), kSessionContext);
}

std::optional<SessionId> open_session_id(const policy::Keyring& keys, std::string_view text) {
  const auto plain = keys.open(policy::Purpose::sessions, text, kSessionContext);
  if (!plain || !plain->starts_with(kSessionFormat)) return std::nullopt;
  PartReader parts(std::string_view(*plain).substr(1));
  SessionId id;
  id.run = parts.number<std::uint64_t>();
  id.worker = parts.number<std::uint16_t>();
  const auto revision = mcp::find_revision(parts.bytes(kRevisionName));
  const auto created = parts.number<std::uint64_t>();
  id.created = SessionId::Time(std::chrono::milliseconds(static_cast<std::int64_t>(created)));
  parts.copy_to(id.random);
  parts.copy_to(id.owner);
  id.abilities = mcp::abilities_of_bits(parts.number<std::uint8_t>());
  id.client_info = parts.rest();
  // A revision that this version does not have cannot be served.
  if (!parts.good() || !revision || mcp::info(*revision).stateless) return std::nullopt;
  id.revision = *revision;
  return id;
}

std::size_t placed_on(const SessionId& id, std::size_t count) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, id.random.data(), sizeof bits);
  return static_cast<std::size_t>(bits % count);
}

}  // namespace patchbay::gateway
