// archive.hpp: a file that torch.export.save wrote: a program and the tensors that it needs.
#pragma once
#include <memory>

#include "archive/source.hpp"
#include "models/exported/program.hpp"

namespace exported {

// A tensor of the file: its elements row-major without gaps.
struct Stored {
  TensorMeta meta;
  std::string bytes;
  std::string storage;  // two tensors with the same text are one and the same
  bool is_parameter = false;

  std::vector<int64_t> shape() const;
};

struct Archive {
  Program program;
  std::map<std::string, Stored> weights, constants;  // by name

  // The tensor that an input of the program is; nullptr: the file does not have it.
  const Stored* stored(const Input& input) const;
};

// Reads everything. Throws broch::Error with the file and the entry.
Archive archive_of(const broch::archive::Source& file);

}  // namespace exported
