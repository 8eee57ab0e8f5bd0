// The RateExchange lets gateways with a shared store count together (rates.h). It has a thread of
// its own: no call waits for the store. Now and then, and at once when much has been used, it adds
// what this gateway has admitted to the points in time in the store, and learns where they are.
//
// While the store fails, each gateway goes on with what it knows.
//
// Made, used and stopped on the control thread. The store is closed after stop(), and before this
// is destroyed.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "async/one_shot.h"
#include "async/scope.h"
#include "net/io/loop.h"
#include "policy/rates/rates.h"
#include "store/store.h"

namespace patchbay::policy {

class RateExchange {
 public:
  RateExchange(store::Store& store, std::chrono::nanoseconds interval);
  ~RateExchange() { stop(); }
  RateExchange(const RateExchange&) = delete;
  RateExchange& operator=(const RateExchange&) = delete;

  void set_interval(std::chrono::nanoseconds interval) { interval_ = interval.count(); }

  // Exchanges the counts of these from now on; null: none.
  void use(std::shared_ptr<Rates> rates);

  // Ends the thread. REQUIRES: nothing is admitted any more.
  void stop();

 private:
  // On its own thread.
  Task<void> serve();
  Task<void> report(std::shared_ptr<Rates> rates, Rates::Unreported one);
  void note(const Result<std::chrono::microseconds>& ahead);
  Task<void> end();

  store::Store& store_;
  std::atomic<std::int64_t> interval_;  // Nanoseconds.
  net::Loop loop_;
  // Used on its own thread only.
  std::shared_ptr<Rates> rates_;
  OneShot<void> hurry_;
  bool alone_ = false;  // The store has failed.
  Scope tasks_;
  Scope last_;

  std::thread thread_;
};

}  // namespace patchbay::policy
