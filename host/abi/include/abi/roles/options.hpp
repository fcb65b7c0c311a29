// options.hpp: options that change during the life of an instance.
#pragma once
#include <string>
#include <vector>

#include "abi/roles/role.hpp"
#include "broch/plugin/options.h"

namespace broch::abi {

// An instance that implements broch.options/1.
class MutableOptions : public RoleOf<broch_plugin_options> {
 public:
  static bool plays(Instance& instance);
  static MutableOptions make(Instance& instance) { return MutableOptions(instance); }

  void changed(const std::string& pointer);

 private:
  explicit MutableOptions(Instance& instance);
};

// Gives the instance new options, which differ from the old ones at these pointers. If the instance
// implements broch.options/1, it is told of each pointer. If it refuses one, it gets its old
// options back, is told again of the pointers that it had accepted, and its PluginError is thrown.
// [main]
void change_options(Instance& instance, value::Value options,
                    const std::vector<std::string>& pointers);
// The same with options that the instance had before. To refuse them is a violation.
void bring_back_options(Instance& instance, const Options& before,
                        const std::vector<std::string>& pointers);

}  // namespace broch::abi
