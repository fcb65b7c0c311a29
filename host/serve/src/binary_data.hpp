// binary_data.hpp: the bytes after the JSON of a request.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tensor.hpp"

namespace broch::serve {

// Inputs take their bytes one after the other; these stay where they are. where: the input, for
// messages. All throw Refusal.
class BinaryData {
 public:
  explicit BinaryData(std::string_view bytes) : left_(bytes) {}

  // What no input has taken yet.
  std::string_view left() const { return left_; }
  // size: what the request says; it has to be that of the tensor.
  const std::byte* take_tensor(const runtime::TensorInfo& info, size_t size,
                               const std::string& where);
  // size: of all files and their lengths, which stand before each.
  std::vector<std::string_view> take_files(int64_t count, size_t size, const std::string& where);

 private:
  std::string_view take(size_t size, const std::string& where);

  std::string_view left_;
};

}  // namespace broch::serve
