// devices.cpp: what the names of devices in a manifest mean on this machine.
#include "devices.hpp"

#include <algorithm>
#include <set>

#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "runtime/device_name.hpp"

namespace broch::session {
namespace {

using manifest::Value;

// The name of a device, and where it was written.
struct Named {
  std::string name;
  manifest::Origin origin;
  std::string pointer;
};

// The trainer's option "devices", which is a list, or "device", if the manifest gives it one.
std::vector<Named> training_devices(const manifest::Manifest& manifest) {
  std::vector<Named> names;
  const Value& options = manifest.trainer.with();
  const auto add = [&](const Value& name, const std::string& within) {
    if (name.is(Value::Kind::string))
      names.push_back({name.string(), name.origin(), manifest.trainer.pointer + "/with" + within});
  };
  if (const Value* device = options.find("device")) add(*device, "/device");
  const Value* const devices = options.find("devices");
  for (size_t i = 0; devices && devices->is(Value::Kind::array) && i < devices->array().size(); ++i)
    add(devices->array()[i], manifest::child_pointer("/devices", i));
  return names;
}

std::vector<Named> inference_devices(const manifest::Manifest& manifest) {
  std::vector<Named> names;
  const auto add = [&](const std::string& name, const std::string& key) {
    const Value* const value = manifest.value.find(key);
    names.push_back({name, value ? value->origin() : manifest::Origin{}, "/" + key});
  };
  for (const std::string& name : manifest.predict_devices) add(name, "predict_devices");
  for (const int64_t tower : manifest.predict_tower)
    add(tower < 0 ? "cpu" : "auto:" + std::to_string(tower), "predict_tower");
  return names;
}

std::vector<Named> all_devices(const manifest::Manifest& manifest) {
  std::vector<Named> names = inference_devices(manifest);
  for (Named& one : training_devices(manifest)) names.push_back(std::move(one));
  return names;
}

// Without its hint, which is for those who want a GPU.
std::string why_not(const runtime::Backend& backend, runtime::Device device) {
  const std::string why = backend.why_not(device);
  return why.substr(0, why.find('\n'));
}

// Why there is no such device. A GPU that is named without a number may be missing because the
// launcher shows each rank its own one alone.
std::string remedy(const runtime::Backend& backend, const Named& one, runtime::Device device) {
  runtime::Device gpu{BROCH_DL_CUDA, 0};
  while (backend.has_device(gpu)) ++gpu.index;
  if (gpu.index == 0 || one.name.find(':') != std::string::npos) return backend.why_not(device);
  return "this process sees " + base::counted(gpu.index, "GPU") + ": name \"" + one.name +
         ":0\" if the launcher gives each rank its own";
}

}  // namespace

void require_present_devices(const manifest::Manifest& manifest, bool trains, uint32_t local_rank,
                             const runtime::Backend& backend) {
  const auto has_gpu = [&] { return backend.has_device({BROCH_DL_CUDA}); };
  for (const Named& one : trains ? all_devices(manifest) : inference_devices(manifest)) {
    const runtime::Device device = runtime::named_device(one.name, local_rank, has_gpu);
    if (!backend.has_device(device))
      throw manifest::fault_at(one.origin, one.pointer,
                               {"the device " + to_string(device), "a device of this machine",
                                remedy(backend, one, device)});
  }
}

std::vector<runtime::Device> predict_devices(const manifest::Manifest& manifest,
                                             uint32_t local_rank, const runtime::Backend& backend) {
  const auto has_gpu = [&] { return backend.has_device({BROCH_DL_CUDA}); };
  std::vector<runtime::Device> devices;
  for (const Named& one : inference_devices(manifest))
    devices.push_back(runtime::named_device(one.name, local_rank, has_gpu));
  if (!devices.empty()) return devices;
  const std::vector<Named> training = training_devices(manifest);
  if (training.empty()) return {runtime::Device{}};
  const runtime::Device first = runtime::named_device(training[0].name, local_rank, has_gpu);
  if (backend.has_device(first)) return {first};
  base::info("inference is on cpu:0, since this machine has no " + to_string(first) + ": " +
             why_not(backend, first));
  return {runtime::Device{}};
}

void tell_automatic_devices(const manifest::Manifest& manifest, const runtime::Backend& backend) {
  const auto is_auto = [](const Named& one) { return runtime::is_auto(one.name); };
  if (!std::ranges::any_of(all_devices(manifest), is_auto)) return;
  const runtime::Device gpu{BROCH_DL_CUDA};
  base::info(backend.has_device(gpu) ? "the devices auto are GPUs"
                                     : "the devices auto are CPU towers: " + why_not(backend, gpu));
}

std::string models_of_devices(const plan::Towers& towers, runtime::Backend& backend,
                              dist::Group* group) {
  std::set<std::string> models;
  for (const tower::Tower* tower : towers.training()) {
    if (!tower) continue;
    const runtime::Device device = tower->spec().device;
    models.insert(device.type == BROCH_DL_CPU  ? "CPU"
                  : backend.has_device(device) ? backend.facts(device).name
                                               : to_string(device));
  }
  const std::string mine = base::join({models.begin(), models.end()}, ", ");
  if (!group) return mine;
  group->any(false);  // without a limit, as rank 0 alone has set up most callbacks
  const std::vector<std::string> all = group->all_gather(mine);
  const std::set<std::string> different(all.begin(), all.end());
  return base::join({different.begin(), different.end()}, "; ");
}

}  // namespace broch::session
