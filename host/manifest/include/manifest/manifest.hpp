// manifest.hpp: one run, as its JSON file and the command line describe it.
//
//   const Manifest manifest = load("digits.json", {"trainer.use=simple"});
//   resolve(manifest, catalog);   // when plugins are known: options checked, defaults filled in
//
// Fields keep the names and defaults of tensorpack's TrainConfig (seed items M40 to M55).
#pragma once
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
  std::vector<std::string> without_passes;
  std::string collectives = "gloo";
  double collective_timeout = 30;  // seconds
  bool deterministic = false;
  std::optional<int64_t> threads;  // not given: 1, so that bits do not depend on the machine
  std::string consistency;         // "none", "step"
  std::string periods;             // "steps", "runs"
};

// Whether training goes on where an earlier run ended.
struct Resume {
  bool wanted = false;
  std::string path;  // of the run; empty: the log folder's own; "auto": that if there is one
};

struct Manifest {
  std::shared_ptr<const Source> source;  // the file, as written
  Value value;                           // the whole, resolved

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

  // Strict JSON with all defaults; loading it gives the same manifest.
  std::string resolved_text() const;

  // Every value that holds no others, in order: JSON pointer and where it came from.
  std::vector<std::pair<std::string, std::string>> origins() const;
};

// Reads, fills in defaults, applies overrides, checks. Throws base::Error of class manifest, or
// data when there is no such file.
Manifest load(const std::string& path, const std::vector<std::string>& overrides = {});
// The same for a text already in memory.
Manifest load_source(std::shared_ptr<const Source> source,
                     const std::vector<std::string>& overrides = {});

// Resolves every component with its children, and replaces the entries by what came out.
void resolve(Manifest& manifest, const Catalog& catalog);

// JSON Schema of a manifest without the options of components.
const Value& manifest_schema();

}  // namespace broch::manifest
