/* entry.h: the one symbol that a library exports, and its metadata.
 *
 * A library is a file with a name that ends in .so; it exports the constant broch_entry_v1 and
 * nothing else. The metadata is a JSON text, which the host reads from the ELF section .broch.meta
 * without loading the file, or through the symbol. It is the only description of the content, and
 * at most 1 MiB. Members that the host does not know are refused, except those that begin with
 * "x-":
 *
 *   { "components": [ {
 *       "id": "org.example.stop-on-plateau",     reversed domain name; "broch." is reserved
 *       "role": "callback",                      model dataflow transform sink input_source
 *                                                trainer callback monitor inferencer
 *                                                session_init function optimizer
 *                                                gradient_processor
 *       "version": "1.0.0",
 *       "summary": "Ends training when a number stops getting smaller.",
 *       "options": { JSON Schema, draft 7, of the object under "with" },
 *       "roles": ["callback"],                   optional: all roles that it provides
 *       "requires_ext": ["broch.metrics/1"],     optional: extensions, checked before create
 *       "produces": ["{name}_error"],            optional: all metrics that it may report and
 *                                                hyper-parameters that it sets; []: none.
 *                                                {option}: the value of that option;
 *                                                {option?_}: the same and "_", or nothing if it
 *                                                is empty; {sets/name}: a member of each element
 *       "consumes": ["{monitor_stat}"],          optional: metrics that it needs; the text
 *                                                is as in "produces"
 *       "run_on": "chief" | "all"                optional: ranks; "chief" for callbacks
 *       "needs": ["model", "input"],             optional, trainer: what a manifest must have
 *       "default_input": "<id>",                 optional, trainer: the input source around
 *                                                "dataflow"; it has the option "dataflow"
 *       "requires_input": "<id>",                optional, trainer: as default_input, and "data"
 *                                                may be nothing else
 *       "staged_by": "<id>",                     optional, input source: another one that goes
 *                                                around it, as its option "input", if the trainer
 *                                                has several devices
 *       "evaluates": true,                       optional, callback: its trigger evaluates the
 *                                                model; `broch eval` calls it
 *       "metric_prefix": "{prefix?_}",           optional, callback: stands before the metrics of
 *                                                components in its options, such as inferencers;
 *                                                the text is as in "produces"
 *       "triggers_at_end": "save_at_end",        optional, callback: a boolean option; if it is
 *                                                true, trigger is also called when the training
 *                                                has ended (role/callback.h)
 *       "check_creates": true,                   optional, model: `broch check` creates it, as its
 *                                                options name a file or anything else that a
 *                                                schema cannot check
 *       "reorders": "dataflow",                  optional, dataflow: it only changes the order of
 *                                                the dataflow in this option; --overfit leaves
 *                                                it out
 *       "extensions": [".npz", "tcp://"]         optional, sink: of the files that it writes, and
 *                                                the beginnings of addresses that it sends to
 *   } ],
 *     "torch": "2.11.0-…"                        only if the library links LibTorch: the tag of
 *   }                                            its build, equal to the host's (ext/torch_cxx.h)
 *
 * Keywords in the schema of an option: "x-broch-component": "<role>" (a child, ext/instance.h),
 * "x-broch-function": true (an expression or a component of role function), "x-broch-path": true (a
 * path, relative to the file that contains the value), "x-broch-mutable": true (may change during
 * training, plugin/options.h), "x-broch-same-seed": true (ext/instance.h), "x-broch-ref":
 * "#/…/definitions/NAME" (the schema at that place of the schema), "x-broch-point": "changed" or
 * "selected" (the name or the number of a component of data points, which a transform changes or
 * looks at apart from the others, or selects; a prediction leaves it out where data lack this
 * component). Default values stand in the schema only. */
#ifndef BROCH_ENTRY_H
#define BROCH_ENTRY_H

#include "host.h"
#include "version.h"

BROCH_C_BEGIN

/* The life of an instance: create, then the functions of its interfaces, then destroy; create and
 * destroy once each. All [main]. If create, get_interface or destroy takes longer than 10 seconds,
 * the host ends the process. */
typedef struct broch_component_vtable {
  uint32_t struct_size;
  uint32_t reserved;

  /* Makes an instance. options: the normalized JSON object under "with", including defaults,
   * borrowed for the call; ext/config.h reads it by JSON pointer, without a parser. On failure
   * *self is ignored and destroy is not called. */
  broch_status (*create)(const broch_host* host, const char* options, void** self /* out */);

  /* Returns the table of a role, or of an extension that the plugin provides, by its id
   * ("broch.callback/1", "broch.state/1"), or NULL. Borrowed, the same in every call, valid until
   * destroy. NULL after host->fail is a failure. */
  const void* (*get_interface)(void* self, const char* id);

  /* Ends the instance. Called exactly once after each successful create, even after errors. */
  void (*destroy)(void* self);
} broch_component_vtable;

/* The code of a component. An element of an array, so frozen. The strings are static. */
typedef struct broch_component {
  const char* id;   /* as in the metadata */
  const char* role; /* as in the metadata */
  const broch_component_vtable* vtable;
} broch_component;

#define BROCH_ENTRY_MAGIC 0x48435242u /* "BRCH" in little-endian bytes */

typedef struct broch_entry {
  uint32_t magic;
  uint32_t struct_size;
  uint32_t abi_major; /* of the header that the library was compiled with */
  uint32_t abi_minor;
  uint32_t min_host_minor; /* the oldest minor version of a host that it works with */
  uint32_t flags;          /* 0; a host refuses bits that it does not know */
  const char* meta_json;   /* the metadata, ends with NUL */
  uint64_t component_count;
  const broch_component* components;
} broch_entry;

/* Writes the metadata into section .broch.meta, and the entry around it. Use it once per library:
 *
 *   static const broch_component components[] = {{"org.example.x", "callback", &vtable}};
 *   BROCH_PLUGIN(components, BROCH_JSON({"components": [ … ]}))
 *
 * BROCH_JSON makes a string literal of JSON that is written without escapes. */
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

#define BROCH_PLUGIN(component_array, meta)                        \
  BROCH_META_ATTRIBUTE static const char broch_meta_text[] = meta; \
  BROCH_ENTRY(component_array, broch_meta_text)

/* The entry alone. meta_text: a constant in section .broch.meta. */
#define BROCH_ENTRY(component_array, meta_text)                                               \
  BROCH_ENTRY_LINKAGE BROCH_EXPORT const broch_entry broch_entry_v1;                          \
  const broch_entry broch_entry_v1 = {BROCH_ENTRY_MAGIC,                                      \
                                      (uint32_t)sizeof(broch_entry),                          \
                                      BROCH_ABI_MAJOR,                                        \
                                      BROCH_ABI_MINOR,                                        \
                                      0,                                                      \
                                      0,                                                      \
                                      meta_text,                                              \
                                      sizeof(component_array) / sizeof((component_array)[0]), \
                                      component_array};

BROCH_C_END

#endif
