// run_record.hpp: run.json in a log folder: which process ran there, since when, how it ended.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "log_folder/log_dir.hpp"
#include "value/value.hpp"

namespace broch::log_folder {

// Describes the last start; a resumed run writes a new record.
struct RunRecord {
  // Of this run alone, and the same after each resume here. "": the record is of an older version.
  std::string id;
  std::string host;
  int64_t pid = 0;
  double started = 0;           // wall time
  std::optional<double> ended;  // wall time; missing: it still runs, or was killed
  std::optional<int64_t> exit;  // exit code of the program
  std::string resumed_from;     // a checkpoint; "": it did not resume
  // Absolute paths of other folders than this one in which the run, or one that it resumed here,
  // has saved checkpoints, or was about to.
  std::vector<std::string> checkpoint_folders;
  // Two objects. The value of everything that can be set during the run, by name, at the start or
  // after the last change by broch ctl; and the manifest's values where they differ.
  value::Value settings{value::Value::Object{}};
  value::Value not_as_in_manifest{value::Value::Object{}};
};

// Throws base::Error (data).
void write_record(const LogDir& log_dir, const RunRecord& record);
// Nothing if there is no readable record.
std::optional<RunRecord> read_record(const std::string& log_dir);
// Nothing if there is no record. Throws base::Error (checkpoint) if there is one that cannot be
// read: it may name the folder of the newest checkpoint.
std::optional<RunRecord> record_to_resume(const std::string& log_dir);

// "running", also while it is starting; "finished", "interrupted" or "failed", according to the
// exit code; "killed" if there is no exit code; "unknown" without a record.
std::string state_of_run(const std::string& log_dir);

}  // namespace broch::log_folder
