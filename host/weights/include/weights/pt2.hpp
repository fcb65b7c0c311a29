// pt2.hpp: exported programs of PyTorch with other weights.
#pragma once
#include <filesystem>
#include <vector>

#include "weights/edit.hpp"

namespace broch::weights {

// Writes `source`, a file of torch.export.save of PyTorch 2.6 or newer, as `target`, with these
// elements in place of its own where names are the same; everything else is copied. Replaces the
// file atomically. Throws base::Error: (checkpoint) for the source, a tensor of another type or
// shape, or items that it does not have; (data) for the target.
void write_pt2(const std::filesystem::path& source, const std::filesystem::path& target,
               const std::vector<Item>& items);

}  // namespace broch::weights
