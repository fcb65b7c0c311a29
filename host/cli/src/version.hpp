// version.hpp: what this program is, and what it was built from and for.
#pragma once
#include <string>

namespace broch::cli {

// "0123456789ab"; with a + behind it where files were changed since; "": not known.
extern const char* const kCommit;

// "0.1": the plugin interface of this program.
std::string abi_version();

// "broch 0.1.0 (0123456789ab), plugin interface 0.1, LibTorch 2.11.0"
std::string version_text();

}  // namespace broch::cli
