// put.hpp: components into data points, and the names that an option gives them.
#pragma once
#include <broch/broch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "containers/component.hpp"

namespace containers {

inline void put(broch::PointWriter& point, const Component& component, const std::string& name) {
  const std::string_view bytes = component.bytes();
  auto* const to = static_cast<char*>(point.allocate(component.type, component.shape.data(),
                                                     component.shape.size(),
                                                     name.empty() ? nullptr : name.c_str()));
  if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
  // As in NumPy, each byte that is not 0 is true, such as the 255 of a mask; C++ knows only 1.
  if (same_type(component.type, kBool))
    for (size_t i = 0; i < bytes.size(); ++i) to[i] = to[i] != 0;
}

// For the constructor. names: the option of that name; empty: components have no names.
inline void check_names(const std::vector<std::string>& names, size_t components) {
  if (!names.empty() && names.size() != components)
    throw broch::Error(BROCH_E_INVALID_ARGUMENT, "/names: found " + std::to_string(names.size()) +
                                                     ", expected " + std::to_string(components) +
                                                     ", one for each component");
}

inline std::string name_at(const std::vector<std::string>& names, size_t index) {
  return names.empty() ? "" : names[index];
}

}  // namespace containers
