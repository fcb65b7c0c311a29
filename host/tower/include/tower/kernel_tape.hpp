// kernel_tape.hpp: makes stateful host code run once per step, even if the step is computed again
// to compare programs. Counters keep the numbers that they had at first.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "broch/dlpack.h"
#include "tower/names.hpp"

namespace broch::tower {

// While it lives, this thread computes one step, possibly several times. The first time, calls and
// their outputs are stored; each further time the outputs come from here, in the same order.
class KernelTape {
 public:
  KernelTape();
  ~KernelTape();
  KernelTape(const KernelTape&) = delete;
  KernelTape& operator=(const KernelTape&) = delete;

  static KernelTape* current();  // nullptr: the step is computed only once
  // Marks the beginning of another computation of the step.
  static void begin_step();

  // What counter_tensor gives for the counter in this slot, whose number is `now`: what it was the
  // first time, as another thread may train meanwhile.
  int64_t counter(uint32_t slot, int64_t now);

  bool keeps() const { return times_ <= 1; }
  void keep(const std::string& name, std::span<const broch_dl_tensor> outputs);
  // Copies the stored outputs of the next call to `outputs`.
  void give(const std::string& name, std::span<const broch_dl_tensor> outputs);
  // Returns false the first time that a call gave other outputs than an earlier call with equal
  // inputs. given, gave: checksums of all that a kernel may depend on, and of its outputs.
  bool agrees(const std::string& name, const std::string& given, const std::string& gave);
  // Stores another difference between the computations.
  void note(const std::string& difference);
  // Returns "" if the last computation made the same calls as the first, else the difference as
  // text.
  std::string difference() const;

 private:
  struct Call {
    std::string name;
    std::vector<std::vector<std::byte>> outputs;
  };
  KernelTape* outer_;
  int times_ = 0;
  std::vector<Call> calls_;
  std::map<uint32_t, int64_t> counters_;
  std::map<std::pair<std::string, std::string>, std::string> gave_;  // by name and `given`
  std::set<std::string> warned_;
  size_t next_ = 0;
  std::string difference_;
};

}  // namespace broch::tower
