// role.cpp: gets and checks the tables of roles; lends handles from one plugin to another.
#include "abi/roles/role.hpp"

#include <cstring>

#include "announced.hpp"
#include "cut_table.hpp"
#include "message.hpp"

namespace broch::abi {
namespace {

// The instance that called the instance whose call this thread is in; nullptr if it was the host.
Instance* calling_plugin() {
  const Breadcrumb* outer = thread_state().top ? thread_state().top->outer : nullptr;
  if (!outer) return nullptr;
  if (!outer->announced) return outer->instance;
  return Instance::of(static_cast<const Announced*>(outer)->host);
}

}  // namespace

Interface require_interface(Instance& instance, const char* id) {
  const Interface interface = instance.get_interface(id);
  if (interface) return interface;
  throw base::Error(
      base::Exit::plugin,
      base::Diagnostic{instance.label(), std::string("get_interface(\"") + id + "\") answered NULL",
                       "the table of a role that its metadata lists",
                       "use it in another place of the manifest, or tell the plugin's author"});
}

void require_entry(const Instance& instance, const char* id, const char* entry, bool there) {
  if (there) return;
  throw base::Error(
      base::Exit::plugin,
      base::Diagnostic{instance.label(), std::string("no ") + entry + " in its table " + id,
                       "an entry that is not optional",
                       "this is a mistake in the plugin, tell its author"});
}

void copy_role_table(Instance& instance, const char* id, const Interface& interface, void* copy,
                     size_t size) {
  const Entry entry(instance, "get_interface", Role::main);  // names it if a bad pointer crashes
  uint32_t known = 0;
  std::memcpy(&known, interface.table, sizeof known);
  if (known < sizeof(void*))
    throw base::Error(
        base::Exit::plugin,
        {instance.label() + ", its table " + id, "struct_size " + std::to_string(known),
         "the size of the table", "begin the table with its sizeof"});
  copy_table(interface.table, copy, size);
}

broch_status failure_of_this_call() {
  const broch_status code = last_message().code;
  return code < 0 ? code : BROCH_E_INTERNAL;
}

bool size_is_known(const Instance& instance, broch_status status, int64_t size) {
  if (status == BROCH_OK && size < 0)
    throw violation(instance, "answered " + std::to_string(size) + " from size",
                    "0 or more, or the outcome NONE for unknown");
  return status == BROCH_OK;
}

uint64_t lend(uint64_t handle) {
  if (handle == 0 || is_borrowed(handle)) return handle;
  Instance* owner = calling_plugin();
  if (!owner) return handle;
  const Kind kind = handle_kind(handle);
  const char* why = nullptr;
  const Object object = owner->handles().acquire(handle, kind, &why);
  if (!object.pointer) return handle;  // not its owner's either: the host function will say so
  return Arena::of_this_thread().add(kind == Kind::owned_tensor ? Kind::tensor : kind, object, 0);
}

}  // namespace broch::abi
