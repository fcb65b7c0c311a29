/* ext/checkpoint.h: saving and loading everything at once. Seed term: tf.train.Saver.
 *
 * A checkpoint is one file model-{global_step}.safetensors with all variables, the counters, the
 * cursors of the input and the state of every plugin; the text file "checkpoint" beside it lists
 * the retained ones. Source: 3.16, 3.21. */
#ifndef BROCH_EXT_CHECKPOINT_H
#define BROCH_EXT_CHECKPOINT_H

#include "../host.h"

BROCH_C_BEGIN

#define BROCH_EXT_CHECKPOINT "broch.checkpoint/1"

typedef struct broch_checkpoint {
  uint32_t struct_size;
  uint32_t reserved;

  /* Sets the retention of a directory (NULL: the log directory), in setup_graph. max_to_keep 0: keep
   * all; keep_every_n_hours: besides, keep one for ever each so many hours, 0: none. [main] */
  broch_status (*retain)(const broch_host* host, const char* directory, uint32_t max_to_keep,
                         double keep_every_n_hours);

  /* Saves now. *path is borrowed until the next call here. I/O errors come back as DATA_LOSS with
   * the old files intact: the host has said so, tries once more when training ends, and ends with 5
   * when that fails, too; a component should let training go on. [main], from session_init to
   * after_train, not inside a run */
  broch_status (*save)(const broch_host* host, const char* directory,
                       const char** path /* out */);

  /* The newest checkpoint of a directory. BROCH_NONE: there is none; DATA_LOSS: the last that was
   * wanted there could not be saved. [main] */
  broch_status (*latest)(const broch_host* host, const char* directory,
                         const char** path /* out */, int64_t* global_step /* out */);

  /* Copies a checkpoint under another name ("min-val-error") in its directory, atomically. I/O errors
   * as in save. [main] */
  broch_status (*copy)(const broch_host* host, const char* path, const char* name);

  /* Loads GLOBAL variables by exact name from a checkpoint file, a directory or its "checkpoint"
   * file: the step counter and hyper-parameters, too. options: {"prefix": null, "ignore": [],
   * "include": [], "exclude": [], "relaxed": false} as SaverRestore and SaverRestoreRelaxed;
   * include and exclude hold regular expressions for whole names in the file. The log tells what
   * was loaded, what was not and why. [main], when save may be called */
  broch_status (*restore)(const broch_host* host, const char* path, const char* options);
} broch_checkpoint;

BROCH_C_END

#endif
