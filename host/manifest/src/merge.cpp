// merge.cpp: objects merge, everything else replaces.
#include "manifest/merge.hpp"

#include <algorithm>

#include "manifest/component.hpp"

namespace broch::manifest {
namespace {

using Kind = Value::Kind;

// "NAME" and "broch.trainer.NAME" mean the same if a trainer is required, but the role is not
// known here. If entries are merged by mistake, the check of options reports it.
bool means_another(const Value& lower, const Value& upper) {
  if (!lower.is(Kind::string) || !upper.is(Kind::string)) return true;
  const std::string &a = lower.string(), &b = upper.string();
  const auto spelt_out = [](const std::string& id, const std::string& name) {
    return name.find('.') == std::string::npos && id.starts_with("broch.") && last_word(id) == name;
  };
  return a != b && !spelt_out(a, b) && !spelt_out(b, a);
}

bool is_another_component(const Value& lower, const Value& upper) {
  const Value *below = lower.find("use"), *above = upper.find("use");
  if (upper.find("ref") != nullptr) return below != nullptr || lower.find("ref") != nullptr;
  if (above == nullptr) return false;
  return lower.find("ref") != nullptr || (below != nullptr && means_another(*below, *above));
}

// Whether this is an entry like {"with": {…}} over a bare name like "adam". It may have notes, too.
bool changes_named(const Value& lower, const Value& upper) {
  const auto is_part = [](const Member& member) {
    return member.key == "with" || member.key == "name" || member.key == "when" ||
           member.key == "run_on";
  };
  const auto is_part_or_note = [&](const Member& member) {
    return is_part(member) || member.key.starts_with("x-");
  };
  return lower.is(Kind::string) && upper.is(Kind::object) &&
         std::any_of(upper.object().begin(), upper.object().end(), is_part) &&
         std::all_of(upper.object().begin(), upper.object().end(), is_part_or_note);
}

}  // namespace

Value merged(Value lower, Value upper) {
  if (changes_named(lower, upper)) {
    Value entry(Value::Object{}, lower.origin());
    entry.set("use", std::move(lower));
    lower = std::move(entry);
  }
  const bool both_objects = lower.is(Kind::object) && upper.is(Kind::object);
  if (!both_objects || is_another_component(lower, upper)) return upper;
  lower.set_origin(upper.origin());
  for (Member& member : upper.object()) {
    Value* below = lower.find(member.key);
    if (below == nullptr) {
      lower.object().push_back(std::move(member));
    } else {
      *below = merged(std::move(*below), std::move(member.value));
    }
  }
  return lower;
}

}  // namespace broch::manifest
