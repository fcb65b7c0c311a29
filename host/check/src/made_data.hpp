// made_data.hpp: tiny data for a model, from its signature.
#pragma once
#include <string>

#include "abi/roles.hpp"
#include "manifest/value.hpp"

namespace broch::check {

// An entry of a manifest: "dataflow" or "data".
struct MadeData {
  const char* key;
  manifest::Value entry;
};

// A few points: the model's example where it has one, else numbers from 0 to 1, and zeros for
// integers, which are legal as classes and as indices. Unknown dimensions have two elements. Writes
// files into the working directory.
MadeData data_for(abi::Model& model);

}  // namespace broch::check
