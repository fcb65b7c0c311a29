// phase_guard.hpp: phases of a run that happen once; entering one again is an error.
#pragma once
#include <set>
#include <string>

#include "base/error.hpp"

namespace broch::plan {

class PhaseGuard {
 public:
  explicit PhaseGuard(std::string owner) : owner_(std::move(owner)) {}
  void enter(const std::string& phase) {
    if (!done_.insert(phase).second)
      throw base::Error{base::Exit::training,
                        {owner_, phase + " was already done", "each phase of a run once",
                         "make a new " + owner_ + " for another run"}};
  }
  // Throws unless the phase was entered.
  void require(const std::string& phase, const std::string& before) const {
    if (!done_.contains(phase))
      throw base::Error{base::Exit::training,
                        {owner_, before + " before " + phase, phase + " first", ""}};
  }

 private:
  std::string owner_;
  std::set<std::string> done_;
};

}  // namespace broch::plan
