// merge.hpp: merges a manifest with the one that it extends.
//
// Objects merge key by key; any other value, also a list or null, replaces the one below. A
// component entry with another "use" replaces the whole entry, since options belong to a
// component; an entry without "use" changes the one below, even if that is a bare name. Keys keep
// the order of `lower`; each value keeps its origin.
#pragma once
#include "manifest/names.hpp"
#include "value/value.hpp"

namespace broch::manifest {

Value merged(Value lower, Value upper);

}  // namespace broch::manifest
