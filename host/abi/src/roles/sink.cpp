// sink.cpp: the role sink.
#include "abi/roles/sink.hpp"

namespace broch::abi {

Sink::Sink(Instance& instance) : RoleOf(instance, BROCH_ROLE_SINK) {
  require_entry(instance, BROCH_ROLE_SINK, "open", table_.open);
  require_entry(instance, BROCH_ROLE_SINK, "put", table_.put);
  require_entry(instance, BROCH_ROLE_SINK, "close", table_.close);
}

void Sink::open(const char* path) {
  invoke(*instance_, "open", Role::data, kOnlyOk, [&] { return table_.open(self_, path); });
}

void Sink::put(broch_point point) {
  invoke(*instance_, "put", Role::data, kOnlyOk, [&] { return table_.put(self_, lend(point)); });
}

void Sink::close() {
  invoke(*instance_, "close", Role::data, kOnlyOk, [&] { return table_.close(self_); });
}

}  // namespace broch::abi
