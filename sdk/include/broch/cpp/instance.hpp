// instance.hpp: what an instance can ask about itself and about its children.
#pragma once
#include <string>

#include "host.hpp"

namespace broch {
inline namespace v0 {

// See ext/instance.h. child.hpp calls the children.
class Instance {
 public:
  explicit Instance(const Host& host)
      : host_(host), table_(host.require<broch_host_instance>(BROCH_EXT_INSTANCE)) {}

  // The name in the manifest.
  std::string name() const { return table_->name(host_.c()); }
  // A seed for the random numbers of this instance. Rng gives such numbers without one.
  uint64_t seed() const { return table_->seed(host_.c()); }
  // The component id of the child at an option, for example "/dataflow".
  std::string child_id(const std::string& pointer) const {
    const char* id = "";
    host_.check(table_->child_id(host_.c(), pointer.c_str(), &id));
    return id;
  }

 private:
  Host host_;
  const broch_host_instance* table_;
};

}  // namespace v0
}  // namespace broch
