// instances.cpp: creates instances from entries of the manifest.
#include "session/instances.hpp"

#include <algorithm>

#include "abi/crash.hpp"
#include "abi/environment.hpp"
#include "base/deadline.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "functions.hpp"
#include "optimizer/gradient_processor.hpp"
#include "runtime/backend.hpp"
#include "session/preconditions.hpp"
#include "value/json.hpp"
#include "value/schema.hpp"

namespace broch::session {
namespace {

using value::Value;

bool is_inside(const manifest::Component& top, const manifest::Component& component) {
  return &top == &component ||
         std::any_of(top.children.begin(), top.children.end(),
                     [&](const manifest::Component& child) { return is_inside(child, component); });
}

// before: the environment before code of the library has run.
const plugins::Library& load_library(const abi::Context& context, const plugins::PluginFile& file,
                                     const abi::Environment& before) {
  plugins::LoadOptions options;
  options.breadcrumb = &abi::note_loading;
  if (const auto* backend = context.find<runtime::Backend>()) options.torch = backend->build();
  const plugins::Library& library = plugins::load(file, options);
  before.check_loading(library.path());
  abi::note_library(&library.entry(), library.path().c_str());
  return library;
}

}  // namespace

const manifest::Catalog::Kind* Kinds::find(const std::string& id) const {
  if (const auto it = kinds_.find(id); it != kinds_.end()) return &it->second;
  if (const plugins::Component* found = catalog_.look_up(id)) {
    Kind& kind = add(id, found->roles, found->options, found->summary);
    kind.needs = found->needs;
    return &kind;
  }
  for (const optimizer::BuiltIn& own : optimizer::built_ins())
    if (own.id == id) return &add(id, {own.role}, own.options, own.summary);
  return nullptr;
}

manifest::Catalog::Kind& Kinds::add(const std::string& id, std::vector<std::string> roles,
                                    const std::string& options, const std::string& summary) const {
  value::Dialect strict;
  strict.relaxed = false;
  strict.exit = base::Exit::plugin;
  Kind kind{std::move(roles), value::parse_text("options of " + id, options, strict), summary};
  value::Faults faults;
  value::check_schema(kind.options, base::Exit::plugin, faults);
  faults.raise();
  return kinds_.emplace(id, std::move(kind)).first->second;
}

std::vector<std::string> Kinds::ids() const {
  std::vector<std::string> ids;
  for (const plugins::Found& found : catalog_.components()) ids.push_back(found.component.id);
  for (const optimizer::BuiltIn& own : optimizer::built_ins()) ids.push_back(own.id);
  return ids;
}

Instances::Instances(abi::Context& context, const plugins::Catalog& catalog, const Kinds& kinds,
                     Function::Stat stat)
    : context_(context), catalog_(catalog), kinds_(kinds), stat_(std::move(stat)) {
  context_.provide<abi::Written>(this);
}

Instances::~Instances() {
  while (!order_.empty()) {
    announced_[order_.back()].second.instance.reset();
    order_.pop_back();
  }
  context_.provide<abi::Written>(nullptr);
}

void Instances::announce(const std::vector<const manifest::Component*>& components) {
  names_.add(components);
  for (const manifest::Component* component : components) {
    for (const manifest::Component& child : component->children) note_names(child, *component);
    if (!component->is_reference())
      announced_.emplace_back(names_.of(*component).now, Announced{component, nullptr, false});
  }
}

void Instances::note_names(const manifest::Component& component, const manifest::Component& top) {
  if (!component.name.empty()) nested_.emplace(component.name, Nested{&component, &top});
  for (const manifest::Component& child : component.children) note_names(child, top);
}

abi::Instance& Instances::make(const manifest::Component& component) {
  if (component.is_reference()) return by_name(component.ref, component);
  const auto found = std::ranges::find_if(
      announced_, [&](const auto& one) { return one.second.component == &component; });
  if (found == announced_.end())
    throw std::logic_error("a component was made that was not announced");
  auto& [name, entry] = *found;
  if (entry.instance) return *entry.instance;
  if (entry.in_progress)
    throw base::Error(
        base::Exit::manifest,
        base::Diagnostic{component.pointer,
                         "'" + name + "' refers to itself, directly or through others",
                         "references without a circle", ""});
  entry.in_progress = true;
  try {
    entry.instance = create(component);
  } catch (...) {
    entry.in_progress = false;
    throw;
  }
  entry.in_progress = false;
  order_.push_back(static_cast<size_t>(found - announced_.begin()));
  return *entry.instance;
}

abi::Instance& Instances::make(const std::string& role, const Value& entry,
                               const std::string& pointer) {
  for (const Unlisted& known : unlisted_)
    if (known.role == role && known.entry == entry) return make(known.component);
  const manifest::Component component = manifest::resolve_component(entry, role, kinds_, pointer);
  const manifest::Component& kept = unlisted_.emplace_back(role, entry, component).component;
  announce({&kept});
  return make(kept);
}

abi::Instance& Instances::by_name(const std::string& name, const manifest::Component& asked_by) {
  std::vector<std::string> names;
  for (auto& [known, entry] : announced_) {
    if (known == name) return make(*entry.component);
    names.push_back(known);
  }
  if (const auto found = nested_.find(name); found != nested_.end()) {
    const auto& [component, top] = found->second;
    // A reference to a sibling below the same top-level component: the sibling must exist already,
    // since making the top-level component again would be a circle.
    if (!created_.contains(component) || !is_inside(*top, asked_by)) make(*top);
    return *created_.at(component);
  }
  for (const auto& [known, entry] : nested_) names.push_back(known);
  throw base::Error(
      base::Exit::manifest,
      base::Diagnostic{asked_by.pointer,
                       "a reference to '" + name + "'" + base::did_you_mean(name, names),
                       "the name of an instance: " + base::join(names, ", "),
                       "give the other entry a \"name\""});
}

std::unique_ptr<abi::Instance> Instances::create(const manifest::Component& component) {
  const auto& [name, former_name] = names_.of(component);
  const plugins::Found found = catalog_.find(component.use);
  std::vector<abi::Instance::Child> children;
  add_children(component, children);
  add_functions(component, children);
  const abi::Environment environment;
  const plugins::Library& library = load_library(context_, found.file, environment);
  remember(library, component.use);
  abi::InstanceSpec spec;
  spec.name = name;
  spec.component_id = component.use;
  spec.version = found.component.version;
  spec.file = library.path();
  spec.options = component.with();
  spec.role = component.role;
  spec.same_seed = component.same_seed;
  spec.vtable = library.component(component.use).vtable;
  require_extensions(found.component, name + " (" + component.use + ")",
                     [this](const std::string& id) { return context_.extension(id) != nullptr; });
  written_[name] = &component;
  const base::Deadline deadline(
      spec.role + " '" + name + "' (" + component.use + ") in " + spec.file, "create");
  auto instance = std::make_unique<abi::Instance>(context_, std::move(spec), std::move(children));
  environment.check(*instance, "create");
  all_.push_back(instance.get());
  created_[&component] = instance.get();
  if (former_name != name) former_names_[instance.get()] = former_name;
  return instance;
}

abi::WrittenAt Instances::written_at(const abi::Instance& instance,
                                     const std::string& pointer) const {
  const manifest::Component& component = *written_.at(instance.name());
  const Value* const value =
      pointer.empty() ? &component.entry : value::find_at(component.with(), pointer);
  const value::Origin& origin = (value ? *value : component.entry).origin();
  const std::string within =
      pointer.empty() ? component.pointer : manifest::option_pointer(component, pointer);
  if (!origin.source && within.empty()) return {};
  return {within.empty() ? origin.text() : origin.text() + ": " + within, value::excerpt(origin)};
}

void Instances::add_children(const manifest::Component& component,
                             std::vector<abi::Instance::Child>& children) {
  for (const manifest::Component& child : component.children) {
    abi::Instance::Child entry;
    entry.pointer = child.slot;
    entry.role = child.role;
    if (child.is_reference()) {
      entry.instance = &by_name(child.ref, child);
    } else {
      entry.owned = create(child);
    }
    children.push_back(std::move(entry));
  }
}

void Instances::add_functions(const manifest::Component& component,
                              std::vector<abi::Instance::Child>& children) {
  for (const FunctionOption& option : find_functions(component, kinds_)) {
    auto function = std::make_shared<Function>(
        manifest::Expression(*option.value, manifest::option_pointer(component, option.pointer)),
        stat_);
    abi::Instance::Child entry;
    entry.pointer = option.pointer;
    entry.function = {function.get(), Function::table()};
    entry.keep = std::move(function);
    children.push_back(std::move(entry));
  }
}

void Instances::remember(const plugins::Library& library, const std::string& id) {
  const plugins::Identity identity = library.identity(id);
  for (const plugins::Identity& known : identities_)
    if (known.id == identity.id) return;
  identities_.push_back(identity);
}

bool Instances::runs_everywhere(const manifest::Component& component) const {
  if (!component.run_on.empty()) return component.run_on == "all";
  if (component.is_reference()) {
    for (const auto& [name, entry] : announced_)
      if (name == component.ref) return runs_everywhere(*entry.component);
    const auto inside = nested_.find(component.ref);
    return inside != nested_.end() && runs_everywhere(*inside->second.component);
  }
  for (const manifest::Component& child : component.children)
    if (child.role == "callback" && !child.is_reference() && runs_everywhere(child)) return true;
  return catalog_.find(component.use).component.run_on == plugins::RunOn::all;
}

}  // namespace broch::session
