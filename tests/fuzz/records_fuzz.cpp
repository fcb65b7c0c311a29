// records_fuzz.cpp: any bytes as the records of a run, read at once and in two parts, and as the
// target of a request.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "records.hpp"
#include "refusal.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  broch::ui::Records whole, parts;
  whole.add(text);
  const size_t understood = parts.add(text.substr(0, size / 2));
  parts.add(text.substr(understood));
  if (whole.size() != parts.size() || whole.columns().size() != parts.columns().size())
    std::abort();
  for (size_t row = 0; row < whole.size(); ++row) whole.epoch(row);
  try {
    broch::ui::parse_target(text);
  } catch (const broch::ui::Refusal&) {
  }
  return 0;
}
