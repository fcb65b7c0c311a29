// option_schema.hpp: the schema of an option, made of the type of its field and of what is said
// about it. Part of options.hpp.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "child.hpp"
#include "child_function.hpp"
#include "constant_text.hpp"

namespace broch {
inline namespace v0 {

// An option that is kept as JSON text.
struct JsonText {
  std::string text;
};

namespace glue {

// The words that are allowed; nullptr stands for null.
struct Words {
  static constexpr size_t kMost = 16;
  size_t count = 0;
  const char* list[kMost] = {};
};

// A list as the default.
struct List {
  static constexpr size_t kMost = 8;
  bool given = false;
  size_t size = 0;
  Value values[kMost] = {};
};

// What an option says besides its type.
struct Facts {
  const char* name = "";
  const char* description = "";
  Value minimum, maximum, above, below, min_length, max_length, pattern, min_items, max_items;
  Value path, changes, same_seed, unit;
  Value standard;  // the default, unless it is a list
  List list;
  Words words;
  const char* schema = "";  // members in place of those for the type; "": none
  bool may_be_absent = false;
};

template <class T>
struct Shape {
  using Element = T;
  static constexpr bool is_optional = false, is_list = false;
  static constexpr size_t length = 0;
};
template <class T>
struct Shape<std::optional<T>> : Shape<T> {
  using Element = T;
  static constexpr bool is_optional = true;
};
template <class T>
struct Shape<std::vector<T>> {
  using Element = T;
  static constexpr bool is_optional = false, is_list = true;
  static constexpr size_t length = 0;
};
template <class T, size_t N>
struct Shape<std::array<T, N>> : Shape<std::vector<T>> {
  static constexpr size_t length = N;
};

// T without the optionals and lists around it.
template <class T, class Element = typename Shape<T>::Element>
struct Innermost : Innermost<Element> {};
template <class T>
struct Innermost<T, T> {
  using type = T;
};

template <class T, class = void>
inline constexpr bool has_schema = false;
template <class T>
inline constexpr bool has_schema<T, std::void_t<decltype(T::schema)>> = true;

template <class T, class = void>
inline constexpr bool is_child = false;
template <class T>
inline constexpr bool is_child<T, std::void_t<typename T::Role>> = true;

// Whether a V can be a default, or an element of a default, of an option that is a T.
template <class T, class V, class Inner = typename Innermost<T>::type>
inline constexpr bool is_default_of =
    std::is_null_pointer_v<V>         ? Shape<T>::is_optional || std::is_same_v<T, JsonText>
    : std::is_same_v<Inner, bool>     ? std::is_same_v<V, bool>
    : std::is_integral_v<Inner>       ? std::is_integral_v<V> && !std::is_same_v<V, bool>
    : std::is_floating_point_v<Inner> ? std::is_arithmetic_v<V> && !std::is_same_v<V, bool>
    : std::is_enum_v<Inner> || std::is_same_v<Inner, std::string>
        ? std::is_convertible_v<V, const char*>
        : !has_schema<Inner>;

// Whether a default of so many values fills a T. One value stands for null, too.
template <class T, class... V>
inline constexpr bool fills = Shape<T>::length == 0 || sizeof...(V) == Shape<T>::length ||
                              (sizeof...(V) == 1 && (std::is_null_pointer_v<V> && ...));

constexpr void write_type(TextWriter& w, const char* name, bool nullable) {
  w.key("type");
  if (!nullable) return w.value(name);
  w.open('[');
  w.value(name);
  w.raw(", \"null\"]");
}

constexpr void write_words(TextWriter& w, const Facts& facts, bool nullable) {
  w.key("enum");
  w.open('[');
  for (size_t i = 0; i < facts.words.count; ++i) {
    w.next();
    w.value(facts.words.list[i]);
    nullable = nullable && facts.words.list[i];
  }
  if (nullable) w.raw(", null");
  w.close(']');
}

// The members of the schema of a T.
template <class T>
constexpr void write_schema(TextWriter& w, const Facts& facts, bool nullable = false,
                            bool is_element = false) {
  using S = Shape<T>;
  if constexpr (S::is_optional) {
    write_schema<typename S::Element>(w, facts, !facts.may_be_absent);
  } else if constexpr (S::is_list) {
    write_type(w, "array", nullable);
    if constexpr (S::length > 0) {
      w.member("minItems", S::length);
      w.member("maxItems", S::length);
    } else if (!is_element) {
      w.member("minItems", facts.min_items);
      w.member("maxItems", facts.max_items);
    }
    w.key("items");
    w.open('{');
    write_schema<typename S::Element>(w, facts, false, true);
    w.close('}');
  } else if constexpr (is_child<T>) {
    if constexpr (std::is_same_v<T, ChildFunction>)
      w.member("x-broch-function", true);
    else
      w.member("x-broch-component", T::Role::name);
    w.member("x-broch-same-seed", facts.same_seed);
  } else if constexpr (has_schema<T>) {
    T::schema.write(w, nullable);
  } else if constexpr (!std::is_same_v<T, JsonText>) {
    if (facts.words.count)
      write_words(w, facts, nullable);
    else if constexpr (std::is_same_v<T, bool>)
      write_type(w, "boolean", nullable);
    else if constexpr (std::is_integral_v<T>)
      write_type(w, "integer", nullable);
    else if constexpr (std::is_floating_point_v<T>)
      write_type(w, "number", nullable);
    else if constexpr (std::is_same_v<T, std::string>)
      write_type(w, "string", nullable);
    else if constexpr (std::is_enum_v<T>)
      throw "the words of an enum are missing: use one_of";
    else
      static_assert(std::is_enum_v<T>, "options.hpp lists the types that an option can have");
    w.member("minimum", facts.minimum);
    w.member("maximum", facts.maximum);
    w.member("exclusiveMinimum", facts.above);
    w.member("exclusiveMaximum", facts.below);
    w.member("minLength", facts.min_length);
    w.member("maxLength", facts.max_length);
    w.member("pattern", facts.pattern);
    w.member("x-broch-path", facts.path);
  }
}

constexpr void write_default(TextWriter& w, const Facts& facts, bool is_null) {
  if (is_null) return w.member("default", nullptr);
  if (!facts.list.given) return w.member("default", facts.standard);
  w.key("default");
  w.open('[');
  for (size_t i = 0; i < facts.list.size; ++i) {
    w.next();
    w.value(facts.list.values[i]);
  }
  w.close(']');
}

}  // namespace glue
}  // namespace v0
}  // namespace broch
