#include "net/io/readiness.h"

#include <sys/epoll.h>

#include <utility>

namespace patchbay::net {

void Readiness::on_events(std::uint32_t events) {
  if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) {
    hung_up_ = true;
    may_read_ = may_write_ = true;  // The next attempt determines what has happened.
  }
  if (events & EPOLLIN) may_read_ = true;
  if (events & EPOLLOUT) may_write_ = true;
  if (may_read_ && reader_) std::exchange(reader_, nullptr)->on_ready();
  if (may_write_ && writer_) std::exchange(writer_, nullptr)->on_ready();
  if (hung_up_ && hangup_) std::exchange(hangup_, nullptr)->on_hangup();
}

void Readiness::forget(Waiter& waiter) {
  if (reader_ == &waiter) reader_ = nullptr;
  if (writer_ == &waiter) writer_ = nullptr;
}

void Readiness::watch_hangup(Hangup* hangup) {
  hangup_ = hangup;
  if (hangup_ && hung_up_) std::exchange(hangup_, nullptr)->on_hangup();
}

}  // namespace patchbay::net
