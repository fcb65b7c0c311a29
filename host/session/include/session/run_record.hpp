// run_record.hpp: run.json in a log folder: who runs there, since when, and how it ended.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "manifest/value.hpp"
#include "session/log_dir.hpp"

namespace broch::session {

// Of the last start; a resumed run has a new one.
struct RunRecord {
  std::string host;
  int64_t pid = 0;
  double started = 0;           // wall time
  std::optional<double> ended;  // wall time; not there: it runs, or was killed
  std::optional<int64_t> exit;  // exit code of the program
  std::string resumed_from;     // a checkpoint; "": it began afresh
  // What can be set while it trains, by name, as it was at the start or after the last change by
  // broch ctl; and what the manifest says of those that are otherwise. Objects.
  manifest::Value settings{manifest::Value::Object{}};
  manifest::Value not_as_in_manifest{manifest::Value::Object{}};
};

// Throws base::Error (data).
void write_record(const LogDir& log_dir, const RunRecord& record);
// Nothing when there is none that can be read.
std::optional<RunRecord> read_record(const std::string& log_dir);

// "running", also of one that is just being started; "finished", "interrupted" or "failed" by its
// exit code; "killed" when it left none; "unknown" without a record.
std::string state_of_run(const std::string& log_dir);

}  // namespace broch::session
