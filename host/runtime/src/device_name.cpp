// device_name.cpp: reads the names of devices.
#include "runtime/device_name.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::runtime {
namespace {

[[noreturn]] void refuse_device(const std::string& text) {
  throw base::Error(
      base::Exit::manifest,
      {.where = "device " + base::quoted(text),
       .found = "a name that no device has",
       .expected = "cpu, cpu:N, cuda, cuda:N, auto or auto:N with N from 0 to 4095",
       .hint = "write \"cpu:0\" for the first CPU tower, \"cuda:0\" for the first GPU"});
}

struct DeviceName {
  std::string type;
  int32_t index = -1;  // -1: none is given
};

DeviceName parse(const std::string& text) {
  const size_t colon = text.find(':');
  DeviceName name{text.substr(0, colon)};
  if (name.type != "cpu" && name.type != "cuda" && name.type != "auto") refuse_device(text);
  if (colon == std::string::npos) return name;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, name.index);
  if (error != std::errc() || rest != end || name.index < 0 || name.index > 4095)
    refuse_device(text);
  return name;
}

}  // namespace

void require_device_name(const std::string& text) { parse(text); }

Device named_device(const std::string& text, uint32_t local_rank,
                    const std::function<bool()>& has_gpu) {
  const DeviceName name = parse(text);
  const bool is_gpu = name.type == "cuda" || (is_auto(text) && has_gpu());
  if (!is_gpu) return {BROCH_DL_CPU, std::max(name.index, 0)};
  return {BROCH_DL_CUDA, name.index < 0 ? static_cast<int32_t>(local_rank) : name.index};
}

bool is_auto(const std::string& device_name) { return device_name.starts_with("auto"); }

}  // namespace broch::runtime
