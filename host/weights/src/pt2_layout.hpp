// pt2_layout.hpp: where an exported program of PyTorch has its parts.
#pragma once
#include <string>

#include "readers.hpp"

namespace broch::weights {

// "model" of models/model.json, which torch.export.save writes; the only one of another program.
std::string model_of(const Members& members, const std::string& folder);

}  // namespace broch::weights
