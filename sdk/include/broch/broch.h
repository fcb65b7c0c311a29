/* broch.h: the C interface in reading order. The headers are the manual.
 *
 * Conventions that hold everywhere:
 *  (1) Strings are UTF-8, NUL-terminated, borrowed for the call; bulk text and bytes are pointer and
 *      size. Pointers are non-NULL unless the comment says otherwise.
 *  (2) borrowed: valid until …; owned: release it; taken: the callee has it from now on, also when it
 *      fails. Nobody frees the other side's memory.
 *  (3) A call answers a broch_status: 0 done, positive an outcome its comment lists, negative a
 *      failure whose reason was given (status.h).
 *  (4) [main] [step] [data] [any] say in which role a call happens (threads.h).
 *  (5) Tables begin with struct_size, the size in the header of whoever filled it. A reader accepts
 *      longer ones and treats what is missing in shorter ones as NULL (export.h, BROCH_HAS). Structs
 *      that stand in arrays are frozen.
 *  (6) (optional) before an entry: it may be NULL, the host then does the default.
 *  (7) Nothing throws across the interface; a plugin imports no symbol of the host.
 *
 * A model also includes layers.h, and with it opset.h: one inline function for each operator (C99 or
 * later). */
#ifndef BROCH_BROCH_H
#define BROCH_BROCH_H

#include "version.h"
#include "export.h"
#include "status.h"
#include "threads.h"
#include "dlpack.h"
#include "value.h"
#include "host.h"
#include "entry.h"

#include "role/model.h"
#include "role/dataflow.h"
#include "role/input_source.h"
#include "role/trainer.h"
#include "role/callback.h"
#include "role/monitor.h"
#include "role/inferencer.h"
#include "role/session_init.h"
#include "role/function.h"
#include "role/optimizer.h"
#include "role/gradient_processor.h"

#include "ext/config.h"
#include "ext/scope.h"
#include "ext/instance.h"
#include "ext/rng.h"
#include "ext/run.h"
#include "ext/metrics.h"
#include "ext/tensor.h"
#include "ext/data.h"
#include "ext/ops.h"
#include "ext/autograd.h"
#include "ext/kernel.h"
#include "ext/torch_cxx.h"
#include "ext/tower.h"
#include "ext/variables.h"
#include "ext/hyper.h"
#include "ext/summary.h"
#include "ext/plan.h"
#include "ext/graph.h"
#include "ext/predict.h"
#include "ext/input.h"
#include "ext/collections.h"
#include "ext/dist.h"
#include "ext/device.h"
#include "ext/state.h"
#include "ext/options.h"
#include "ext/service.h"
#include "ext/checkpoint.h"
#include "ext/log_dir.h"
#include "ext/ui.h"
#include "ext/profile.h"

#endif
