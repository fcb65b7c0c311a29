// role.hpp: what the classes of all roles have in common.
#pragma once
#include "abi/guard.hpp"

namespace broch::abi {

// The instance's own table for an ID. Throws base::Error (plugin) if it does not have one.
Interface require_interface(Instance& instance, const char* id);
// Throws base::Error (plugin), which names instance, ID and entry, unless `there` is true.
void require_entry(const Instance& instance, const char* id, const char* entry, bool there);
// Copies the table into `copy` as far as its struct_size reaches; the rest is NULL. Throws
// base::Error (plugin) if it reaches no entry at all: then struct_size was not set.
void copy_role_table(Instance& instance, const char* id, const Interface& interface, void* copy,
                     size_t size);
// True if a plugin returned UNIMPLEMENTED without giving a reason: then the entry counts as
// missing. REQUIRES: called inside the Entry of the call.
inline bool says_unimplemented(broch_status status) {
  return status == BROCH_E_UNIMPLEMENTED && !thread_state().told_in_call();
}
// The status of the last failure in this call. If results are missing after a failure, the plugin
// did not leave them out deliberately. REQUIRES: called inside the Entry of the call;
// ThreadState::told_in_call().
broch_status failure_of_this_call();
// Interprets what an entry `size` returned: false if the size is unknown; a negative size is a
// violation.
bool size_is_known(const Instance& instance, broch_status status, int64_t size);
// Lends a handle that the calling plugin owns to the plugin that it calls, until that call returns:
// the object is added to this thread's arena. Other handles are returned unchanged. REQUIRES:
// called inside the Entry of the call.
uint64_t lend(uint64_t handle);

// A plugin in one role. Can be copied; valid as long as the instance.
template <class Table>
class RoleOf {
 public:
  Instance& instance() const { return *instance_; }
  const Table& table() const { return table_; }

 protected:
  RoleOf(Instance& instance, const char* id) : instance_(&instance) {
    const Interface interface = require_interface(instance, id);
    self_ = interface.self;
    copy_role_table(instance, id, interface, &table_, sizeof table_);
  }

  // Calls an entry with self and args. `absent`, which must be an allowed outcome, is the result if
  // the entry is missing.
  template <class Entry, class... Args>
  broch_status call(const char* hook, Role role, Outcomes outcomes, broch_status absent,
                    Entry entry, Args... args) const {
    if (!entry) return absent;
    return invoke(*instance_, hook, role, outcomes, [&] {
      const broch_status status = entry(self_, args...);
      return says_unimplemented(status) ? absent : status;
    });
  }

  Instance* instance_;
  void* self_ = nullptr;
  Table table_{};
};

}  // namespace broch::abi
