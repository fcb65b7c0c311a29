// instance.cpp: broch.instance/1: an instance's name, children and seed.
#include <algorithm>

#include "abi/roles.hpp"
#include "abi/seeds.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "driven_callback.hpp"
#include "tables.hpp"

namespace broch::abi {
namespace {

Interface interface_of(const Instance& parent, const Instance::Child& child, const char* id) {
  if (child.get()) return interface_for(child, parent, id);
  return std::string_view(id) == BROCH_ROLE_FUNCTION ? child.function : Interface{};
}

const char* name(const broch_host* host) {
  broch_status status = BROCH_OK;
  const Caller instance(host, "broch.instance/1 name", kNoScope, &status);
  return instance ? instance->name().c_str() : "";
}

broch_status child(const broch_host* host, const char* pointer, const char* id, void** self,
                   const void** table) {
  return serve(host, "broch.instance/1 child", Role::main, [&](Instance& parent) {
    constexpr const char* kChild = "broch.instance/1 child";
    given(pointer, kChild, "pointer");
    given(id, kChild, "id");
    given(self, kChild, "self");
    given(table, kChild, "table");
    const Instance::Child& found = parent.child_at(pointer);
    const Interface interface = interface_of(parent, found, id);
    if (!interface) {
      const Instance* instance = found.get();
      const std::vector<std::string> possible = child_interfaces();
      const bool is_possible = std::ranges::find(possible, id) != possible.end();
      throw CallError(BROCH_E_NOT_FOUND,
                      "option " + base::quoted(pointer) + ": " +
                          (is_possible ? (instance ? instance->label() : "an expression") +
                                             " does not play " + id
                                       : "no child can be called as " + std::string(id) +
                                             ", expected one of " + base::join(possible, ", ")));
    }
    *self = interface.self;
    *table = interface.table;
    return BROCH_OK;
  });
}

broch_status child_id(const broch_host* host, const char* pointer, const char** id) {
  return serve(host, "broch.instance/1 child_id", Role::main, [&](Instance& parent) {
    given(pointer, "broch.instance/1 child_id", "pointer");
    given(id, "broch.instance/1 child_id", "id");
    const Instance* instance = parent.child_at(pointer).get();
    if (!instance)
      throw CallError(BROCH_E_NOT_FOUND,
                      "option " + base::quoted(pointer) + ": an expression has no component id");
    *id = instance->component_id().c_str();
    return BROCH_OK;
  });
}

uint64_t seed(const broch_host* host) {
  broch_status status = BROCH_OK;
  const Caller instance(host, "broch.instance/1 seed", kNoScope, &status);
  return instance ? seed_of(*instance) : 0;
}

}  // namespace

uint64_t seed_of(const Instance& instance) {
  const Seeds* seeds = instance.context().find<Seeds>();
  if (!seeds || instance.spec().same_seed) return seed_of_all_ranks(instance);
  return base::hash64(instance.name(), base::hash64(seeds->rank, seeds->root));
}

uint64_t seed_of_all_ranks(const Instance& instance) {
  const Seeds* seeds = instance.context().find<Seeds>();
  return base::hash64(instance.name(), base::hash64(0, seeds ? seeds->root : 0));
}

constinit const broch_host_instance kInstanceTable = {
    sizeof(broch_host_instance), 0, name, child, child_id, seed};

}  // namespace broch::abi
