// instance_maker.hpp: creates the instances of optimizers and gradient processors from plugins.
#pragma once
#include <functional>
#include <string>

#include "abi/instance.hpp"
#include "optimizer/entry.hpp"

namespace broch::optimizer {

// Returns the instance for an entry; equal entries give the same one. It lives as long as the run.
// Throws base::Error, for example if no plugin provides it.
using InstanceMaker = std::function<abi::Instance&(const std::string& role, const Entry& entry)>;

}  // namespace broch::optimizer
