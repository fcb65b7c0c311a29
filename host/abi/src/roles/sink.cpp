// sink.cpp: the role sink.
#include "abi/roles/sink.hpp"

namespace broch::abi {

Sink::Sink(Instance& instance, const broch_cancel* cancel)
    : RoleOf(instance, BROCH_ROLE_SINK), cancel_(cancel) {
  require_entry(instance, BROCH_ROLE_SINK, "open", table_.open);
  require_entry(instance, BROCH_ROLE_SINK, "put", table_.put);
  require_entry(instance, BROCH_ROLE_SINK, "close", table_.close);
}

void Sink::open(const char* path) {
  invoke(*instance_, "open", Role::data, kOnlyOk, [&] { return table_.open(self_, path); });
}

bool Sink::put(broch_point point) {
  return completes("put", invoke(*instance_, "put", Role::data, kMayCancel,
                                 [&] { return table_.put(self_, lend(point)); }));
}

bool Sink::close() {
  return completes("close", invoke(*instance_, "close", Role::data, kMayCancel,
                                   [&] { return table_.close(self_); }));
}

bool Sink::completes(const char* hook, broch_status status) const {
  if (status == BROCH_OK) return true;
  if (cancel_ && cancel_->cancelled(cancel_->context)) return false;
  throw violation(*instance_, std::string("returned CANCELLED in ") + hook,
                  "BROCH_OK or an error, as nobody asked it to give up");
}

}  // namespace broch::abi
