/* broch.h: includes the whole C interface of plugins, in reading order. The headers are its manual.
 * A program that computes a trained model needs libbroch.h instead.
 *
 * Conventions that hold everywhere:
 *  (1) Strings are UTF-8, end with NUL and are borrowed for the call. Other bytes are passed as a
 *      pointer and a size. Pointers are never NULL unless the comment says that they may be; that
 *      to an array or to bytes may also be NULL if there are 0 of them.
 *  (2) Ownership. borrowed: valid until the stated moment; do not free it. owned: the receiver has
 *      to release it. taken: the callee becomes the owner, even when the call fails. Neither side
 *      ever frees memory of the other side directly.
 *  (3) Functions return a broch_status: 0 for success, a positive value for an outcome that the
 *      comment lists, a negative value for a failure whose reason has been given (status.h). The
 *      few that return their result itself do not fail.
 *  (4) The tags [main], [step], [data] and [any] say on which thread a function may be called
 *      (threads.h). Functions in a struct that a call receives (broch_writer, broch_names) have no
 *      tag: they may be called on the thread of that call, until it returns.
 *  (5) Tables begin with struct_size, the size of the table in the header that their author was
 *      compiled with. A reader accepts a longer table, and treats entries that are missing from a
 *      shorter one as NULL (BROCH_HAS in export.h). Structs that are elements of arrays, or members
 *      of other structs, are frozen: they never change. Whoever fills a struct sets reserved
 *      members, and bits of flags that have no name, to 0.
 *  (6) An entry marked (optional) may be NULL; the host then does the default.
 *  (7) No exception crosses the interface. A plugin imports no symbol of the host.
 *  (8) The folder and the name of a table say who provides it:
 *        ext/NAME.h     the host:   broch_host_NAME, under BROCH_EXT_NAME (get_extension in host.h)
 *        plugin/NAME.h  the plugin: broch_plugin_NAME, under BROCH_PLUGIN_NAME (get_interface in
 *                       entry.h); a component of any role may have it
 *        role/NAME.h    the plugin: broch_NAME, under BROCH_ROLE_NAME; what the component is
 *      The id is "broch.NAME/1"; in place of the 1, torch_cxx has a tag. The tables of ext and
 *      plugin are called extensions.
 *
 * For a model, include layers.h as well, and with it opset.h: one inline function per operator,
 * broch_op_NAME (C99 or later). */
#ifndef BROCH_BROCH_H
#define BROCH_BROCH_H

/* clang-format off */
#include "version.h"
#include "export.h"
#include "status.h"
#include "threads.h"
#include "dlpack.h"
#include "value.h"
#include "draws.h"
#include "host.h"
#include "entry.h"

#include "role/model.h"
#include "role/dataflow.h"
#include "role/indexed.h"
#include "role/transform.h"
#include "role/sink.h"
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
#include "ext/progress.h"
#include "ext/metrics.h"
#include "ext/tensor.h"
#include "ext/data_point.h"
#include "ext/ops.h"
#include "ext/autograd.h"
#include "ext/kernel.h"
#include "ext/torch_cxx.h"
#include "ext/tower.h"
#include "ext/variables.h"
#include "ext/hyper_param.h"
#include "ext/summary.h"
#include "ext/plan.h"
#include "ext/operation.h"
#include "ext/predict.h"
#include "ext/async_predict.h"
#include "ext/model_graph.h"
#include "ext/input.h"
#include "ext/collections.h"
#include "ext/dist.h"
#include "ext/device.h"
#include "ext/checkpoint.h"
#include "ext/log_dir.h"
#include "ext/ui.h"
#include "ext/profile.h"

#include "plugin/state.h"
#include "plugin/options.h"
#include "plugin/service.h"
/* clang-format on */

#endif
