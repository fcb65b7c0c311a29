// role.hpp: what all roles as C++ objects have in common.
#pragma once
#include "abi/guard.hpp"

namespace broch::abi {

// The instance's own table for id. Throws base::Error (plugin) when it does not answer.
Interface require_interface(Instance& instance, const char* id);
// Throws base::Error (plugin) naming instance, id and entry unless it is there.
void require_entry(const Instance& instance, const char* id, const char* entry, bool there);
// Copies the table into copy, cut to the struct_size its maker knew, the rest NULL. Throws
// base::Error (plugin) when it holds no entry at all, which is a forgotten struct_size.
void copy_role_table(Instance& instance, const char* id, const Interface& interface, void* copy,
                     size_t size);
// True when a plugin answered UNIMPLEMENTED and gave no reason, which means the same as a missing
// entry. REQUIRES: inside the Entry of the call.
inline bool says_unimplemented(broch_status status) {
  return status == BROCH_E_UNIMPLEMENTED && !thread_state().told_in_call();
}
// What was told in this call, as its status: an answer that then lacks is no choice of the
// plugin's. REQUIRES: inside the Entry of the call; ThreadState::told_in_call.
broch_status failure_of_this_call();
// What an entry size answered: false when unknown; a negative number is a violation.
bool size_is_known(const Instance& instance, broch_status status, int64_t size);
// A handle that the calling plugin owns, as one that the called one may use until it returns: adds
// it to this thread's arena. Other handles are returned as they are. REQUIRES: inside the Entry.
uint64_t lend(uint64_t handle);

// A plugin in one role. Copyable; valid as long as the instance.
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

  // Calls an entry with self and args; a missing one is answered with absent, an allowed outcome.
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
