/* version.h: the version of this interface.
 *
 * Before version 1.0, a host only loads plugins that were built for its own version 0.minor; for
 * others it says which rebuild is needed. From 1.0 on, a library that was built with any header of
 * a major version loads in every later host of that major version. The major version is also part
 * of the name of the exported symbol (entry.h), so that one library can carry entries for two of
 * them; version 0 already has the name of version 1. */
#ifndef BROCH_VERSION_H
#define BROCH_VERSION_H

#define BROCH_ABI_MAJOR 0
#define BROCH_ABI_MINOR 2

#endif
