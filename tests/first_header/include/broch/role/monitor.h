/* role/monitor.h: receives scalars, images, summaries and events. Seed term: TrainingMonitor.
 *
 * A monitor that also answers the callback interface gets the events of role/callback.h at its
 * place, after all callbacks; monitors run on every rank. put_scalar(name) reaches process_scalar of
 * every monitor in order, then process_summary of every monitor (4.5). Source: tensorpack
 * callbacks/monitor.py; 3.18, T44. */
#ifndef BROCH_ROLE_MONITOR_H
#define BROCH_ROLE_MONITOR_H

#include "../dlpack.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_MONITOR "broch.monitor/1"

enum {
  BROCH_SUMMARY_SCALAR = 1,    /* scalar */
  BROCH_SUMMARY_HISTOGRAM = 2, /* tensor: any shape, float64, on the CPU */
  BROCH_SUMMARY_IMAGE = 3,     /* tensor: uint8 (height, width, channels), channels 1, 3 or 4 */
  BROCH_SUMMARY_TEXT = 4       /* bytes, size: UTF-8 */
};

/* One value of a summary, tag already cleaned (no tower prefix, no "-summary"). An array element:
 * frozen. Borrowed for the call. */
typedef struct broch_summary_value {
  const char* tag;
  int32_t kind; /* BROCH_SUMMARY_…; unknown kinds are to be ignored */
  uint32_t reserved;
  double scalar;
  const broch_dl_tensor* tensor;
  const void* bytes;
  uint64_t size;
} broch_summary_value;

/* Every entry is optional. All [main]. */
typedef struct broch_monitor {
  uint32_t struct_size;
  uint32_t reserved;

  broch_status (*process_scalar)(void* self, const char* name, double value);
  broch_status (*process_summary)(void* self, const broch_summary_value* values, uint32_t n);

  /* image: uint8, 4-D (N, height, width, channels), 0 to 255, on the CPU. */
  broch_status (*process_image)(void* self, const char* name, const broch_dl_tensor* image);

  /* An event of a component's own: kind is a reverse address, data is its text. */
  broch_status (*process_event)(void* self, const char* kind, const void* data, uint64_t size);
} broch_monitor;

BROCH_C_END

#endif
