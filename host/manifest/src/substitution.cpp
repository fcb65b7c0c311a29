// substitution.cpp: evaluates ${…}; a value that is referred to is evaluated first, and only once.
//
// template.hpp parses the strings, environment.hpp reads the environment. This file has, in order:
// texts made from several parts, limits, names under "vars", references, and the class that uses
// them all.
#include "substitution.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "base/text.hpp"
#include "template.hpp"
#include "value/concealed.hpp"
#include "value/json.hpp"

namespace broch::manifest {
namespace {

using Kind = Value::Kind;

std::string in_braces(const std::string& reference) { return "${" + reference + "}"; }

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

// A text that is put together of literals and of what ${…} stand for. Secrets in it are concealed.
class Text {
 public:
  explicit Text(const Site& site) : site_(site), origin_(site.text.origin()) {
    origin_.substitution = nullptr;
  }

  void add_literal(const std::string& literal) {
    is_first_ = false;
    plain_ += literal;
    shown_ += as_literal(literal);
  }

  void add(const Value& part, const std::string& reference) {
    require_scalar(part, reference);
    if (is_first_) begin_with(part);
    is_first_ = false;
    const std::string plain = part.is(Kind::string) ? part.string() : to_text(part);
    const std::string& hidden = concealed(part);
    plain_ += plain;
    shown_ += hidden.empty() ? as_literal(plain) : hidden;
    has_secret_ |= !hidden.empty();
    require_short();
  }

  Value value() const {
    return Value(plain_, with_substitution(origin_, {used_at_, false, has_secret_ ? shown_ : ""}));
  }

 private:
  // A path is relative to the place of its first part.
  void begin_with(const Value& part) {
    const auto& substitution = part.origin().substitution;
    if (!substitution) return;
    origin_ = part.origin();
    used_at_ = substitution->used_at;
  }

  void require_scalar(const Value& part, const std::string& reference) const {
    if (!part.is_null() && !part.is(Kind::array) && !part.is(Kind::object)) return;
    site_.fail({in_words(part) + " for " + base::quoted(in_braces(reference)) + " inside a text",
                "a string, a number, true or false",
                "let " + in_braces(reference) + " be the whole string"});
  }

  void require_short() const {
    const size_t most = Limits().string_bytes;
    if (plain_.size() <= most) return;
    site_.fail({"a string of more than " + std::to_string(most) + " bytes",
                "at most " + std::to_string(most), "keep long texts in files of their own"});
  }

  const Site& site_;
  Origin origin_;
  std::string plain_, shown_, used_at_;
  bool has_secret_ = false, is_first_ = true;
};

// Counts everything that is substituted, so that a few lines cannot exhaust memory.
class Budget {
 public:
  // depth: of the value in the manifest.
  void charge(const Value& value, const Site& site, size_t depth) {
    if (depth > limits_.depth) refuse_depth(site);
    if (value.is(Kind::string)) bytes_ += value.string().size();
    if (++nodes_ > limits_.nodes || bytes_ > limits_.text_bytes) refuse_size(site);
    if (value.is(Kind::array)) {
      for (const Value& item : value.array()) charge(item, site, depth + 1);
    }
    if (value.is(Kind::object)) {
      for (const Member& member : value.object()) charge(member.value, site, depth + 1);
    }
  }

 private:
  [[noreturn]] void refuse_depth(const Site& site) const {
    const std::string most = std::to_string(limits_.depth);
    site.fail({"more than " + most + " levels", "at most " + most, "nest less deeply"});
  }

  [[noreturn]] void refuse_size(const Site& site) const {
    site.fail({"a manifest that grows without end",
               "at most " + std::to_string(limits_.nodes) + " values and " +
                   std::to_string(limits_.text_bytes) + " bytes of substitutions",
               "keep bulk data in files of its own and name them here"});
  }

  const Limits limits_{};
  size_t nodes_ = 0, bytes_ = 0;
};

// "vars", "a", "b" of "vars.a.b".
std::vector<std::string> split_at_dots(const std::string& reference) {
  std::vector<std::string> words(1);
  for (const char c : reference) {
    if (c == '.') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

// What a ${…} can name: "name" and the variables under "vars".
class Names {
 public:
  Names(const Value* vars, const EnvironmentReader& environment)
      : vars_(vars), environment_(environment) {}

  // From "vars.a.b" to the pointer "/vars/a/b".
  std::string pointer_of(const std::string& reference, const Site& site) const {
    if (reference == "name") return "/name";
    if (!reference.starts_with("vars.")) refuse(reference, site);
    std::string pointer = "/vars";
    const Value* value = vars_;
    const std::vector<std::string> words = split_at_dots(reference);
    for (const std::string& key : std::span(words).subspan(1)) {
      append_to_pointer(pointer, key);
      // If a variable refers to another one, its keys are not written here.
      if (value != nullptr && value->is(Kind::string)) continue;
      const Value* const next = value == nullptr ? nullptr : value->find(key);
      if (next == nullptr) refuse_key(key, value, reference, site);
      value = next;
    }
    return pointer;
  }

 private:
  [[noreturn]] void refuse(const std::string& reference, const Site& site) const {
    std::string hint = nearest_hint(reference, {"manifest.dir", "name"}, kEscape);
    if (vars_ != nullptr && vars_->find(reference) != nullptr) {
      hint = "did you mean '${vars." + reference + "}'?";
    } else if (environment_.has(reference)) {
      hint = "did you mean '${env:" + reference + "}'?";
    }
    site.fail({base::quoted(in_braces(reference)), kSubstitutions, hint});
  }

  [[noreturn]] static void refuse_key(const std::string& key, const Value* value,
                                      const std::string& reference, const Site& site) {
    const auto known = value == nullptr ? std::vector<std::string>() : value->keys();
    const bool is_object = value == nullptr || value->is(Kind::object);
    site.fail({base::quoted(in_braces(reference)) + ", but there is no " + base::quoted(key),
               !known.empty() ? one_of(known)
               : is_object    ? "a name under \"vars\" (there is none)"
                              : "an object there, not " + in_words(*value),
               nearest_hint(key, known, std::string("add it under \"vars\", or ") + kEscape)});
  }

  const Value* const vars_;  // may be nullptr
  const EnvironmentReader& environment_;
};

// The values that ${…} refer to, by their pointers in the manifest.
class References {
 public:
  // The value at a pointer; evaluate() is called where it is not known yet. It may ask for other
  // values, but not for this one.
  template <class Evaluate>
  const Value& at(const std::string& pointer, const std::string& shown, const Site& site,
                  Evaluate evaluate) {
    if (const auto known = known_.find(pointer); known != known_.end()) return known->second;
    require_no_circle(pointer, site);
    require_short_chain(shown, site);
    seen_.insert(pointer);
    chain_.push_back(pointer);
    const EndOfLink end{chain_};  // also after an error
    return known_.emplace(pointer, evaluate()).first->second;
  }

  bool has_seen(const std::string& pointer) const { return seen_.contains(pointer); }
  // Whether a value is being evaluated now.
  bool is_evaluating() const { return !chain_.empty(); }

 private:
  static constexpr size_t kLongestChain = 32;
  struct EndOfLink {
    std::vector<std::string>& chain;
    ~EndOfLink() { chain.pop_back(); }
  };

  void require_no_circle(const std::string& pointer, const Site& site) const {
    const auto first = std::find(chain_.begin(), chain_.end(), pointer);
    if (first == chain_.end()) return;
    std::string circle;  // "vars.a -> vars.b -> vars.a"
    for (auto it = first; it != chain_.end(); ++it) circle += in_dots(*it) + " -> ";
    site.fail({"a circle: " + circle + in_dots(pointer), "values that do not need themselves",
               "write one of them out"});
  }

  void require_short_chain(const std::string& shown, const Site& site) const {
    if (chain_.size() < kLongestChain) return;
    site.fail({shown + " behind " + std::to_string(chain_.size()) + " others",
               "at most " + std::to_string(kLongestChain), "refer less deeply"});
  }

  static std::string in_dots(std::string pointer) {
    pointer.erase(0, 1);
    std::replace(pointer.begin(), pointer.end(), '/', '.');
    return pointer;
  }

  std::vector<std::string> chain_;  // each is needed by the one before
  std::set<std::string> seen_;
  std::map<std::string, Value> known_;
};

class Substituter {
 public:
  Substituter(const Value& manifest, const Environment& environment, Faults& faults)
      : manifest_(manifest),
        environment_(environment),
        names_(manifest.find("vars"), environment_),
        faults_(faults) {}

  // Evaluates a member of the manifest; errors become faults.
  Value member(const Value& value, const std::string& pointer) { return inside(value, pointer, 2); }

  // Checks variables that were not used, except for missing environment variables.
  void check_unused() {
    environment_.only_check();
    const Value* const vars = manifest_.find("vars");
    for (const std::string& key : vars == nullptr ? std::vector<std::string>() : vars->keys()) {
      const std::string pointer = child_pointer("/vars", key);
      if (references_.has_seen(pointer)) continue;
      try {
        at(pointer, key, {*vars, pointer});
      } catch (const base::Error& error) {
        faults_.add(error);
      }
    }
  }

  std::vector<EnvironmentValue> take_environment() { return environment_.take_noted(); }

 private:
  // depth: of the value in the manifest.
  Value inside(const Value& value, const std::string& pointer, size_t depth) {
    if (value.is(Kind::string)) return string(value, pointer, depth);
    Value result = value;
    if (value.is(Kind::array)) {
      for (size_t i = 0; i < value.array().size(); ++i) {
        result.array()[i] = inside(value.array()[i], child_pointer(pointer, i), depth + 1);
      }
    }
    if (value.is(Kind::object)) {
      for (Member& member : result.object()) {
        member.value = inside(member.value, child_pointer(pointer, member.key), depth + 1);
      }
    }
    return result;
  }

  // After an error in a member of the manifest, the others are evaluated, to find all errors.
  Value string(const Value& text, const std::string& pointer, size_t depth) {
    if (!is_template(text.string())) return text;
    const Site site{text, pointer};
    try {
      Value result = evaluated(read_template(text, pointer), site);
      budget_.charge(result, site, depth);
      return result;
    } catch (const base::Error& error) {
      if (references_.is_evaluating()) throw;
      faults_.add(error);
      return text;
    }
  }

  // A single ${…} gives the value itself, of any kind; with text around it, the result is text.
  Value evaluated(const Template& pieces, const Site& site) {
    if (pieces.size() == 1 && pieces[0].kind != Piece::Kind::literal) return one(pieces[0], site);
    Text whole(site);
    for (const Piece& piece : pieces) {
      if (piece.kind == Piece::Kind::literal) {
        whole.add_literal(piece.text);
      } else {
        whole.add(one(piece, site), piece.text);
      }
    }
    return whole.value();
  }

  Value one(const Piece& piece, const Site& site) {
    if (piece.kind == Piece::Kind::environment) return variable(piece, site);
    if (piece.text == "manifest.dir") {
      const auto& source = site.text.origin().source;
      return Value(source ? source->folder : working_directory(), site.text.origin());
    }
    Value value = at(names_.pointer_of(piece.text, site), in_braces(piece.text), site);
    mark_used(value, site.place());
    return value;
  }

  // The default is a string of its own. If it is a literal, a schema may convert it, too.
  Value variable(const Piece& piece, const Site& site) {
    if (std::optional<Value> value = environment_.read(piece, site)) return std::move(*value);
    const Template& otherwise = piece.otherwise;
    Value value = evaluated(otherwise, site);
    const bool is_literal =
        otherwise.empty() || (otherwise.size() == 1 && otherwise[0].kind == Piece::Kind::literal);
    if (is_literal) value.set_origin(with_substitution(value.origin(), {"", true, ""}));
    return value;
  }

  // The evaluated value at a pointer. shown: the reference, for messages.
  Value at(const std::string& pointer, const std::string& shown, const Site& site) {
    return references_.at(pointer, shown, site, [&] {
      const Value* const written = find_at(manifest_, pointer);
      return written != nullptr ? inside(*written, pointer, 1) : behind(pointer, shown, site);
    });
  }

  // The way to the value leads through a reference to an object.
  Value behind(const std::string& pointer, const std::string& shown, const Site& site) {
    const size_t slash = pointer.rfind('/');
    const Value outer = at(pointer.substr(0, slash), shown, site);
    if (const Value* const inner = find_at(outer, pointer.substr(slash))) return *inner;
    const std::vector<std::string> keys = outer.keys();
    site.fail({base::quoted(shown) + ", but " + in_words(outer) + " has no such key",
               keys.empty() ? "an object" : one_of(keys),
               nearest_hint(pointer.substr(slash + 1), keys, kEscape)});
  }

  const Value& manifest_;
  EnvironmentReader environment_;
  const Names names_;
  References references_;
  Budget budget_;
  Faults& faults_;
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
  return substituter.take_environment();
}

}  // namespace broch::manifest
