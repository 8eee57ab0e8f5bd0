// Result<T> is a value or an Error. A dropped one does not compile.
//
// std::expected with [[nodiscard]], which libstdc++ 12 leaves out, and a default state (an Error)
// so that a slot can wait for its value. Values only; usable from any thread.
#pragma once

#include <expected>
#include <type_traits>
#include <utility>

#include "core/error.h"

namespace patchbay {

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result() : state_(std::unexpect) {}
  Result(Error error) : state_(std::unexpect, std::move(error)) {}

  template <class U = T>
    requires(!std::is_void_v<T> && std::is_constructible_v<T, U &&> &&
             !std::is_same_v<std::remove_cvref_t<U>, Result> &&
             !std::is_same_v<std::remove_cvref_t<U>, Error>)
  Result(U&& value) : state_(std::in_place, std::forward<U>(value)) {}

  explicit operator bool() const { return state_.has_value(); }

  // REQUIRES: the result holds a value.
  auto& operator*() & { return *state_; }
  const auto& operator*() const& { return *state_; }
  auto&& operator*() && { return *std::move(state_); }
  auto* operator->() { return &*state_; }
  const auto* operator->() const { return &*state_; }

  // REQUIRES: the result holds an error.
  Error& error() & { return state_.error(); }
  const Error& error() const& { return state_.error(); }
  Error&& error() && { return std::move(state_).error(); }

 private:
  std::expected<T, Error> state_;
};

// Success without a value: `return ok();`.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() : failed_(true) {}
  Result(Error error) : failed_(true), error_(std::move(error)) {}

  explicit operator bool() const { return !failed_; }

  // REQUIRES: the result holds an error.
  Error& error() & { return error_; }
  const Error& error() const& { return error_; }
  Error&& error() && { return std::move(error_); }

 private:
  friend Result<void> ok();
  struct Good {};
  explicit Result(Good) : failed_(false), error_{Code::internal, {}, {}} {}

  bool failed_;
  Error error_;
};

inline Result<void> ok() { return Result<void>(Result<void>::Good{}); }

}  // namespace patchbay
