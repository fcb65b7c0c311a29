// roles_fixture.hpp: a plugin that answers one more table.
#pragma once
#include <memory>
#include <string>

#include "probe.hpp"

namespace broch::test {

struct RolesFixture {
  World world;
  Probe probe;
  std::unique_ptr<abi::Instance> instance;

  abi::Instance& playing(const char* id, const void* table, const std::string& role = "callback") {
    probe.tables[id] = table;
    abi::InstanceSpec spec;
    spec.name = "p";
    spec.role = role;
    spec.version = "1.2.0";
    instance = world.make(probe, spec);
    return *instance;
  }
};

}  // namespace broch::test
