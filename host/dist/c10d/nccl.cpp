// nccl.cpp: what broch_nccl.so exports: ranks that communicate through LibTorch's process groups,
// over NCCL for GPU memory and over Gloo for host memory.
#include <ATen/ops/from_blob.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdlib>
#include <exception>
#include <map>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "gloo.hpp"

namespace broch::dist {
namespace {

// Throws if this machine has no GPU: each rank needs its own, so there is no use in waiting for the
// other ranks.
void require_devices() {
  std::string found = "no CUDA device on this machine";
  try {
    if (c10::cuda::device_count_ensure_non_zero() > 0) return;
  } catch (const c10::Error& error) {
    found += std::string(": ") + error.what_without_backtrace();
  }
  throw base::Error{base::Exit::collective,
                    {"runtime.collectives: \"nccl\"", found.substr(0, found.find('\n')),
                     "a GPU for each rank", "use \"gloo\", which also takes what is on GPUs"}};
}

// Makes a missing rank end the call with an error instead of ending the process. The variables are
// read when a group is made. Source: PyTorch, "ProcessGroupNCCL Environment Variables".
void prefer_errors() {
  setenv("TORCH_NCCL_BLOCKING_WAIT", "1", 0);
  setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0", 0);
}

at::Tensor tensor_over(const std::byte* data, size_t size, int device) {
  return at::from_blob(
      const_cast<std::byte*>(data), {static_cast<int64_t>(size)},
      at::TensorOptions(at::kByte).device(at::kCUDA, static_cast<c10::DeviceIndex>(device)));
}

// Runs the calls of the engine on a stream of their own, after the work that is on the current
// stream so far. The caller waits for these calls, but not for what other threads put on the
// current stream in the meantime.
class Aside {
 public:
  explicit Aside(c10::cuda::CUDAStream own)
      : in_use_(c10::cuda::getCurrentCUDAStream(own.device_index())), guard_(own) {
    at::cuda::CUDAEvent before;
    before.record(in_use_);
    before.block(guard_.current_stream());
  }
  void finish() const { guard_.current_stream().synchronize(); }

 private:
  c10::cuda::CUDAStream in_use_;  // of that device, which need not be this thread's current one
  c10::cuda::CUDAStreamGuard guard_;
};

// Throws, except for errors that the loss of another rank may have caused; at_place tells those.
// NCCL says "invalid usage" where two ranks use the same GPU.
void throw_unless_lost(const Ranks& ranks, const char* what, const c10::Error& error) {
  const std::string why = error.what_without_backtrace();
  base::Diagnostic said{
      "rank " + std::to_string(ranks.rank) + " of " + std::to_string(ranks.world) + ": " + what,
      why.substr(0, why.find('\n')), "", ""};
  if (why.find("invalid usage") != std::string::npos) {
    said.expected = "a GPU of its own for each rank";
    said.hint =
        "name the device \"cuda\", which is another GPU in each rank of a machine, or leave "
        "runtime.collectives out: Gloo lets ranks share a GPU";
    throw base::Error{base::Exit::collective, said};
  }
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error))
    throw base::Error{base::Exit::memory, said};
  if (!dynamic_cast<const c10::DistError*>(&error)) throw base::Error{base::Exit::training, said};
}

template <class Call>
void over_nccl(const Ranks& ranks, const char* what, const Call& call) {
  at_place(ranks, what, [&] {
    try {
      call();
    } catch (const c10::Error& error) {
      throw_unless_lost(ranks, what, error);
      throw;
    }
  });
}

class Nccl final : public Gloo {
 public:
  Nccl(const Ranks& ranks, std::chrono::milliseconds timeout) : Gloo(ranks, timeout) { open(); }
  Nccl(const Nccl& from, const Ranks& ranks, const std::string& name) : Gloo(from, ranks, name) {
    open();
  }
  // LibTorch's destructor does the same, and warns that nobody has.
  ~Nccl() override {
    try {
      group_->abort();
    } catch (const std::exception&) {
      // The calls have all ended, so nothing is lost.
    }
  }
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  std::string engine() const override { return "NCCL (c10d)"; }
  bool reaches(int) const override { return true; }

  void broadcast(std::span<std::byte> bytes, uint32_t root, int memory) override {
    if (memory == kHostMemory) return Gloo::broadcast(bytes, root, memory);
    if (bytes.empty()) return;
    over_nccl(ranks(), "broadcast over NCCL", [&] {
      const Aside aside(stream_on(memory));
      std::vector<at::Tensor> tensors{tensor_over(bytes.data(), bytes.size(), memory)};
      c10d::BroadcastOptions options;
      options.rootRank = root;
      group_->broadcast(tensors, options)->wait(timeout());
      aside.finish();
    });
  }

  void all_gather(std::span<const std::byte> mine, std::span<const std::span<std::byte>> all,
                  int memory) override {
    if (memory == kHostMemory) return Gloo::all_gather(mine, all, memory);
    if (mine.empty()) return;
    over_nccl(ranks(), "all_gather over NCCL", [&] {
      const Aside aside(stream_on(memory));
      std::vector<at::Tensor> from{tensor_over(mine.data(), mine.size(), memory)};
      std::vector<std::vector<at::Tensor>> to(1);
      for (const auto& part : all) to[0].push_back(tensor_over(part.data(), part.size(), memory));
      group_->allgather(to, from)->wait(timeout());
      aside.finish();
    });
  }

  std::unique_ptr<Group> first(uint32_t count, uint32_t number) override {
    return std::make_unique<Nccl>(*this, first_ranks(count), first_name(number));
  }

 private:
  void open() {
    over_nccl(ranks(), "meeting the others over NCCL", [&] {
      const auto options = c10d::ProcessGroupNCCL::Options::create(true);
      options->timeout = timeout();
      group_ = c10::make_intrusive<c10d::ProcessGroupNCCL>(
          c10::make_intrusive<c10d::PrefixStore>("nccl", store()), static_cast<int>(ranks().rank),
          static_cast<int>(ranks().world), options);
    });
  }

  // Always the same one, because LibTorch keeps the memory that was used on a stream for that
  // stream.
  c10::cuda::CUDAStream stream_on(int device) {
    const auto index = static_cast<c10::DeviceIndex>(device);
    const auto taken = streams_.find(index);
    if (taken != streams_.end()) return taken->second;
    return streams_.emplace(index, c10::cuda::getStreamFromPool(true, index)).first->second;
  }

  c10::intrusive_ptr<c10d::ProcessGroupNCCL> group_;
  std::map<c10::DeviceIndex, c10::cuda::CUDAStream> streams_;
};

}  // namespace
}  // namespace broch::dist

extern "C" __attribute__((visibility("default"))) broch::dist::Group* broch_dist_join(
    const broch::dist::Ranks& ranks, std::chrono::milliseconds timeout) {
  broch::dist::require_devices();
  broch::dist::prefer_errors();
  return new broch::dist::Nccl(ranks, timeout);
}
