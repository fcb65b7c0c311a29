/* role/sink.h: writes data points into a file, or sends them to an address. `broch data convert
 * --to TARGET` reads a dataflow and gives its points to the sink whose metadata list the extension
 * of the target: the end of a file's name, such as ".npz", or, if it ends with "://", the beginning
 * of an address, such as "tcp://". tensorpack: `dataflow/serialize.py`, `send_dataflow_zmq`.
 *
 * An instance has one target: open, put for each point, close. If one of them fails, or the
 * conversion is interrupted, close is not called, and what was written into files is removed. */
#ifndef BROCH_ROLE_SINK_H
#define BROCH_ROLE_SINK_H

#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_SINK "broch.sink/1"

typedef struct broch_sink {
  uint32_t struct_size;
  uint32_t reserved;

  /* path is a file, which does not exist yet, in a new, empty folder. Whatever is in that folder
   * after close is moved to the place that the user named, so a sink may write several files, with
   * names that begin like that of path. If the extension is the beginning of an address, path is
   * the address as the user wrote it, such as "tcp://HOST:5555", and there is no folder. [data] */
  broch_status (*open)(void* self, const char* path);

  /* Adds a data point. Its components may be viewed during the call. BROCH_CANCELLED: gave up
   * waiting, as cancel of ext/data_point.h asked for. [data] */
  broch_status (*put)(void* self, broch_point point);

  /* Completes what was written; waits until what was sent is taken. BROCH_CANCELLED: as put.
   * [data] */
  broch_status (*close)(void* self);
} broch_sink;

BROCH_C_END

#endif
