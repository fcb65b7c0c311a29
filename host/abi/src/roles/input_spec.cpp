// input_spec.cpp: checks the specification of an input, and makes the array for plugins.
#include "abi/roles/input_spec.hpp"

#include <cstdio>

#include "abi/serve.hpp"
#include "base/text.hpp"
#include "broch/ext/tensor.h"

namespace broch::abi {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& found,
                         const std::string& expected) {
  throw CallError(BROCH_E_INVALID_ARGUMENT,
                  "input " + base::quoted(name) + ": " + found + ", expected " + expected);
}

void check_name(const std::string& name, const std::vector<InputSpec>& before) {
  if (name.empty() || name.find_first_of(":/ ") != std::string::npos || !base::is_utf8(name))
    refuse(name, "a bad name", "UTF-8, not empty, without ':', '/' and space");
  for (const InputSpec& other : before)
    if (other.name == name) refuse(name, "the name of an earlier input", "a name of its own");
}

void check_shape(const InputSpec& spec) {
  for (const int64_t size : spec.shape)
    if (size < -1)
      refuse(spec.name, "dimension " + std::to_string(size), "a size, or -1 for unknown");
}

// The end of the struct, where a newer header may have members that this host does not know.
void check_unused(const std::string& name, const char* member, uint32_t value) {
  if (value == 0) return;
  char text[32];
  std::snprintf(text, sizeof text, "unknown %s 0x%x", member, value);
  refuse(name, text, "0; update Broch, or leave them out");
}

// All known sizes of dimensions with the same name must be equal.
void check_dims(const InputSpec& spec, const std::vector<InputSpec>& before) {
  const auto compare = [&spec](size_t index, const InputSpec& other, size_t at) {
    const int64_t size = spec.shape[index];
    if (spec.dims[index].empty() || spec.dims[index] != other.dims[at]) return;
    if (size < 0 || other.shape[at] < 0 || size == other.shape[at]) return;
    refuse(spec.name, "dimension \"" + spec.dims[index] + "\" of size " + std::to_string(size),
           std::to_string(other.shape[at]) + " as in input '" + other.name + "'");
  };
  for (size_t i = 0; i < spec.dims.size(); ++i) {
    if (!base::is_utf8(spec.dims[i])) refuse(spec.name, "a bad name of a dimension", "UTF-8");
    for (const InputSpec& other : before)
      for (size_t at = 0; at < other.dims.size(); ++at) compare(i, other, at);
    for (size_t at = 0; at < i; ++at) compare(i, spec, at);
  }
}

}  // namespace

InputSpec read_input_spec(const broch_input_spec& input, const std::vector<InputSpec>& before) {
  InputSpec spec;
  spec.name = input.name ? input.name : "";
  check_name(spec.name, before);
  check_unused(spec.name, "flags", input.flags);
  check_unused(spec.name, "reserved bits", input.reserved);
  spec.dtype = input.dtype;
  if (input.dtype < BROCH_FLOAT32 || input.dtype > BROCH_COMPLEX128)
    refuse(spec.name, "dtype " + std::to_string(input.dtype), "one of value.h, 1 to 12");
  if (input.rank > BROCH_RANK_MAX)
    refuse(spec.name, "rank " + std::to_string(input.rank), "at most 8");
  if (input.rank > 0 && !input.shape) refuse(spec.name, "no shape", "as many sizes as the rank");
  if (input.rank > 0) spec.shape.assign(input.shape, input.shape + input.rank);
  check_shape(spec);
  for (uint32_t i = 0; i < input.rank; ++i)
    spec.dims.emplace_back(input.dims && input.dims[i] ? input.dims[i] : "");
  check_dims(spec, before);
  return spec;
}

SpecArray::SpecArray(const std::vector<InputSpec>& specs) {
  for (const InputSpec& spec : specs) {
    std::vector<const char*>& dims = dims_.emplace_back();
    for (const std::string& dim : spec.dims) dims.push_back(dim.empty() ? nullptr : dim.c_str());
    array_.push_back({spec.name.c_str(), spec.shape.data(), dims.data(),
                      static_cast<uint32_t>(spec.shape.size()), spec.dtype, 0, 0});
  }
}

}  // namespace broch::abi
