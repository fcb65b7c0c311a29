/* ext/summary.h: what a tower function shows to the monitors.
 *
 * Registered in the main training tower only; a no-op elsewhere. Values are computed only in runs
 * that want them (merge-all-summaries). Source: tensorpack tfutils/summary.py; 3.25, 4.6. */
#ifndef BROCH_EXT_SUMMARY_H
#define BROCH_EXT_SUMMARY_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_SUMMARY "broch.summary/1"

enum {
  BROCH_SHOW_SCALAR = 1,    /* "{name}": the value of a 0-dim tensor */
  BROCH_SHOW_HISTOGRAM = 2, /* "{name}-histogram" */
  BROCH_SHOW_SPARSITY = 4,  /* "{name}-sparsity": fraction of zeros */
  BROCH_SHOW_MEAN = 8,      /* "{name}-mean" */
  BROCH_SHOW_RMS = 16,      /* "{name}-rms" */
  BROCH_SHOW_IMAGE = 32     /* "{name}": (N, height, width, channels), 0 to 255 */
};

typedef struct broch_summary {
  uint32_t struct_size;
  uint32_t reserved;

  /* kinds: BROCH_SHOW_…, or-ed. [step] */
  broch_status (*add)(const broch_host* host, broch_tower tower, const char* name,
                      broch_tensor tensor, uint32_t kinds);

  /* A bias-corrected moving average of a 0-dim tensor, kept in a LOCAL variable by every hooked run
   * (moving-average-summary) and shown as scalar "{name}" after this step's update: b += (1-decay)
   * (x-b), value = b / (1-decay^t). decay is usually 0.95. [step] */
  broch_status (*moving)(const broch_host* host, broch_tower tower, const char* name,
                         broch_tensor tensor, double decay);
} broch_summary;

BROCH_C_END

#endif
