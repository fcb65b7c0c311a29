// instance_maker.hpp: how entries of optimizers and gradient processors become plugins' instances.
#pragma once
#include <functional>
#include <string>

#include "abi/instance.hpp"

namespace broch::optimizer {

// The instance behind the entry of a plugin, the same for the same text; lives as long as the run.
// place: for messages. Throws base::Error, among others where no plugin offers it.
using InstanceMaker = std::function<abi::Instance&(
    const std::string& role, const std::string& entry, const std::string& place)>;

}  // namespace broch::optimizer
