// manifest_schema.hpp: the text of manifest.schema.json, which is part of the program.
#pragma once

namespace broch::manifest {

extern const char* const kManifestSchema;

}  // namespace broch::manifest
