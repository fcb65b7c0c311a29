// options.hpp: options that change while an instance lives.
#pragma once
#include <string>
#include <vector>

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

// Gives the instance other options, which differ at these pointers, and tells it of each, if it
// wants to know. When it refuses one, it has those before again and is told of what it had taken;
// the PluginError is its own. [main]
void change_options(Instance& instance, const std::string& options,
                    const std::vector<std::string>& pointers);
// The same for options that it had. Refusing them is a violation.
void bring_back_options(Instance& instance, const Options& before,
                        const std::vector<std::string>& pointers);

}  // namespace broch::abi
