// Task<T> is a coroutine that yields Result<T>. It starts when awaited and resumes its awaiter when
// done. Cancellation travels down: a task observes the Stop of the task that awaits it.
//
// A task runs on the thread of its awaiter. An exception that escapes one ends the process: only
// libraries throw, and callers of a library catch.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "async/frame_pool.h"
#include "async/stop.h"
#include "core/result.h"

namespace patchbay {

template <class T>
class Task;

namespace detail {

class PromiseBase {
 public:
  static void* operator new(std::size_t size) { return frame_pool::allocate(size); }
  static void operator delete(void* frame, std::size_t size) { frame_pool::release(frame, size); }

  struct Final {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) noexcept {
      return done.promise().continuation;
    }
    void await_resume() noexcept {}
  };

  std::suspend_always initial_suspend() noexcept { return {}; }
  Final final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { std::terminate(); }

  std::coroutine_handle<> continuation = std::noop_coroutine();
  Stop* stop = nullptr;  // Null: nothing can cancel this task.
};

template <class T>
class TaskPromise : public PromiseBase {
 public:
  Task<T> get_return_object();

  template <class U>
  void return_value(U&& value) {
    result.emplace(std::forward<U>(value));
  }

  std::optional<Result<T>> result;
};

}  // namespace detail

template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::TaskPromise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task(const Task&) = delete;
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }

  template <class Promise>
  Handle await_suspend(std::coroutine_handle<Promise> parent) noexcept {
    handle_.promise().continuation = parent;
    handle_.promise().stop = parent.promise().stop;
    return handle_;
  }

  Result<T> await_resume() { return *std::move(handle_.promise().result); }

  // `co_await task.with_stop(stop)`: the task is cancelled by `stop` instead of the awaiter's own
  // Stop.
  auto with_stop(Stop& stop) {
    struct Awaiter {
      Task& task;
      Stop& stop;
      bool await_ready() const noexcept { return false; }
      Handle await_suspend(std::coroutine_handle<> parent) noexcept {
        return task.start_under(stop, parent);
      }
      Result<T> await_resume() { return task.await_resume(); }
    };
    return Awaiter{*this, stop};
  }

  // `co_await task.shielded()`: the task runs to its end even if the awaiter is cancelled. For
  // cleanup that must not be cut short.
  auto shielded() {
    struct Awaiter {
      Task& task;
      Stop never = {};
      bool await_ready() const noexcept { return false; }
      Handle await_suspend(std::coroutine_handle<> parent) noexcept {
        return task.start_under(never, parent);
      }
      Result<T> await_resume() { return task.await_resume(); }
    };
    return Awaiter{*this};
  }

 private:
  friend promise_type;
  explicit Task(Handle handle) : handle_(handle) {}

  Handle start_under(Stop& stop, std::coroutine_handle<> parent) noexcept {
    handle_.promise().continuation = parent;
    handle_.promise().stop = &stop;
    return handle_;
  }

  Handle handle_;
};

template <class T>
Task<T> detail::TaskPromise<T>::get_return_object() {
  return Task<T>(Task<T>::Handle::from_promise(*this));
}

namespace detail {

// The outermost coroutine of a chain of tasks: starts at once, observes the Stop that is its first
// argument, frees itself when done.
struct Root {
  struct promise_type {
    template <class... Rest>
    explicit promise_type(Stop& observed, Rest&...) : stop(&observed) {}

    static void* operator new(std::size_t size) { return frame_pool::allocate(size); }
    static void operator delete(void* frame, std::size_t size) { frame_pool::release(frame, size); }

    Root get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() noexcept { std::terminate(); }

    Stop* stop;
  };
};

}  // namespace detail

// `co_await current_stop()` is the Stop of the running task, or null.
struct current_stop {
  Stop* stop = nullptr;

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> self) noexcept {
    stop = self.promise().stop;
    return false;
  }
  Stop* await_resume() const noexcept { return stop; }
};

}  // namespace patchbay
