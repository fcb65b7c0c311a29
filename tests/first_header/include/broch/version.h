/* version.h: the version of this interface.
 *
 * Until 1.0 a host loads plugins of its own 0.minor and says otherwise which rebuild is needed.
 * From 1.0 on a library built with any header of a major version loads in every later host of
 * that major. The major is also in the name of the exported symbol (entry.h), so that one library
 * can carry the entries of two majors. */
#ifndef BROCH_VERSION_H
#define BROCH_VERSION_H

#define BROCH_ABI_MAJOR 0
#define BROCH_ABI_MINOR 1

#endif
