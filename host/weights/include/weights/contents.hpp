// contents.hpp: whole files of weights.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "store/checkpoint.hpp"
#include "weights/weights.hpp"

namespace broch::weights {

// The tensors of any file in memory, as variables of a checkpoint.
class Contents {
 public:
  // Opens what find(path) gives; key: see open. Throws base::Error (checkpoint).
  explicit Contents(const std::filesystem::path& path, const std::string& key = "");
  const std::filesystem::path& file() const { return file_; }
  const store::CheckpointContents& contents() const { return contents_; }
  // Entries of the file that are not in contents(): see Weights::others.
  const std::vector<std::string>& others() const { return weights_->others(); }

 private:
  std::filesystem::path file_;
  std::unique_ptr<Weights> weights_;
  std::vector<std::vector<std::byte>> rooms_;
  store::CheckpointContents contents_;  // borrows from rooms_ and weights_
};

// Throws base::Error (checkpoint) if a byte of the file is wrong, as far as its format can tell.
void verify(const std::filesystem::path& file, const std::string& key = "");

}  // namespace broch::weights
