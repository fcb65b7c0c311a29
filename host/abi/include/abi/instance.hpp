// instance.hpp: one component that was created, with the host table it was given.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/context.hpp"
#include "abi/handle.hpp"
#include "broch/entry.h"

namespace broch::abi {

class Options;  // the parsed text, for broch.config/1

// A place that can play a role: an instance's own table with its self, or, for what the host makes
// itself (expressions), a table of the host's.
struct Interface {
  void* self = nullptr;
  const void* table = nullptr;
  explicit operator bool() const { return table != nullptr; }
};

struct InstanceSpec {
  std::string name;          // in the manifest, unique in the run; shown in every message
  std::string component_id;  // "broch.callback.model-saver"
  std::string version;
  std::string file;     // library it came from, for messages
  std::string options;  // normalised JSON object, as it is created
  const broch_component_vtable* vtable = nullptr;
  bool same_seed = false;  // on all ranks
  std::string role;        // "callback", for messages; "": the word in "broch.<role>.<name>"
  // What the plugin is told that its host table has: less is how an older host looks.
  uint32_t host_table_size = sizeof(broch_host);
};

class Instance {
 public:
  struct Child {
    std::string pointer;           // "/dataflow", "/inferencers/0"
    Instance* instance = nullptr;  // or …
    std::unique_ptr<Instance> owned;
    Interface function;          // … an expression: role function only
    std::shared_ptr<void> keep;  // what the expression lives in
  };
  // Calls create, guarded. Throws base::Error (check_status in guard.hpp) naming the instance.
  Instance(Context& context, InstanceSpec spec, std::vector<Child> children);
  ~Instance();  // destroy, guarded, then the owned children, last first
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  const std::string& name() const { return spec_.name; }
  const std::string& component_id() const { return spec_.component_id; }
  const InstanceSpec& spec() const { return spec_; }
  // "callback 'saver' (broch.callback.model-saver)"
  const std::string& label() const { return label_; }
  bool created() const { return created_; }
  Context& context() const { return context_; }
  const Options& options() const { return *options_.load(std::memory_order_acquire); }
  const std::string& options_text() const;  // as they are now
  // Others from now on. Those before stay, as what was read from them is borrowed until destroy.
  // roles/options.hpp tells the plugin. [main]
  void take_options(const std::string& text);
  void give_back_options(const Options& earlier) { options_ = &earlier; }
  const std::vector<Child>& children() const { return children_; }
  Table& handles() { return handles_; }
  const broch_host* host() const { return host_.get(); }

  // The instance's own table for an id; guarded; cached. Empty when it does not answer. [main]
  Interface get_interface(const char* id);

  // For child_interface: a proxy table by id, kept until the instance is gone. Empty when there is
  // none yet. [main]
  Interface proxy(const std::string& id) const;
  void keep_proxy(const std::string& id, Interface proxy, std::shared_ptr<void> owner);

  // The instance behind a host pointer that a plugin passed; nullptr for anything else. The pointer
  // is compared with those in use, never followed.
  static Instance* of(const broch_host* host);
  // The same for a call on any thread, of any instance: it is not destroyed until leave.
  static Instance* visit(const broch_host* host);
  void leave() { visitors_.fetch_sub(1, std::memory_order_release); }

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

  Context& context_;
  InstanceSpec spec_;
  std::string label_;
  std::vector<std::unique_ptr<const Options>> all_options_;  // the newest last
  std::atomic<const Options*> options_{nullptr};
  std::vector<Child> children_;
  broch_component_vtable vtable_{};
  // Never freed and not lent again for long: a thread that a plugin left running may still call.
  struct Retire {
    void operator()(const broch_host* host) const;
  };
  std::unique_ptr<const broch_host, Retire> host_;
  Table handles_;
  void* self_ = nullptr;
  bool created_ = false;
  std::atomic<int> visitors_{0};   // calls of host functions on threads that destroy cannot see
  std::atomic<int> announced_{0};  // threads of the plugin between thread_enter and thread_leave
  std::vector<std::pair<std::string, Interface>> interfaces_;
  std::vector<Proxy> proxies_;
};

// instance.label(), as a copy.
std::string describe(const Instance& instance);

}  // namespace broch::abi
