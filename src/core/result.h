// Result<T> is a value or an Error. A dropped one does not compile.
//
// std::expected with [[nodiscard]], which libstdc++ 12 lacks, and a default state (an Error) so
// that a slot can wait for its value. Values only; usable from any thread.
#pragma once

#include <expected>
#include <memory>
#include <type_traits>
#include <utility>

#include "core/error.h"

namespace patchbay {

namespace detail {

// An Error on the heap. Results are passed on often and fail seldom, so a result without an error
// must be small.
class Failure {
 public:
  Failure() = default;  // Equal to a default Error.
  explicit Failure(Error error) : error_(std::make_unique<Error>(std::move(error))) {}
  Failure(Failure&&) noexcept = default;
  Failure& operator=(Failure&&) noexcept = default;
  Failure(const Failure& other)
      : error_(other.error_ ? std::make_unique<Error>(*other.error_) : nullptr) {}
  Failure& operator=(const Failure& other) { return *this = Failure(other); }
  ~Failure() = default;

  Error& get() const {
    if (!error_) error_ = std::make_unique<Error>();
    return *error_;
  }

 private:
  mutable std::unique_ptr<Error> error_;
};

}  // namespace detail

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
  Error& error() & { return state_.error().get(); }
  const Error& error() const& { return state_.error().get(); }
  Error&& error() && { return std::move(state_.error().get()); }

 private:
  std::expected<T, detail::Failure> state_;
};

// Success without a value: `return ok();`.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : failure_(std::move(error)) {}

  explicit operator bool() const { return !failed_; }

  // REQUIRES: the result holds an error.
  Error& error() & { return failure_.get(); }
  const Error& error() const& { return failure_.get(); }
  Error&& error() && { return std::move(failure_.get()); }

 private:
  friend Result<void> ok();

  bool failed_ = true;
  detail::Failure failure_;
};

inline Result<void> ok() {
  Result<void> good;
  good.failed_ = false;
  return good;
}

}  // namespace patchbay
