// write_watch.hpp: notices when plugins write variables, or options of other components, outside of
// steps.
#pragma once
#include "abi/instance.hpp"
#include "runtime/variables.hpp"
#include "tower/names.hpp"

namespace broch::tower {

// A run with several ranks provides one in its context.
class WriteWatch {
 public:
  virtual ~WriteWatch() = default;
  // Called before the instance writes. Throws abi::CallError if it must not. [main]
  virtual void writes(const abi::Instance& by, const Variable& variable) = 0;
  // The same for an option, INSTANCE/OPTION, of another instance.
  virtual void sets(const abi::Instance& by, const abi::Instance& owner,
                    const std::string& option) = 0;
};

inline void about_to_write(const abi::Instance& by, const Variable& variable) {
  if (auto* const watch = by.context().find<WriteWatch>()) watch->writes(by, variable);
}

}  // namespace broch::tower
