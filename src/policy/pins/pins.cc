#include "policy/pins/pins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "crypto/sha256.h"
#include "json/canonical.h"
#include "json/diff.h"
#include "json/read.h"
#include "json/write.h"
#include "observe/log.h"
#include "policy/pins/store.h"

namespace patchbay::policy {
namespace {

constexpr std::array<std::string_view, 6> kPinned{"name",        "title",        "description",
                                                  "inputSchema", "outputSchema", "annotations"};
constexpr std::size_t kMostDifferences = 8;  // In one line of the log...
constexpr std::size_t kMostExcerpt = 200;    // ...and bytes of each side.

std::int64_t now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

std::string excerpt(std::string_view raw) {
  return raw.empty() ? "(nothing)" : json::shortened(raw, kMostExcerpt);
}

void log_change(const std::pair<std::string, std::string>& key, const Pin& pin, bool blocked) {
  std::string diff;
  for (const auto& one : json::differences(pin.definition, pin.changed, kMostDifferences)) {
    diff += fmt::format("{}{}: {} -> {}", diff.empty() ? "" : "; ", one.pointer,
                        excerpt(one.before), excerpt(one.after));
  }
  log::Line(log::Level::warn, "tool definition changed")
      .add("upstream", key.first)
      .add("tool", key.second)
      .add("left_out", blocked ? "yes" : "no")
      .add("was", sha256(pin.definition).substr(0, 16))
      .add("is", sha256(pin.changed).substr(0, 16))
      .add("diff", diff)
      .add("hint", fmt::format("patchbay pins accept {}.{}", key.first, key.second));
}

}  // namespace

std::string pinned_part(std::string_view definition) {
  std::string part;
  {
    json::Object object(part);
    json::each_member(definition, [&](std::string_view key, std::string_view raw) {
      if (std::ranges::find(kPinned, key) != kPinned.end()) object.raw(key, raw);
    });
  }
  auto canonical = json::canonical(part);
  return canonical ? *std::move(canonical) : std::string();
}

Pins::Pins() = default;

Pins::Pins(std::unique_ptr<PinStore> store, PinMap known)
    : store_(std::move(store)), pins_(std::move(known)) {
  for (const auto& [key, pin] : pins_) ++counts_[key.first];
}

Pins::~Pins() = default;

std::set<std::string> Pins::look_at(std::string_view upstream,
                                    const std::vector<mcp::Item>& tools) {
  std::set<std::string> left_out;
  if (mode_ == PinMode::ignore) return left_out;
  for (const auto& tool : tools) {
    const bool same = look_at({std::string(upstream), tool.key}, tool);
    if (!same && mode_ == PinMode::block) left_out.insert(tool.key);
  }
  return left_out;
}

// True if the tool is unchanged.
bool Pins::look_at(std::pair<std::string, std::string> key, const mcp::Item& tool) {
  const std::string is = pinned_part(tool.definition);
  const auto known = pins_.find(key);
  if (known == pins_.end()) {
    std::size_t& count = counts_[key.first];
    if (is.empty() || count >= most_) {
      log::Line(log::Level::warn, "tool cannot be pinned")
          .add("upstream", key.first)
          .add("tool", key.second)
          .add("why", is.empty() ? "its definition is ambiguous"
                                 : "limits.max_pins_per_upstream is reached");
      return false;
    }
    ++count;
    const Pin& fresh = pins_.emplace(key, Pin{is, "", now(), 0}).first->second;
    if (store_) store_->add(key, fresh);
    return true;
  }
  Pin& pin = known->second;
  const std::string changed = is == pin.definition ? ""
                              : is.empty()         ? std::string(kAmbiguousDefinition)
                                                   : is;
  if (changed == pin.changed) return changed.empty();
  pin.changed = changed;
  pin.changed_at = changed.empty() ? 0 : now();
  if (store_) store_->change(key, pin);
  if (changed.empty()) return true;
  log_change(key, pin, mode_ == PinMode::block);
  return false;
}

std::string Pins::why_hidden(std::string_view upstream, const mcp::Item& tool) const {
  const auto known = pins_.find({std::string(upstream), tool.key});
  const bool ambiguous = known == pins_.end() ? pinned_part(tool.definition).empty()
                                              : known->second.changed == kAmbiguousDefinition;
  if (ambiguous)
    return "its definition is ambiguous JSON, so it cannot be accepted (pins is block)";
  if (known == pins_.end()) {
    return "its definition cannot be stored: limits.max_pins_per_upstream is reached (pins is "
           "block)";
  }
  return "its definition has changed since it was accepted: compare and accept it (pins is block)";
}

PinMap Pins::changes() const {
  PinMap changed;
  for (const auto& [key, pin] : pins_) {
    if (!pin.changed.empty()) changed.emplace(key, pin);
  }
  return changed;
}

Result<void> Pins::accept(const std::pair<std::string, std::string>& key, std::string_view digest) {
  const auto known = pins_.find(key);
  if (known == pins_.end() || known->second.changed.empty()) {
    return Error{Code::not_found,
                 fmt::format("no changed definition of {}.{} waits", key.first, key.second)};
  }
  if (known->second.changed == kAmbiguousDefinition) {
    return Error{Code::invalid_request, "its definition is ambiguous, so it cannot be accepted"};
  }
  if (sha256(known->second.changed) != digest) {
    return Error{Code::invalid_request, "its definition has changed again; compare it anew"};
  }
  Pin accepted{known->second.changed, "", known->second.first_seen, 0};
  if (store_) {
    auto stored = store_->accept(key, accepted);
    if (!stored) return stored;
  }
  known->second = std::move(accepted);
  return ok();
}

bool Pins::read_again() {
  auto stored = store_ ? store_->read() : Result<PinMap>(PinMap());
  if (!stored) return false;
  bool accepted = false;
  for (auto& [key, pin] : *stored) {
    const auto known = pins_.find(key);
    if (known == pins_.end() || known->second.definition == pin.definition) continue;
    known->second = std::move(pin);
    accepted = true;
  }
  return accepted;
}

}  // namespace patchbay::policy
