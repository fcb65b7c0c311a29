// run_folder.hpp: makes the names of the room runs usable here without a prefix.
#pragma once
#include "runs/run_folder.hpp"

namespace broch::cli {
using namespace runs;
}
