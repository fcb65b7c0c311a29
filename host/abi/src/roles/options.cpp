// options.cpp: telling an instance that it has other options.
#include "abi/roles/options.hpp"

#include "base/deadline.hpp"

namespace broch::abi {

MutableOptions::MutableOptions(Instance& instance) : RoleOf(instance, BROCH_EXT_OPTIONS) {
  require_entry(instance, BROCH_EXT_OPTIONS, "changed", table_.changed);
}

bool MutableOptions::plays(Instance& instance) {
  return bool(instance.get_interface(BROCH_EXT_OPTIONS));
}

void MutableOptions::changed(const std::string& pointer) {
  const base::Deadline deadline(instance_->label() + " in " + instance_->spec().file, "changed");
  invoke(*instance_, "changed", Role::main, kOnlyOk,
         [&] { return table_.changed(self_, pointer.c_str()); });
}

void change_options(Instance& instance, const std::string& options, const std::string& pointer) {
  const Options& before = instance.options();
  instance.take_options(options);
  try {
    if (MutableOptions::plays(instance)) MutableOptions::make(instance).changed(pointer);
  } catch (...) {
    instance.give_back_options(before);
    throw;
  }
}

}  // namespace broch::abi
