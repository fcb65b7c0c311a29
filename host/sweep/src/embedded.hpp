// embedded.hpp: sweep.schema.json as a constant of the program.
#pragma once

namespace broch::sweep {
extern const char* const kSweepSchema;
}
