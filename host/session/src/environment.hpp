// environment.hpp: environment.json in a log folder: the versions and the machine of a run.
#pragma once
#include "runtime/backend.hpp"
#include "session/log_dir.hpp"

namespace broch::session {

// Describes the process of rank 0 at the last start. Throws base::Error (data).
void write_environment(const LogDir& log_dir, runtime::Backend& backend);

}  // namespace broch::session
