// The threads of C11, implemented with those of POSIX. ThreadSanitizer supports only the latter and
// crashes on others; librdkafka uses C11 threads. Linked into programs that are built with that
// sanitizer.
#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <cstdint>
#include <memory>

namespace {

struct Start {
  thrd_start_t run;
  void* argument;
};

void* begin(void* given) {
  const std::unique_ptr<Start> start(static_cast<Start*>(given));
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(start->run(start->argument)));
}

int outcome(int error) {
  if (error == 0) return thrd_success;
  if (error == ETIMEDOUT) return thrd_timedout;
  return error == EBUSY ? thrd_busy : thrd_error;
}

pthread_mutex_t* posix(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* posix(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

}  // namespace

// glibc's own are the same behind other names: its types hold those of POSIX.
static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(thrd_t) == sizeof(pthread_t));
static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t));

extern "C" {

int thrd_create(thrd_t* thread, thrd_start_t run, void* argument) {
  auto start = std::make_unique<Start>(Start{run, argument});
  const int error = pthread_create(thread, nullptr, begin, start.get());
  if (error == 0) start.release();
  return outcome(error);
}

int thrd_join(thrd_t thread, int* result) {
  void* value = nullptr;
  const int error = pthread_join(thread, &value);
  if (result) *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
  return outcome(error);
}

int thrd_detach(thrd_t thread) { return outcome(pthread_detach(thread)); }

int mtx_lock(mtx_t* mutex) { return outcome(pthread_mutex_lock(posix(mutex))); }
int mtx_trylock(mtx_t* mutex) { return outcome(pthread_mutex_trylock(posix(mutex))); }
int mtx_unlock(mtx_t* mutex) { return outcome(pthread_mutex_unlock(posix(mutex))); }

int cnd_signal(cnd_t* condition) { return outcome(pthread_cond_signal(posix(condition))); }
int cnd_broadcast(cnd_t* condition) { return outcome(pthread_cond_broadcast(posix(condition))); }
int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return outcome(pthread_cond_wait(posix(condition), posix(mutex)));
}
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  return outcome(pthread_cond_timedwait(posix(condition), posix(mutex), until));
}

}  // extern "C"
