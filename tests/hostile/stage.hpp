// stage.hpp: many trainings at a time, each with one bad plugin and a limit, and what they left.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli_harness/cli_harness.hpp"

namespace broch::hostile {

using cli_harness::Folder;
using cli_harness::Json;

// What a training with a bad plugin leaves behind.
enum class Left {
  nothing,   // no checkpoint: it never came to one
  earlier,   // the checkpoints until then, from which a run without the plugin goes on to the end
  finished,  // all of the training
};

// One row of the table. The program gets a manifest that is good but for what spoil does to it.
struct Case {
  std::string name;
  // Changes the manifest; the folder is the case's own, with copies of the plugins.
  std::function<void(Json& manifest, const Folder& folder)> spoil;
  int exit = 0;                    // 128 + n: killed by signal n
  std::vector<std::string> words;  // all of which the talk has; "{}" is the folder of the case
  int after_train = 2;             // how many come, of the callbacks before and after the bad one
  Left left = Left::earlier;
  int signals = 0;  // SIGTERMs, from the moment on at which it misbehaves
  std::vector<std::string> arguments = {};
};

struct Result {
  bool ended = false;  // before the limit
  int exit = -1;
  std::string talk, folder;
  int after_train = 0;
  // Of a run with the same log folder, without what was bad, that was asked to --resume.
  int resumed = -1;
  std::string resumed_talk;
  std::vector<int64_t> epochs;  // in stats.json, after all
};

// Runs all, some at a time; results in the same order.
std::vector<Result> perform(const std::vector<Case>& cases);

// Checks a result against its row.
void check(const Case& row, const Result& result);

// An entry of a manifest: the bad component, which does what it is told in the call named where,
// from an epoch on.
Json bad(const std::string& what, const std::string& where, int64_t epoch = 2);

// Ways to spoil a manifest: the bad component as a callback in the middle, a monitor, the data.
std::function<void(Json&, const Folder&)> as_callback(const Json& entry);
std::function<void(Json&, const Folder&)> as_monitor(const Json& entry);
std::function<void(Json&, const Folder&)> as_dataflow(const Json& entry);

}  // namespace broch::hostile
