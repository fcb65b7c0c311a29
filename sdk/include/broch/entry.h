/* entry.h: the one symbol a library exports, and its metadata.
 *
 * A library is a file ending in .so that exports the constant broch_entry_v1 and nothing else. The
 * metadata is one JSON text that the host reads without loading the file, from ELF section
 * .broch.meta or through the symbol; it is the only description of what is inside:
 *
 *   { "components": [ {
 *       "id": "org.example.stop-on-plateau",     reverse address; "broch." is the host's own
 *       "role": "callback",                      model dataflow input_source trainer callback
 *                                                monitor inferencer session_init function
 *                                                optimizer gradient_processor
 *       "version": "1.0.0",
 *       "summary": "Ends training when a number stops getting smaller.",
 *       "options": { JSON Schema, draft 7, of the object under "with" },
 *       "roles": ["callback"],                   optional: every role get_interface answers
 *       "requires_ext": ["broch.metrics/1"],     optional: checked before create
 *       "produces": ["{name}_error"],            optional: all metrics that it may put and hyper-
 *                                                parameters it sets; [] says: none. {option}: value
 *       "consumes": ["{monitor_stat}"],          optional: metrics that it waits for (docs/callback.md)
 *       "run_on": "chief" | "all"                optional: callbacks default to chief
 *   } ],
 *     "torch": "2.11.0-…"                        only in a library that links LibTorch: the tag of
 *   }                                            its build, which must be the host's (ext/torch_cxx.h)
 *
 * Options may use "x-broch-component": "<role>" (a child, ext/instance.h), "x-broch-function": true
 * (an expression or a component of role function), "x-broch-path": true (relative to the file the
 * value stands in), "x-broch-mutable": true, "x-broch-same-seed": true (ext/instance.h). Defaults
 * live in the schema only. */
#ifndef BROCH_ENTRY_H
#define BROCH_ENTRY_H

#include "host.h"
#include "version.h"

BROCH_C_BEGIN

/* Life of an instance: create, then the functions of its interfaces, then destroy, once each.
 * All [main]. The process ends when create, get_interface or destroy takes longer than 10 s. */
typedef struct broch_component_vtable {
  uint32_t struct_size;
  uint32_t reserved;

  /* Makes an instance. options is the normalised JSON object under "with", defaults filled in,
   * borrowed for the call; ext/config.h reads it by pointer without a parser. On failure *self is
   * ignored and destroy is not called. */
  broch_status (*create)(const broch_host* host, const char* options, void** self /* out */);

  /* The table of a role or plugin-side extension of this instance by id ("broch.callback/1",
   * "broch.state/1"), or NULL. Borrowed, the same each time, valid until destroy. */
  const void* (*get_interface)(void* self, const char* id);

  /* Ends the instance. Comes exactly once for each successful create, on error paths too. */
  void (*destroy)(void* self);
} broch_component_vtable;

typedef struct broch_component {
  const char* id;
  const char* role;
  const broch_component_vtable* vtable;
} broch_component;

#define BROCH_ENTRY_MAGIC 0x48435242u /* "BRCH" in little-endian bytes */

typedef struct broch_entry {
  uint32_t magic;
  uint32_t struct_size;
  uint32_t abi_major;      /* of the header it was compiled with */
  uint32_t abi_minor;
  uint32_t min_host_minor; /* the oldest host minor it can live with */
  uint32_t flags;          /* 0 */
  const char* meta_json;   /* the metadata, NUL-terminated */
  uint64_t component_count;
  const broch_component* components;
} broch_entry;

/* Writes the metadata into section .broch.meta and the entry around it. Once a library:
 *
 *   static const broch_component components[] = {{"org.example.x", "callback", &vtable}};
 *   BROCH_PLUGIN(components, BROCH_JSON({"components": [ … ]}))
 *
 * BROCH_JSON makes a string literal of JSON that is written as it is, without escapes. */
#define BROCH_JSON(...) #__VA_ARGS__

#ifdef __cplusplus
#define BROCH_ENTRY_LINKAGE extern "C"
#else
#define BROCH_ENTRY_LINKAGE extern
#endif

#if defined(__has_attribute)
#if __has_attribute(retain)
#define BROCH_META_ATTRIBUTE __attribute__((used, retain, section(".broch.meta")))
#endif
#endif
#ifndef BROCH_META_ATTRIBUTE
#define BROCH_META_ATTRIBUTE __attribute__((used, section(".broch.meta")))
#endif

#define BROCH_PLUGIN(component_array, meta)                                                     \
  BROCH_META_ATTRIBUTE static const char broch_meta_text[] = meta;                              \
  BROCH_ENTRY_LINKAGE BROCH_EXPORT const broch_entry broch_entry_v1;                            \
  const broch_entry broch_entry_v1 = {BROCH_ENTRY_MAGIC,                                        \
                                      (uint32_t)sizeof(broch_entry),                            \
                                      BROCH_ABI_MAJOR,                                          \
                                      BROCH_ABI_MINOR,                                          \
                                      0,                                                        \
                                      0,                                                        \
                                      broch_meta_text,                                          \
                                      sizeof(component_array) / sizeof((component_array)[0]),   \
                                      component_array};

BROCH_C_END

#endif
