// backend.cpp: opens the backend, finds devices, and sets the thread's state during a step.
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/core/AutogradState.h>
#include <c10/util/Exception.h>
#include <torch/headeronly/version.h>

#include <atomic>
#include <cstdlib>
#include <latch>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/log.hpp"
#include "base/signals.hpp"
#include "base/text.hpp"
#include "cuda_half.hpp"
#include "kernels/isa.hpp"
#include "mixed_precision.hpp"
#include "record/key.hpp"
#include "torch_backend.hpp"

namespace broch::libtorch {
namespace {

thread_local Draws* innermost_draws = nullptr;

// Passes each warning of LibTorch on once; some come in every step.
class OnceEach final : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override {
    const std::lock_guard lock(mutex_);
    if (told_.size() < kMost && told_.insert(warning.msg()).second)
      base::warning("LibTorch: " + warning.msg());
  }

 private:
  static constexpr size_t kMost = 1000;
  std::mutex mutex_;
  std::set<std::string> told_;
};

// Never destroyed: threads may warn until the very end.
OnceEach& once_each() {
  static OnceEach* const only = new OnceEach;
  return *only;
}

class TorchStepGuard final : public StepGuard {
 public:
  TorchStepGuard(bool gradients, Draws* draws)
      : before_(c10::AutogradState::get_tls_state()),
        no_autocast_(MixedPrecision::is_on() ? c10::DispatchKeySet()
                                             : c10::autocast_dispatch_keyset),
        draws_before_(std::exchange(innermost_draws, draws)) {
    c10::AutogradState state = before_;
    state.set_grad_mode(gradients);
    state.set_multithreading_enabled(false);  // backward runs on this thread, also on CUDA
    c10::AutogradState::set_tls_state(state);
  }
  ~TorchStepGuard() override {
    c10::AutogradState::set_tls_state(before_);
    innermost_draws = draws_before_;
  }

 private:
  c10::AutogradState before_;
  c10::impl::ExcludeDispatchKeyGuard no_autocast_;
  c10::WarningUtils::WarningHandlerGuard warnings_{&once_each()};  // of this thread
  Draws* draws_before_;
};

class Watch final : public StepGuard {
  ForeignCalls seen_;
};

}  // namespace

Draws* current_draws() { return innermost_draws; }

std::string TorchBackend::version() const {
  return "LibTorch " TORCH_VERSION " (" + at::get_cpu_capability() + "), kernels " +
         kernels::isa_name();
}

namespace {

// If OpenMP gives LibTorch fewer threads than it expects, its kernels wait for the others forever.
void check_thread_limit(int threads) {
  const char* const limit = std::getenv("OMP_THREAD_LIMIT");
  if (!limit || std::atoi(limit) <= 0 || std::atoi(limit) >= threads) return;
  throw base::Error(
      base::Exit::manifest,
      {.where = "runtime.threads",
       .found = std::to_string(threads) + " threads, but OMP_THREAD_LIMIT is " + limit,
       .expected = "at most as many as the limit",
       .hint =
           "unset OMP_THREAD_LIMIT or set runtime.threads to " + std::to_string(std::atoi(limit))});
}

// LibTorch waits forever for a thread of its pool that could not be started, and OpenMP ends the
// program. So this starts as many before, once.
void check_room_for_threads(int threads) {
  static std::atomic<int> checked = 1;
  if (threads <= checked) return;
  std::latch end(1);
  std::vector<std::thread> others;
  bool has_room = true;
  try {
    for (int i = 0; i < 2 * (threads - 1); ++i)
      others.emplace_back([&end] {
        base::block_signals();
        end.wait();
      });
  } catch (const std::system_error&) {
    has_room = false;
  }
  end.count_down();
  for (std::thread& other : others) other.join();
  checked = threads;
  if (!has_room)
    throw base::Error(
        base::Exit::memory,
        {.where = "runtime.threads",
         .found = std::to_string(threads) + " threads, but the system refuses to start them",
         .expected = "room for them",
         .hint = "raise the limit of processes (ulimit -u, or that of the container), or set "
                 "runtime.threads to less"});
}

}  // namespace

void TorchBackend::configure(const BackendOptions& options) {
  check_thread_limit(options.threads);
  check_room_for_threads(options.threads);
  if (const std::string_view word = kernels::unknown_isa(); !word.empty())
    throw base::Error{base::Exit::usage,
                      {"environment variable BROCH_ISA", base::quoted(word),
                       "generic, avx2 or avx512", "correct it, or leave it out"}};
  level_ = options.level;
  at::set_num_threads(options.threads);
  set_deterministic(options.deterministic);
}

std::string TorchBackend::why_not(Device device) const {
  if (device.type == BROCH_DL_CPU) return "";
  if (device.type != BROCH_DL_CUDA) return "no device of type " + std::to_string(device.type);
  const CudaHalf& cuda = cuda_half();
  if (device.index < cuda.devices) return "";
  if (!cuda.problem.empty()) return cuda.problem;
  return "there are " + std::to_string(cuda.devices) + " CUDA devices, numbered from 0";
}

DeviceFacts TorchBackend::facts(Device device) {
  return at_place(to_string(device), [&] {
    DeviceFacts facts;
    cuda_half().facts(device.index, facts);
    return facts;
  });
}
void TorchBackend::reset_peak(Device device) { cuda_half().reset_peak(device.index); }
void TorchBackend::synchronize(Device device) { cuda_half().synchronize(device.index); }

std::unique_ptr<StepGuard> TorchBackend::enter(bool gradients, Draws* draws) {
  return std::make_unique<TorchStepGuard>(gradients, draws);
}

std::unique_ptr<StepGuard> TorchBackend::watch() {
  if (const std::string& problem = libtorch::recording_problem(); !problem.empty())
    throw OperatorError(BROCH_E_FAILED_PRECONDITION,
                        {"at::Tensor in a tower function", problem,
                         "a LibTorch whose operators can be seen", "use broch.ops/1"});
  return std::make_unique<Watch>();
}

}  // namespace broch::libtorch

extern "C" __attribute__((visibility("default"))) broch::runtime::Backend* broch_torch_open(void) {
  return new broch::libtorch::TorchBackend;
}

extern "C" __attribute__((visibility("default"))) void broch_torch_close(
    broch::runtime::Backend* backend) {
  delete backend;
}
