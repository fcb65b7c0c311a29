// options.hpp: the options of a component, declared once: as a struct. The schema in the metadata
// and the reader are both made of it.
//
//   struct Options {
//     std::string metric;
//     int64_t patience;
//     std::optional<double> target;
//     static constexpr auto schema = broch::options(
//         broch::option("metric", &Options::metric, "The metric to watch.").min_length(1),
//         broch::option("patience", &Options::patience, "Epochs to wait.").by_default(5),
//         broch::option("target", &Options::target, "Good enough; null: none."));
//   };
//
//   class Plateau final : public broch::Callback {
//    public:
//     Plateau(const broch::Host& host, const Options& options);
//     …
//   };
//   BROCH_CALLBACK(Plateau, "org.example.plateau", "1.0.0", "Summary.", Options::schema)
//
// The host fills in the defaults before the options are read, so a field needs no value of its own.
// An option without a default is required. Types of fields:
//
// - bool, integers, float, double, std::string
// - an enum class with one_of: its enumerators 0, 1, … in the order of the words
// - std::vector<T>, std::array<T, N>: a list; limits of numbers and texts hold for each element
// - std::optional<T>: T or null; null is the default unless by_default says another
// - a struct with a schema: an object
// - ChildDataFlow, ChildInputSource, ChildFunction, Child<broch_…>: a component; in std::optional
//   it may be absent
// - JsonText: whatever schema() says, as JSON text
//
// A struct may begin with the options of its base: broch::options(Base::schema, broch::option(…)).
// Two components can share a struct and have different schemas of the same fields, for example
// other defaults; the one that is called schema says how to read.
#pragma once
#include "option_reader.hpp"

namespace broch {
inline namespace v0 {

// One option; option() makes it. Each function returns the option with one thing more said.
template <class Owner, class T>
struct Option {
  using Shape = glue::Shape<T>;
  using Value = glue::Value;
  static constexpr bool is_list = false;

  T Owner::*field;
  glue::Facts facts;

  constexpr Option(const char* name, T Owner::*where, const char* description) : field(where) {
    facts.name = name;
    facts.description = description;
  }

  // Limits of numbers; above and below exclude the limit.
  template <class Number>
  constexpr Option minimum(Number limit) const {
    return with(&glue::Facts::minimum, limit);
  }
  template <class Number>
  constexpr Option maximum(Number limit) const {
    return with(&glue::Facts::maximum, limit);
  }
  template <class Number>
  constexpr Option above(Number limit) const {
    return with(&glue::Facts::above, limit);
  }
  template <class Number>
  constexpr Option below(Number limit) const {
    return with(&glue::Facts::below, limit);
  }
  // Limits of texts. pattern: a regular expression (ECMAScript) that is found in the text.
  constexpr Option min_length(int n) const { return with(&glue::Facts::min_length, n); }
  constexpr Option max_length(int n) const { return with(&glue::Facts::max_length, n); }
  constexpr Option pattern(const char* text) const { return with(&glue::Facts::pattern, text); }
  // Limits of lists.
  constexpr Option min_items(int n) const { return with(&glue::Facts::min_items, n); }
  constexpr Option max_items(int n) const { return with(&glue::Facts::max_items, n); }
  // A path; a relative one belongs to the folder of the file in which it is written.
  constexpr Option is_path() const { return with(&glue::Facts::path, true); }
  // May change during training (plugin/options.h).
  constexpr Option is_mutable() const { return with(&glue::Facts::changes, true); }
  // Of a component: it is seeded alike on all ranks.
  constexpr Option same_seed() const { return with(&glue::Facts::same_seed, true); }
  // Shown to people only, such as "seconds".
  constexpr Option unit(const char* name) const { return with(&glue::Facts::unit, name); }
  // Not required although it has no default; the field then keeps its initial value.
  constexpr Option may_be_absent() const {
    Option copy = *this;
    copy.facts.may_be_absent = true;
    return copy;
  }
  // Members of the schema, as JSON, in place of those for the type and its limits.
  constexpr Option schema(const char* members) const {
    Option copy = *this;
    copy.facts.schema = members;
    return copy;
  }
  // The words that are allowed. nullptr stands for null, which is otherwise the last word of an
  // optional.
  template <class... Words>
  constexpr Option one_of(Words... words) const {
    static_assert(sizeof...(words) <= glue::Words::kMost, "too many words: use schema()");
    Option copy = *this;
    copy.facts.words = {sizeof...(words), {words...}};
    return copy;
  }
  // One value, or all elements of a list.
  template <class... Values>
  constexpr Option by_default(Values... values) const {
    static_assert(Shape::is_list || sizeof...(values) == 1, "only a list has several elements");
    static_assert(sizeof...(values) <= glue::List::kMost, "too many: use schema()");
    static_assert((glue::is_default_of<T, Values> && ...), "a default of another type");
    static_assert(glue::fills<T, Values...>, "a std::array needs a default of all its elements");
    Option copy = *this;
    if constexpr (Shape::is_list && !(std::is_null_pointer_v<Values> || ...)) {
      copy.facts.list = {true, sizeof...(values), {Value(values)...}};
    } else {
      copy.facts.standard = (Value(values), ...);
    }
    return copy;
  }

  // For OptionList.
  constexpr void write_property(glue::TextWriter& w) const {
    w.key(facts.name);
    w.open('{');
    if (*facts.schema) {
      w.raw(facts.schema);
    } else {
      glue::write_schema<T>(w, facts);
    }
    glue::write_default(w, facts, has_null_default());
    w.member("x-broch-mutable", facts.changes);
    w.member("x-broch-unit", facts.unit);
    if (*facts.description) w.member("description", facts.description);
    w.close('}');
  }
  constexpr void write_required(glue::TextWriter& w) const {
    if (facts.standard || facts.list.given || facts.may_be_absent || Shape::is_optional) return;
    w.next();
    w.value(facts.name);
  }

 private:
  template <class Said>
  constexpr Option with(Value glue::Facts::*fact, Said value) const {
    Option copy = *this;
    copy.facts.*fact = Value(value);
    return copy;
  }
  constexpr bool has_null_default() const {
    return Shape::is_optional && !glue::is_child<typename Shape::Element> && !facts.may_be_absent &&
           !facts.standard && !facts.list.given;
  }
};

// The options of a component, in the order in which they are shown; options() makes it. A part is
// an option or the options of a base.
template <class... Parts>
struct OptionList {
  static constexpr bool is_list = true;
  std::tuple<Parts...> parts;

  // The members of the schema of the object.
  constexpr void write(glue::TextWriter& w, bool nullable = false) const {
    glue::write_type(w, "object", nullable);
    w.key("properties");
    w.open('{');
    write_property(w);
    w.close('}');
    glue::TextWriter required;
    write_required(required);
    if (required.size() > 0) {
      w.key("required");
      w.open('[');
      write_required(w);
      w.close(']');
    }
    w.member("additionalProperties", false);
  }
  constexpr void write_property(glue::TextWriter& w) const {
    std::apply([&](const auto&... part) { (part.write_property(w), ...); }, parts);
  }
  constexpr void write_required(glue::TextWriter& w) const {
    std::apply([&](const auto&... part) { (part.write_required(w), ...); }, parts);
  }
};

template <class Owner, class T>
constexpr Option<Owner, T> option(const char* name, T Owner::*field, const char* description = "") {
  return {name, field, description};
}

template <class... Parts>
constexpr OptionList<Parts...> options(const Parts&... parts) {
  return {std::tuple<Parts...>(parts...)};
}

namespace glue {

struct NoOptions {};

// Of several structs the one that derives from the others; NoOptions does not count.
template <class... Structs>
struct MostDerived {
  using type = NoOptions;
};
template <class A, class... Others>
struct MostDerived<A, Others...> {
  using B = typename MostDerived<Others...>::type;
  static constexpr bool is_b = std::is_same_v<A, NoOptions> || std::is_base_of_v<A, B>;
  using type = std::conditional_t<is_b, B, A>;
};

// The struct that an option or a list of options fills; NoOptions for any other type.
template <class Part>
struct FilledBy {
  using type = NoOptions;
};
template <class Owner, class T>
struct FilledBy<Option<Owner, T>> {
  using type = Owner;
};
template <class... Parts>
struct FilledBy<OptionList<Parts...>> : MostDerived<typename FilledBy<Parts>::type...> {};

}  // namespace glue
}  // namespace v0
}  // namespace broch
