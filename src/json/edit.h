// An Edit walks over JSON text once and records what is to be removed or replaced. The text is
// copied only if something is, and the rest stays byte for byte.
//
//   Edit edit(text);
//   edit.members([&](std::string_view key) { return key == "icons" ? edit.drop() : edit.keep(); });
//   if (edit.changed()) text = edit.result();
//
// If only parts are removed, the text can be changed in place: `edit.apply_to(text)`.
//
// REQUIRES: a Cursor has validated the text. Values only; the text outlives the edit.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "json/cursor.h"

namespace patchbay::json {

class Edit {
 public:
  explicit Edit(std::string_view text) : text_(text), at_(text) {}

  // The result of an object: the position of its first member, and whether any is left or removed.
  struct Members {
    const char* front = nullptr;  // Null if there was no object.
    bool stored = false;
    bool dropped = false;

    bool emptied() const { return dropped && !stored; }
  };

  // Walks over the next object. `visit(key)` takes the value by one of the functions below or walks
  // into it, and returns whether the member stays. Another kind of value is taken whole.
  template <class Visit>
  Members members(Visit visit) {
    if (at_.peek() != Type::object) return skip_for<Members>();
    at_.enter_object();
    Members seen{at_.position()};
    const char* last = seen.front;
    std::string_view key;
    while (at_.next_member(key)) {
      const char* const begin = key_after(last);
      const std::size_t before = changes_.size();
      const bool stays = visit(key);
      if (stays && !seen.stored && seen.dropped) cut(seen.front, begin);
      if (!stays) {
        changes_.resize(before);
        if (seen.stored) cut(last, at_.position());
      }
      (stays ? seen.stored : seen.dropped) = true;
      last = at_.position();
    }
    if (seen.emptied()) cut(seen.front, last);
    return seen;
  }

  // Walks over the next array; `visit()` takes each element. Returns their number.
  template <class Visit>
  std::size_t elements(Visit visit) {
    if (at_.peek() != Type::array) return skip_for<std::size_t>();
    at_.enter_array();
    std::size_t count = 0;
    for (; at_.next_element(); ++count) visit();
    return count;
  }

  // Take the next value whole; return what a visitor of members() then returns.
  bool keep() { return at_.skip(), true; }
  bool drop() { return at_.skip(), false; }
  bool keep_if(bool stays) { return at_.skip(), stays; }
  std::string_view take() {
    std::string_view raw;
    at_.value(raw);
    return raw;
  }
  Type peek() { return at_.peek(); }

  // A value may be walked over first and then replaced as a whole.
  struct Mark {
    const char* begin;
    std::size_t changes;
  };
  Mark mark() {
    at_.peek();
    return {at_.position(), changes_.size()};
  }
  // The value from the mark up to here, unchanged.
  std::string_view since(const Mark& mark) const {
    return {mark.begin, static_cast<std::size_t>(at_.position() - mark.begin)};
  }
  void replace_since(const Mark& mark, std::string with) {
    changes_.resize(mark.changes);
    changes_.push_back({mark.begin, at_.position(), std::move(with)});
  }

  // Replaces a value that was taken and has no changes inside.
  void replace(std::string_view taken, std::string with) {
    changes_.push_back({taken.data(), taken.data() + taken.size(), std::move(with)});
  }

  // Inserts raw members (`"a":1,"b":2`) at the front of an object that members() has walked over.
  void add(const Members& object, std::string with) {
    if (object.stored) with += ',';
    changes_.push_back({object.front, object.front, std::move(with)});
  }

  bool changed() const { return !changes_.empty() && !at_.failed(); }
  std::string result();

  // Changes `text`, which is the one walked over, to the result. Views of it become invalid.
  void apply_to(std::string& text);

  // The offset in result() of the byte at `offset`. REQUIRES: it has not been removed.
  std::size_t moved(std::size_t offset) const;

 private:
  struct Change {
    const char* begin;
    const char* end;
    std::string with;
  };

  template <class T>
  T skip_for() {
    at_.skip();
    return {};
  }

  // Between the end of a member and the next key there are only white space and a comma.
  const char* key_after(const char* last) const {
    const auto left = static_cast<std::size_t>(text_.data() + text_.size() - last);
    return static_cast<const char*>(std::memchr(last, '"', left));
  }
  void put_in_order();
  void cut(const char* begin, const char* end) { changes_.push_back({begin, end, {}}); }

  const std::string_view text_;
  Cursor at_;
  std::vector<Change> changes_;  // They do not overlap.
};

}  // namespace patchbay::json
