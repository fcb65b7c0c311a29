// devices.hpp: the devices that the keys of a manifest name.
#pragma once
#include <vector>

#include "manifest/manifest.hpp"
#include "runtime/backend.hpp"

namespace broch::session {

// Those of predict_devices or predict_tower. Without either, the first device of the trainer if
// this machine has it, and otherwise cpu:0. Never empty.
std::vector<runtime::Device> predict_devices(const manifest::Manifest& manifest,
                                             uint32_t local_rank, const runtime::Backend& backend);

// Throws base::Error (manifest), with the place, if this machine lacks a device that
// predict_devices or predict_tower names, or one of the trainer where the run trains.
void require_present_devices(const manifest::Manifest& manifest, bool trains, uint32_t local_rank,
                             const runtime::Backend& backend);

// Logs what "auto" means here, if the manifest has a device of that name.
void tell_automatic_devices(const manifest::Manifest& manifest, const runtime::Backend& backend);

}  // namespace broch::session
