// option_reader.hpp: reads options into the fields of a struct. Part of options.hpp.
#pragma once
#include <limits>
#include <tuple>
#include <utility>

#include "config.hpp"
#include "option_schema.hpp"

namespace broch {
inline namespace v0 {
namespace glue {

[[noreturn, gnu::noinline]] inline void refuse_option(std::string pointer, const char* reason) {
  pointer += ": ";
  pointer += reason;
  throw Error(BROCH_E_INVALID_ARGUMENT, pointer);
}

[[gnu::noinline]] inline std::string pointer_to(const std::string& at, const char* name) {
  std::string pointer = at;
  pointer += '/';
  pointer += name;
  return pointer;
}

template <class T>
T whole_number(const Config& config, const std::string& pointer) {
  using Limits = std::numeric_limits<T>;
  const int64_t value = config.integer(pointer);
  bool fits = true;
  if constexpr (std::is_unsigned_v<T>)
    fits = value >= 0 && static_cast<uint64_t>(value) <= Limits::max();
  else
    fits = value >= Limits::min() && value <= Limits::max();
  if (fits) return static_cast<T>(value);
  const std::string range = std::to_string(Limits::min()) + " to " + std::to_string(Limits::max());
  refuse_option(pointer, ("found " + std::to_string(value) + ", expected " + range).c_str());
}

template <class T>
T real_number(const Config& config, const std::string& pointer) {
  const double value = config.number(pointer);
  if constexpr (sizeof(T) < sizeof(double)) {
    constexpr double kMost = std::numeric_limits<T>::max();
    if (value < -kMost || value > kMost)
      refuse_option(pointer, ("found " + number_text(value) + ", expected " + number_text(-kMost) +
                              " to " + number_text(kMost))
                                 .c_str());
  }
  return static_cast<T>(value);
}

// The place of the option's word among those that are not null.
inline int place_of_word(const std::string& word, const std::string& pointer, const Words& words) {
  int place = 0;
  for (size_t i = 0; i < words.count; ++i) {
    if (!words.list[i]) continue;
    if (word == words.list[i]) return place;
    ++place;
  }
  refuse_option(pointer, "none of the words of its schema");
}

// The struct of a schema. Source::get() is its list of options.
template <class Source, class T>
void read_struct(const Config& config, const std::string& at, T& to);

template <class T>
struct SchemaOf {
  static constexpr const auto& get() { return T::schema; }
};

// words: of an enum, otherwise nullptr. Options are read seldom, so the code is kept small.
template <class T>
[[gnu::noinline]] void read_value(const Config& config, const std::string& at, T& to,
                                  const Words* words) {
  using S = Shape<T>;
  if constexpr (S::is_optional) {
    to.reset();
    if (config.has(at)) read_value(config, at, to.emplace(), words);
  } else if constexpr (S::is_list) {
    // A single text counts as a list of one, as in Config::strings.
    const bool is_one = S::length == 0 && config.kind(at) == BROCH_CONFIG_STRING;
    const size_t size = is_one ? 1 : static_cast<size_t>(config.size(at));
    if constexpr (S::length == 0)
      to.clear();
    else if (size != S::length)
      refuse_option(at, "the list has another length than its schema says");
    for (size_t i = 0; i < size; ++i) {
      typename S::Element element{};
      read_value(config, is_one ? at : pointer_to(at, std::to_string(i).c_str()), element, words);
      if constexpr (S::length == 0)
        to.push_back(std::move(element));
      else
        to[i] = std::move(element);
    }
  } else if constexpr (is_child<T>) {
    to = T(config.host(), at);
  } else if constexpr (has_schema<T>) {
    read_struct<SchemaOf<T>>(config, at, to);
  } else if constexpr (std::is_same_v<T, JsonText>) {
    to.text = config.json(at);
  } else if constexpr (std::is_enum_v<T>) {
    to = static_cast<T>(place_of_word(config.string(at), at, *words));
  } else if constexpr (std::is_same_v<T, bool>) {
    to = config.boolean(at);
  } else if constexpr (std::is_integral_v<T>) {
    to = whole_number<T>(config, at);
  } else if constexpr (std::is_floating_point_v<T>) {
    to = real_number<T>(config, at);
  } else {
    to = config.string(at);
  }
}

template <class Source, size_t I>
struct PartOf {
  static constexpr const auto& get() { return std::get<I>(Source::get().parts); }
};

// A part of a list of options: an option, or the options of a base. The names and fields are
// constants here, so that the schema itself is not needed at run time and stays out of the file.
template <class Source, class T>
void read_part(const Config& config, const std::string& at, T& to) {
  if constexpr (std::decay_t<decltype(Source::get())>::is_list) {
    read_struct<Source>(config, at, to);
  } else {
    constexpr const char* kName = Source::get().facts.name;
    constexpr bool kMayBeAbsent = Source::get().facts.may_be_absent;
    constexpr auto kField = Source::get().field;
    const std::string pointer = pointer_to(at, kName);
    if (kMayBeAbsent && config.kind(pointer) == BROCH_CONFIG_ABSENT) return;
    auto& field = to.*kField;
    if constexpr (std::is_enum_v<typename Innermost<std::decay_t<decltype(field)>>::type>) {
      constexpr Words kWords = Source::get().facts.words;
      read_value(config, pointer, field, &kWords);
    } else {
      read_value(config, pointer, field, nullptr);
    }
  }
}

template <class Source, class T, size_t... I>
void read_parts(const Config& config, const std::string& at, T& to, std::index_sequence<I...>) {
  (read_part<PartOf<Source, I>>(config, at, to), ...);
}

template <class Source, class T>
void read_struct(const Config& config, const std::string& at, T& to) {
  using Parts = std::decay_t<decltype(Source::get().parts)>;
  read_parts<Source>(config, at, to, std::make_index_sequence<std::tuple_size_v<Parts>>{});
}

}  // namespace glue

// The options of this instance as they are now. Throws Error if one does not fit into its field.
template <class Options>
[[gnu::noinline]] Options read(const Host& host) {
  Options options{};
  glue::read_struct<glue::SchemaOf<Options>>(Config(host), "", options);
  return options;
}

}  // namespace v0
}  // namespace broch
