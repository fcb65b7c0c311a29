// options.hpp: options that change while an instance lives.
#pragma once
#include <string>

#include "abi/roles/role.hpp"
#include "broch/ext/options.h"

namespace broch::abi {

// An instance that answers broch.options/1.
class MutableOptions : public RoleOf<broch_options> {
 public:
  static bool plays(Instance& instance);
  static MutableOptions make(Instance& instance) { return MutableOptions(instance); }

  void changed(const std::string& pointer);

 private:
  explicit MutableOptions(Instance& instance);
};

// Gives the instance other options, which differ at pointer, and tells it, if it wants to know.
// When it refuses, it has the old ones again, and base::Error (plugin) says why. [main]
void change_options(Instance& instance, const std::string& options, const std::string& pointer);

}  // namespace broch::abi
