/* role/monitor.h: receives scalars, images, summaries and events. tensorpack: `TrainingMonitor`.
 *
 * A monitor may also implement the callback interface; it then gets the events of role/callback.h
 * after all callbacks. Monitors run on every rank. A scalar that is put (ext/metrics.h) is passed
 * to process_scalar of every monitor in order, then to process_summary of every monitor. A failure
 * of a monitor is logged and counted, and does not end the training; only setup_graph, before_train
 * and the state (broch.state/1) are as for other components. Source: tensorpack
 * callbacks/monitor.py.
 *
 * The training waits while a monitor is called, unless the monitor has a queue (queued). Then the
 * host copies what the monitor is to receive, and calls it later on a thread of the host, as
 * [data]: the functions of this table, and of the callback interface before_epoch, trigger_step,
 * after_epoch, trigger_epoch and trigger. These calls come one after another, in the order in which
 * things happened. All others are [main] as usual, such as before_train, after_train and those that
 * save the state; what was queued before is delivered first, so no two calls ever overlap. In a
 * queued call, progress of ext/progress.h has the counters as they were when it was queued.
 * trigger_step may be left out after a step since which nothing was reported. Queued calls return
 * BROCH_OK or a failure, and may use functions of the host that are [any]. before_run and after_run
 * must be NULL. What the monitor is too slow for is dropped, and the log says how much that was. */
#ifndef BROCH_ROLE_MONITOR_H
#define BROCH_ROLE_MONITOR_H

#include "../dlpack.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_ROLE_MONITOR "broch.monitor/1"

enum {
  BROCH_SUMMARY_SCALAR = 1,    /* scalar */
  BROCH_SUMMARY_HISTOGRAM = 2, /* tensor: any shape, float64, on the CPU */
  BROCH_SUMMARY_IMAGE = 3,     /* tensor: uint8 (height, width, channels) with 1, 3 or 4 channels */
  BROCH_SUMMARY_TEXT = 4,      /* bytes, size: UTF-8; shown as Markdown where that is possible */
  BROCH_SUMMARY_AUDIO = 5,     /* tensor: float32 (frames, channels), -1 to 1, on the CPU; scalar:
                                  frames per second */
  BROCH_SUMMARY_PR_CURVE = 6   /* tensor: float64 (4, n), on the CPU: how many samples are true
                                  positives, false positives, true negatives and false negatives
                                  if those with a score of at least i / (n - 1) are positive */
};

/* The event with which the host says how the training has ended, just before after_train; on every
 * rank, unless the process crashes or is killed. data is JSON:
 *   {"outcome": "finished", "reason": "", "exit_code": 0}
 * outcome: "finished" after the last epoch, "stopped" by a component or the end of the data,
 * "interrupted" by a signal or broch ctl stop, "failed". reason: what the log says about it. */
#define BROCH_EVENT_TRAINING_ENDED "broch.training-ended"

/* One value of a summary. The tag is already cleaned: without the prefix of a tower and without
 * "-summary". An element of an array, so frozen. Borrowed for the call. */
typedef struct broch_summary_value {
  const char* tag;
  int32_t kind; /* BROCH_SUMMARY_…; ignore kinds that you do not know */
  uint32_t reserved;
  double scalar;
  const broch_dl_tensor* tensor;
  const void* bytes;
  uint64_t size;
} broch_summary_value;

/* All entries are optional. All [main], or [data] if queued is 1. */
typedef struct broch_monitor {
  uint32_t struct_size;
  uint32_t reserved;

  broch_status (*process_scalar)(void* self, const char* name, double value);
  broch_status (*process_summary)(void* self, const broch_summary_value* values, uint32_t n);

  /* image: uint8 (N, height, width, channels), 0 to 255, on the CPU. */
  broch_status (*process_image)(void* self, const char* name, const broch_dl_tensor* image);

  /* An event that a component has defined itself. kind: a reversed domain name; data: its text. */
  broch_status (*process_event)(void* self, const char* kind, const void* data, uint64_t size);

  uint32_t queued; /* 1: the monitor has a queue; 0: it has none */
  uint32_t reserved_2;
} broch_monitor;

BROCH_C_END

#endif
