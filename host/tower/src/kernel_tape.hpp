// kernel_tape.hpp: stateful host code runs once a step, however often the step is computed.
#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "broch/dlpack.h"
#include "tower/names.hpp"

namespace broch::tower {

// As long as it lives, this thread computes one step: the first time calls are kept with what they
// gave, each further time they are taken from here, in the same order.
class KernelTape {
 public:
  KernelTape();
  ~KernelTape();
  KernelTape(const KernelTape&) = delete;
  KernelTape& operator=(const KernelTape&) = delete;

  static KernelTape* current();  // nullptr: the step is computed once
  // The step is computed, from its beginning.
  static void begin_step();

  bool keeps() const { return times_ <= 1; }
  void keep(const std::string& name, std::span<const broch_dl_tensor> outputs);
  // The next call's outputs.
  void give(const std::string& name, std::span<const broch_dl_tensor> outputs);
  // False the first time a call gave outputs other than those of an earlier call that was equal in
  // all a kernel may depend on. Both: checksums.
  bool agrees(const std::string& name, const std::string& given, const std::string& gave);
  // Something else that is different this time.
  void note(const std::string& difference);
  // "" when the last time made the calls of the first; else the difference in words.
  std::string difference() const;

 private:
  struct Call {
    std::string name;
    std::vector<std::vector<std::byte>> outputs;
  };
  KernelTape* outer_;
  int times_ = 0;
  std::vector<Call> calls_;
  std::map<std::pair<std::string, std::string>, std::string> gave_;  // by name and what was given
  std::set<std::string> told_;
  size_t next_ = 0;
  std::string difference_;
};

}  // namespace broch::tower
