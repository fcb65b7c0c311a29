// tfrecord_fuzz.cpp: any bytes as a record file, as the index of one, and as an example, since a
// fuzzer does not find the checksums of a record.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "broch/cpp/error.hpp"
#include "containers/example.hpp"
#include "containers/tfrecord.hpp"

using namespace broch::archive;
using namespace containers;

namespace {

void read_file(std::string_view bytes) {
  try {
    const Memory file(bytes, "fuzz.tfrecord");
    const std::vector<uint64_t> offsets = index_tfrecord(file);
    for (size_t i = 0; i + 1 < offsets.size(); ++i) read_record(file, offsets[i], offsets[i + 1]);
  } catch (const broch::Error&) {
  }
  if (const auto offsets = parse_tfrecord_index(bytes, bytes.size()))
    if (offsets->back() != bytes.size()) __builtin_trap();
}

void read_example(std::string_view bytes) {
  const std::vector<FeatureOptions> wanted = {{"image", {}, kInt64},
                                              {"label", std::vector<int64_t>{}, {}},
                                              {"box", std::vector<int64_t>{2, 2}, {}}};
  try {
    const std::vector<Feature> found = parse_example(bytes, wanted, "fuzz");
    for (size_t i = 0; i < wanted.size(); ++i) component_of(found[i], wanted[i], "fuzz");
  } catch (const broch::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_file(bytes);
  read_example(bytes);
  return 0;
}
