/* export.h: the basic macros of the C headers. */
#ifndef BROCH_EXPORT_H
#define BROCH_EXPORT_H

#include <stddef.h>
#include <stdint.h>

/* Marks the one symbol that a library exports. */
#if defined(__GNUC__)
#define BROCH_EXPORT __attribute__((visibility("default")))
#else
#define BROCH_EXPORT
#endif

/* True if the table that p points to is long enough to have the member, a pointer, and it is set.
 * Tables may be longer or shorter than in this header; a shorter one lacks the last members. */
#define BROCH_HAS(type, p, member) \
  ((p)->struct_size >= offsetof(type, member) + sizeof((p)->member) && (p)->member != NULL)

#ifdef __cplusplus
#define BROCH_C_BEGIN extern "C" {
#define BROCH_C_END }
#else
#define BROCH_C_BEGIN
#define BROCH_C_END
#endif

#endif
