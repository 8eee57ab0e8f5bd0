// A HiddenPage collects one page of what is hidden: it is shown row after row, and stores those
// that fit the query. Only a bounded number of rows is looked at, because the control thread does
// nothing else meanwhile.
//
// Control thread only, for one query.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/hidden_items.h"
#include "gateway/catalog/catalog.h"
#include "policy/rules/access.h"

namespace patchbay::app {

// Why something is hidden.
struct HiddenBecause {
  frontends::HiddenReason reason;
  std::string why;
};

class HiddenPage {
 public:
  // Steps of one page: rows, and roles that are tried.
  static constexpr std::size_t kMostSteps = 20'000;

  // REQUIRES: `query` outlives this.
  HiddenPage(const frontends::HiddenQuery& query, std::uint64_t catalog);

  // Begins with the rows of the next upstream; false: the page needs none of them.
  bool begin(std::string_view upstream);
  // The page is complete.
  bool done() const { return found_.next.has_value(); }

  // The next row; `look()` yields std::optional<HiddenBecause>, and is called only if the row may
  // fit.
  template <class Look>
  void row(std::optional<mcp::ItemKind> kind, std::string_view name, Look look) {
    const std::size_t at = row_++;
    if (done() || at < first_row_) return;
    if (++steps_ > kMostSteps) return stop_at(at);
    if (query_.kind && query_.kind != kind) return;
    if (std::optional<HiddenBecause> hidden = look()) add(at, kind, name, *std::move(hidden));
  }

  // What the rules hide; nothing: some callers see the item.
  std::optional<HiddenBecause> by_rules(mcp::ItemKind kind, const gateway::CatalogEntry& entry);

  frontends::HiddenItems take() { return std::move(found_); }

 private:
  void add(std::size_t at, std::optional<mcp::ItemKind> kind, std::string_view name,
           HiddenBecause hidden);
  void stop_at(std::size_t row);
  bool is_found(std::string_view text) const;

  const frontends::HiddenQuery& query_;
  const std::uint64_t catalog_;
  std::vector<policy::Access> accesses_;  // Of each role that is asked about.
  std::string upstream_;
  std::size_t number_ = 0;  // Of the upstream, from 1.
  std::size_t row_ = 0;
  std::size_t first_row_ = 0;
  std::size_t steps_ = 0;
  frontends::HiddenItems found_;
};

}  // namespace patchbay::app
