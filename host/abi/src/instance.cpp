// instance.cpp: create, get_interface, destroy, and the search for the instance of a host pointer.
#include "abi/instance.hpp"

#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <unordered_map>

#include "abi/guard.hpp"
#include "abi/inspection.hpp"
#include "base/deadline.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "code.hpp"
#include "cut_table.hpp"
#include "host_table.hpp"
#include "message.hpp"
#include "options.hpp"

namespace broch::abi {
namespace {

struct Living {
  std::shared_mutex mutex;
  std::unordered_map<const broch_host*, Instance*> instances;
};

Living& living() {
  static Living* const only = new Living;  // plugins' threads may outlive main
  return *only;
}

// The ROLE of "broch.ROLE.NAME", such as "callback" for "broch.callback.NAME".
std::string role_in_id(const std::string& id) {
  const size_t end = id.rfind('.');
  constexpr std::string_view kPrefix = "broch.";
  if (!id.starts_with(kPrefix) || end < kPrefix.size()) return "component";
  return id.substr(kPrefix.size(), end - kPrefix.size());
}

// The failure that the plugin gave a reason for in this call, for an entry that returns no
// status.
broch_status reported_failure() {
  const Message& message = last_message();
  const bool reported = thread_state().told_in_call() && message.by_plugin && message.code < 0;
  return reported ? message.code : BROCH_OK;
}

void require_complete(const Instance& instance, const broch_component_vtable& vtable) {
  std::string missing;
  if (!vtable.create) missing += " create";
  if (!vtable.get_interface) missing += " get_interface";
  if (!vtable.destroy) missing += " destroy";
  if (missing.empty()) return;
  throw base::Error(base::Exit::plugin,
                    base::Diagnostic{instance.label() + " in " + instance.spec().file,
                                     "no" + missing, "create, get_interface and destroy",
                                     "the library is not usable, tell its author"});
}

}  // namespace

Instance::Instance(Context& context, InstanceSpec spec, std::vector<Child> children)
    : context_(context),
      spec_(std::move(spec)),
      children_(std::move(children)),
      host_(lend_host_table(spec_.host_table_size)),
      handles_(next_table_owner()) {
  if (spec_.role.empty()) spec_.role = role_in_id(spec_.component_id);
  label_ = spec_.role + " '" + spec_.name + "' (" + spec_.component_id + ")";
  take_options(std::move(spec_.options));
  if (spec_.vtable) copy_table(spec_.vtable, &vtable_, sizeof vtable_);
  require_complete(*this, vtable_);
  create();
}

Instance::~Instance() {
  destroy();
  proxies_.clear();
  while (!children_.empty()) children_.pop_back();
}

const value::Value& Instance::options_tree() const { return options().tree(); }

const std::string& Instance::options_text() const { return options().text(); }

const Instance::Child& Instance::child_at(std::string_view pointer) const {
  std::vector<std::string> pointers;
  for (const Child& child : children_) {
    if (child.pointer == pointer) return child;
    pointers.push_back(child.pointer);
  }
  throw CallError(BROCH_E_NOT_FOUND, "option " + base::quoted(pointer) + ": no component is there" +
                                         base::did_you_mean(pointer, pointers));
}

void Instance::take_options(value::Value tree) {
  all_options_.push_back(std::make_unique<const Options>(std::move(tree), label_));
  options_ = all_options_.back().get();
}

void Instance::Retire::operator()(const broch_host* host) const { retire_host_table(host); }

void Instance::create() {
  note_component(*this);
  const auto forget = [this] {
    const std::lock_guard lock(living().mutex);
    living().instances.erase(host());
  };
  {
    const std::lock_guard lock(living().mutex);
    living().instances.emplace(host(), this);
  }
  try {
    invoke(*this, "create", Role::main, kOnlyOk,
           [&] { return vtable_.create(host(), options_text().c_str(), &self_); });
  } catch (...) {
    forget();
    await_visitors();
    while (!children_.empty()) children_.pop_back();
    throw;
  }
  created_ = true;
}

void Instance::destroy() {
  try {
    const base::Deadline deadline(label_ + " in " + spec_.file, "destroy", base::kLoadSeconds,
                                  context_.outcome());
    invoke(*this, "destroy", Role::main, kOnlyOk, [&] {
      vtable_.destroy(self_);
      return reported_failure();
    });
  } catch (const std::exception& error) {
    base::error(error.what());
  }
  {
    const std::lock_guard lock(living().mutex);
    living().instances.erase(host());
  }
  await_visitors();
  if (announced_ > 0) {
    const std::string text = label_ + " left " + std::to_string(announced_) +
                             " of its threads running when it was destroyed";
    base::log(base::Level::misbehavior, text);
    note(Misuse::threads, text);
  }
  if (const size_t left = handles_.live()) {
    const std::string text = label_ + " did not release " + base::counted(int64_t(left), "handle");
    base::debug(text);
    note(Misuse::leak, text);
  }
}

// Waits for calls on other threads. No new ones can begin, and host functions that may be called on
// such threads return soon.
void Instance::await_visitors() const {
  constexpr int kPatience = 5000;  // in milliseconds
  for (int i = 0; visitors_.load(std::memory_order_acquire) > 0 && i < kPatience; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

std::optional<Interface> Instance::asked_before(const char* id) const {
  const std::lock_guard lock(interfaces_mutex_);
  for (const auto& [known, interface] : interfaces_)
    if (known == id) return interface;
  return std::nullopt;
}

Interface Instance::get_interface(const char* id) {
  if (const std::optional<Interface> known = asked_before(id)) return *known;
  Interface interface;
  const base::Deadline deadline(label_ + " in " + spec_.file, "get_interface");
  invoke(*this, "get_interface", Role::main, kOnlyOk, [&] {
    interface.table = vtable_.get_interface(self_, id);
    return interface.table ? broch_status{BROCH_OK} : reported_failure();
  });
  if (interface.table) interface.self = self_;
  const std::lock_guard lock(interfaces_mutex_);
  interfaces_.emplace_back(id, interface);
  return interface;
}

Interface Instance::proxy(const std::string& id) const {
  for (const Proxy& proxy : proxies_)
    if (proxy.id == id) return proxy.interface;
  return {};
}

void Instance::keep_proxy(const std::string& id, Interface proxy, std::shared_ptr<void> owner) {
  proxies_.push_back({id, proxy, std::move(owner)});
}

Instance* Instance::of(const broch_host* host) {
  const Breadcrumb* top = thread_state().top;
  if (top && !top->announced && top->instance->host() == host) return top->instance;
  Living& all = living();
  const std::shared_lock lock(all.mutex);
  const auto found = all.instances.find(host);
  return found == all.instances.end() ? nullptr : found->second;
}

Instance* Instance::visit(const broch_host* host) {
  Living& all = living();
  const std::shared_lock lock(all.mutex);
  const auto found = all.instances.find(host);
  if (found == all.instances.end()) return nullptr;
  found->second->visitors_.fetch_add(1, std::memory_order_relaxed);
  return found->second;
}

std::string describe(const Instance& instance) { return instance.label(); }

}  // namespace broch::abi
