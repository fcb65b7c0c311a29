/* ext/metrics.h: sends numbers and images to the monitors, and returns earlier numbers. tensorpack:
 * `Trainer.monitors`.
 *
 * Names are not empty and contain no control characters. Usable from setup_graph of callbacks on.
 * Source: tensorpack callbacks/monitor.py. */
#ifndef BROCH_EXT_METRICS_H
#define BROCH_EXT_METRICS_H

#include "../dlpack.h"
#include "../host.h"
#include "../role/monitor.h"

BROCH_C_BEGIN

#define BROCH_EXT_METRICS "broch.metrics/1"

/* An element of an array, so frozen. */
typedef struct broch_metric_point {
  int64_t global_step;
  double value;
} broch_metric_point;

typedef struct broch_host_metrics {
  uint32_t struct_size;
  uint32_t reserved;

  /* Records a number for the current global step. [main] */
  broch_status (*put_scalar)(const broch_host* host, const char* name, double value);

  /* Shapes (H,W), (H,W,C) with C in {1,3,4}, (N,H,W) or (N,H,W,C); uint8, or floating-point from 0
   * to 255. Monitors receive (N,H,W,C). [main] */
  broch_status (*put_image)(const broch_host* host, const char* name, const broch_dl_tensor* image);

  /* Every "towerN/" and a trailing "-summary" are removed from the tags. [main] */
  broch_status (*put_summary)(const broch_host* host, const broch_summary_value* values,
                              uint32_t n);

  /* An event of the component itself; kind and data are those of process_event in role/monitor.h.
   * [main] */
  broch_status (*put_event)(const broch_host* host, const char* kind, const void* data,
                            uint64_t size);

  /* The last value. BROCH_NONE: there is none. [main] */
  broch_status (*latest)(const broch_host* host, const char* name,
                         broch_metric_point* point /* out */);

  /* All values of the run, oldest first; none for an unknown name. Borrowed until the next put.
   * [main] */
  broch_status (*history)(const broch_host* host, const char* name,
                          const broch_metric_point** points /* out */, uint64_t* count /* out */);

  /* prefix_push: the names of scalars, images and summaries that are put from now on begin with
   * this text, also those of other components: for what the components inside this one put while
   * it calls them. A further prefix comes after the earlier ones. prefix_pop takes the last one
   * back; FAILED_PRECONDITION: there is none. [main] */
  broch_status (*prefix_push)(const broch_host* host, const char* prefix);
  broch_status (*prefix_pop)(const broch_host* host);
} broch_host_metrics;

BROCH_C_END

#endif
