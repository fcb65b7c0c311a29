// made_options.hpp: options made from a schema.
#pragma once
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "subject.hpp"

namespace broch::check {

// What --with gives for the component, else the fewest that its schema asks for. Throws Skipped
// when the host's own check refuses them, which is then the reason.
manifest::Value usual_options(Subject& subject);

// Options that fit the schema and go to its limits. Nothing when the schema is too strict to be met
// by chance. The same seed and number give the same.
std::optional<manifest::Value> random_options(Subject& subject, int number);

struct Invalid {
  std::string what;  // "without /patience"
  manifest::Value options;
};
// Options of which each breaks the schema in one place.
std::vector<Invalid> invalid_options(Subject& subject);

}  // namespace broch::check
