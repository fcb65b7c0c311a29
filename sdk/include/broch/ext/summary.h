/* ext/summary.h: values of a tower function that the monitors show.
 *
 * Only the main training tower has summaries; in other towers these functions do nothing. The
 * values are computed only in runs that ask for them (merge-all-summaries). Source: tensorpack
 * tfutils/summary.py. */
#ifndef BROCH_EXT_SUMMARY_H
#define BROCH_EXT_SUMMARY_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_SUMMARY "broch.summary/1"

enum {
  BROCH_SHOW_SCALAR = 1,    /* "{name}": the value of a tensor with one element */
  BROCH_SHOW_HISTOGRAM = 2, /* "{name}-histogram" */
  BROCH_SHOW_SPARSITY = 4,  /* "{name}-sparsity": the fraction of zeros */
  BROCH_SHOW_MEAN = 8,      /* "{name}-mean" */
  BROCH_SHOW_RMS = 16,      /* "{name}-rms" */
  BROCH_SHOW_IMAGE = 32     /* "{name}": (N, height, width, channels), 0 to 255 */
};

typedef struct broch_host_summary {
  uint32_t struct_size;
  uint32_t reserved;

  /* Adds a summary. kinds: one BROCH_SHOW_… or more, combined with |; others are refused.
   * [step] */
  broch_status (*add)(const broch_host* host, broch_tower tower, const char* name,
                      broch_tensor tensor, uint32_t kinds);

  /* A bias-corrected moving average of a 0-dim tensor, kept in a LOCAL variable. Every hooked run
   * maintains it (moving-average-summary), and it is shown as scalar "{name}" after the update of
   * the step: b += (1 - decay) * (x - b), value = b / (1 - decay^t). decay: 0 to less than 1,
   * usually 0.95. [step] */
  broch_status (*moving)(const broch_host* host, broch_tower tower, const char* name,
                         broch_tensor tensor, double decay);

  /* The same in another collection than BROCH_MOVING_SUMMARY_OPS: a hooked run maintains the
   * average if somebody runs this collection (run_collection of ext/progress.h). [step] */
  broch_status (*moving_in)(const broch_host* host, broch_tower tower, const char* name,
                            broch_tensor tensor, double decay, const char* collection);
} broch_host_summary;

BROCH_C_END

#endif
