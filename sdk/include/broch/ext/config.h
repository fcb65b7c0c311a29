/* ext/config.h: an instance's own options, read by JSON pointer without a parser.
 *
 * The options are those under "with", validated against the component's schema with defaults
 * filled in, so a getter for something the schema requires or defaults cannot fail with NOT_FOUND.
 * An option marked "x-broch-mutable" may change between steps (ext/options.h). What was borrowed then
 * stays valid, and is the old text; threads that read several such options take text once, or copies
 * that changed makes.
 * Pointers are RFC 6901: "/layers/0", "" for the whole object. */
#ifndef BROCH_EXT_CONFIG_H
#define BROCH_EXT_CONFIG_H

#include "../host.h"

BROCH_C_BEGIN

#define BROCH_EXT_CONFIG "broch.config/1"

enum {
  BROCH_CONFIG_ABSENT = 0,
  BROCH_CONFIG_NULL = 1,
  BROCH_CONFIG_BOOL = 2,
  BROCH_CONFIG_INTEGER = 3,
  BROCH_CONFIG_NUMBER = 4, /* written with a point or exponent */
  BROCH_CONFIG_STRING = 5,
  BROCH_CONFIG_ARRAY = 6,
  BROCH_CONFIG_OBJECT = 7
};

/* Getters fail with NOT_FOUND where nothing is, INVALID_ARGUMENT where the kind does not fit. All
 * [any]. */
typedef struct broch_config {
  uint32_t struct_size;
  uint32_t reserved;

  /* The whole object as JSON text, borrowed until destroy. */
  const char* (*text)(const broch_host* host);
  int32_t (*kind)(const broch_host* host, const char* pointer); /* BROCH_CONFIG_… */
  broch_status (*get_bool)(const broch_host* host, const char* pointer, int32_t* value /* out */);
  /* Exact; a number such as 1e3 is an integer too when it has no fraction. */
  broch_status (*get_i64)(const broch_host* host, const char* pointer, int64_t* value /* out */);
  broch_status (*get_f64)(const broch_host* host, const char* pointer, double* value /* out */);
  /* Borrowed until destroy. */
  broch_status (*get_string)(const broch_host* host, const char* pointer,
                             const char** value /* out */);
  /* Elements of an array or members of an object. */
  broch_status (*get_size)(const broch_host* host, const char* pointer, uint64_t* size /* out */);
  /* Key of the index-th member of an object, in the order of the text. Borrowed until destroy. */
  broch_status (*get_key)(const broch_host* host, const char* pointer, uint64_t index,
                          const char** key /* out */);
} broch_config;

BROCH_C_END

#endif
