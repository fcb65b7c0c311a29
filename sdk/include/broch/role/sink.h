/* role/sink.h: writes data points into a file. `broch data convert` reads a dataflow and gives its
 * points to the sink whose metadata list the extension of the file. tensorpack: `dataflow/
 * serialize.py`.
 *
 * An instance writes one file: open, put for each point, close. If one of them fails, or the
 * conversion is interrupted, close is not called and what was written is removed. */
#ifndef BROCH_ROLE_SINK_H
#define BROCH_ROLE_SINK_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_SINK "broch.sink/1"

typedef struct broch_sink {
  uint32_t struct_size;
  uint32_t reserved;

  /* Begins a file, which does not exist yet. It lies in a new, empty folder. Whatever is in that
   * folder after close is moved to the place that the user named, so a sink may write several
   * files, with names that begin like that of path. [data] */
  broch_status (*open)(void* self, const char* path);

  /* Adds a data point. Its components may be viewed during the call. [data] */
  broch_status (*put)(void* self, broch_point point);

  /* Completes what was written. [data] */
  broch_status (*close)(void* self);
} broch_sink;

BROCH_C_END

#endif
