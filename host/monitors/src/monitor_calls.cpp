// monitor_calls.cpp: the copies, each with one owner of all its memory.
#include "monitors/monitor_calls.hpp"

#include <string>
#include <vector>

#include "base/error.hpp"
#include "runtime/dlpack.hpp"

namespace broch::monitors {

namespace {

constexpr size_t kCallBytes = 128;  // of a call without arguments, about

using Tensor = std::unique_ptr<broch_dl_managed, decltype(&runtime::dl_delete)>;

Tensor copy_of(const char* name, const broch_dl_tensor& tensor) {
  if (runtime::describe_dl(tensor).device.type != BROCH_DL_CPU)
    throw base::Error{base::Exit::data,
                      {std::string("summary '") + name + "'", "a tensor on another device",
                       "one on the CPU", "copy it there first"}};
  return {runtime::dl_clone(tensor), &runtime::dl_delete};
}

// Summaries, and what they point to.
struct Summary {
  struct Owned {
    std::string tag, bytes;
    Tensor tensor{nullptr, &runtime::dl_delete};
  };
  explicit Summary(std::span<const broch_summary_value> given)
      : values(given.begin(), given.end()), owned(given.size()) {
    for (size_t i = 0; i < values.size(); ++i) own(values[i], owned[i]);
  }

  std::vector<broch_summary_value> values;
  std::vector<Owned> owned;
  size_t bytes = kCallBytes;

 private:
  void own(broch_summary_value& value, Owned& kept) {
    kept.tag = value.tag;
    value.tag = kept.tag.c_str();
    if (value.bytes) {
      kept.bytes.assign(static_cast<const char*>(value.bytes), value.size);
      value.bytes = kept.bytes.data();
    }
    if (value.tensor) {
      kept.tensor = copy_of(value.tag, *value.tensor);
      value.tensor = &kept.tensor->dl_tensor;
      bytes += runtime::dl_bytes(*value.tensor);
    }
    bytes += sizeof value + sizeof kept + kept.tag.size() + kept.bytes.size();
  }
};

}  // namespace

SharedCall copy_scalar(const char* name, double value) {
  const std::string kept = name;
  return std::make_shared<MonitorCall>(
      [kept, value](abi::Monitor& monitor) { monitor.process_scalar(kept.c_str(), value); },
      kCallBytes + kept.size(), 1);
}

SharedCall copy_summary(std::span<const broch_summary_value> values) {
  const auto kept = std::make_shared<Summary>(values);
  return std::make_shared<MonitorCall>(
      [kept](abi::Monitor& monitor) { monitor.process_summary(kept->values); }, kept->bytes,
      values.size());
}

SharedCall copy_image(const char* name, const broch_dl_tensor& image) {
  const std::string kept = name;
  const std::shared_ptr<broch_dl_managed> pixels(copy_of(name, image));
  return std::make_shared<MonitorCall>(
      [kept, pixels](abi::Monitor& monitor) {
        monitor.process_image(kept.c_str(), pixels->dl_tensor);
      },
      kCallBytes + runtime::dl_bytes(image), size_t(image.shape[0]));
}

SharedCall copy_event(const char* kind, const void* data, uint64_t size) {
  const std::string kept = kind, text(static_cast<const char*>(data), size);
  return std::make_shared<MonitorCall>(
      [kept, text](abi::Monitor& monitor) {
        monitor.process_event(kept.c_str(), text.data(), text.size());
      },
      kCallBytes + text.size(), 1);
}

}  // namespace broch::monitors
