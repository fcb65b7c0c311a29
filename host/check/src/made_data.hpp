// made_data.hpp: a little data for a model, made from its signature.
#pragma once
#include <string>

#include "abi/roles.hpp"
#include "value/value.hpp"

namespace broch::check {

// An entry for a manifest. key: "dataflow" or "data".
struct MadeData {
  const char* key;
  value::Value entry;
};

// A few data points: the model's example if it has one; otherwise numbers from 0 to 1, and zeros
// for integers, because 0 is valid as a class and as an index. Unknown dimensions have size 2.
// Writes files into the working directory.
MadeData data_for(abi::Model& model);

}  // namespace broch::check
