// files.hpp: the files of a bundle, which the steps before the inputs of its model need, such as a
// vocabulary. In the safetensors file each is a tensor of bytes, "broch.file/NAME".
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace broch::bundle {

using Files = std::map<std::string, std::string>;               // the bytes, by name
inline constexpr uint64_t kMostFileBytes = uint64_t{64} << 20;  // of all files together

// Whether a file of a bundle can be called so: a name alone, without a folder.
bool is_file_name(const std::string& name);

}  // namespace broch::bundle
