// rank_gather.hpp: a list of gradients as every rank has it.
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
#include "runtime/backend.hpp"
#include "tower/tower_runner.hpp"

namespace broch::plan {

// Gathers one list of each rank, over the same variables, a bucket at a time. A list of more than
// one bucket goes over the line while the rest of it is still being computed, on a thread and a
// group of its own. Buckets have 1 MiB first and 25 MiB after, from the last variable to the first,
// which is about the order in which gradients come to be. Source: PyTorch, DistributedDataParallel.
class RankGather final : public tower::GradientSink {
 public:
  struct Ranks {
    dist::Group* group;
    // Another one of the same ranks; in the first run, which all of them begin.
    std::function<std::unique_ptr<dist::Group>()> another;
    std::function<uint8_t()> rank_flags;  // of this rank, bits (interrupt.hpp); by any thread
  };
  // halves: float32 goes over the line as float16. What the group does not reach goes by way of the
  // host. REQUIRES: the variables are on one device; the references outlive this.
  RankGather(runtime::Backend& backend, Ranks ranks,
             const std::vector<runtime::Variable*>& variables, bool halves = false);
  ~RankGather() override;

  // Memory in which the own gradients are found without a copy.
  const std::vector<runtime::Tensor>& buffers() const { return buffers_; }
  // By variable: the bucket. Empty where there is one, which nobody need be told of.
  const std::vector<uint32_t>& parts() const { return parts_; }

  // In a run that will gather: from now on gradients may be ready before it does.
  void begin();
  void ready(uint32_t bucket) override;
  // All lists, by rank, one behind the other; memory of this, until the next call. The flags of all
  // ranks are known afterwards, to all in the same call.
  const std::vector<runtime::Tensor>& gather(const std::vector<runtime::Tensor>& gradients);
  uint8_t rank_flags() const { return rank_flags_; }

 private:
  struct Bucket {
    std::vector<size_t> members;  // places in the list
    runtime::Backend::Flat mine;
    std::vector<runtime::Backend::Flat> theirs;  // by rank
    // What goes over the line and comes from it: the same, or halves of it.
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
  runtime::Device line_;    // of what the group sends and receives
  std::vector<Bucket> buckets_;
  std::vector<uint32_t> parts_;
  std::vector<runtime::Tensor> buffers_, gathered_;
  std::array<runtime::Tensor, kAllRankFlags + 1>
      flag_tensors_;        // by flags: what is sent behind the last bucket
  uint8_t rank_flags_ = 0;  // of all ranks
  bool gathers_ = false;    // in this run

  std::unique_ptr<dist::Group> apart_;  // of the thread
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t next_ = 0;  // bucket
  bool stops_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // where there is more than one bucket, from the first run on
};

// Memory of a tensor that has no gaps.
std::span<std::byte> bytes_of(runtime::Backend& backend, const runtime::Tensor& tensor);

// Of a group's calls.
inline int memory_of(runtime::Device device) {
  return device.type == BROCH_DL_CUDA ? device.index : dist::kHostMemory;
}

}  // namespace broch::plan
