// file_arrays.hpp: which array of a file of NumPy is which component.
#pragma once
#include <string>
#include <vector>

#include "absent.hpp"
#include "predict/model.hpp"
#include "value/value.hpp"

namespace broch::predict {

struct ArrayFile {
  std::string path;
  bool has_names = false;  // .npz
};

// Sets the option "components" of the dataflow that reads the file. like: the dataflow of the
// training data, with components of its own; nullptr: it reads no arrays. known: what these
// components are; empty: it is unknown which are needed. Throws base::Error (data) if the file
// lacks an array.
void choose_arrays(value::Value& with, const ArrayFile& file, const value::Value* like,
                   const std::vector<SourceComponent>& known, const Ports& ports);

}  // namespace broch::predict
