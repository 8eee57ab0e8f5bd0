// A Stop asks the tasks that run under it to end early. Cancellation is a request: each waiting
// operation observes it, yields Code::cancelled, and the task unwinds by ordinary code.
//
// Confined to one thread.
#pragma once

namespace patchbay {

class Stop {
 public:
  // Is notified of the request, once. The destructor unlinks it.
  class Hook {
   public:
    Hook() = default;
    Hook(const Hook&) = delete;
    Hook& operator=(const Hook&) = delete;
    virtual ~Hook() { unlink(); }

    virtual void on_stop() = 0;

    // Observes `stop`. REQUIRES: not linked; stop.requested() is false.
    void link(Stop& stop) {
      next_ = stop.first_;
      if (next_) next_->position_ = &next_;
      position_ = &stop.first_;
      stop.first_ = this;
    }

    void unlink() {
      if (!position_) return;
      *position_ = next_;
      if (next_) next_->position_ = position_;
      position_ = nullptr;
    }

   private:
    friend class Stop;
    Hook* next_ = nullptr;
    Hook** position_ = nullptr;  // The pointer that points here; null when not linked.
  };

  Stop() = default;
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;
  ~Stop() {
    while (first_) first_->unlink();
  }

  bool requested() const { return requested_; }

  void request() {
    requested_ = true;
    while (Hook* hook = first_) {
      hook->unlink();
      hook->on_stop();
    }
  }

 private:
  bool requested_ = false;
  Hook* first_ = nullptr;
};

// Forwards the request of an outer Stop to an inner one, as long as it exists.
class StopLink final : Stop::Hook {
 public:
  StopLink(Stop* outer, Stop& inner) : inner_(inner) {
    if (!outer) return;
    if (outer->requested()) {
      inner_.request();
    } else {
      link(*outer);
    }
  }

 private:
  void on_stop() override { inner_.request(); }

  Stop& inner_;
};

}  // namespace patchbay
