// write_watch.hpp: who wants to know which variables plugins write outside of steps.
#pragma once
#include "abi/instance.hpp"
#include "runtime/variables.hpp"
#include "tower/names.hpp"

namespace broch::tower {

// Found in the context of a run of several ranks.
class WriteWatch {
 public:
  virtual ~WriteWatch() = default;
  // Called before that instance writes. Throws abi::CallError where it may not. [main]
  virtual void writes(const abi::Instance& by, const Variable& variable) = 0;
};

inline void about_to_write(const abi::Instance& by, const Variable& variable) {
  if (auto* const watch = by.context().find<WriteWatch>()) watch->writes(by, variable);
}

}  // namespace broch::tower
