// instance.hpp: a component that was created, with the host table that it was given.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "abi/context.hpp"
#include "abi/handle.hpp"
#include "broch/entry.h"
#include "value/value.hpp"

namespace broch::abi {

class Options;  // for broch.config/1

// A table of functions and the `self` to call them with. It belongs to an instance, or to an object
// of the host that plays a role, such as an expression.
struct Interface {
  void* self = nullptr;
  const void* table = nullptr;
  explicit operator bool() const { return table != nullptr; }
};

struct InstanceSpec {
  std::string name;          // from the manifest, unique in the run; shown in every message
  std::string component_id;  // "broch.callback.NAME"
  std::string version;
  std::string file;      // the library it came from, for messages
  value::Value options;  // at creation: an object, or null for one without members
  const broch_component_vtable* vtable = nullptr;
  bool same_seed = false;  // the same seed on all ranks
  std::string role;        // "callback", for messages; if "", it is the ROLE in "broch.ROLE.NAME"
  // The size of the host table that the plugin is given. A smaller one imitates an older host.
  uint32_t host_table_size = sizeof(broch_host);
};

class Instance {
 public:
  struct Child {
    std::string pointer;           // where the options name it: "/dataflow", "/inferencers/0"
    Instance* instance = nullptr;  // a child that somebody else owns, or …
    std::unique_ptr<Instance> owned;
    Interface function;          // … an expression, which only plays the role function
    std::shared_ptr<void> keep;  // keeps the expression alive
    std::string role;            // that the option asks for; "": not known

    Instance* get() const { return owned ? owned.get() : instance; }  // nullptr: an expression
  };
  // Calls create through the guard. Throws base::Error (check_status in guard.hpp), which names the
  // instance.
  Instance(Context& context, InstanceSpec spec, std::vector<Child> children);
  ~Instance();  // calls destroy through the guard, then destroys the owned children, last first
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  const std::string& name() const { return spec_.name; }
  const std::string& component_id() const { return spec_.component_id; }
  const InstanceSpec& spec() const { return spec_; }
  // "callback 'saver' (broch.callback.NAME)"
  const std::string& label() const { return label_; }
  bool created() const { return created_; }
  Context& context() const { return context_; }
  const Options& options() const { return *options_.load(std::memory_order_acquire); }
  const value::Value& options_tree() const;  // the current options
  const std::string& options_text() const;   // the same, as JSON text
  // Replaces the options. Earlier ones are kept, because pointers that were read from them stay
  // valid until destroy. The plugin is not notified here but in roles/options.hpp. [main]
  void take_options(value::Value tree);
  void give_back_options(const Options& earlier) { options_ = &earlier; }
  const std::vector<Child>& children() const { return children_; }
  // Throws CallError (NOT_FOUND) if no component is at that option.
  const Child& child_at(std::string_view pointer) const;
  Table& handles() { return handles_; }
  const broch_host* host() const { return host_.get(); }

  // The instance's own table for an ID. It is asked for through the guard, then cached. Empty if
  // the instance does not have it. [main]; one that was asked for before: [any]
  Interface get_interface(const char* id);

  // For child_interface: a proxy table by its ID, kept as long as the instance. Empty if there is
  // none yet. [main]
  Interface proxy(const std::string& id) const;
  void keep_proxy(const std::string& id, Interface proxy, std::shared_ptr<void> owner);

  // The instance of a host pointer that a plugin passed; nullptr for any other pointer. The pointer
  // is only compared with those in use, never dereferenced.
  static Instance* of(const broch_host* host);
  // The same, for any instance and on any thread: the instance is not destroyed until leave().
  static Instance* visit(const broch_host* host);
  void leave() { visitors_.fetch_sub(1, std::memory_order_release); }

  // How many data points the instance has given, for measurements. [any]
  uint64_t points() const { return points_.load(std::memory_order_relaxed); }
  void count_point() { points_.fetch_add(1, std::memory_order_relaxed); }

  // Whether reset_state of a dataflow has succeeded. It is called once, also if several parents
  // share the instance. [main]
  bool was_reset() const { return was_reset_; }
  void note_reset() { was_reset_ = true; }

  void thread_announced() { ++announced_; }
  void thread_left() { --announced_; }

 private:
  struct Proxy {
    std::string id;
    Interface interface;
    std::shared_ptr<void> owner;
  };
  void create();
  void destroy();
  void await_visitors() const;
  std::optional<Interface> asked_before(const char* id) const;

  Context& context_;
  InstanceSpec spec_;
  std::string label_;
  std::vector<std::unique_ptr<const Options>> all_options_;  // the newest last
  std::atomic<const Options*> options_{nullptr};
  std::vector<Child> children_;
  broch_component_vtable vtable_{};
  // The table is never freed, and reused only much later, because a thread that a plugin left
  // running may still call through it.
  struct Retire {
    void operator()(const broch_host* host) const;
  };
  std::unique_ptr<const broch_host, Retire> host_;
  Table handles_;
  void* self_ = nullptr;
  bool created_ = false;
  std::atomic<int> visitors_{0};   // calls of host functions on threads that destroy cannot see
  std::atomic<int> announced_{0};  // threads of the plugin between thread_enter and thread_leave
  mutable std::mutex interfaces_mutex_;
  std::vector<std::pair<std::string, Interface>> interfaces_;
  std::vector<Proxy> proxies_;
  std::atomic<uint64_t> points_{0};
  bool was_reset_ = false;
};

// A copy of instance.label().
std::string describe(const Instance& instance);

}  // namespace broch::abi
