// pt2_layout.hpp: where an exported program of PyTorch has its weights and constants.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "readers.hpp"

namespace broch::weights {

// file: of torch.save, a member of the program; "": the tensors are members themselves.
struct Pt2Part {
  std::string file;
  std::shared_ptr<const LocatedWeights> weights;
};

// folder: of the program, with a slash, or "".
std::vector<Pt2Part> parts_of(const Members& members, const std::string& folder);
// nullopt: the archive is no exported program.
std::optional<std::string> pt2_folder(const Members& members);

}  // namespace broch::weights
