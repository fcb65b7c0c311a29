// overrides.cpp: finds and changes the places that overrides name.
#include "manifest/overrides.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "base/text.hpp"
#include "manifest/component.hpp"
#include "override_text.hpp"
#include "top_level.hpp"

namespace broch::manifest {
namespace {

constexpr std::string_view kEntryKeys[] = {"use", "with", "name", "when", "run_on"};

// Some keys have no default, so the manifest may lack them when overrides are applied.
const Value& top_level_keys() { return *top_level_schema().find("properties"); }

bool is_entry_key(std::string_view key) {
  return std::find(std::begin(kEntryKeys), std::end(kEntryKeys), key) != std::end(kEntryKeys);
}

std::string use_of(const Value& entry) {
  const Value* use = entry.is(Value::Kind::string) ? &entry : entry.find("use");
  return use != nullptr && use->is(Value::Kind::string) ? use->string() : "";
}

std::string name_of(const Value& entry) {
  const Value* name = entry.find("name");
  return name != nullptr && name->is(Value::Kind::string) ? name->string() : "";
}

// Follows the steps of one path. After run(), value() is the place, or nullptr if only the last
// key is missing and may be added to parent().
class Walk {
 public:
  Walk(Value& manifest, const Override& change) : change_(change), value_(&manifest) {}

  // may_end_new: whether the last key may be missing.
  void run(bool may_end_new) {
    for (size_t i = 0; i < change_.steps.size(); ++i) {
      const bool last = i + 1 == change_.steps.size();
      const Step& step = change_.steps[i];
      parent_ = value_;
      if (step.kind == Step::Kind::key) {
        into_key(step.text, last, may_end_new);
      } else {
        into_list(step);
      }
      if (step.text == "with" || step.text == "when") free_ = true;
    }
  }

  Value* value() const { return value_; }
  Value* parent() const { return parent_; }
  const std::string& pointer() const { return pointer_; }
  size_t index() const { return index_; }

 private:
  [[noreturn]] void fail(const Remark& remark) const {
    throw fault_at(change_.origin, pointer_, remark);
  }

  std::string here() const { return pointer_.empty() ? "the manifest" : base::quoted(pointer_); }

  void into_key(const std::string& key, bool last, bool may_end_new) {
    if (value_->is(Value::Kind::string) && is_entry_key(key)) become_entry();
    if (value_->is(Value::Kind::array)) {
      const bool is_place =
          !key.empty() && key.find_first_not_of("0123456789") == std::string::npos;
      fail({"a list at " + here(), "a place or a name in brackets",
            (is_place ? "write [" + key + "] instead of '." : "write [0] or [name] before '.") +
                key + "'"});
    }
    if (!value_->is(Value::Kind::object)) {
      fail({in_words(*value_) + " at " + here(), "an object that has " + base::quoted(key),
            "set the whole value first"});
    }
    Value* member = value_->find(key);
    if (member == nullptr) {
      if (!may_make(key)) refuse_key(key);
      if (pointer_.empty() && key == "extends") {
        fail({"'extends'", "another key", "files are merged first; write it into one of them"});
      }
      if (!last) member = &value_->set(key, Value(Value::Object{}, change_.origin));
      if (last && !may_end_new) refuse_key(key);
    }
    append_to_pointer(pointer_, key);
    value_ = member;
  }

  // A bare name is short for an entry.
  void become_entry() {
    Value entry(Value::Object{}, value_->origin());
    entry.set("use", *value_);
    *value_ = std::move(entry);
  }

  bool may_make(const std::string& key) const {
    if (free_ || key.starts_with("x-")) return true;
    if (pointer_.empty()) return top_level_keys().find(key) != nullptr;
    return is_entry_key(key) && value_->find("use") != nullptr;
  }

  // The keys that are there and, in an entry, those that it may have.
  std::vector<std::string> keys_instead_of(const std::string& key) const {
    if (pointer_.empty()) return top_level_keys().keys();
    std::vector<std::string> keys = value_->keys();
    if (value_->find("use") == nullptr || is_entry_key(key)) return keys;
    for (const std::string_view one : kEntryKeys)
      if (value_->find(one) == nullptr) keys.emplace_back(one);
    return keys;
  }

  [[noreturn]] void refuse_key(const std::string& key) const {
    if (const char* reason = pointer_.empty() ? why_refused(key) : nullptr) {
      fail({base::quoted(key), "another key", reason});
    }
    const std::vector<std::string> keys = keys_instead_of(key);
    fail(
        {"no " + base::quoted(key) + " in " + here(),
         keys.empty() ? "a key that is there (it is empty)" : one_of(keys),
         nearest_hint(key, keys, "an override must match an existing key; see broch config show")});
  }

  void into_list(const Step& step) {
    if (!value_->is(Value::Kind::array)) {
      const bool is_key = value_->is(Value::Kind::object) && step.kind == Step::Kind::name;
      const bool has_dot = step.text.find('.') != std::string::npos;
      const std::string key = has_dot ? "[\"" + step.text + "\"]" : "'." + step.text + "'";
      fail({in_words(*value_) + " at " + here(), "a list",
            is_key ? "write " + key + " for a key" : "remove [" + step.text + "]"});
    }
    index_ = step.kind == Step::Kind::place ? by_place(step) : by_name(step.text);
    pointer_ = child_pointer(pointer_, index_);
    value_ = &value_->array()[index_];
  }

  size_t by_place(const Step& step) const {
    const size_t size = value_->array().size();
    if (step.index < size) return step.index;
    fail({"place " + step.text + " of " + here(),
          size == 0 ? "a list with entries" : "0 to " + std::to_string(size - 1),
          "append with +path=value"});
  }

  size_t by_name(const std::string& name) const {
    for (const bool by_use : {false, true}) {
      const std::vector<size_t> found = entries_called(name, by_use);
      if (found.size() > 1) refuse_ambiguous(name, found);
      if (found.size() == 1) return found.front();
    }
    std::vector<std::string> known;
    for (const Value& entry : value_->array()) known.push_back(label(entry));
    std::erase(known, "");
    fail({"no entry " + base::quoted(name) + " in " + here(),
          known.empty() ? "a list with entries that have names" : one_of(known),
          nearest_hint(name, known, "choose the entry by its place from 0")});
  }

  static std::string label(const Value& entry) {
    const std::string name = name_of(entry);
    return name.empty() ? std::string(last_word(use_of(entry))) : name;
  }

  std::vector<size_t> entries_called(const std::string& name, bool by_use) const {
    std::vector<size_t> found;
    const Value::Array& entries = value_->array();
    for (size_t i = 0; i < entries.size(); ++i) {
      const std::string use = use_of(entries[i]);
      const bool called =
          by_use ? use == name || last_word(use) == name : name_of(entries[i]) == name;
      if (called) found.push_back(i);
    }
    return found;
  }

  [[noreturn]] void refuse_ambiguous(const std::string& name,
                                     const std::vector<size_t>& found) const {
    std::vector<std::string> places;
    for (const size_t i : found) {
      places.push_back(std::to_string(i) + " (" + value_->array()[i].origin().text() + ")");
    }
    fail({base::quoted(name) + ", which fits places " + base::join(places, " and "), "one entry",
          "choose by place, or give the entries names"});
  }

  const Override& change_;
  Value* value_;
  Value* parent_ = nullptr;
  std::string pointer_;
  size_t index_ = 0;   // in the last list
  bool free_ = false;  // below "with" or "when", where a schema checks keys later
};

bool lies_in(const std::string& pointer, const std::string& outer) {
  return pointer.starts_with(outer) &&
         (pointer.size() == outer.size() || pointer[outer.size()] == '/');
}

class Editor {
 public:
  explicit Editor(Value& manifest) : manifest_(manifest) {}

  void apply(const std::vector<Override>& changes) {
    for_each(changes, Override::Kind::set, [this](const Override& change) { set(change); });
    for_each(changes, Override::Kind::remove, [this](const Override& change) { mark(change); });
    // Additions find their list before removals shift indices.
    for_each(changes, Override::Kind::append, [this](const Override& change) { append(change); });
    erase_marked();
  }

 private:
  struct Done {
    std::string pointer;
    const Override* change;
  };
  struct Removal {
    std::string parent;  // JSON pointer
    std::ptrdiff_t depth;
    bool from_list;
    size_t index;
    std::string key;
  };

  template <class Action>
  static void for_each(const std::vector<Override>& changes, Override::Kind kind, Action action) {
    for (const Override& change : changes) {
      if (change.kind == kind) action(change);
    }
  }

  // Throws if one change would silently undo another. Something may be appended to a list whose
  // entries change, too.
  void note(const std::string& pointer, const Override& change) {
    const bool appends = change.kind == Override::Kind::append;
    for (const Done& before : done_) {
      const bool inside_removed =
          before.change->kind == Override::Kind::remove && lies_in(pointer, before.pointer);
      if ((appends || !lies_in(before.pointer, pointer)) && !inside_removed) continue;
      throw fault_at(change.origin, pointer,
                     {"a place that '" + before.change->origin.text() + "' changes too",
                      "one override for a place", "remove one of the two"});
    }
    done_.push_back({pointer, &change});
  }

  void set(const Override& change) {
    Walk walk(manifest_, change);
    walk.run(true);
    note(walk.pointer(), change);
    if (walk.value() != nullptr) {
      *walk.value() = change.value;
    } else {
      walk.parent()->set(change.steps.back().text, change.value);
    }
  }

  void mark(const Override& change) {
    Walk walk(manifest_, change);
    walk.run(false);
    note(walk.pointer(), change);
    const auto depth = std::count(walk.pointer().begin(), walk.pointer().end(), '/');
    removed_.push_back({walk.pointer().substr(0, walk.pointer().rfind('/')), depth,
                        walk.parent()->is(Value::Kind::array), walk.index(),
                        change.steps.back().text});
  }

  void append(const Override& change) {
    Walk walk(manifest_, change);
    walk.run(false);
    if (!walk.value()->is(Value::Kind::array)) {
      throw fault_at(change.origin, walk.pointer(),
                     {in_words(*walk.value()), "a list", "set it with path=value"});
    }
    note(walk.pointer(), change);
    walk.value()->array().push_back(change.value);
  }

  // Removes keys first, then entries of lists, innermost lists and highest indices first, so that
  // the remaining pointers stay valid.
  void erase_marked() {
    const auto order = [](const Removal& r) {
      return std::tuple(r.from_list, -r.depth, -static_cast<int64_t>(r.index));
    };
    std::stable_sort(removed_.begin(), removed_.end(),
                     [&order](const Removal& a, const Removal& b) { return order(a) < order(b); });
    for (const Removal& removal : removed_) {
      Value& parent = *find_at(manifest_, removal.parent);
      if (removal.from_list) {
        parent.array().erase(parent.array().begin() + static_cast<std::ptrdiff_t>(removal.index));
      } else {
        parent.remove(removal.key);
      }
    }
  }

  Value& manifest_;
  std::vector<Done> done_;
  std::vector<Removal> removed_;
};

}  // namespace

void apply_overrides(Value& manifest, const std::vector<std::string>& overrides) {
  std::vector<Override> changes;
  changes.reserve(overrides.size());
  for (const std::string& text : overrides) changes.push_back(read_override(text));
  // Settings from the outside inward, so that a part of what another one sets stays set.
  const auto depth = [](const Override& change) {
    return change.kind == Override::Kind::set ? change.steps.size() : SIZE_MAX;
  };
  std::ranges::stable_sort(changes, {}, depth);
  Editor(manifest).apply(changes);
}

}  // namespace broch::manifest
