// substitution.cpp: evaluates ${…}; a value that is referred to is evaluated first, and only once.
#include "substitution.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <set>

#include "base/text.hpp"
#include "manifest/json.hpp"
#include "template.hpp"

namespace broch::manifest {
namespace {

using Kind = Value::Kind;

constexpr size_t kLongestChain = 32;  // of references
constexpr char kEscape[] = "write $${ for the characters ${";

// The text of a string with ${…}, and the same with secrets concealed.
struct Text {
  std::string plain, shown;
  bool has_secret = false;

  void add(const std::string& literal) {
    plain += literal;
    shown += as_literal(literal);
  }
};

Origin with_substitution(Origin origin, Substitution substitution) {
  origin.substitution = std::make_shared<const Substitution>(std::move(substitution));
  return origin;
}

// Notes in the origin of a value that it is used at another place, too.
void mark_used(Value& value, const std::string& place) {
  Substitution used;
  if (value.origin().substitution) used = *value.origin().substitution;
  used.used_at = place;
  value.set_origin(with_substitution(value.origin(), std::move(used)));
  if (value.is(Kind::array)) {
    for (Value& item : value.array()) mark_used(item, place);
  }
  if (value.is(Kind::object)) {
    for (Member& member : value.object()) mark_used(member.value, place);
  }
}

std::string place_of(const Value& text) {
  Origin origin = text.origin();
  origin.substitution = nullptr;
  return origin.text();
}

const std::string& concealed(const Value& value) {
  static const std::string kNothing;
  const auto& substitution = value.origin().substitution;
  return substitution ? substitution->concealed : kNothing;
}

class Substituter {
 public:
  Substituter(const Value& manifest, const Environment& environment, Faults& faults)
      : manifest_(manifest), environment_(environment), faults_(faults) {}

  // Evaluates a member of the manifest; errors become faults.
  Value member(const Value& value, const std::string& pointer) {
    return inside(value, pointer, 2, true);
  }

  // Checks variables that were not used, except for missing environment variables.
  void check_unused() {
    checks_only_ = true;
    const Value* vars = manifest_.find("vars");
    for (const std::string& key : vars == nullptr ? std::vector<std::string>() : vars->keys()) {
      const std::string place = child_pointer("/vars", key);
      if (asked_once_.contains(place)) continue;
      try {
        at(place, key, *vars, place);
      } catch (const base::Error& error) {
        asked_.clear();
        faults_.add(error);
      }
    }
  }

  std::vector<EnvironmentValue> take_used() { return std::move(used_); }

 private:
  [[noreturn]] static void fail(const Value& text, const std::string& pointer,
                                const Remark& remark) {
    throw fault_at(text.origin(), pointer, remark);
  }

  // gather: continue after an error, to find all of them.
  Value inside(const Value& value, const std::string& pointer, size_t depth, bool gather) {
    if (value.is(Kind::string)) return string(value, pointer, depth, gather);
    Value result = value;
    if (value.is(Kind::array)) {
      for (size_t i = 0; i < value.array().size(); ++i) {
        result.array()[i] = inside(value.array()[i], child_pointer(pointer, i), depth + 1, gather);
      }
    }
    if (value.is(Kind::object)) {
      for (Member& member : result.object()) {
        member.value = inside(member.value, child_pointer(pointer, member.key), depth + 1, gather);
      }
    }
    return result;
  }

  Value string(const Value& text, const std::string& pointer, size_t depth, bool gather) {
    if (!is_template(text.string())) return text;
    try {
      Value result = evaluated(read_template(text, pointer), text, pointer);
      charge(result, text, pointer, depth);
      return result;
    } catch (const base::Error& error) {
      if (!gather) throw;
      asked_.clear();
      faults_.add(error);
      return text;
    }
  }

  // Counts everything that is substituted, so that a few lines cannot exhaust memory.
  void charge(const Value& value, const Value& text, const std::string& pointer, size_t depth) {
    const Limits limits;
    if (depth > limits.depth) {
      fail(text, pointer,
           {"more than " + std::to_string(limits.depth) + " levels",
            "at most " + std::to_string(limits.depth), "nest less deeply"});
    }
    if (value.is(Kind::string)) bytes_ += value.string().size();
    if (++nodes_ > limits.nodes || bytes_ > limits.text_bytes) {
      fail(text, pointer,
           {"a manifest that grows without end",
            "at most " + std::to_string(limits.nodes) + " values and " +
                std::to_string(limits.text_bytes) + " bytes of substitutions",
            "keep bulk data in files of its own and name them here"});
    }
    if (value.is(Kind::array)) {
      for (const Value& item : value.array()) charge(item, text, pointer, depth + 1);
    }
    if (value.is(Kind::object)) {
      for (const Member& member : value.object()) charge(member.value, text, pointer, depth + 1);
    }
  }

  // A single ${…} gives the value itself, of any kind; with text around it, the result is text.
  Value evaluated(const Template& pieces, const Value& text, const std::string& pointer) {
    if (pieces.size() == 1 && pieces[0].kind != Piece::Kind::literal) {
      return of_one(pieces[0], text, pointer);
    }
    Text whole;
    Origin origin = text.origin();
    origin.substitution = nullptr;
    std::string used_at;
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (pieces[i].kind == Piece::Kind::literal) {
        whole.add(pieces[i].text);
        continue;
      }
      const Value part = of_one(pieces[i], text, pointer);
      add(part, pieces[i], text, pointer, whole);
      const auto& substitution = part.origin().substitution;
      if (i == 0 && substitution) {  // a path is relative to the place of its first part
        origin = part.origin();
        used_at = substitution->used_at;
      }
    }
    Substitution made{used_at, false, whole.has_secret ? whole.shown : ""};
    return Value(std::move(whole.plain), with_substitution(std::move(origin), std::move(made)));
  }

  void add(const Value& part, const Piece& piece, const Value& text, const std::string& pointer,
           Text& whole) const {
    if (part.is_null() || part.is(Kind::array) || part.is(Kind::object)) {
      fail(text, pointer,
           {in_words(part) + " for " + base::quoted("${" + piece.text + "}") + " inside a text",
            "a string, a number, true or false", "let ${" + piece.text + "} be the whole string"});
    }
    const std::string plain = part.is(Kind::string) ? part.string() : to_text(part);
    const std::string& hidden = concealed(part);
    whole.plain += plain;
    whole.shown += hidden.empty() ? as_literal(plain) : hidden;
    whole.has_secret |= !hidden.empty();
    if (whole.plain.size() > Limits().string_bytes) {
      fail(text, pointer,
           {"a string of more than " + std::to_string(Limits().string_bytes) + " bytes",
            "at most " + std::to_string(Limits().string_bytes),
            "keep long texts in files of their own"});
    }
  }

  Value of_one(const Piece& piece, const Value& text, const std::string& pointer) {
    if (piece.kind == Piece::Kind::environment) return of_environment(piece, text, pointer);
    if (piece.text == "manifest.dir") {
      const auto& source = text.origin().source;
      return Value(source ? source->folder : working_directory(), text.origin());
    }
    Value value = piece.text == "name" ? at("/name", "${name}", text, pointer)
                                       : at(variable(piece.text, text, pointer),
                                            "${" + piece.text + "}", text, pointer);
    mark_used(value, place_of(text));
    return value;
  }

  // The default is parsed as a string of its own. The result is text that a schema may convert.
  Value of_environment(const Piece& piece, const Value& text, const std::string& pointer) {
    const std::optional<std::string> found = environment_(piece.text);
    const bool is_secret = is_secret_name(piece.text);
    if (checks_only_ && !found && !piece.has_default) return Value(std::string(), text.origin());
    if (!checks_only_) note({piece.text, found, is_secret});
    if (found && (!found->empty() || !piece.has_default)) {
      require_text(*found, piece, text, pointer);
      Substitution made{place_of(text), true, is_secret ? "${env:" + piece.text + "}" : ""};
      return Value(*found, with_substitution(made_by("environment variable " + piece.text), made));
    }
    if (!piece.has_default) {
      fail(text, pointer,
           {"environment variable " + base::quoted(piece.text) + ", which is not set",
            "a value for it", "set it, or give a default: ${env:" + piece.text + ":-value}"});
    }
    Value otherwise = evaluated(piece.otherwise, text, pointer);
    const bool is_literal =
        piece.otherwise.empty() ||
        (piece.otherwise.size() == 1 && piece.otherwise[0].kind == Piece::Kind::literal);
    if (is_literal) otherwise.set_origin(with_substitution(otherwise.origin(), {"", true, ""}));
    return otherwise;
  }

  static void require_text(const std::string& found, const Piece& piece, const Value& text,
                           const std::string& pointer) {
    const size_t most = Limits().string_bytes;
    if (base::is_utf8(found) && found.size() <= most) return;
    fail(text, pointer,
         {"environment variable " + base::quoted(piece.text) + " of " +
              std::to_string(found.size()) + " bytes",
          "UTF-8 text of at most " + std::to_string(most) + " bytes", "set it to something else"});
  }

  void note(EnvironmentValue value) {
    const auto is_same = [&value](const EnvironmentValue& used) { return used.name == value.name; };
    if (std::none_of(used_.begin(), used_.end(), is_same)) used_.push_back(std::move(value));
  }

  // From "vars.a.b" to the pointer "/vars/a/b".
  std::string variable(const std::string& reference, const Value& text,
                       const std::string& pointer) const {
    const Value* vars = manifest_.find("vars");
    if (!reference.starts_with("vars.")) refuse(reference, text, pointer);
    std::string place = "/vars";
    std::string rest = reference.substr(std::string_view("vars.").size());
    const Value* value = vars;
    while (true) {
      const std::string key = rest.substr(0, rest.find('.'));
      append_to_pointer(place, key);
      // If a variable refers to another one, its keys are not written here.
      const bool is_elsewhere = value != nullptr && value->is(Kind::string) && value != vars;
      if (!is_elsewhere) {
        const Value* next = value == nullptr ? nullptr : value->find(key);
        if (next == nullptr) refuse_key(key, value, reference, text, pointer);
        value = next;
      }
      if (key.size() == rest.size()) return place;
      rest.erase(0, key.size() + 1);
    }
  }

  [[noreturn]] static void refuse_key(const std::string& key, const Value* value,
                                      const std::string& reference, const Value& text,
                                      const std::string& pointer) {
    const std::vector<std::string> known =
        value == nullptr ? std::vector<std::string>() : value->keys();
    fail(
        text, pointer,
        {base::quoted("${" + reference + "}") + ", but there is no " + base::quoted(key),
         !known.empty()                                ? one_of(known)
         : value == nullptr || value->is(Kind::object) ? "a name under \"vars\" (there is none)"
                                                       : "an object there, not " + in_words(*value),
         nearest_hint(key, known, std::string("add it under \"vars\", or ") + kEscape)});
  }

  [[noreturn]] void refuse(const std::string& reference, const Value& text,
                           const std::string& pointer) const {
    const Value* vars = manifest_.find("vars");
    std::string hint = nearest_hint(reference, {"manifest.dir", "name"}, kEscape);
    if (vars != nullptr && vars->find(reference) != nullptr) {
      hint = "did you mean '${vars." + reference + "}'?";
    } else if (environment_(reference)) {
      hint = "did you mean '${env:" + reference + "}'?";
    }
    fail(text, pointer, {base::quoted("${" + reference + "}"), kSubstitutions, hint});
  }

  // The evaluated value at a pointer. The way there may lead through a reference to an object.
  Value at(const std::string& place, const std::string& shown, const Value& text,
           const std::string& pointer) {
    if (const auto known = known_.find(place); known != known_.end()) return known->second;
    if (std::find(asked_.begin(), asked_.end(), place) != asked_.end()) {
      fail(text, pointer,
           {"a circle: " + circle_to(place), "values that do not need themselves",
            "write one of them out"});
    }
    if (asked_.size() >= kLongestChain) {
      fail(text, pointer,
           {shown + " behind " + std::to_string(asked_.size()) + " others",
            "at most " + std::to_string(kLongestChain), "refer less deeply"});
    }
    asked_once_.insert(place);
    asked_.push_back(place);
    Value value = found_at(place, shown, text, pointer);
    asked_.pop_back();
    return known_.emplace(place, std::move(value)).first->second;
  }

  Value found_at(const std::string& place, const std::string& shown, const Value& text,
                 const std::string& pointer) {
    if (const Value* written = find_at(manifest_, place)) return inside(*written, place, 1, false);
    const size_t slash = place.rfind('/');
    const Value outer = at(place.substr(0, slash), shown, text, pointer);
    if (const Value* inner = find_at(outer, place.substr(slash))) return *inner;
    fail(text, pointer,
         {base::quoted(shown) + ", but " + in_words(outer) + " has no such key",
          outer.keys().empty() ? "an object" : one_of(outer.keys()),
          nearest_hint(place.substr(slash + 1), outer.keys(), kEscape)});
  }

  // For example "vars.a -> vars.b -> vars.a".
  std::string circle_to(const std::string& place) const {
    const auto in_dots = [](std::string pointer) {
      pointer.erase(0, 1);
      std::replace(pointer.begin(), pointer.end(), '/', '.');
      return pointer;
    };
    std::string chain;
    for (auto it = std::find(asked_.begin(), asked_.end(), place); it != asked_.end(); ++it) {
      chain += in_dots(*it) + " -> ";
    }
    return chain + in_dots(place);
  }

  const Value& manifest_;
  const Environment& environment_;
  Faults& faults_;
  std::vector<std::string> asked_;  // pointers, each needed by the one before
  std::set<std::string> asked_once_;
  std::map<std::string, Value> known_;
  std::vector<EnvironmentValue> used_;
  size_t nodes_ = 0, bytes_ = 0;
  bool checks_only_ = false;
};

}  // namespace

std::vector<EnvironmentValue> substitute(Value& manifest, const Environment& environment,
                                         Faults& faults) {
  const Value written = manifest;
  Substituter substituter(written, environment, faults);
  manifest.remove("vars");
  for (Member& member : manifest.object()) {
    member.value = substituter.member(member.value, child_pointer("", member.key));
  }
  substituter.check_unused();
  return substituter.take_used();
}

bool is_secret_name(const std::string& name) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const auto has = [&upper](std::string_view word) {
    return upper.find(word) != std::string::npos;
  };
  const bool has_word = has("SECRET") || has("TOKEN") || has("PASSW") || has("PASSPHRASE") ||
                        has("CREDENTIAL") || has("APIKEY");
  return has_word || upper == "KEY" || upper.ends_with("_KEY") || upper.ends_with("_PWD") ||
         upper.ends_with("_AUTH");
}

Value as_manifest(const Value& value) {
  const std::string& hidden = concealed(value);
  if (!hidden.empty()) return Value(hidden, value.origin());
  Value result = value;
  if (value.is(Kind::string)) result = Value(as_literal(value.string()), value.origin());
  if (value.is(Kind::array)) {
    for (Value& item : result.array()) item = as_manifest(item);
  }
  if (value.is(Kind::object)) {
    for (Member& member : result.object()) member.value = as_manifest(member.value);
  }
  return result;
}

}  // namespace broch::manifest
