// device.cpp: broch.device/1: information about devices and their memory.
#include "broch/ext/device.h"

#include <cstdio>

#include "base/memory.hpp"
#include "runtime/backend.hpp"
#include "serving.hpp"

namespace broch::runtime {
namespace {

constexpr const char* kCount = "broch.device/1 count";
constexpr const char* kInfo = "broch.device/1 info";
constexpr const char* kMemory = "broch.device/1 memory";
constexpr const char* kResetPeak = "broch.device/1 reset_peak";
constexpr const char* kSynchronize = "broch.device/1 synchronize";

constexpr unsigned kAnywhere = abi::kAnyRole | abi::kNoScope;

bool is_cpu(broch_dl_device device) { return device.device_type == BROCH_DL_CPU; }

DeviceFacts facts_of_cpu() {
  DeviceFacts facts;
  facts.name = base::processor_name();
  facts.total = base::machine_memory().value_or(-1);
  facts.free = base::available_memory().value_or(-1);
  facts.used = base::resident_memory().value_or(-1);
  facts.peak = base::peak_memory().value_or(-1);
  return facts;
}

Backend& owner(Instance& instance, broch_dl_device device, const char* function) {
  Backend& backend = need<Backend>(instance, function);
  const Device found{device.device_type, device.device_id};
  if (found.index < 0 || !backend.has_device(found))
    throw abi::CallError(BROCH_E_NOT_FOUND, std::string(function) + ": no device of type " +
                                                std::to_string(found.type) + " and index " +
                                                std::to_string(found.index) + ": " +
                                                backend.why_not(found));
  return backend;
}

DeviceFacts facts_of(Instance& instance, broch_dl_device device, const char* function) {
  Backend& backend = owner(instance, device, function);
  return is_cpu(device) ? facts_of_cpu() : backend.facts({device.device_type, device.device_id});
}

broch_status count(const broch_host* host, int32_t type, uint32_t* out) {
  return serve(host, kCount, kAnywhere, [&](Instance& instance) {
    given(out, kCount, "count");
    Backend& backend = need<Backend>(instance, kCount);
    *out = 0;
    while (type != BROCH_DL_CPU && backend.has_device({type, static_cast<int32_t>(*out)})) ++*out;
    if (type == BROCH_DL_CPU) *out = 1;
    return BROCH_OK;
  });
}

broch_status info(const broch_host* host, broch_dl_device device, broch_device_info* out) {
  return serve(host, kInfo, kAnywhere, [&](Instance& instance) {
    given(out, kInfo, "info");
    const DeviceFacts facts = facts_of(instance, device, kInfo);
    broch_device_info full{};
    full.major = facts.major;
    full.minor = facts.minor;
    full.total = facts.total;
    std::snprintf(full.name, sizeof full.name, "%s", facts.name.c_str());
    write_struct(out, full, kInfo, "info");
    return BROCH_OK;
  });
}

broch_status memory(const broch_host* host, broch_dl_device device, broch_device_memory* out) {
  return serve(host, kMemory, kAnywhere, [&](Instance& instance) {
    given(out, kMemory, "memory");
    const DeviceFacts facts = facts_of(instance, device, kMemory);
    broch_device_memory full{};
    full.free = facts.free;
    full.used = facts.used;
    full.peak = facts.peak;
    write_struct(out, full, kMemory, "memory");
    return BROCH_OK;
  });
}

broch_status reset_peak(const broch_host* host, broch_dl_device device) {
  return serve(host, kResetPeak, kAnywhere, [&](Instance& instance) {
    Backend& backend = owner(instance, device, kResetPeak);
    if (is_cpu(device))
      base::forget_peak_memory();
    else
      backend.reset_peak({device.device_type, device.device_id});
    return BROCH_OK;
  });
}

broch_status synchronize(const broch_host* host, broch_dl_device device) {
  return serve(host, kSynchronize, kAnywhere, [&](Instance& instance) {
    Backend& backend = owner(instance, device, kSynchronize);
    if (!is_cpu(device)) backend.synchronize({device.device_type, device.device_id});
    return BROCH_OK;
  });
}

constexpr broch_host_device kTable = {
    sizeof(broch_host_device), 0, count, info, memory, reset_peak, synchronize};

}  // namespace

const void* device_table() { return &kTable; }

}  // namespace broch::runtime
