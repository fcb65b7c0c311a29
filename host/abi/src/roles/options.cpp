// options.cpp: tells an instance that its options have changed.
#include "abi/roles/options.hpp"

#include "base/deadline.hpp"

namespace broch::abi {

MutableOptions::MutableOptions(Instance& instance) : RoleOf(instance, BROCH_PLUGIN_OPTIONS) {
  require_entry(instance, BROCH_PLUGIN_OPTIONS, "changed", table_.changed);
}

bool MutableOptions::plays(Instance& instance) {
  return bool(instance.get_interface(BROCH_PLUGIN_OPTIONS));
}

void MutableOptions::changed(const std::string& pointer) {
  const base::Deadline deadline(instance_->label() + " in " + instance_->spec().file, "changed");
  invoke(*instance_, "changed", Role::main, kOnlyOk,
         [&] { return table_.changed(self_, pointer.c_str()); });
}

void change_options(Instance& instance, value::Value options,
                    const std::vector<std::string>& pointers) {
  const Options& before = instance.options();
  instance.take_options(std::move(options));
  std::vector<std::string> taken;
  try {
    if (!MutableOptions::plays(instance)) return;
    MutableOptions role = MutableOptions::make(instance);
    for (const std::string& pointer : pointers) {
      role.changed(pointer);
      taken.push_back(pointer);
    }
  } catch (...) {
    bring_back_options(instance, before, taken);
    throw;
  }
}

void bring_back_options(Instance& instance, const Options& before,
                        const std::vector<std::string>& pointers) {
  instance.give_back_options(before);
  if (pointers.empty() || !MutableOptions::plays(instance)) return;
  try {
    MutableOptions role = MutableOptions::make(instance);
    for (const std::string& pointer : pointers) role.changed(pointer);
  } catch (const base::Error& error) {
    throw violation(instance, "refused options that it had: " + std::string(error.what()),
                    "changed takes back what was valid before");
  }
}

}  // namespace broch::abi
