// pt2_fuzz.cpp: any bytes as what a .pt2 file says of its weights: tensors or an Error. The
// elements of a weight follow after a zero byte.
#include <cstddef>
#include <cstdint>

#include "weights_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string_view config = bytes.substr(0, bytes.find('\0'));
  fuzz::Zip zip;
  zip.add("m/archive_format", "pt2");
  zip.add("m/data/weights/model_weights_config.json", config);
  zip.add("m/data/weights/weight_0", bytes.substr(std::min(size, config.size() + 1)));
  zip.add("m/data/weights/weight_1", std::string(96, 'x'));
  fuzz::read_all(zip.finish(), "fuzz.pt2");
  return 0;
}
