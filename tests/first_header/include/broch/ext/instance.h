/* ext/instance.h: components inside components.
 *
 * An option marked "x-broch-component": "<role>" is a manifest entry, or {"ref": name} for an
 * instance that exists elsewhere. The host validates, creates and owns it and destroys it last; the
 * parent drives it through the tables below, which have the layout of the role's own but go through
 * the host, so that state, threads, timing and the attribution of errors hold for children too. */
#ifndef BROCH_EXT_INSTANCE_H
#define BROCH_EXT_INSTANCE_H

#include "../host.h"

BROCH_C_BEGIN

#define BROCH_EXT_INSTANCE "broch.instance/1"

typedef struct broch_instance {
  uint32_t struct_size;
  uint32_t reserved;

  /* This instance's name in the manifest, borrowed until destroy. [any] */
  const char* (*name)(const broch_host* host);

  /* The child at an option ("/dataflow", "/inferencers/0") in one of its roles or plugin-side
   * extensions ("broch.dataflow/1"; "broch.function/1" for expressions, too). *self goes into the
   * functions of *interface. Borrowed until destroy. NOT_FOUND: no such option, or the child does not
   * play that role. From create on. [main] */
  broch_status (*child)(const broch_host* host, const char* pointer, const char* interface_id,
                        void** self /* out */, const void** interface_table /* out */);

  /* The component id of that child. [main] */
  broch_status (*child_id)(const broch_host* host, const char* pointer, const char** id /* out */);

  /* A number to seed an instance's own draws with: a hash of the run's seed, the rank and this
   * instance's name, so that no two instances draw alike and a run repeats. [any] */
  uint64_t (*seed)(const broch_host* host);
} broch_instance;

BROCH_C_END

#endif
