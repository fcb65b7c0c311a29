// child.hpp: the components that an option of this component contains (its children). The other
// child_*.hpp call them, role by role.
#pragma once
#include <string>

#include "host.hpp"

namespace broch {
inline namespace v0 {

// The name of the role with this table, and the id of its interface.
template <class Table>
struct RoleOf;
#define BROCH_ROLE_OF(word, ROLE)                  \
  template <>                                      \
  struct RoleOf<broch_##word> {                    \
    static constexpr const char* name = #word;     \
    static constexpr const char* interface = ROLE; \
  };
BROCH_ROLE_OF(callback, BROCH_ROLE_CALLBACK)
BROCH_ROLE_OF(dataflow, BROCH_ROLE_DATAFLOW)
BROCH_ROLE_OF(function, BROCH_ROLE_FUNCTION)
BROCH_ROLE_OF(inferencer, BROCH_ROLE_INFERENCER)
BROCH_ROLE_OF(input_source, BROCH_ROLE_INPUT_SOURCE)
BROCH_ROLE_OF(model, BROCH_ROLE_MODEL)
BROCH_ROLE_OF(monitor, BROCH_ROLE_MONITOR)
BROCH_ROLE_OF(transform, BROCH_ROLE_TRANSFORM)
#undef BROCH_ROLE_OF

// A child in one of its roles. self is the first argument of the functions of table. Both are
// borrowed, valid until this component is destroyed. Without a child, table is nullptr.
template <class Table>
struct Child {
  using Role = RoleOf<Table>;
  Child() = default;
  // The child at the option pointer, for example "/callback".
  Child(const Host& host, const std::string& pointer);
  void* self = nullptr;
  const Table* table = nullptr;
  explicit operator bool() const { return table != nullptr; }
};

// The child at the option pointer, for example "/dataflow", in the role with this id. Throws Error
// if the option is absent or the child does not have the role.
template <class Table>
Child<Table> child(const Host& host, const std::string& pointer, const char* interface_id) {
  const auto* instances = host.require<broch_host_instance>(BROCH_EXT_INSTANCE);
  Child<Table> child;
  const void* table = nullptr;
  host.check(instances->child(host.c(), pointer.c_str(), interface_id, &child.self, &table));
  child.table = static_cast<const Table*>(table);
  return child;
}

// The same; without a table if the child does not have the role.
template <class Table>
Child<Table> find_child(const Host& host, const std::string& pointer, const char* interface_id) {
  const auto* instances = host.require<broch_host_instance>(BROCH_EXT_INSTANCE);
  Child<Table> child;
  const void* table = nullptr;
  if (instances->child(host.c(), pointer.c_str(), interface_id, &child.self, &table) >= 0)
    child.table = static_cast<const Table*>(table);
  return child;
}

template <class Table>
Child<Table>::Child(const Host& host, const std::string& pointer)
    : Child(child<Table>(host, pointer, Role::interface)) {}

}  // namespace v0
}  // namespace broch
