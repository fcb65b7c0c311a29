// version.hpp: the version of this program, and what it was built for.
#pragma once
#include <string>

namespace broch::cli {

// Such as "0123456789ab"; followed by + if files were changed since; "" if not known.
extern const char* const kCommit;

// Such as "broch 0.2.0 (0123456789ab), plugin interface 0.2, LibTorch 2.11.0".
std::string version_text();

}  // namespace broch::cli
