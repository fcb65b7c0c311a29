// preprocessing_fuzz.cpp: any bytes as what a bundle says of its samples: steps or an Error. What
// was read is written, and read again as the same. Files to which it refers are in the bundle.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/error.hpp"
#include "predict/preprocessing.hpp"

using namespace broch;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const bundle::Files files = {{"words.txt", "a"}};
  predict::Preprocessing read;
  try {
    read =
        predict::preprocessing_from({reinterpret_cast<const char*>(data), size}, "bundle", files);
  } catch (const base::Error&) {
    return 0;
  }
  predict::transforms_of(read);
  for (value::Value& step : read.steps)
    predict::for_each_reference(step, [&](const value::Value& option) {
      if (!predict::file_of(read, option.string())) std::abort();
    });
  const std::string text = predict::to_text(read);
  if (predict::to_text(predict::preprocessing_from(text, "bundle", files)) != text) std::abort();
  return 0;
}
