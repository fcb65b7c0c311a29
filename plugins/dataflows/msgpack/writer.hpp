// writer.hpp: the reverse of point.hpp.
#pragma once
#include <string>
#include <vector>

#include "containers/component.hpp"

namespace msgpack {

// A map of arrays if the first component has a name, otherwise a list of them.
std::string text_of(const std::vector<containers::Named>& point);
// Keys as byte strings.
std::string text_of(const std::vector<std::string>& keys);

}  // namespace msgpack
