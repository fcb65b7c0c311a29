// manifest.hpp: one run, as a JSON file and the command line describe it.
//
//   const Manifest manifest = load("digits.json", {"trainer.use=simple"});
//   resolve(manifest, catalog);   // when plugins are known: options checked, defaults filled in
//
// Names and defaults of fields are those of tensorpack's `TrainConfig`.
//
// A file may extend others and contain substitutions:
//
//   "extends": ["../common/digits.json"],           a path or a list; each is itself a manifest
//   "vars": {"batch": 32, "root": "${env:DATA:-data}"},
//   … "batch_size": "${vars.batch}", "file": "${vars.root}/digits.csv"
//
// "extends": the files are merged in order, each over the ones before it, and this one last.
// Objects merge key by key; any other value, also a list, replaces the one below. null is a value
// like any other: "dataflow": null removes an inherited one, "extra_callbacks": null restores the
// defaults. An entry with another "use" replaces the whole entry; an entry without "use" changes
// the inherited one. At most 8 levels and 64 files. "$schema" is not inherited.
//
// ${…} may be part of any string value, but not of a key and not of "extends". It is replaced
// once, after merging and after the overrides of the command line. There is no arithmetic.
//   ${vars.a.b}            the value under "vars", which may contain ${…} itself
//   ${env:NAME}            the environment variable; an error if it is not set
//   ${env:NAME:-default}   the default if it is not set or empty; may contain ${…} itself
//   ${manifest.dir}        the folder of the file that contains this string
//   ${name}                the name of the run
//   $${                    the characters ${
// A string that consists of a single ${…} becomes the value itself, be it a number, list or
// object. Environment variables are text; where a schema requires something else, they are read as
// JSON. A relative path belongs to the file in which its first part was written; a path from the
// command line or the environment is relative to the working directory.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manifest/component.hpp"
#include "manifest/names.hpp"
#include "value/value.hpp"

namespace broch::manifest {

// The number of steps in an epoch: given as such, as a number of samples, or (neither) by the size
// of the input.
struct EpochLength {
  std::optional<int64_t> steps;    // at least 0
  std::optional<int64_t> samples;  // at least 1, over all towers and ranks
  std::optional<int64_t> most;     // cuts an epoch whose length a run only knows once it is built
};

struct Runtime {
  std::string execution;  // "auto", "recorded", "eager", "audit"
  std::string level;      // "bitwise", "fast"
  std::vector<std::string> disabled_passes;
  std::string collectives = "gloo";
  double collective_timeout = 30;  // seconds
  std::optional<double> step_timeout;
  bool deterministic = false;
  bool consistent = false;         // "consistency": "step"
  bool bf16 = false;               // "precision"
  std::optional<int64_t> threads;  // not given: 1, so that bits do not depend on the machine
};

// Whether training continues where an earlier run ended.
struct Resume {
  bool wanted = false;
  std::string path;  // of the run; "": the run's own log folder; "auto": that, if it has a run
};

// The result of a ${env:NAME}.
struct EnvironmentValue {
  std::string name;
  std::optional<std::string> value;  // not set: the default was used
  bool is_secret = false;            // by its name: PASSWORD, API_KEY, …; the value is not shown
};

struct Manifest {
  std::shared_ptr<const Source> source;                 // the file, as written
  std::vector<std::shared_ptr<const Source>> extended;  // extended files, in order of reading
  std::vector<EnvironmentValue> environment;            // by first use
  Value value;  // the complete manifest, without extends, vars and ${…}

  std::string name;
  int64_t seed = 0;
  std::vector<std::string> plugins;  // absolute paths of libraries and folders

  std::optional<Component> model, dataflow, data;
  std::vector<std::string> remap_input_source;  // inputs of the model; empty: all
  Component trainer;
  std::optional<Component> optimizer;  // not given: that of the model
  std::vector<Component> gradient_processors, callbacks, extra_callbacks, monitors, session_init;

  int64_t starting_epoch = 1;
  EpochLength steps_per_epoch;
  int64_t max_epoch = 99999;  // inclusive

  int64_t nr_tower = 1;                      // at least 1
  std::vector<int64_t> tower;                // 0 to nr_tower - 1, unless given
  std::vector<int64_t> predict_tower;        // -1 is the CPU; empty unless given
  std::vector<std::string> predict_devices;  // "cpu:0", "cuda:1"
  bool towers_given = false;                 // tower or nr_tower decides the devices

  std::string log_dir;         // absolute
  std::string log_dir_action;  // "backup", "keep", "delete", "new", "quit"
  Resume resume;
  Runtime runtime;

  // The complete manifest with all defaults. Loading it gives the same manifest. Secrets from the
  // environment remain ${env:NAME}, and ${ is written as $${.
  Value resolved() const;
  std::string resolved_text() const;  // strict JSON

  // Everything else that decided the run: {"files": [{"path", "text"}, …], "environment": {"DATA":
  // "/data", "API_KEY": "(not shown)", "UNSET": null}}.
  Value inputs() const;

  // All values that are not lists or objects, in order: JSON pointer and origin.
  std::vector<std::pair<std::string, std::string>> origins() const;
};

// Access to files and the environment. By default those of the process.
struct Surroundings {
  std::function<std::shared_ptr<const Source>(const std::string& path)> read;  // of "extends"
  std::function<std::optional<std::string>(const std::string& name)> environment;
};
Surroundings process_surroundings();

// Reads and merges files, fills in defaults, applies overrides, substitutes and checks. Throws
// base::Error of class manifest, or data if a file is missing.
Manifest load(const std::string& path, const std::vector<std::string>& overrides = {});
// The same for text in memory.
Manifest load_source(std::shared_ptr<const Source> source,
                     const std::vector<std::string>& overrides = {},
                     const Surroundings& surroundings = process_surroundings());

// Resolves every component with its children and replaces the entries by the results.
void resolve(Manifest& manifest, const Catalog& catalog);

// JSON Schema of a manifest, without the options of components.
const Value& manifest_schema();

}  // namespace broch::manifest
