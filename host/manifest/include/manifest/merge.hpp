// merge.hpp: a manifest laid over the one that it extends.
//
// Objects merge key by key; everything else, lists and null among it, takes the place of what was
// there. A component entry with another "use" takes the place of the whole entry, since options
// belong to a component; one without "use" changes what is there, be it an entry or a bare name.
#pragma once
#include "manifest/value.hpp"

namespace broch::manifest {

// Keys stay in the order of the lower one; each value keeps its origin.
Value merged(Value lower, Value upper);

}  // namespace broch::manifest
