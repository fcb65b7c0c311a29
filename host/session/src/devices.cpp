// devices.cpp: what the names of devices in a manifest mean on this machine.
#include "devices.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "runtime/device_name.hpp"

namespace broch::session {
namespace {

using manifest::Value;

// The trainer's option "devices", which is a list, or "device", if the manifest gives it one.
std::vector<std::string> training_devices(const manifest::Manifest& manifest) {
  std::vector<std::string> names;
  const Value& options = manifest.trainer.with();
  const auto add = [&](const Value& name) {
    if (name.is(Value::Kind::string)) names.push_back(name.string());
  };
  if (const Value* device = options.find("device")) add(*device);
  if (const Value* devices = options.find("devices"); devices && devices->is(Value::Kind::array))
    for (const Value& device : devices->array()) add(device);
  return names;
}

std::vector<std::string> inference_devices(const manifest::Manifest& manifest) {
  std::vector<std::string> names = manifest.predict_devices;
  for (const int64_t tower : manifest.predict_tower)
    names.push_back(tower < 0 ? "cpu" : "auto:" + std::to_string(tower));
  return names;
}

// Without its hint, which is for those who want a GPU.
std::string why_not(const runtime::Backend& backend, runtime::Device device) {
  const std::string why = backend.why_not(device);
  return why.substr(0, why.find('\n'));
}

}  // namespace

std::vector<runtime::Device> predict_devices(const manifest::Manifest& manifest,
                                             uint32_t local_rank, const runtime::Backend& backend) {
  const auto has_gpu = [&] { return backend.has_device({BROCH_DL_CUDA}); };
  std::vector<runtime::Device> devices;
  for (const std::string& name : inference_devices(manifest))
    devices.push_back(runtime::named_device(name, local_rank, has_gpu));
  if (!devices.empty()) return devices;
  const std::vector<std::string> training = training_devices(manifest);
  if (training.empty()) return {runtime::Device{}};
  const runtime::Device first = runtime::named_device(training[0], local_rank, has_gpu);
  if (backend.has_device(first)) return {first};
  base::info("inference is on cpu:0, since this machine has no " + to_string(first) + ": " +
             why_not(backend, first));
  return {runtime::Device{}};
}

void tell_automatic_devices(const manifest::Manifest& manifest, const runtime::Backend& backend) {
  std::vector<std::string> names = inference_devices(manifest);
  for (std::string& name : training_devices(manifest)) names.push_back(std::move(name));
  if (!std::ranges::any_of(names, runtime::is_auto)) return;
  const runtime::Device gpu{BROCH_DL_CUDA};
  base::info(backend.has_device(gpu) ? "the devices auto are GPUs"
                                     : "the devices auto are CPU towers: " + why_not(backend, gpu));
}

}  // namespace broch::session
