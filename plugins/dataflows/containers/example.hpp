// example.hpp: tf.train.Example, a map from names to lists of byte strings, floats or integers.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "containers/component.hpp"

namespace containers {

// The values of one feature as they lie in the bytes of an example.
struct Feature {
  enum class Kind { none, bytes, floats, integers };
  Kind kind = Kind::none;
  std::vector<std::string_view> bytes;
  std::vector<float> floats;
  std::vector<int64_t> integers;
};

// What a component is made of.
struct FeatureOptions {
  std::string feature;                        // its name
  std::optional<std::vector<int64_t>> shape;  // none: [n]
  std::optional<broch_dl_type> type;          // of the elements in a byte string; none: uint8
};

// Finds features by name in the bytes of an example; the others are skipped. A name that does not
// occur gives Kind::none. place: for messages. Throws Error if the bytes are no example.
std::vector<Feature> parse_example(std::string_view bytes,
                                   const std::vector<FeatureOptions>& wanted,
                                   const std::string& place);

// Throws Error if the values do not fit the options. The component borrows byte strings.
Component component_of(const Feature& feature, const FeatureOptions& options,
                       const std::string& place);

// The reverse, for convert: uint8 vectors become byte strings, int64 lists of integers, float32
// lists of floats; other types become byte strings of their elements, which need the option dtype.
std::string example_of(const std::vector<Named>& features);

}  // namespace containers
