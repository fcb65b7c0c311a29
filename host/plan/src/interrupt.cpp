// interrupt.cpp: signal handlers that only set flags, announce an event, or end the process.
#include "plan/interrupt.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>

#include "abi/crash.hpp"
#include "base/signal_requests.hpp"

namespace broch::plan {

namespace {

std::atomic<Interrupt*> current{nullptr};
static_assert(std::atomic<Interrupt*>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);
std::atomic<bool> hinted{false}, hurried{false};  // SIGUSR1 came; another signal besides it
base::SignalRequests signal_requests;

int code_of(int signal) { return signal == SIGINT ? 130 : 143; }

// Whether this process had no signal before. Ranks may have agreed on the end when the same signal
// has reached another rank, but not yet this one.
bool is_first_for(const Interrupt& interrupt) {
  return !interrupt.announced() && (!interrupt.raised() || interrupt.agreed());
}

extern "C" void on_signal(int signal) {
  Interrupt* interrupt = current.load();
  if (interrupt == nullptr) return;
  if (signal == SIGUSR1) hinted = true;
  const bool repeats = signal_requests.repeats();
  const bool is_first = is_first_for(*interrupt);
  if (!is_first && (repeats || signal == SIGUSR1)) return;
  if (!is_first && hinted && !hurried.exchange(true)) return;
  if (!is_first) {
    abi::tell_place(signal == SIGINT ? "ended by a second SIGINT" : "ended by a second signal");
    _exit(code_of(signal));
  }
  const int saved = errno;
  interrupt->take(signal);
  errno = saved;
}

// Async-signal-safe: the handler calls it.
int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

int32_t token_cancelled(void* context) { return static_cast<Interrupt*>(context)->cancelled(); }
int32_t token_event_fd(void* context) { return static_cast<Interrupt*>(context)->event_fd(); }

int32_t token_wait(void* context, int64_t timeout_nanoseconds) {
  auto* interrupt = static_cast<Interrupt*>(context);
  pollfd event{token_event_fd(context), POLLIN, 0};
  const timespec timeout{timeout_nanoseconds / 1'000'000'000, timeout_nanoseconds % 1'000'000'000};
  ppoll(&event, 1, timeout_nanoseconds < 0 ? nullptr : &timeout, nullptr);
  return interrupt->cancelled();
}

}  // namespace

Interrupt::Interrupt() : token_{this, token_cancelled, token_wait, token_event_fd} {}

Interrupt::~Interrupt() {
  if (!handled_) return;
  handled_.reset();
  current = nullptr;
}

void Interrupt::install(bool one_of_several) {
  one_of_several_ = one_of_several;
  Interrupt* none = nullptr;
  if (!current.compare_exchange_strong(none, this))
    throw base::Error{base::Exit::training,
                      {"signals", "a second run takes them", "one run at a time", ""}};
  hinted = hurried = false;
  handled_.emplace(on_signal, SA_RESTART);
}

void Interrupt::take(int signal) {
  if (!one_of_several_) return raise(signal);
  announced_at_ = now();
  announced_ = signal;
}

void Interrupt::agree(uint8_t flags) {
  if (flags & kControlRequested) control_due_ = true;
  if (flags & kStopRequested) all_stop_ = true;
  if (flags & kDataDiffer) data_differ_ = true;
  if (!(flags & kSignalled)) return;
  agreed_ = true;
  const int own = announced_.load();
  raise(own ? own : SIGTERM);
}

void Interrupt::request_control() {
  control_requested_ = true;
  if (!one_of_several_) control_due_ = true;
}

void Interrupt::take_control_requests() { control_requested_ = control_due_ = false; }

void Interrupt::raise_overdue() {
  constexpr int64_t kPatience = 10'000'000'000;
  if (announced() && !raised() && now() - announced_at_ > kPatience) raise(announced_);
}

void Interrupt::raise(int signal) {
  int none = 0;
  signal_.compare_exchange_strong(none, signal);
  wake();
}

void Interrupt::cancel() { wake(); }

void Interrupt::fail(std::string why) {
  failure_ = std::move(why);
  failed_.store(true, std::memory_order_release);
  wake();
}

void Interrupt::wake() {
  cancelled_ = true;
  event_.announce();
}

base::Exit Interrupt::exit() const {
  return signal() == SIGINT ? base::Exit::interrupted : base::Exit::terminated;
}

}  // namespace broch::plan
