// manifest_fuzz.cpp: any bytes as a manifest: values or an Error.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/error.hpp"
#include "manifest/manifest.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace broch::manifest;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    load_source(std::make_shared<const Source>(Source{"fuzz.json", "/", text}));
  } catch (const broch::base::Error&) {
  }
  return 0;
}
