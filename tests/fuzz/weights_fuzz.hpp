// weights_fuzz.hpp: reads all tensors of a file.
#pragma once
#include <archive/inflate.hpp>
#include <archive/zip_writer.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "weights/weights.hpp"

namespace fuzz {

inline void read_all(std::string_view bytes, const char* name) {
  try {
    const auto weights = broch::weights::parse(bytes, name);
    std::vector<std::byte> room;
    for (size_t i = 0; i < weights->tensors().size(); ++i) weights->read(i, room);
  } catch (const broch::base::Error&) {
  }
}

// A zip file in memory, so that no checksum hides its content from the fuzzer.
class Zip {
 public:
  Zip() : writer_([this](std::string_view bytes) { bytes_ += bytes; }) {}
  void add(const std::string& name, std::string_view content) {
    writer_.begin(name, content.size(), broch::archive::crc32_of(content));
    writer_.append(content);
  }
  const std::string& finish() {
    writer_.finish();
    return bytes_;
  }

 private:
  std::string bytes_;
  broch::archive::ZipWriter writer_;
};

}  // namespace fuzz
