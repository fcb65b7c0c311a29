// variable_memory.cpp: compares addresses.
#include "tower/variable_memory.hpp"

#include <algorithm>

#include "handles.hpp"

namespace broch::tower {

bool lies_in_variable(const Tower& tower, const std::vector<Update>& updates, const Tensor& value) {
  Backend& backend = *tower.context().backend;
  if (!value || backend.is_null()) return false;
  const std::byte* const at = backend.first_byte(value);
  if (!at) return false;
  const auto holds = [&](const Variable* variable) {
    return memory_of(backend, variable->value).holds(at);
  };
  return std::ranges::any_of(tower.trainables(), holds) ||
         std::ranges::any_of(updates, holds, &Update::variable);
}

}  // namespace broch::tower
