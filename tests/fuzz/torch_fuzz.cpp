// torch_fuzz.cpp: any bytes as the pickle of a file of torch.save, and as such a file of before
// PyTorch 1.6: tensors or an Error.
#include <cstddef>
#include <cstdint>

#include "weights_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Zip zip;
  zip.add("m/data.pkl", {reinterpret_cast<const char*>(data), size});
  for (const char* storage : {"0", "1", "2", "3"})
    zip.add(std::string("m/data/") + storage, std::string(96, 'x'));
  fuzz::read_all(zip.finish(), "fuzz.pt");
  fuzz::read_all({reinterpret_cast<const char*>(data), size}, "legacy.pt");
  return 0;
}
