// tagged.hpp: options that are one of several structs, told apart by the word under one key:
//   {"layer": "conv2d", "channels": 32}
// Each struct derives from a common base and has kKind (its word), kDescription and schema.
#pragma once
#include <broch/broch.hpp>
#include <memory>
#include <tuple>

namespace broch {

// The schema of one of the structs.
template <class T>
constexpr void write_tagged(glue::TextWriter& w, const char* tag) {
  w.next();
  w.open('{');
  w.member("description", T::kDescription);
  w.member("type", "object");
  w.key("properties");
  w.open('{');
  w.key(tag);
  w.open('{');
  w.member("const", T::kKind);
  w.close('}');
  T::schema.write_property(w);
  w.close('}');
  w.key("required");
  w.open('[');
  w.next();
  w.value(tag);
  T::schema.write_required(w);
  w.close(']');
  w.member("additionalProperties", false);
  w.close('}');
}

// Those of all structs of a std::tuple, separated by commas.
template <class Tuple>
struct AllTagged;
template <class... T>
struct AllTagged<std::tuple<T...>> {
  static constexpr void write(glue::TextWriter& w, const char* tag) {
    (write_tagged<T>(w, tag), ...);
  }
  // The words of those structs that need no options, as a choice of its own: "mse" for
  // {"loss": "mse"}.
  static constexpr void write_words(glue::TextWriter& w) {
    w.next();
    w.open('{');
    w.member("type", "string");
    w.key("enum");
    w.open('[');
    (write_word<T>(w), ...);
    w.close(']');
    w.close('}');
  }
  // Reads the object, or the word, at this place.
  template <class Base>
  static std::unique_ptr<Base> read(const Config& config, const std::string& at, const char* tag) {
    const bool is_word = config.kind(at) == BROCH_CONFIG_STRING;
    const std::string kind = config.string(is_word ? at : at + "/" + tag);
    std::unique_ptr<Base> made;
    ((kind == T::kKind && (made = make<T>(config, is_word ? "" : at), true)) || ...);
    return made;
  }

 private:
  template <class One>
  static constexpr bool needs_no_options() {
    glue::TextWriter required;
    One::schema.write_required(required);
    return required.size() == 0;
  }
  template <class One>
  static constexpr void write_word(glue::TextWriter& w) {
    if constexpr (needs_no_options<One>()) {
      w.next();
      w.value(One::kKind);
    }
  }
  // at: "" for a word, whose options all have their first values.
  template <class One>
  static std::unique_ptr<One> make(const Config& config, const std::string& at) {
    auto one = std::make_unique<One>();
    if (!at.empty()) glue::read_struct<glue::SchemaOf<One>>(config, at, *one);
    return one;
  }
};

// Throws an error of what begins with the place of an option, which the host turns into file and
// line. A place that is already there is an inner one and stays.
template <class Call>
auto at_option(const std::string& pointer, const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const Error& error) {
    const std::string what = error.what();
    const bool is_ours = error.status() > 0 || error.status() == BROCH_E_RESOURCE_EXHAUSTED ||
                         error.status() == BROCH_E_NUMBERS || what.rfind('/', 0) == 0;
    if (is_ours) throw;
    throw Error(BROCH_E_INVALID_ARGUMENT, pointer + ": " + what);
  }
}

}  // namespace broch
