// nesting.cpp: goes through children.
#include "abi/nesting.hpp"

#include <algorithm>

namespace broch::abi {

bool contains(const Instance& parent, const Instance& instance) {
  if (&parent == &instance) return true;
  return std::ranges::any_of(parent.children(), [&](const Instance::Child& child) {
    const Instance* inner = child.get();
    return inner && contains(*inner, instance);
  });
}

}  // namespace broch::abi
