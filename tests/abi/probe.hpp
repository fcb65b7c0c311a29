// probe.hpp: a component whose behavior a test decides.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "abi/extensions.hpp"
#include "abi/roles.hpp"

namespace broch::test {

// self of the component. Every entry of the callback table calls on_hook with the entry's name.
struct Probe {
  const broch_host* host = nullptr;
  std::map<std::string, const void*> tables;  // what get_interface answers
  std::function<broch_status(const std::string& hook)> on_hook;
  std::function<broch_status()> on_create;
  std::function<void()> on_destroy;
  std::vector<std::string> calls;
  bool destroyed = false;

  Probe();  // answers the callback role
  broch_status hook(const std::string& name);

  template <class Table>
  const Table* extension(const char* id) const {
    return static_cast<const Table*>(host->get_extension(host, id));
  }
};

extern const broch_component_vtable kProbeVtable;
extern const broch_callback kProbeCallback;

// A context with this room's extensions.
class World {
 public:
  World() { abi::register_extensions(context); }

  // Component id "test.probe" of role callback from file "/plugins/probe.so".
  std::unique_ptr<abi::Instance> make(Probe& probe, abi::InstanceSpec spec,
                                      std::vector<abi::Instance::Child> children = {});
  std::unique_ptr<abi::Instance> make(Probe& probe, const std::string& name);

  abi::Context context;
};

// What a base::Error says and the exit code it ends in: "4: message"; "" when nothing is thrown.
std::string error_of(const std::function<void()>& body);

}  // namespace broch::test
