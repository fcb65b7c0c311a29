// continuation.hpp: the command that goes on with a training.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "dist/ranks.hpp"
#include "manifest/manifest.hpp"

namespace broch::cli {

// What a training was started with that is no part of the manifest in its log folder.
struct Launch {
  std::string runtime;
  std::vector<std::string> plugin_path;
  uint32_t servers = 0;
  const dist::Ranks* ranks = nullptr;  // nullptr: one rank, or no communication
};

// An absolute path, which has no slash at its end.
std::string whole_path(const std::string& folder);

// The last words of a log, if the training has something left to do and a checkpoint to go on from.
// exit: how it ended. log_dir: "" if it has none; log_dir_action may have chosen another one than
// that of the manifest.
void tell_how_to_continue(const Launch& launch, manifest::Manifest manifest,
                          const std::string& log_dir, base::Exit exit);

}  // namespace broch::cli
