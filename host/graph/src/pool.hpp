// pool.hpp: programs by the sizes of their inputs. Any thread.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "program.hpp"

namespace broch::graph {

using ProgramPtr = std::shared_ptr<Program>;

class Pool {
 public:
  // most: how many programs are kept; the one that was used longest ago goes.
  explicit Pool(size_t most) : most_(most) {}

  ProgramPtr find(const std::vector<int64_t>& sizes);  // nullptr: there is none
  void add(ProgramPtr program);                        // does nothing if there is one already

  // The programs, for people. symbols: names of the sizes.
  std::string text(const std::vector<std::string>& symbols) const;

 private:
  struct Entry {
    ProgramPtr program;
    uint64_t last_use;
  };
  const size_t most_;
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;  // guarded by mutex_, like uses_
  uint64_t uses_ = 0;
};

}  // namespace broch::graph
