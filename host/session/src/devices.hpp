// devices.hpp: the devices that the keys of a manifest name, and what they are.
#pragma once
#include <string>
#include <vector>

#include "dist/group.hpp"
#include "manifest/manifest.hpp"
#include "plan/towers.hpp"
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

// What the towers that train are on: "CPU", or the models of GPUs, each once. group: nullptr, or
// the ranks, all of which call this; ranks that differ stand one after the other.
std::string models_of_devices(const plan::Towers& towers, runtime::Backend& backend,
                              dist::Group* group);

}  // namespace broch::session
