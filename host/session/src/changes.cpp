// changes.cpp: names to options, values through their schema.
#include "session/changes.hpp"

#include <cmath>

#include "abi/roles/options.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "manifest/json.hpp"
#include "manifest/overrides.hpp"
#include "manifest/schema.hpp"

namespace broch::session {
namespace {

using manifest::Value;

Value options_of(const abi::Instance& instance) {
  return manifest::parse_text(instance.label(), instance.options_text());
}

// null: it is not there, which a schema may allow.
Value value_at(const Value& options, const std::string& pointer) {
  const Value* const value = manifest::find_at(options, pointer);
  return value ? *value : Value();
}

Value number(double value) { return std::isfinite(value) ? Value(value) : Value(); }

}  // namespace

Changes::Changes(runtime::HyperParams& hypers, std::vector<abi::Instance*> instances,
                 const manifest::Catalog& kinds)
    : hypers_(hypers), instances_(std::move(instances)), kinds_(kinds) {}

Value Changes::settable() const {
  Value names{Value::Object{}};
  for (const std::string& name : hypers_.names()) names.set(name, number(hypers_.get(name)));
  for (const abi::Instance* instance : instances_) {
    const auto* const kind = kinds_.find(instance->component_id());
    if (!kind) continue;
    for (const std::string& pointer : manifest::mutable_options(kind->options))
      names.set(instance->name() + pointer, value_at(options_of(*instance), pointer));
  }
  return names;
}

// Names of instances have slashes in them, where one is inside of another.
std::optional<Changes::Option> Changes::find(const std::string& name) const {
  for (abi::Instance* instance : instances_) {
    if (!name.starts_with(instance->name() + "/")) continue;
    const auto* const kind = kinds_.find(instance->component_id());
    if (!kind) continue;
    for (std::string& pointer : manifest::mutable_options(kind->options))
      if (name == instance->name() + pointer)
        return Option{instance, std::move(pointer), &kind->options};
  }
  return std::nullopt;
}

bool Changes::knows(const std::string& name) const { return hypers_.has(name) || find(name); }

Changes::Done Changes::set(const std::string& name, const std::string& text) {
  const Value value = manifest::read_override_value(text, manifest::made_by("set " + name));
  if (hypers_.has(name)) {
    const double before = set_hyper(name, value);
    return {name, number(before), Value(value.number())};
  }
  const std::optional<Option> option = find(name);
  if (!option) refuse_name(name);
  const Value before = value_at(options_of(*option->instance), option->pointer);
  put(name, *option, value);
  written_.try_emplace(name, before);
  return {name, before, value_at(options_of(*option->instance), option->pointer)};
}

void Changes::take_back(const Done& done) {
  if (hypers_.has(done.name))
    hypers_.set(done.name, done.before.is_number() ? done.before.number() : std::nan(""));
  else if (const std::optional<Option> option = find(done.name))
    put(done.name, *option, done.before);
}

double Changes::set_hyper(const std::string& name, const Value& value) {
  if (!value.is_number())
    throw base::Error(base::Exit::usage, {"set " + name, manifest::in_words(value),
                                          "a finite number", "for example " + name + "=0.01"});
  const double before = hypers_.get(name);
  hypers_.set(name, value.number());
  return before;
}

// All options go through the schema, as one may decide what another can be.
void Changes::put(const std::string& name, const Option& option, const Value& value) {
  Value options = options_of(*option.instance);
  manifest::set_at(options, option.pointer, value);
  manifest::Faults faults;
  const manifest::Checked checked =
      manifest::check_value(options, *option.schema, option.instance->component_id(), "", faults);
  faults.raise();
  if (manifest::find_at(checked.value, option.pointer) == nullptr)
    throw base::Error(base::Exit::usage,
                      {"set " + name, "an object around it that is not there",
                       "an option that the manifest gives", "write it into the manifest"});
  try {
    abi::change_options(*option.instance, manifest::to_text(checked.value), option.pointer);
  } catch (const base::Error& refused) {
    throw base::Error(base::Exit::plugin, refused.what());  // no failure of the training
  }
}

void Changes::refuse_name(const std::string& name) const {
  const std::vector<std::string> names = settable().keys();
  throw base::Error(base::Exit::usage, {"set " + name,
                                        "no hyper-parameter, and no option that may change" +
                                            base::did_you_mean(name, names),
                                        "one of " + base::join(names, ", "), ""});
}

std::string Changes::save() const {
  Value::Array list;
  for (const auto& [name, written] : written_) {
    const std::optional<Option> option = find(name);
    if (!option) continue;
    const Value now = value_at(options_of(*option->instance), option->pointer);
    if (now == written) continue;
    Value entry{Value::Object{}};
    entry.set("name", Value(name));
    entry.set("component", Value(option->instance->component_id()));
    entry.set("manifest", written);
    entry.set("now", now);
    list.push_back(std::move(entry));
  }
  return list.empty() ? "" : manifest::to_text(Value(std::move(list)));
}

void Changes::load(const std::string& saved) {
  manifest::Dialect dialect;
  dialect.exit = base::Exit::checkpoint;
  const Value list = manifest::parse_text("options that were set", saved, dialect);
  const auto damaged = [] {
    return base::Error(base::Exit::checkpoint,
                       {"options that were set", "something else", "a list as broch saves it", ""});
  };
  if (!list.is(Value::Kind::array)) throw damaged();
  for (const Value& entry : list.array()) {
    const Value *name = entry.find("name"), *component = entry.find("component"),
                *written = entry.find("manifest"), *now = entry.find("now");
    if (!name || !name->is(Value::Kind::string) || !component || !written || !now) throw damaged();
    const std::optional<Option> option = find(name->string());
    const std::string says = name->string() + " was set to " + manifest::to_text(*now);
    if (!option || !(Value(option->instance->component_id()) == *component)) {
      base::warning(says + " in the run that is resumed; this one has no such option to set");
      continue;
    }
    const Value here = value_at(options_of(*option->instance), option->pointer);
    if (!(here == *written)) {
      base::warning(says + " in the run that is resumed, and the manifest says " +
                    manifest::to_text(here) + " now instead of " + manifest::to_text(*written) +
                    ": it is as the manifest says");
      continue;
    }
    put(name->string(), *option, *now);
    written_.try_emplace(name->string(), here);
    base::info(says + ", as in the run that is resumed");
  }
}

}  // namespace broch::session
