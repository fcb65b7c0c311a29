// changes.cpp: from a name to an option, and from a text to a value that its schema allows.
#include "session/changes.hpp"

#include <algorithm>

#include "abi/roles/options.hpp"
#include "abi/serve.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "control/request.hpp"
#include "manifest/overrides.hpp"
#include "settled.hpp"
#include "value/json.hpp"
#include "value/make.hpp"
#include "value/schema.hpp"

namespace broch::session {
namespace {

using manifest::Value;
using value::number;

// null if the value is missing; a schema may allow that.
Value value_at(const Value& options, const std::string& pointer) {
  const Value* const value = manifest::find_at(options, pointer);
  return value ? *value : Value();
}

// Options of a monitor with a queue change between its calls.
void settle(const abi::Instance& instance) {
  if (!settled(instance))
    throw base::Error(base::Exit::training,
                      {instance.label(), "a call that does not return",
                       "a monitor whose options can be changed", "see the log for why"});
}

base::Error damaged() {
  return base::Error(base::Exit::checkpoint,
                     {"options that were set", "something else", "a list as broch saves it", ""});
}

Value checked(const Value& options, const Value& schema, const std::string& id) {
  manifest::Faults faults;
  manifest::Checked found = manifest::check_value(options, schema, id, "", faults);
  faults.raise();
  return std::move(found.value);
}

// A status that the plugin returned is a refusal. An exception, a jump or an invalid status is not.
bool is_refusal(const abi::PluginError& error) {
  return error.status() < 0 && error.status() != BROCH_E_INTERNAL;
}

bool applies_gradients(const abi::Instance& instance) {
  return instance.spec().role == "optimizer" || instance.spec().role == "gradient_processor";
}

}  // namespace

Changes::Changes(runtime::HyperParams& hypers, const Instances& instances, Here here,
                 const manifest::Catalog& kinds, bool has_servers)
    : hypers_(hypers),
      instances_(instances),
      here_(std::move(here)),
      kinds_(kinds),
      has_servers_(has_servers) {}

Value Changes::settable() const {
  Value names{Value::Object{}};
  for (const std::string& name : hypers_.names()) names.set(name, number(hypers_.get(name)));
  for (const abi::Instance* instance : here_()) {
    const auto* const kind = kinds_.find(instance->component_id());
    if (!kind || (has_servers_ && applies_gradients(*instance))) continue;
    for (const std::string& pointer : manifest::mutable_options(kind->options))
      names.set(instance->name() + pointer, value_at(instance->options_tree(), pointer));
  }
  return names;
}

// Names of instances inside others contain slashes, so the name cannot be split at the first one.
std::optional<Changes::Option> Changes::find_in(const std::vector<abi::Instance*>& instances,
                                                const std::string& name) const {
  for (abi::Instance* instance : instances) {
    if (!name.starts_with(instance->name() + "/")) continue;
    const auto* const kind = kinds_.find(instance->component_id());
    if (!kind) continue;
    for (std::string& pointer : manifest::mutable_options(kind->options))
      if (name == instance->name() + pointer)
        return Option{instance, std::move(pointer), &kind->options};
  }
  return std::nullopt;
}

// What is called so now: the name itself, unless only an earlier program called an option so.
std::string Changes::present_name(const std::string& saved) const {
  if (find_in(instances_.all(), saved)) return saved;
  for (const auto& [instance, former] : instances_.former_names()) {
    if (!saved.starts_with(former + "/")) continue;
    std::string name = instance->name() + saved.substr(former.size());
    if (find_in(instances_.all(), name)) return name;
  }
  return saved;
}

// Whether the name belongs to an instance that exists but does not run on this rank.
bool Changes::is_elsewhere(const std::string& name) const {
  const std::vector<abi::Instance*> here = here_();
  return std::ranges::any_of(instances_.all(), [&](const abi::Instance* instance) {
    return name.starts_with(instance->name() + "/") &&
           std::ranges::find(here, instance) == here.end();
  });
}

bool Changes::knows(const std::string& name) const { return hypers_.has(name) || find(name); }

Changes::Done Changes::set(const std::string& name, const std::string& text) {
  try {
    const Value value = manifest::read_override_value(text, manifest::made_by("set " + name));
    if (hypers_.has(name)) return set_hyper(name, value);
    const std::optional<Option> option = find(name);
    if (!option) refuse_name(name);
    return set_option(name, *option, value);
  } catch (const abi::PluginError& error) {
    if (!is_refusal(error)) throw;
    throw control::Refused(base::Exit::plugin, error.what());
  } catch (const base::Error& error) {
    throw control::Refused(error.exit(), error.what());
  }
}

Changes::Done Changes::set_hyper(const std::string& name, const Value& value) {
  if (!value.is_number())
    throw base::Error(base::Exit::usage, {"set " + name, manifest::in_words(value),
                                          "a finite number", "for example " + name + "=0.01"});
  const double before = hypers_.get(name);
  hypers_.set(name, value.number());
  return {name, number(before), number(value.number()),
          [this, name, before] { hypers_.set(name, before); }};
}

// Checks all options and not only the new value, because one option may restrict another.
Changes::Done Changes::set_option(const std::string& name, const Option& option,
                                  const Value& value) {
  abi::Instance& instance = *option.instance;
  if (has_servers_ && applies_gradients(instance))
    throw base::Error(base::Exit::usage,
                      {"set " + name, "an option of an optimizer or a gradient processor",
                       "a run without parameter servers, which would not get the change",
                       "set it in the manifest"});
  Value options = instance.options_tree();
  const Value before = value_at(options, option.pointer);
  manifest::set_at(options, option.pointer, value);
  options = checked(options, *option.schema, instance.component_id());
  const abi::Options& had = instance.options();
  settle(instance);
  abi::change_options(instance, std::move(options), {option.pointer});
  written_.try_emplace(name, before);
  return {name, before, value_at(instance.options_tree(), option.pointer),
          [&instance, &had, pointer = option.pointer] {
            settle(instance);
            abi::bring_back_options(instance, had, {pointer});
          }};
}

abi::Instance* Changes::owner(const std::string& name) const {
  const std::optional<Option> option = find_in(instances_.all(), name);
  return option ? option->instance : nullptr;
}

std::vector<std::string> Changes::option_names() const {
  std::vector<std::string> names = settable().keys();
  std::erase_if(names, [this](const std::string& name) { return hypers_.has(name); });
  return names;
}

double Changes::get_number(const std::string& name) const {
  const Option option = find_in(instances_.all(), name).value();
  const Value now = value_at(option.instance->options_tree(), option.pointer);
  if (!now.is_number())
    throw abi::CallError(BROCH_E_INVALID_ARGUMENT, "option '" + name + "' is " +
                                                       manifest::in_words(now) +
                                                       ", and only a number can be set by others");
  return now.number();
}

void Changes::set_number(const std::string& name, double wanted) {
  if (get_number(name) == wanted) return;
  const std::string text = base::shortest(wanted);
  try {
    if (find(name)) set(name, text);
  } catch (const control::Refused& refused) {
    throw abi::CallError(BROCH_E_INVALID_ARGUMENT,
                         "option '" + name + "' cannot be set to " + text + ": " + refused.what());
  }
}

void Changes::refuse_name(const std::string& name) const {
  const std::vector<std::string> names = settable().keys();
  throw base::Error(base::Exit::usage,
                    {"set " + name,
                     "neither a hyper-parameter nor an option that can be changed" +
                         base::did_you_mean(name, names),
                     "one of " + base::join(names, ", "), ""});
}

void Changes::begin() {
  for (const std::string& name : hypers_.names())
    if (hypers_.get(name) != hypers_.initial(name)) began_[name] = hypers_.get(name);
}

Value Changes::not_as_written() const {
  Value names{Value::Object{}};
  for (const std::string& name : hypers_.names())
    if (hypers_.get(name) != hypers_.initial(name)) names.set(name, number(hypers_.initial(name)));
  for (const auto& [name, written] : written_)
    if (const std::optional<Option> option = find(name))
      if (!(value_at(option->instance->options_tree(), option->pointer) == written))
        names.set(name, written);
  return names;
}

std::string Changes::says(const std::string& hyper) const {
  return std::string(in_manifest_.contains(hyper) ? "the manifest"
                                                  : "the plugin that declares it") +
         " says " + base::shortest(hypers_.initial(hyper));
}

std::string Changes::save() const {
  Value::Array list;
  for (const std::string& name : hypers_.names()) {
    Value entry{Value::Object{}};
    entry.set("name", Value(name));
    entry.set("manifest", number(hypers_.initial(name)));
    if (const auto began = began_.find(name); began != began_.end())
      entry.set("began", number(began->second));
    list.push_back(std::move(entry));
  }
  for (const auto& [name, written] : written_) {
    const std::optional<Option> option = find(name);
    if (!option) continue;
    const Value now = value_at(option->instance->options_tree(), option->pointer);
    if (now == written) continue;
    Value entry{Value::Object{}};
    entry.set("name", Value(name));
    entry.set("component", Value(option->instance->component_id()));
    entry.set("manifest", written);
    entry.set("now", now);
    list.push_back(std::move(entry));
  }
  return manifest::to_text(Value(std::move(list)));
}

void Changes::load(const std::string& saved) {
  manifest::Dialect dialect;
  dialect.exit = base::Exit::checkpoint;
  const Value list = manifest::parse_text("options that were set", saved, dialect);
  std::map<abi::Instance*, Saved> found;
  if (!list.is(Value::Kind::array)) throw damaged();
  for (const Value& entry : list.array())
    entry.find("component") ? load_entry(entry, found) : load_hyper(entry);
  for (const auto& [instance, options] : found) load_all_of(*instance, options);
}

// The value that the last run began with counts as the manifest's value, too, since the records in
// its log folder contain it.
void Changes::load_hyper(const Value& entry) {
  const Value *name = entry.find("name"), *written = entry.find("manifest"),
              *began = entry.find("began");
  if (!name || !name->is(Value::Kind::string) || !written) throw damaged();
  const std::string& hyper = name->string();
  if (!hypers_.has(hyper)) return;
  const double initial = hypers_.initial(hyper), restored = hypers_.get(hyper);
  if (number(initial) == *written || (began && number(initial) == *began)) {
    if (began && began->is_number()) began_[hyper] = began->number();
    if (restored != initial)
      base::info(hyper + " is " + base::shortest(restored) + ", as in the checkpoint; " +
                 says(hyper) + ", as it did when that was saved");
    return;
  }
  hypers_.set(hyper, initial);
  base::info(hyper + " is " + base::shortest(initial) + ": " + says(hyper) + " now instead of " +
             manifest::to_text(*written) + "; in the checkpoint it is " + base::shortest(restored));
}

void Changes::load_entry(const Value& entry, std::map<abi::Instance*, Saved>& found) const {
  const Value *name = entry.find("name"), *component = entry.find("component"),
              *written = entry.find("manifest"), *now = entry.find("now");
  if (!name || !name->is(Value::Kind::string) || !component || !written || !now) throw damaged();
  const std::string called = present_name(name->string());
  const std::optional<Option> option = find(called);
  const std::string says = called + " was set to " + manifest::to_text(*now);
  if (!option && is_elsewhere(called)) return;
  if (!option || !(Value(option->instance->component_id()) == *component))
    return base::warning(says + " in the run that is resumed; this one has no such option to set");
  const Value options = option->instance->options_tree(), here = value_at(options, option->pointer);
  if (!(here == *written))
    return base::warning(says + " in the run that is resumed, and the manifest says " +
                         manifest::to_text(here) + " now instead of " +
                         manifest::to_text(*written) + ": it is as the manifest says");
  Saved& all =
      found.try_emplace(option->instance, Saved{{}, options, option->schema, {}}).first->second;
  manifest::set_at(all.options, option->pointer, *now);
  all.pointers.push_back(option->pointer);
  all.written[called] = here;
}

void Changes::load_all_of(abi::Instance& instance, const Saved& saved) {
  settle(instance);
  try {
    abi::change_options(instance, checked(saved.options, *saved.schema, instance.component_id()),
                        saved.pointers);
  } catch (const abi::PluginError& error) {
    if (!is_refusal(error)) throw;
    return base::warning("an option that was set in the resumed run has the manifest's value: " +
                         std::string(error.what()));
  } catch (const base::Error& error) {
    return base::warning(instance.label() +
                         ": an option that was set in the resumed run has the manifest's value: " +
                         std::string(error.what()));
  }
  for (const auto& [name, written] : saved.written) {
    written_.try_emplace(name, written);
    base::info(
        name + " was set to " +
        manifest::to_text(value_at(instance.options_tree(), name.substr(instance.name().size()))) +
        ", as in the run that is resumed");
  }
}

}  // namespace broch::session
