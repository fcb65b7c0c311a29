// probe.cpp: the tables of the test component.
#include "probe.hpp"

namespace broch::test {
namespace {

Probe* next_probe = nullptr;  // create takes it

broch_status create(const broch_host* host, const char*, void** self) {
  Probe* probe = next_probe;
  probe->host = host;
  *self = probe;
  return probe->on_create ? probe->on_create() : broch_status{BROCH_OK};
}

const void* get_interface(void* self, const char* id) {
  auto* probe = static_cast<Probe*>(self);
  probe->calls.push_back(std::string("get_interface ") + id);
  const auto found = probe->tables.find(id);
  return found == probe->tables.end() ? nullptr : found->second;
}

void destroy(void* self) {
  auto* probe = static_cast<Probe*>(self);
  probe->destroyed = true;
  if (probe->on_destroy) probe->on_destroy();
}

template <int Number>
broch_status hook(void* self) {
  static constexpr const char* kNames[] = {"setup_graph",  "before_train", "before_epoch",
                                           "trigger_step", "after_epoch",  "trigger_epoch",
                                           "trigger",      "after_train"};
  return static_cast<Probe*>(self)->hook(kNames[Number]);
}

broch_status before_run(void* self, broch_run, uint64_t*) {
  return static_cast<Probe*>(self)->hook("before_run");
}

broch_status after_run(void* self, broch_run) {
  return static_cast<Probe*>(self)->hook("after_run");
}

}  // namespace

const broch_component_vtable kProbeVtable = {sizeof(broch_component_vtable), 0, create,
                                             get_interface, destroy};
const broch_callback kProbeCallback = {sizeof(broch_callback),
                                       0,
                                       hook<0>,
                                       hook<1>,
                                       hook<2>,
                                       before_run,
                                       after_run,
                                       hook<3>,
                                       hook<4>,
                                       hook<5>,
                                       hook<6>,
                                       hook<7>};

Probe::Probe() { tables[BROCH_ROLE_CALLBACK] = &kProbeCallback; }

broch_status Probe::hook(const std::string& name) {
  calls.push_back(name);
  return on_hook ? on_hook(name) : broch_status{BROCH_OK};
}

std::unique_ptr<abi::Instance> World::make(Probe& probe, abi::InstanceSpec spec,
                                           std::vector<abi::Instance::Child> children) {
  next_probe = &probe;
  if (spec.component_id.empty()) spec.component_id = "test.probe";
  if (spec.file.empty()) spec.file = "/plugins/probe.so";
  if (spec.role.empty()) spec.role = "callback";
  if (!spec.vtable) spec.vtable = &kProbeVtable;
  return std::make_unique<abi::Instance>(context, std::move(spec), std::move(children));
}

std::unique_ptr<abi::Instance> World::make(Probe& probe, const std::string& name) {
  abi::InstanceSpec spec;
  spec.name = name;
  return make(probe, std::move(spec));
}

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const base::Error& error) {
    return std::to_string(static_cast<int>(error.exit())) + ": " + error.what();
  }
  return "";
}

}  // namespace broch::test
