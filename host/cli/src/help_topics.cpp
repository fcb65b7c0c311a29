// help_topics.cpp: the texts.
#include "help_topics.hpp"

#include "help_reference.hpp"

namespace broch::cli {

const std::vector<HelpTopic>& help_topics() {
  static const std::vector<HelpTopic> topics = {
      {"manifest", "MANIFEST", "What a manifest is, and every key of it",
       R"(A manifest is JSON, with comments and trailing commas allowed. It names the
parts of a training; each part is {"use": ID, "with": {OPTIONS}}, or just "ID":

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

broch plugin ls            what can stand behind "use"
broch plugin inspect ID    its options
broch config show M --resolved --origin
                           every value with its default and where it is from
broch check M              what is wrong with it, without running anything

Strings may hold ${vars.a.b}, ${env:NAME}, ${env:NAME:-default}, ${manifest.dir}
and ${name}; $${ is a literal ${. A relative path belongs to the file that it
stands in, log_dir to the working directory.

)" + manifest_reference()},
      {"expressions", "EXPRESSIONS",
       "The language of options that are functions: schedules and rules",
       R"~(Where a component has an option of type function, such as "func" of
hyper-param-setter-with-func, an expression may stand, in a string, or a number:

  "0.1 * 0.5 ** floor(epoch_num / 10)"
  "0.05 * (1 + cos(pi * epoch_num / 30))"
  "stat(\"validation_error\") < 0.01 ? stop() : value"

Arithmetic is that of IEEE doubles: sqrt(-1) and log(-1) are no number. What is
not 0 is true; && || ?: evaluate only what they need.
)~" + expression_reference()},
      {"overrides", "OVERRIDES", "Changing a manifest from the command line",
       R"(Words behind a manifest change it. Paths are those of the manifest:

  seed=2                                     sets a value: JSON, else text
  trainer.use=simple                         inside an object
  callbacks[model-saver].with.max_to_keep=3  an entry by "name" or "use"
  callbacks[0].with.max_to_keep=3            or by its place
  ~extra_callbacks[progress-bar]             removes
  +callbacks={"use": "nan-guard"}            appends to a list

A path that hits nothing is an error. Quote words with brackets in a shell.
source <(broch completion bash) makes Tab complete paths, and values behind =.
)"},
      {"exit-codes", "EXIT STATUS", "What the exit status says",
       R"(  0  finished, or stopped by a rule in the manifest
  1  training failed: plugin or run-time error; ckpt and config diff: different
  2  usage
  3  manifest invalid
  4  plugin: not found, interface, load
  5  data or file system; the last checkpoint could not be saved
  6  numbers: a value that must be finite is not
  7  memory: device or host
  8  collective: time-out, lost or killed rank, ranks that differ
  9  checkpoint unreadable or mismatched
 75  interrupted, state saved: --resume continues exactly
130  SIGINT, 143 SIGTERM: interrupted before a save was possible
)"},
      {"resume", "RESUMING", "Going on with a training that was ended",
       R"(broch train M --resume        goes on at the newest checkpoint of log_dir
broch train M --resume=PATH   at that file, or the newest of that folder
broch train M --resume=auto   at the newest if there is one, else from the start
broch train M --resume=OLD/model-80.safetensors log_dir=NEW
                              a branch: exactly there, in a new log folder

A resumed run has the bits of one that was never interrupted, also from the
middle of an epoch. The first SIGINT, SIGTERM or SIGHUP, or broch ctl RUN stop,
ends a training after its step with the state saved (75); the second signal at
once. Checkpoints come from the callback model-saver, or broch ctl RUN save.
broch ckpt verify RUN reads every byte of them.

A hyper-parameter is as in the checkpoint, unless the manifest says something
else than it did when that was saved:
broch train M --resume optimizer.with.learning_rate=1e-4

A disk that is full costs checkpoints, not the training, which says so each time
and tries once more at its end: 5 when the last one is still not there.
)"},
      {"ctl", "A TRAINING THAT RUNS", "Asking a training that runs, and changing it",
       R"(broch ctl RUN status           how far it is, and what can be set
broch ctl RUN set learning_rate=0.01
                               a hyper-parameter, from the next step on
broch ctl RUN set model-saver/max_to_keep=5
                               an option that its component lets change
broch ctl RUN save             a checkpoint after this step
broch ctl RUN stop             ends after this step, with the state saved

RUN is the log folder, on the machine of rank 0; only the user who started the
training is heard, and each request is in log.log. What was set is saved: a
resumed run has it, unless the manifest says something else by then.
)"},
      {"plugins", "PLUGINS", "Where components are looked for",
       R"(A plugin is a shared library with metadata that is read without loading it.
Where they are looked for, first to last:

  "plugins" of the manifest    files and folders, relative to the manifest
  --plugin-path FOLDER
  BROCH_PLUGIN_PATH            folders with : between
  $XDG_DATA_HOME/broch/plugins
  lib/broch/plugins beside the program: the built-in ones

broch plugin ls shows what was found, and env the folders. A loaded plugin is
the host's code: there is no sandbox.
)"},
      {"ranks", "RANKS", "Training in several processes, on one machine or on many",
       R"(broch train M --ranks 4                  four processes on this machine
torchrun --no-python broch train M       or mpirun, srun: on several

The trainer decides what ranks do together: allreduce, or the distributed- ones
with --ps N (the last N ranks are parameter servers). Rank 0 talks and writes;
others write rankN.log in its log folder. One that fails ends all.
)"},
      {"environment", "ENVIRONMENT", "Variables that the program listens to",
       R"(BROCH_TORCH_DIR         where LibTorch 2.11 is: the folder torch, or the one
                        that contains it
BROCH_PLUGIN_PATH       folders with plugins, : between
BROCH_PS                so many of the ranks are parameter servers
BROCH_PROGRESS_REFRESH  seconds between lines of progress off a terminal
NO_COLOR                no colours; CLICOLOR_FORCE: always
RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT
                        set by launchers; those of SLURM and MPI are read, too
GLOO_SOCKET_IFNAME      the network that ranks talk on
broch env shows those that are set.
)"}};
  return topics;
}

}  // namespace broch::cli
