// schema.cpp: one small function for each kind of value. The library valijson was considered: it
// repeats a fault for every level above it, and knows neither positions nor similar names.
#include "value/schema.hpp"

#include <regex>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "value/paths.hpp"
#include "value/schema_words.hpp"

namespace broch::value {
namespace {

constexpr size_t kLongestMatched = 1024;  // std::regex recurses once per character
constexpr int kMostFilled = 64;           // defaults inside defaults

bool matches(const std::string& text, const std::string& pattern) {
  return text.size() <= kLongestMatched && std::regex_search(text, std::regex(pattern));
}

std::string folder_of(const Value& value) {
  const auto& source = value.origin().source;
  return source ? source->folder : working_directory();
}

std::string dotted(const std::string& owner, const std::string& place) {
  return owner.empty() ? place : owner + "." + place;
}

class Checker {
 public:
  // root: the whole schema, for x-broch-ref.
  Checker(std::string base, const Value& root, Faults& faults)
      : base_(std::move(base)), root_(root), faults_(faults) {}

  Value check(const Value& value, const Value& given, const std::string& pointer,
              const std::string& owner) {
    const Value& schema = referred(given, root_);
    if (is_true(schema.find("x-broch-function"))) return function(value, schema, pointer);
    if (const Value* role = schema.find("x-broch-component")) {
      return component(value, schema, pointer, role->string());
    }
    for (const char* keyword : {"anyOf", "oneOf"}) {
      if (const Value* list = schema.find(keyword)) {
        const bool only_one = keyword[0] == 'o';
        const std::string tag = value.is(Value::Kind::object) ? tag_of(list->array()) : "";
        if (!tag.empty()) return tagged(value, schema, list->array(), tag, pointer, owner);
        return any(value, schema, list->array(), only_one, pointer, owner);
      }
    }
    const Value wanted = as_wanted(value, schema);
    if (!type_allows(schema, wanted)) return wrong(wanted, schema, pointer);
    return allowed_type(wanted, schema, pointer, owner);
  }

  std::vector<ChildSlot> take_children() { return std::move(children_); }

 private:
  Value wrong(const Value& value, const Value& schema, const std::string& pointer) {
    report(value, pointer,
           {in_words(value), expected_by(schema), described_or(schema, "change the value")});
    return value;
  }

  void report(const Value& value, const std::string& pointer, const Remark& remark) {
    faults_.add(value.origin(), base_ + pointer, remark);
  }

  Value function(const Value& value, const Value& schema, const std::string& pointer) {
    if (value.is(Value::Kind::object)) return component(value, schema, pointer, "function");
    const bool fine =
        value.is(Value::Kind::string) || value.is_number() || null_allowed(value, schema);
    return fine ? value : wrong(value, schema, pointer);
  }

  Value component(const Value& value, const Value& schema, const std::string& pointer,
                  const std::string& role) {
    if (null_allowed(value, schema)) return value;
    if (!value.is(Value::Kind::string) && !value.is(Value::Kind::object)) {
      return wrong(value, schema, pointer);
    }
    children_.push_back({pointer, role, is_true(schema.find("x-broch-same-seed"))});
    return value;
  }

  static bool null_allowed(const Value& value, const Value& schema) {
    const Value* standard = schema.find("default");
    return value.is_null() &&
           (names_type(schema, "null") || (standard != nullptr && standard->is_null()));
  }

  struct Trial {
    Value value;
    std::vector<ChildSlot> children;
    Faults faults;
  };

  // Tries every branch. If none fits, reports the faults of the only branch for this kind of
  // value; otherwise names all branches.
  Value any(const Value& value, const Value& schema, const Value::Array& branches, bool only_one,
            const std::string& pointer, const std::string& owner) {
    std::vector<Trial> fitting;
    std::vector<Trial> candidates;
    const bool was_endless = endless_;
    for (const Value& branch : branches) {
      Trial trial;
      Checker checker(base_, root_, trial.faults);
      checker.filling_ = filling_;
      checker.endless_ = endless_;
      trial.value = checker.check(value, branch, pointer, owner);
      endless_ = checker.endless_;
      trial.children = checker.take_children();
      if (trial.faults.empty())
        fitting.push_back(std::move(trial));
      else if (takes_kind(branch, value))
        candidates.push_back(std::move(trial));
    }
    if (endless_ && !was_endless) return too_many_defaults(value, pointer);
    if (fitting.size() > 1 && only_one) {
      report(value, pointer,
             {in_words(value) + ", which fits several forms", expected_by(schema),
              described_or(schema, "choose one form")});
      return value;
    }
    if (!fitting.empty()) return accept(fitting.front());
    return candidates.size() == 1 ? accept(candidates.front()) : wrong(value, schema, pointer);
  }

  // Only the branch that the value names is tried, so that its faults are reported.
  Value tagged(const Value& value, const Value& schema, const Value::Array& branches,
               const std::string& tag, const std::string& pointer, const std::string& owner) {
    const Value* const chosen = value.find(tag);
    std::vector<std::string> names, texts;
    for (const Value& branch : branches) {
      const Value* const constant = constant_of(branch, tag);
      if (constant == nullptr) continue;
      if (chosen != nullptr && *chosen == *constant) return check(value, branch, pointer, owner);
      names.push_back(in_words(*constant));
      if (constant->is(Value::Kind::string)) texts.push_back(constant->string());
    }
    const std::string known = one_of(names);
    if (chosen == nullptr) {
      report(value, pointer,
             {"no key " + base::quoted(tag), "\"" + tag + "\": " + known,
              described_or(schema, "add it")});
      return value;
    }
    const std::string word = chosen->is(Value::Kind::string) ? chosen->string() : "";
    report(*chosen, child_pointer(pointer, tag),
           {in_words(*chosen), known, nearest_hint(word, texts, "choose one of them")});
    return value;
  }

  Value accept(Trial& trial) {
    faults_.add(trial.faults);
    children_.insert(children_.end(), trial.children.begin(), trial.children.end());
    return std::move(trial.value);
  }

  static bool takes_kind(const Value& schema, const Value& value) {
    const bool child = schema.find("x-broch-component") || schema.find("x-broch-function");
    return child ? value.is(Value::Kind::object) || value.is(Value::Kind::string)
                 : type_allows(schema, value);
  }

  Value allowed_type(const Value& value, const Value& schema, const std::string& pointer,
                     const std::string& owner) {
    if (!among_choices(value, schema, pointer)) return value;
    switch (value.kind()) {
      case Value::Kind::integer:
      case Value::Kind::real:
        return number(value, schema, pointer);
      case Value::Kind::string:
        return string(value, schema, pointer);
      case Value::Kind::array:
        return array(value, schema, pointer, owner);
      case Value::Kind::object:
        return object(value, schema, pointer, owner);
      default:
        return value;
    }
  }

  bool among_choices(const Value& value, const Value& schema, const std::string& pointer) {
    const Value* constant = schema.find("const");
    if (constant != nullptr && !(*constant == value)) {
      wrong(value, schema, pointer);
      return false;
    }
    const Value* choices = schema.find("enum");
    if (choices == nullptr) return true;
    std::vector<std::string> names;
    for (const Value& choice : choices->array()) {
      if (choice == value) return true;
      if (choice.is(Value::Kind::string)) names.push_back(choice.string());
    }
    const std::string word = value.is(Value::Kind::string) ? value.string() : "";
    report(value, pointer,
           {in_words(value), expected_by(schema),
            nearest_hint(word, names, described_or(schema, "choose one of them"))});
    return false;
  }

  Value number(const Value& value, const Value& schema, const std::string& pointer) {
    const auto bound = [&schema](const char* keyword) { return schema.find(keyword); };
    const double x = value.number();
    const bool low = (bound("minimum") && x < bound("minimum")->number()) ||
                     (bound("exclusiveMinimum") && x <= bound("exclusiveMinimum")->number());
    const bool high = (bound("maximum") && x > bound("maximum")->number()) ||
                      (bound("exclusiveMaximum") && x >= bound("exclusiveMaximum")->number());
    if (low || high) return wrong(value, schema, pointer);
    const bool whole = value.is(Value::Kind::real) && names_type(schema, "integer") &&
                       !names_type(schema, "number");
    return whole ? Value(static_cast<int64_t>(x), value.origin()) : value;
  }

  Value string(const Value& value, const Value& schema, const std::string& pointer) {
    const auto bound = [&schema](const char* keyword, int64_t otherwise) {
      const Value* limit = schema.find(keyword);
      return limit == nullptr ? otherwise : limit->integer();
    };
    const auto length = static_cast<int64_t>(base::characters_in(value.string()));
    const Value* pattern = schema.find("pattern");
    const bool fits = length >= bound("minLength", 0) && length <= bound("maxLength", length) &&
                      (pattern == nullptr || matches(value.string(), pattern->string()));
    if (!fits) return wrong(value, schema, pointer);
    return is_true(schema.find("x-broch-path")) ? absolute(value, folder_of(value)) : value;
  }

  Value array(const Value& value, const Value& schema, const std::string& pointer,
              const std::string& owner) {
    const auto size = static_cast<int64_t>(value.array().size());
    const Value* least = schema.find("minItems");
    const Value* most = schema.find("maxItems");
    if ((least && size < least->integer()) || (most && size > most->integer())) {
      return wrong(value, schema, pointer);
    }
    const Value* items = schema.find("items");
    if (items == nullptr) return value;
    Value::Array checked;
    for (const Value& item : value.array()) {
      const size_t index = checked.size();
      checked.push_back(check(item, *items, child_pointer(pointer, index),
                              owner + "[" + std::to_string(index) + "]"));
    }
    return Value(std::move(checked), value.origin());
  }

  Value object(const Value& value, const Value& schema, const std::string& pointer,
               const std::string& owner) {
    Value result(Value::Object{}, value.origin());
    for (const Member& member : value.object()) {
      const Value* property = property_schema(member, schema, child_pointer(pointer, member.key));
      Value checked = property == nullptr
                          ? member.value
                          : check(member.value, *property, child_pointer(pointer, member.key),
                                  dotted(owner, member.key));
      result.object().push_back({member.key, member.origin, std::move(checked)});
    }
    fill_defaults(result, schema, pointer, owner);
    if (const Value* required = schema.find("required")) {
      for (const Value& key : required->array()) require(result, key.string(), schema, pointer);
    }
    return result;
  }

  // The schema of a member, or nullptr if it needs no check: a note, an allowed extra key, or an
  // unknown key, which is reported.
  const Value* property_schema(const Member& member, const Value& schema,
                               const std::string& pointer) {
    const Value* properties = schema.find("properties");
    const Value* property = properties == nullptr ? nullptr : properties->find(member.key);
    if (property != nullptr || member.key.starts_with("x-")) return property;
    const Value* more = schema.find("additionalProperties");
    if (more != nullptr && more->is(Value::Kind::object)) return more;
    const bool open =
        more != nullptr ? is_true(more) : properties == nullptr && !names_type(schema, "object");
    if (!open) report_unknown(member, properties, pointer);
    return nullptr;
  }

  void report_unknown(const Member& member, const Value* properties, const std::string& pointer) {
    const std::vector<std::string> names =
        properties == nullptr ? std::vector<std::string>() : properties->keys();
    const std::string known = names.empty() ? "no key here" : one_of(names);
    faults_.add(
        member.origin, base_ + pointer,
        {"unknown key " + base::quoted(member.key), known,
         nearest_hint(member.key, names, "remove the key, or begin it with x- for a note")});
  }

  void fill_defaults(Value& object, const Value& schema, const std::string& pointer,
                     const std::string& owner) {
    const Value* properties = schema.find("properties");
    if (properties == nullptr) return;
    for (const Member& property : properties->object()) {
      const Value* standard = property.value.find("default");
      if (standard == nullptr || endless_ || object.find(property.key) != nullptr) continue;
      const std::string place = dotted(owner, property.key);
      Value value = *standard;
      value.set_origin_deep(made_by("default of " + place));
      object.set(property.key,
                 filled(value, property.value, child_pointer(pointer, property.key), place));
    }
  }

  Value too_many_defaults(const Value& value, const std::string& pointer) {
    report(value, pointer,
           {"more than " + std::to_string(kMostFilled) + " defaults inside each other",
            "at most that many", "a default must not contain itself"});
    return value;
  }

  Value filled(const Value& value, const Value& schema, const std::string& pointer,
               const std::string& owner) {
    if (filling_ == kMostFilled) {
      endless_ = true;
      return too_many_defaults(value, pointer);
    }
    ++filling_;
    Value checked = check(value, schema, pointer, owner);
    --filling_;
    return checked;
  }

  void require(const Value& object, const std::string& key, const Value& schema,
               const std::string& pointer) {
    if (object.find(key) != nullptr) return;
    const Value* properties = schema.find("properties");
    const Value* property = properties == nullptr ? nullptr : properties->find(key);
    if (property != nullptr) property = &referred(*property, root_);
    const std::string what = property == nullptr ? "" : ": " + expected_by(*property);
    report(object, pointer,
           {"no key " + base::quoted(key), "\"" + key + "\"" + what,
            property == nullptr ? "add it" : described_or(*property, "add it")});
  }

  const std::string base_;
  const Value& root_;
  Faults& faults_;
  std::vector<ChildSlot> children_;
  int filling_ = 0;       // how many defaults are being filled in, each inside another
  bool endless_ = false;  // there were too many; no more are filled in
};

}  // namespace

namespace {

void collect_mutable(const Value& schema, const std::string& pointer,
                     std::vector<std::string>& found) {
  if (is_true(schema.find("x-broch-mutable")) && !pointer.empty()) found.push_back(pointer);
  const Value* const properties = schema.find("properties");
  if (!properties || !properties->is(Value::Kind::object)) return;
  for (const Member& property : properties->object())
    collect_mutable(property.value, child_pointer(pointer, property.key), found);
}

}  // namespace

std::vector<std::string> mutable_options(const Value& schema) {
  std::vector<std::string> found;
  collect_mutable(schema, "", found);
  return found;
}

Checked check_value(const Value& value, const Value& schema, const std::string& owner,
                    const std::string& pointer, Faults& faults) {
  return check_part(value, schema, schema, owner, pointer, faults);
}

Checked check_part(const Value& value, const Value& schema, const Value& root,
                   const std::string& owner, const std::string& pointer, Faults& faults) {
  Checker checker(pointer, root, faults);
  Value checked = checker.check(value, schema, "", owner);
  return {std::move(checked), checker.take_children()};
}

}  // namespace broch::value
