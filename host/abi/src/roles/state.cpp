// state.cpp: saves and loads the state of an instance.
#include "abi/roles/state.hpp"

#include "collector.hpp"

namespace broch::abi {

State::State(Instance& instance) : RoleOf(instance, BROCH_PLUGIN_STATE) {
  require_entry(instance, BROCH_PLUGIN_STATE, "save", table_.save);
  require_entry(instance, BROCH_PLUGIN_STATE, "load", table_.load);
}

bool State::plays(Instance& instance) { return bool(instance.get_interface(BROCH_PLUGIN_STATE)); }

std::string State::save() {
  TextCollector text;
  const broch_writer writer = text.writer();
  invoke(*instance_, "save", Role::main, kOnlyOk,
         [&] { return text.end(table_.save(self_, &writer)); });
  return std::move(text.list);
}

void State::load(uint32_t version, std::string_view bytes) {
  if (version > table_.version)
    throw base::Error(
        base::Exit::checkpoint,
        base::Diagnostic{instance_->label() + ": state in the checkpoint",
                         "version " + std::to_string(version),
                         std::to_string(table_.version) + " at most",
                         "resume with the plugin that wrote it, or a newer one than " +
                             instance_->spec().version});
  invoke(*instance_, "load", Role::main, kOnlyOk,
         [&] { return table_.load(self_, version, bytes.data(), bytes.size()); });
}

}  // namespace broch::abi
