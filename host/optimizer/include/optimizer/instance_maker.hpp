// instance_maker.hpp: creates the instances of optimizers and gradient processors from plugins.
#pragma once
#include <functional>
#include <string>

#include "abi/instance.hpp"

namespace broch::optimizer {

// Returns the instance for a manifest entry; equal entries give the same one. It lives as long as
// the run. where: for messages. Throws base::Error, for example if no plugin provides it.
using InstanceMaker = std::function<abi::Instance&(
    const std::string& role, const std::string& entry, const std::string& where)>;

}  // namespace broch::optimizer
