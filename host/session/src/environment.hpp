// environment.hpp: environment.json in a log folder: the versions and the machine of a run.
#pragma once
#include "log_folder/log_dir.hpp"
#include "runtime/backend.hpp"

namespace broch::session {

// Describes the process of rank 0 at the last start. Throws base::Error (data).
void write_environment(const log_folder::LogDir& log_dir, runtime::Backend& backend);

}  // namespace broch::session
