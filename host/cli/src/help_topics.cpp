// help_topics.cpp: the texts of the help topics.
#include "help_topics.hpp"

#include "help_reference.hpp"

namespace broch::cli {

const std::vector<HelpTopic>& help_topics() {
  static const std::vector<HelpTopic> topics = {
      {"manifest", "MANIFEST", "What a manifest is, and all of its keys",
       R"(A manifest is JSON, with comments and trailing commas allowed. It names the
components of a run; each is {"use": ID, "with": {OPTIONS}}, or only "ID":

  {
    "broch": 1,
    "plugins": ["./build/net.so"],
    "model": { "use": "net.convnet", "with": { "width": 32 } },
    "dataflow": { "use": "batch", "with": { ... } },
    "trainer": "simple",
    "optimizer": { "use": "adam", "with": { "learning_rate": 1e-3 } },
    "callbacks": ["model-saver"],
    "max_epoch": 30,
    "log_dir": "train_log/net"
  }

broch plugin ls            lists the names that "use" accepts
broch plugin inspect ID    shows the options of a component
broch config show M --resolved --origin
                           shows all values, with defaults, and their origin
broch check M              finds mistakes without running anything

Strings may contain ${vars.a.b}, ${env:NAME}, ${env:NAME:-default},
${manifest.dir} and ${name}; $${ stands for the characters ${. Relative paths
start at the folder of the manifest, only log_dir at the working directory.

)" + manifest_reference()},
      {"expressions", "EXPRESSIONS",
       "The language of options that are functions, such as schedules",
       R"~(The value of an option of type function, such as "func" of
hyper-param-setter-with-func, is a number, or an expression in a string:

  "0.1 * 0.5 ** floor(epoch_num / 10)"
  "0.05 * (1 + cos(pi * epoch_num / 30))"
  "stat(\"validation_error\") < 0.01 ? stop() : value"

Numbers are IEEE doubles; sqrt(-1) and log(-1) are NaN. Every number except 0
is true. The operators && || ?: evaluate only the operands that they need.
)~" + expression_reference()},
      {"overrides", "OVERRIDES", "Changing a manifest from the command line",
       R"(Arguments after a manifest change its values. Paths are those in the manifest:

  seed=2                                     sets a value: JSON, or else text
  trainer.use=simple                         sets a value inside an object
  callbacks[model-saver].with.max_to_keep=3  in an entry by "name" or "use"
  callbacks[0].with.max_to_keep=3            in an entry by index
  ~extra_callbacks[progress-bar]             removes an entry
  +callbacks={"use": "nan-guard"}            appends to a list

A path that does not exist is an error. In a shell, quote arguments with
brackets. After source <(broch completion bash), Tab completes paths and values.
)"},
      {"exit-codes", "EXIT STATUS", "The meaning of exit codes",
       R"(  0  finished, or stopped by a rule in the manifest
  1  training failed, in a plugin or elsewhere; ckpt and config diff: different
  2  wrong use of the command line
  3  invalid manifest
  4  a plugin was not found, has another interface, or cannot be loaded
  5  data or file system; the last checkpoint could not be saved
  6  a number that must be finite is not
  7  out of memory on the host or a device
  8  ranks: time-out, lost or killed rank, ranks that differ
  9  checkpoint that cannot be read or does not fit
 75  interrupted, state saved: --resume continues exactly
130  SIGINT, 143 SIGTERM: interrupted before a save was possible
)"},
      {"resume", "RESUMING", "Continuing a run that has ended",
       R"(broch train M --resume        continues from the newest checkpoint in log_dir
broch train M --resume=PATH   from that file, or the newest one in that folder
broch train M --resume=auto   from the newest, or starts anew if there is none
broch train M --resume=OLD/model-80.safetensors log_dir=NEW
                              a branch: from that file, in a new log folder

A resumed run gives the same bits as one that was never interrupted, even in the
middle of an epoch. The first SIGINT, SIGTERM or SIGHUP, or broch ctl RUN stop,
saves the state and ends a run after its step (exit code 75); a second signal
ends it at once. Checkpoints are saved by the callback model-saver and by
broch ctl RUN save. broch ckpt verify RUN reads every byte of them.

A hyper-parameter has the value from the checkpoint, unless its value in the
manifest has changed since the checkpoint was saved:
broch train M --resume optimizer.with.learning_rate=1e-4

If the disk is full, checkpoints are lost, but the run continues. It reports
each failure and tries once more at the end: 5 if the last one is still missing.
)"},
      {"ctl", "CONTROLLING A RUN", "Watching and changing a run while it trains",
       R"(broch ctl RUN status           shows the progress, and what can be set
broch ctl RUN set learning_rate=0.01
                               sets a hyper-parameter from the next step on
broch ctl RUN set model-saver/max_to_keep=5
                               sets an option that can be changed during a run
broch ctl RUN save             saves a checkpoint after this step
broch ctl RUN stop             saves the state and ends after this step

RUN is the log folder, on the machine of rank 0. Only the user who started the
run can send requests; each request is logged in log.log. Values that were set
are saved: a resumed run has them, unless the manifest's value has changed.
)"},
      {"plugins", "PLUGINS", "Where plugins are searched",
       R"(A plugin is a shared library with metadata, which is read without loading it.
Plugins are searched in this order:

  "plugins" in the manifest    files and folders, relative to the manifest
  --plugin-path FOLDER
  BROCH_PLUGIN_PATH            folders, separated by :
  $XDG_DATA_HOME/broch/plugins
  lib/broch/plugins of the installation: the built-in ones

broch plugin ls lists what was found, and broch env the folders. There is no
sandbox: a loaded plugin has all rights of the program.
)"},
      {"ranks", "RANKS", "Training in several processes, on one machine or on many",
       R"(broch train M --ranks 4                  four processes on this machine
torchrun --no-python broch train M       or mpirun, srun: on several machines

The trainer decides how ranks train together: allreduce, or distributed-... with
--ps N (the last N ranks are parameter servers). Rank 0 logs and writes files;
the others write rankN.log into its log folder. If one fails, all are ended.
)"},
      {"environment", "ENVIRONMENT", "Environment variables that the program reads",
       R"(BROCH_TORCH_DIR         where LibTorch 2.11 is: the folder torch, or the one
                        that contains it
BROCH_PLUGIN_PATH       folders with plugins, separated by :
BROCH_PS                number of ranks that are parameter servers
BROCH_PROGRESS_REFRESH  seconds between lines of progress without a terminal
NO_COLOR                no colours; CLICOLOR_FORCE: always colours
RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT
                        set by launchers; those of SLURM and MPI are read, too
GLOO_SOCKET_IFNAME      the network interface through which ranks communicate
broch env shows those that are set.
)"}};
  return topics;
}

}  // namespace broch::cli
