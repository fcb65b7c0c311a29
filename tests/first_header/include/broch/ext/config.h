/* ext/config.h: reads an instance's own options by JSON pointer, without a parser.
 *
 * The options are those under "with", validated against the schema of the component and completed
 * with its defaults. So reading an option that the schema requires, or gives a default, never fails
 * with NOT_FOUND. Pointers are as in RFC 6901: "/layers/0"; "" is the whole object.
 *
 * An option marked "x-broch-mutable" may change between steps (plugin/options.h). Texts that were
 * borrowed before stay valid, with the old content. A thread that needs several such options at one
 * moment calls text once, or uses copies that the instance makes in changed. */
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
  BROCH_CONFIG_NUMBER = 4, /* written with a decimal point or an exponent */
  BROCH_CONFIG_STRING = 5,
  BROCH_CONFIG_ARRAY = 6,
  BROCH_CONFIG_OBJECT = 7
};

/* NOT_FOUND: there is nothing at pointer. INVALID_ARGUMENT: the value has another kind. All
 * [any]. */
typedef struct broch_host_config {
  uint32_t struct_size;
  uint32_t reserved;

  /* The whole object as JSON text, borrowed until destroy. */
  const char* (*text)(const broch_host* host);
  int32_t (*kind)(const broch_host* host, const char* pointer); /* BROCH_CONFIG_… */
  broch_status (*get_bool)(const broch_host* host, const char* pointer, int32_t* value /* out */);
  /* Exact. A number such as 1e3, without a fractional part, is an integer as well. */
  broch_status (*get_i64)(const broch_host* host, const char* pointer, int64_t* value /* out */);
  broch_status (*get_f64)(const broch_host* host, const char* pointer, double* value /* out */);
  /* Borrowed until destroy. */
  broch_status (*get_string)(const broch_host* host, const char* pointer,
                             const char** value /* out */);
  /* The number of elements of an array or of members of an object. */
  broch_status (*get_size)(const broch_host* host, const char* pointer, uint64_t* size /* out */);
  /* The key of the member of an object at index, in the order of the text. Borrowed until
   * destroy. */
  broch_status (*get_key)(const broch_host* host, const char* pointer, uint64_t index,
                          const char** key /* out */);
} broch_host_config;

BROCH_C_END

#endif
