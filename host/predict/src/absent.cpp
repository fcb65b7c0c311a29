// absent.cpp: follows the components through the steps, by their names and numbers.
#include "absent.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "strings.hpp"

namespace broch::predict {
namespace {

using value::Value;

// In the schema of an option that names a component: "changed", if it is changed or looked at
// apart from the others, which keep their places; "selected", if it is one of those that remain.
constexpr const char* kPoint = "x-broch-point";

// Of each component before: its number now. No value: it is absent.
using Places = std::vector<std::optional<int64_t>>;

// What an option says of components and transforms.
struct Named {
  size_t there = 0, absent = 0;
  size_t lost = 0;  // options of which nothing is there
  bool selects = false;
  Places selected{};

  bool nothing_is_there() const { return absent > 0 && there == 0; }
};

bool mentions_components(const Value& schema) {
  if (schema.find(kPoint)) return true;
  if (const Value* items = schema.find("items"); items && mentions_components(*items)) return true;
  if (const Value* any = schema.find("anyOf"))
    if (std::ranges::any_of(any->array(), mentions_components)) return true;
  const Value* const properties = schema.find("properties");
  return properties && std::ranges::any_of(properties->object(), [](const value::Member& one) {
           return mentions_components(one.value);
         });
}

[[noreturn]] void refuse(const std::string& id, const std::string& found,
                         const std::string& expected) {
  base::fail(base::Exit::usage, "'" + id + "' in the manifest", found, expected,
             "write a dataflow as JSON: '{\"use\": NAME, \"with\": {…}}'");
}

class Absent {
 public:
  Absent(const std::vector<SourceComponent>& components, const manifest::Catalog& kinds)
      : kinds_(kinds) {
    Places places;
    int64_t next = 0;
    for (const SourceComponent& one : components) {
      places.push_back(one.absent ? std::nullopt : std::optional(next++));
      if (one.absent && !one.name.empty()) names_.insert(one.name);
    }
    first_ = std::ranges::find(components, true, &SourceComponent::absent) - components.begin();
    places_ = std::move(places);
  }

  // False: the entry does nothing for what is there. Otherwise it does no more than that.
  bool keep(Value& entry) {
    const Value* const use = entry.find("use");
    const std::string id = use ? use->string() : "";
    Value* const with = entry.find("with");
    const manifest::Catalog::Kind* const kind = with ? kinds_.find(id) : nullptr;
    Named named;
    if (kind) {
      const std::string outer = std::exchange(id_, id);
      visit(kind->options, *with, named);
      id_ = outer;
    }
    if (named.nothing_is_there()) return false;
    if (named.lost > 0)
      refuse(id, "a component that new data lack, beside others that they have",
             "a transform for each of them");
    follow(kind, std::move(named));
    if (with) take_names(*with);
    return true;
  }

 private:
  // What an entry that is kept does to the places.
  void follow(const manifest::Catalog::Kind* kind, Named named) {
    if (named.selects)
      places_ = std::move(named.selected);
    else if (named.there == 0 && !(kind && mentions_components(kind->options)))
      places_.reset();
  }

  void visit(const Value& schema, Value& option, Named& named) {
    if (const Value* any = schema.find("anyOf"))
      for (const Value& one : any->array()) visit(one, option, named);
    if (option.is(Value::Kind::integer) || option.is(Value::Kind::string)) {
      if (const Value* how = schema.find(kPoint)) refer(how->string(), option, named);
      if (schema.find("x-broch-component")) count(false, named);  // an entry that is only a name
    } else if (option.is(Value::Kind::array)) {
      if (const Value* items = schema.find("items")) visit_list(*items, option, named);
    } else if (option.is(Value::Kind::object)) {
      if (schema.find("x-broch-component"))
        count(!keep(option), named);
      else if (const Value* properties = schema.find("properties"))
        for (value::Member& one : option.object())
          if (const Value* inner = properties->find(one.key)) visit(*inner, one.value, named);
    }
  }

  void visit_list(const Value& schema, Value& list, Named& named) {
    Value::Array kept;
    Named of_list;
    std::set<std::string> gone;  // new names are none of this list yet
    for (Value& one : list.array()) {
      Named of_one;
      visit(schema, one, of_one);
      of_list.there += of_one.there;
      of_list.absent += of_one.absent;
      of_list.selects |= of_one.selects;
      const bool goes = of_one.nothing_is_there();
      of_list.selected.push_back(goes ? std::nullopt : std::optional(int64_t(kept.size())));
      if (goes && of_one.selects) add_strings(one, gone);
      if (goes) continue;
      of_list.lost += of_one.lost;
      kept.push_back(std::move(one));
    }
    names_.merge(gone);
    if (kept.empty() && of_list.absent > 0) ++of_list.lost;
    list = Value(std::move(kept), list.origin());
    add(of_list, named);
  }

  static void add(Named& part, Named& named) {
    named.there += part.there;
    named.absent += part.absent;
    named.lost += part.lost;
    if (!part.selects) return;
    named.selects = true;
    named.selected = std::move(part.selected);
  }

  static void count(bool absent, Named& named) {
    ++(absent ? named.absent : named.there);
    named.lost += absent;
  }

  void refer(const std::string& how, Value& option, Named& named) const {
    named.selects |= how == "selected";
    count(option.is(Value::Kind::string) ? names_.contains(option.string()) : renumber(option),
          named);
  }

  // Gives a component that is there its number of now. True: it is absent.
  bool renumber(Value& option) const {
    const int64_t number = option.integer();
    if (!places_ && number >= first_)
      refuse(id_, "component " + std::to_string(number) + ", where new data lack some components",
             "names of components");
    if (!places_) return false;
    if (number >= int64_t(places_->size())) {
      const auto is_gone = [](const auto& place) { return !place; };
      option = Value(number - std::ranges::count_if(*places_, is_gone), option.origin());
      return false;
    }
    const std::optional<int64_t> place = (*places_)[size_t(number)];
    if (place) option = Value(*place, option.origin());
    return !place;
  }

  // A name that the entry may give to a component is from here on the name of something else.
  void take_names(const Value& with) {
    std::set<std::string> given;
    add_strings(with, given);
    for (const std::string& one : given) names_.erase(one);
  }

  const manifest::Catalog& kinds_;
  std::set<std::string> names_;   // of absent components
  std::optional<Places> places_;  // no value: a step may have changed them in any way
  int64_t first_ = 0;             // those before it have kept their numbers
  std::string id_;                // of the entry that is visited
};

}  // namespace

void drop_absent(Value& source, const std::vector<SourceComponent>& components) {
  if (components.empty()) return;
  Value& list = *value::find_at(source, "/with/components");
  Value::Array kept;
  for (size_t i = 0; i < components.size(); ++i)
    if (!components[i].absent) kept.push_back(list.array()[i]);
  list = Value(std::move(kept));
}

bool lacks_some(const std::vector<SourceComponent>& components) {
  return std::ranges::any_of(components, &SourceComponent::absent);
}

void leave_out_absent(std::vector<Value>& steps, const std::vector<SourceComponent>& components,
                      const manifest::Catalog& kinds) {
  Absent absent(components, kinds);
  std::vector<Value> kept;
  for (Value& step : steps)
    if (absent.keep(step)) kept.push_back(std::move(step));
  steps = std::move(kept);
}

}  // namespace broch::predict
