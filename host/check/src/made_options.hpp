// made_options.hpp: generates options from a schema.
#pragma once
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "subject.hpp"

namespace broch::check {

// The options that --with gives for the component, otherwise the minimum that its schema requires.
// Throws Skipped, with the reason, if the host's own check refuses them.
value::Value usual_options(Subject& subject);

// Random options that fit the schema, including values at its limits. Nothing if no attempt fits
// the schema. The same seed and number give the same options.
std::optional<value::Value> random_options(Subject& subject, int number);

struct Invalid {
  std::string what;  // for example "without /patience"
  value::Value options;
};
// A list of options, each of which violates the schema in one place.
std::vector<Invalid> invalid_options(Subject& subject);

}  // namespace broch::check
