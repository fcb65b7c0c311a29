// rank_gather.hpp: gathers a list of gradients from all ranks.
#pragma once
#include <array>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "dist/group.hpp"
#include "optimizer/gradients.hpp"
#include "plan/interrupt.hpp"
#include "plan/names.hpp"
#include "replay/tower_runner.hpp"
#include "runtime/backend.hpp"

namespace broch::plan {

// Gathers one list per rank, over the same variables, bucket by bucket. If there are several
// buckets, they are sent while later gradients are still being computed, on a thread and a group
// of their own. The first bucket has 1 MiB and the others 25 MiB, from the last variable to the
// first, which is about the order in which gradients become ready. Source: PyTorch,
// DistributedDataParallel.
class RankGather final : public replay::GradientSink {
 public:
  struct Ranks {
    dist::Group* group;
    // Makes another group of the same ranks. Called in the first execution, which all ranks begin.
    std::function<std::unique_ptr<dist::Group>()> another;
    std::function<uint8_t()> rank_flags;  // of this rank (interrupt.hpp). [any]
  };
  // halves: float32 is sent as float16. Memory that the group cannot access is copied through the
  // host.
  // REQUIRES: all variables are on one device; the references outlive this object.
  RankGather(runtime::Backend& backend, Ranks ranks,
             const std::vector<runtime::Variable*>& variables, bool halves = false);
  ~RankGather() override;

  // Buffers for this rank's gradients, from which they need no copy.
  const std::vector<runtime::Tensor>& buffers() const { return buffers_; }
  // The bucket of each variable. Empty with a single bucket, since ready need not be called then.
  const std::vector<uint32_t>& parts() const { return parts_; }

  // Begins an execution that will gather. From now on ready may be called, even before gather.
  void begin();
  void ready(uint32_t bucket) override;
  // Returns all lists, by rank, one after another. They are in memory of this object and valid
  // until the next call. Afterwards rank_flags() has the flags of all ranks, the same on each.
  const std::vector<runtime::Tensor>& gather(const std::vector<runtime::Tensor>& gradients);
  uint8_t rank_flags() const { return rank_flags_; }

 private:
  struct Bucket {
    std::vector<size_t> members;  // indices in the list
    runtime::Backend::Flat mine;
    std::vector<runtime::Backend::Flat> theirs;  // by rank
    // The buffers that are sent and received: those above, or float16 copies of them.
    runtime::Tensor sent;
    std::vector<runtime::Tensor> received;
    bool is_ready = false;
  };
  void divide(const std::vector<runtime::Variable*>& variables);
  void make(Bucket& bucket, const std::vector<runtime::Variable*>& variables, bool halves);
  void make_flags(broch_dtype dtype);
  runtime::Tensor on_the_line(const runtime::Tensor& buffer, bool halves);
  void convert(const runtime::Tensor& to, const runtime::Tensor& from);
  void exchange(Bucket& bucket, dist::Group& group);
  void run();

  runtime::Backend& backend_;
  Ranks ranks_;
  runtime::Operator* copy_;
  runtime::Device device_;  // of the gradients
  runtime::Device line_;    // from which the group sends
  std::vector<Bucket> buckets_;
  std::vector<uint32_t> parts_;
  std::vector<runtime::Tensor> buffers_, gathered_;
  std::array<runtime::Tensor, kAllRankFlags + 1>
      flag_tensors_;        // by value of the flags; sent after the last bucket
  uint8_t rank_flags_ = 0;  // combined flags of all ranks
  bool gathers_ = false;    // true from begin until gather ends

  std::unique_ptr<dist::Group> apart_;  // group for the thread
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t next_ = 0;  // next bucket to send
  bool stops_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // runs from the first execution on if there are several buckets
};

// The memory of a contiguous tensor.
std::span<std::byte> bytes_of(runtime::Backend& backend, const runtime::Tensor& tensor);

// The memory argument of a group's functions.
inline int memory_of(runtime::Device device) {
  return device.type == BROCH_DL_CUDA ? device.index : dist::kHostMemory;
}

}  // namespace broch::plan
