/* ext/log_dir.h: the log folder of this run. */
#ifndef BROCH_EXT_LOG_DIR_H
#define BROCH_EXT_LOG_DIR_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_LOG_DIR "broch.log_dir/1"

typedef struct broch_host_log_dir {
  uint32_t struct_size;
  uint32_t reserved;

  /* The absolute path, borrowed until destroy. BROCH_NONE: this process has none, because it is not
   * the chief. [any] */
  broch_status (*path)(const broch_host* host, const char** path /* out */);

  /* Writes a file in the log folder, completely or not at all (temporary name, fsync, rename). name
   * must not contain '/'. FAILED_PRECONDITION: this process has none. [any] */
  broch_status (*write_file)(const broch_host* host, const char* name, const void* bytes,
                             uint64_t size);

  /* The content of a file in the log folder. NOT_FOUND: no such file. FAILED_PRECONDITION: as
   * write_file. [main] */
  broch_status (*read_file)(const broch_host* host, const char* name, const broch_writer* content);
} broch_host_log_dir;

BROCH_C_END

#endif
