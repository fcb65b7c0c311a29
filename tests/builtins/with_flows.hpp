// with_flows.hpp: the override that adds the plugin of flows.cpp.
#pragma once
#include "project.hpp"

namespace broch::test {

inline const std::string kWithFlows =
    "plugins=" + kPlugins.substr(0, kPlugins.size() - 1) + ", \"" FLOWS "\"]";

}  // namespace broch::test
