// manifest.hpp: one run, as its JSON file and the command line describe it.
//
//   const Manifest manifest = load("digits.json", {"trainer.use=simple"});
//   resolve(manifest, catalog);   // when plugins are known: options checked, defaults filled in
//
// Fields keep the names and defaults of tensorpack's `TrainConfig`.
//
// A file may extend others and substitute:
//
//   "extends": ["../common/digits.json"],           a path or a list; each is itself a manifest
//   "vars": {"batch": 32, "root": "${env:DATA:-data}"},
//   … "batch_size": "${vars.batch}", "file": "${vars.root}/digits.csv"
//
// "extends": the files are laid over each other in their order, this one on top. Objects merge key
// by key; everything else, lists too, takes the place of what was there. null is a value like any
// other: "dataflow": null takes an inherited one away, "extra_callbacks": null means the defaults
// again. An entry with another "use" takes the place of the whole entry, an entry without "use"
// changes the inherited one. At most 8 levels and 64 files; "$schema" is not inherited.
//
// ${…} stands in any string value, never in a key, and in "extends" not at all. It is replaced
// once, after merging and after the overrides of the command line; there is no arithmetic.
//   ${vars.a.b}            what stands there under "vars", which may itself substitute
//   ${env:NAME}            the environment variable; an error when it is not set
//   ${env:NAME:-default}   the default when it is not set or empty; may hold ${…} itself
//   ${manifest.dir}        the folder of the file that this string stands in
//   ${name}                the name of the run
//   $${                    the characters ${
// A string that is one ${…} and nothing else becomes what that is, number, list or object. What
// the environment holds is text; where a schema wants something else, it is read as JSON. A
// relative path belongs to the file in which its first part was written; what the command line or
// the environment gave is relative to the working directory.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manifest/component.hpp"
#include "manifest/value.hpp"

namespace broch::manifest {

// How many steps an epoch has: a number, a number of samples, or (neither) the size of the input.
struct EpochLength {
  std::optional<int64_t> steps;    // at least 0
  std::optional<int64_t> samples;  // at least 1, over all towers and ranks
};

struct Runtime {
  std::string execution;  // "auto", "recorded", "eager", "audit"
  std::string level;      // "bitwise", "fast"
  std::vector<std::string> disabled_passes;
  std::string collectives = "gloo";
  double collective_timeout = 30;  // seconds
  bool deterministic = false;
  std::optional<int64_t> threads;  // not given: 1, so that bits do not depend on the machine
};

// Whether training goes on where an earlier run ended.
struct Resume {
  bool wanted = false;
  std::string path;  // of the run; empty: the log folder's own; "auto": that if there is one
};

// What ${env:NAME} found.
struct EnvironmentValue {
  std::string name;
  std::optional<std::string> value;  // not set: the default was used
  bool is_secret = false;            // by its name: PASSWORD, API_KEY, …; its value is not shown
};

struct Manifest {
  std::shared_ptr<const Source> source;                 // the file, as written
  std::vector<std::shared_ptr<const Source>> extended;  // the files below it, in order of reading
  std::vector<EnvironmentValue> environment;            // by first use
  Value value;  // the whole, resolved: without extends, vars and ${…}

  std::string name;
  int64_t seed = 0;
  std::vector<std::string> plugins;  // absolute paths of libraries and folders

  std::optional<Component> model, dataflow, data;
  Component trainer;
  std::optional<Component> optimizer;  // not given: the model's own
  std::vector<Component> gradient_processors, callbacks, extra_callbacks, monitors, session_init;

  int64_t starting_epoch = 1;
  EpochLength steps_per_epoch;
  int64_t max_epoch = 99999;  // inclusive

  int64_t nr_tower = 1;                      // at least 1
  std::vector<int64_t> tower;                // 0 to nr_tower - 1, unless written out
  std::vector<int64_t> predict_tower;        // -1 is the CPU; empty when predict_devices is given
  std::vector<std::string> predict_devices;  // "cpu:0", "cuda:1"
  bool towers_given = false;                 // nr_tower above 1 or tower: they name the devices

  std::string log_dir;         // absolute
  std::string log_dir_action;  // "backup", "keep", "delete", "new", "quit"
  Resume resume;
  Runtime runtime;

  // The whole as a manifest says it, with all defaults; loading it gives the same manifest. A
  // secret of the environment stays ${env:NAME}, and $${ stands for ${.
  Value resolved() const;
  std::string resolved_text() const;  // strict JSON

  // What fed the run beside its file and the command line: {"files": [{"path", "text"}, …],
  // "environment": {"DATA": "/data", "API_KEY": "(not shown)", "UNSET": null}}.
  Value inputs() const;

  // Every value that holds no others, in order: JSON pointer and where it came from.
  std::vector<std::pair<std::string, std::string>> origins() const;
};

// Where a manifest gets what it asks for; the process's own files and environment unless told.
struct Surroundings {
  std::function<std::shared_ptr<const Source>(const std::string& path)> read;  // of "extends"
  std::function<std::optional<std::string>(const std::string& name)> environment;
};
Surroundings process_surroundings();

// Reads and merges, fills in defaults, applies overrides, substitutes, checks. Throws base::Error
// of class manifest, or data when a file is not there.
Manifest load(const std::string& path, const std::vector<std::string>& overrides = {});
// The same for a text already in memory.
Manifest load_source(std::shared_ptr<const Source> source,
                     const std::vector<std::string>& overrides = {},
                     const Surroundings& surroundings = process_surroundings());

// A value as a manifest would say it: ${env:NAME} for secrets, $${ for ${. For all that is shown.
Value as_manifest(const Value& value);

// Resolves every component with its children, and replaces the entries by what came out.
void resolve(Manifest& manifest, const Catalog& catalog);

// JSON Schema of a manifest without the options of components.
const Value& manifest_schema();

}  // namespace broch::manifest
