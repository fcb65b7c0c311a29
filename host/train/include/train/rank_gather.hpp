// rank_gather.hpp: a list of gradients as every rank has it.
#pragma once
#include <vector>

#include "dist/group.hpp"
#include "runtime/backend.hpp"
#include "train/gradients.hpp"

namespace broch::train {

// Gathers one list of each rank, over the same variables, in one call for each dtype.
class RankGather {
 public:
  // halves: float32 goes over the line as float16. REQUIRES: the variables are on the CPU; both
  // references outlive this.
  RankGather(runtime::Backend& backend, dist::Group& group,
             const std::vector<runtime::Variable*>& variables, bool halves = false);

  // Memory in which the own gradients are found without a copy.
  const std::vector<runtime::Tensor>& places() const { return places_; }
  // All lists, by rank, one behind the other; memory of this, until the next call. ends: this rank
  // wants to end; whether anyone does is known afterwards, to all in the same call.
  const std::vector<runtime::Tensor>& gather(const std::vector<runtime::Tensor>& gradients,
                                             bool ends);
  bool anyone_ends() const { return anyone_ends_; }

 private:
  struct Bucket {
    runtime::Backend::Flat mine;
    std::vector<runtime::Backend::Flat> theirs;  // by rank
    // What goes over the line and comes from it: the same, or halves of it.
    runtime::Tensor sent;
    std::vector<runtime::Tensor> received;
  };
  Bucket make_bucket(std::vector<runtime::Tensor> values, broch_dtype dtype, bool halves);
  void convert(const runtime::Tensor& to, const runtime::Tensor& from);
  runtime::Backend& backend_;
  dist::Group& group_;
  runtime::Operator* copy_;
  std::vector<Bucket> buckets_;
  std::vector<runtime::Tensor> places_, gathered_;
  runtime::Tensor goes_on_, ends_;  // what is sent behind the gradients
  bool anyone_ends_ = false;
};

// Memory of a tensor on the CPU that has no gaps.
std::span<std::byte> bytes_of(runtime::Backend& backend, const runtime::Tensor& tensor);

}  // namespace broch::train
