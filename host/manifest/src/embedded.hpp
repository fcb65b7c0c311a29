// embedded.hpp: the texts of files that are part of the program.
#pragma once

namespace broch::manifest {

extern const char* const kManifestSchema;  // manifest.schema.json
extern const char* const kDefaults;        // plugins/defaults.json

}  // namespace broch::manifest
