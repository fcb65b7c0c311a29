// exported_fuzz.cpp: any bytes as a .pt2 file, as the tensors inside of an older one, as a program,
// or as the description of a stored tensor: an Error or what they say.
#include <cstddef>
#include <cstdint>
#include <string>

#include "broch/cpp/error.hpp"
#include "models/exported/state_dict.hpp"

namespace {

using namespace exported;

template <class Read>
void try_to(Read read) {
  try {
    read();
  } catch (const broch::Error&) {
  }
}

// A list of descriptions as in a file.
void read_stored(std::string_view text) {
  const nlohmann::json list = parsed(text, "fuzz.json");
  const std::string storage(256, 'x');
  Json(list, "fuzz.json: list").for_each(1000, [&](const Json& one) {
    const Layout layout = layout_of(one);
    if (layout.meta.dtype) stored_of(layout, storage, "0", "fuzz");
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with("PK")) {
    try_to([&] { archive_of(broch::archive::Memory(bytes, "fuzz.pt2")); });
    try_to([&] { state_dict_of(bytes, "fuzz.pt"); });
  } else if (bytes.starts_with("[")) {
    try_to([&] { read_stored(bytes); });
  } else {
    try_to([&] { program_of(bytes, "fuzz.json"); });
  }
  return 0;
}
