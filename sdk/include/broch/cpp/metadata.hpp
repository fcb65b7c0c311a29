// metadata.hpp: what the metadata says about a component (entry.h), written in C++.
//
//   BROCH_CALLBACK(Plateau, "org.example.plateau", "1.0.0", "Ends training on a plateau.",
//                  Options::schema, broch::consumes("{metric}"), broch::run_on("all"))
//
// After the summary follow, in any order: the options, as a list of options.hpp or as the text of a
// JSON Schema, and any of the members below. Without options the component has none. A library with
// several components lists them:
//
//   BROCH_COMPONENTS(
//       broch::component<A>("org.example.a", "callback", "1.0.0", "Summary.", A::Options::schema),
//       broch::component<B>("org.example.b", "monitor", "1.0.0", "Summary."))
#pragma once
#include "options.hpp"

namespace broch {
inline namespace v0 {
namespace glue {

// A member whose value is a list of N texts.
template <size_t N>
struct TextsMember {
  const char* key;
  const char* texts[N + 1];
  constexpr void write(TextWriter& w) const {
    w.key(key);
    w.open('[');
    for (size_t i = 0; i < N; ++i) {
      w.next();
      w.value(texts[i]);
    }
    w.close(']');
  }
};

struct TextMember {
  const char* key;
  const char* text;
  constexpr void write(TextWriter& w) const { w.member(key, text); }
};

struct JsonMember {
  const char* key;
  const char* json;
  constexpr void write(TextWriter& w) const {
    w.key(key);
    w.raw(json);
  }
};

template <class... Texts>
constexpr TextsMember<sizeof...(Texts)> texts_member(const char* key, Texts... texts) {
  return {key, {texts..., nullptr}};
}

// The options of a description are a list, or the text of a schema.
template <class Part>
inline constexpr bool is_options = std::is_same_v<Part, const char*>;
template <class... Parts>
inline constexpr bool is_options<OptionList<Parts...>> = true;

template <class Part>
constexpr void write_part(TextWriter& w, const Part& part) {
  if constexpr (!is_options<Part>) {
    part.write(w);
  } else if constexpr (std::is_same_v<Part, const char*>) {
    w.key("options");
    w.raw(part);
  } else {
    w.key("options");
    w.open('{');
    part.write(w);
    w.close('}');
  }
}

}  // namespace glue

// All metrics that the component may report and hyper-parameters that it sets. "{option}" is the
// value of that option. produces(): none.
template <class... Texts>
constexpr auto produces(Texts... names) {
  return glue::texts_member("produces", names...);
}
// Metrics that it needs; the texts are as in produces.
template <class... Texts>
constexpr auto consumes(Texts... names) {
  return glue::texts_member("consumes", names...);
}
// Extensions that it cannot do without, such as BROCH_EXT_CHECKPOINT; checked before create.
template <class... Texts>
constexpr auto requires_ext(Texts... ids) {
  return glue::texts_member("requires_ext", ids...);
}
// All roles that it provides, its own included.
template <class... Texts>
constexpr auto roles(Texts... names) {
  return glue::texts_member("roles", names...);
}
// The ranks that it runs on: "chief" or "all".
constexpr glue::TextMember run_on(const char* ranks) { return {"run_on", ranks}; }
// Trainer: what a manifest must have, of "model" and "input".
template <class... Texts>
constexpr auto needs(Texts... what) {
  return glue::texts_member("needs", what...);
}
// Trainer: the id of the input source around "dataflow"; requires_input: and "data" may be no
// other.
constexpr glue::TextMember default_input(const char* id) { return {"default_input", id}; }
constexpr glue::TextMember requires_input(const char* id) { return {"requires_input", id}; }
// Input source: the id of another one that the host puts around it if there are several devices.
constexpr glue::TextMember staged_by(const char* id) { return {"staged_by", id}; }
// Callback: its trigger evaluates the model, so that `broch eval` calls it.
constexpr glue::JsonMember evaluates() { return {"evaluates", "true"}; }
// Callback: stands before the metrics of the components in its options; as in produces.
constexpr glue::TextMember metric_prefix(const char* text) { return {"metric_prefix", text}; }
// Callback: its trigger is also called at the end of the training if this boolean option is true.
constexpr glue::TextMember triggers_at_end(const char* option) {
  return {"triggers_at_end", option};
}
// Model: `broch check` creates it; its constructor only reads, and throws whatever is wrong.
constexpr glue::JsonMember check_creates() { return {"check_creates", "true"}; }
// Dataflow: it only changes the order of the dataflow in this option.
constexpr glue::TextMember reorders(const char* option) { return {"reorders", option}; }
// Sink: the extensions of the files that it writes, such as ".npz", and the beginnings of the
// addresses that it sends to, such as "tcp://".
template <class... Texts>
constexpr auto extensions(Texts... names) {
  return glue::texts_member("extensions", names...);
}
// Any other member, as JSON.
constexpr glue::JsonMember member(const char* key, const char* json) { return {key, json}; }

// A component of a library: its class T, and what the metadata says about it.
template <class T, class... Parts>
struct Description {
  static_assert((0 + ... + int(glue::is_options<Parts>)) <= 1, "the options are given twice");
  using Class = T;
  // The struct that the constructor of T may take. NoOptions if the schema is a text.
  using Options = typename glue::MostDerived<typename glue::FilledBy<Parts>::type...>::type;

  const char *id, *role, *version, *summary;
  std::tuple<Parts...> parts;

  constexpr void write(glue::TextWriter& w) const {
    w.next();
    w.open('{');
    w.member("id", id);
    w.member("role", role);
    w.member("version", version);
    w.member("summary", summary);
    std::apply([&](const auto&... part) { (glue::write_part(w, part), ...); }, parts);
    if constexpr (!(glue::is_options<Parts> || ...)) glue::write_part(w, OptionList<>{});
    w.close('}');
  }
};

template <class T, class... Parts>
constexpr Description<T, Parts...> component(const char* id, const char* role, const char* version,
                                             const char* summary, Parts... parts) {
  return {id, role, version, summary, {parts...}};
}

namespace glue {

// The metadata of a library. Plugin::describe(visitor) calls the visitor with all descriptions.
template <class Plugin>
struct Metadata {
  static constexpr void write(TextWriter& w) {
    w.raw("{\"components\": [");
    Plugin::describe([&w](const auto&... described) { return (described.write(w), ..., 0); });
    w.raw("]");
    w.raw(Plugin::kMore);
    w.raw("}");
  }
};

}  // namespace glue
}  // namespace v0
}  // namespace broch
