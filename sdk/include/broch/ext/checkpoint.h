/* ext/checkpoint.h: saves and loads the state of a training. TensorFlow: `tf.train.Saver`.
 *
 * A checkpoint is one file model-{global_step}.safetensors. It contains all variables, the
 * counters, the cursors of the input and the state of every plugin. The text file "checkpoint" in
 * the same directory lists the checkpoints that are being kept. directory NULL: the log folder.
 *
 * restore loads variables by their names from a checkpoint, or from weights of other programs. Its
 * options are {"prefix": null, "key": null, "rename": [], "ignore": [], "include": [],
 * "exclude": [], "transpose": [], "convert": false, "strict": "shapes", "relaxed": false};
 * docs/weights.md explains them. tensorpack: `SaverRestore`, `SaverRestoreRelaxed`, `DictRestore`.
 */
#ifndef BROCH_EXT_CHECKPOINT_H
#define BROCH_EXT_CHECKPOINT_H

#include "../host.h"

BROCH_C_BEGIN

#define BROCH_EXT_CHECKPOINT "broch.checkpoint/1"

typedef struct broch_host_checkpoint {
  uint32_t struct_size;
  uint32_t reserved;

  /* Says which checkpoints of a directory are kept, where all are without a call. Call it in
   * setup_graph.
   * max_to_keep: the number of newest ones, 0: all. keep_every_n_hours: in addition, one of every
   * so many hours is never deleted; 0: none. [main] */
  broch_status (*retain)(const broch_host* host, const char* directory, uint32_t max_to_keep,
                         double keep_every_n_hours);

  /* Saves now. *path is borrowed until the next call of this extension. After an I/O error it
   * returns DATA_LOSS, and the old files are intact. The host has logged the error, tries once more
   * when training ends, and ends with exit code 5 if that fails too; so a component should let
   * training continue. [main], from session_init to after_train, not inside a run or run_step */
  broch_status (*save)(const broch_host* host, const char* directory, const char** path /* out */);

  /* The newest checkpoint of a directory. BROCH_NONE: there is none. DATA_LOSS: the last save to
   * that directory failed. *path is borrowed as in save. [main] */
  broch_status (*latest)(const broch_host* host, const char* directory, const char** path /* out */,
                         int64_t* global_step /* out */);

  /* Copies a checkpoint to another name without '/' ("min-val-error") in the same directory,
   * atomically. I/O errors are treated as in save. [main] */
  broch_status (*copy)(const broch_host* host, const char* path, const char* name);

  /* Loads the variables that are not LOCAL from a file, a directory or its file "checkpoint"; in a
   * checkpoint, the step counter and hyper-parameters are among them. options: a JSON text. The log
   * says what was loaded, what was not, and why. After an error, no variable has changed. [main],
   * whenever save may be called */
  broch_status (*restore)(const broch_host* host, const char* path, const char* options);

  /* Checkpoints of a directory contain only variables with one of flags (ext/variables.h:
   * BROCH_VARIABLE_TRAINABLE, BROCH_VARIABLE_MODEL), and nothing that a training continues with;
   * call it in setup_graph. INVALID_ARGUMENT: other flags. Fails for the log folder, from which the
   * run is resumed. [main] */
  broch_status (*select)(const broch_host* host, const char* directory, uint32_t flags);

  /* Says that, beside those of retain, the first checkpoint of every n steps is never deleted; that
   * of the first n steps may be. 0: none is kept for this reason. Call it in setup_graph or
   * before_train. [main] */
  broch_status (*retain_steps)(const broch_host* host, const char* directory, uint64_t n);
} broch_host_checkpoint;

BROCH_C_END

#endif
