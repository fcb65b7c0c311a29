// precheck.hpp: what would make every trial fail, found before the first one starts.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sweep/spec.hpp"

namespace broch::sweep {

struct Checked {
  int64_t max_epoch;     // of the manifest with the overrides of the sweep
  std::string checksum;  // of that manifest
};

// Checks the manifest as `broch check` does: with the overrides and, unless a program chooses the
// parameters, with each value of each parameter, the others at their first one. Throws base::Error,
// which names the place in the SWEEP.json.
Checked precheck(const Spec& spec, const std::vector<std::string>& plugin_path);

// The override that sets a parameter.
std::string override_of(const std::string& path, const Value& value);
// Those that a trial with this log folder has beside its parameters.
std::vector<std::string> folder_overrides(const std::string& log_dir);

}  // namespace broch::sweep
