// archive.hpp: a file that torch.export.save wrote: a program and the tensors that it needs.
#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "models/exported/program.hpp"
#include "weights/weights.hpp"

namespace exported {

// A tensor of the file. Its elements stay there until they are wanted.
struct Stored {
  std::string name;
  broch_dtype dtype = 0;  // 0: one that tensors of models do not have
  std::vector<int64_t> shape;
  std::string memory;  // two tensors with the same text are one and the same
  size_t index = 0;
};

class Archive {
 public:
  // They throw broch::Error with the file and the entry. bytes must stay.
  explicit Archive(const std::string& file);
  Archive(std::string_view bytes, const std::string& place);

  const Program& program() const { return program_; }
  const std::vector<Stored>& tensors() const { return tensors_; }
  // A parameter, buffer or constant of the program. Throws Error if the file does not have it,
  // or if it is no tensor, or of another type than those of models.
  const Stored& stored(const std::string& name) const;
  // Whether the file has it, but stored refuses it.
  bool is_foreign(const std::string& name) const;
  // Its elements, row-major without gaps; from any thread. Throws Error if the file is damaged.
  std::vector<std::byte> elements(const Stored& stored) const;

 private:
  void find_tensors();

  std::string place_;
  Program program_;
  std::unique_ptr<const broch::weights::Weights> weights_;
  std::vector<Stored> tensors_;
  std::unordered_map<std::string, size_t> by_name_;
  mutable std::mutex mutex_;  // of reads
};

}  // namespace exported
