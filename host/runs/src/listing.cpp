// listing.cpp: looks some levels deep, and not into runs.
#include "runs/listing.hpp"

#include <algorithm>

#include "runs/run_folder.hpp"

namespace broch::runs {
namespace {

namespace fs = std::filesystem;

constexpr int kDepth = 4;  // levels of folders below the listed one

std::optional<int64_t> counter_of(const Value::Array& records, const char* name) {
  const Value* value = records.empty() ? nullptr : records.back().find(name);
  return value && value->is(Value::Kind::integer) ? std::optional(value->integer()) : std::nullopt;
}

void add_runs_below(const fs::path& folder, int depth, size_t most, std::vector<fs::path>& found) {
  if (found.size() == most) return;
  if (log_folder::is_run(folder)) return found.push_back(folder);
  if (depth == kDepth) return;
  std::error_code error;
  std::vector<fs::path> folders;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (fs::is_directory(it->symlink_status())) folders.push_back(it->path());
  std::ranges::sort(folders);
  for (const fs::path& one : folders) add_runs_below(one, depth + 1, most, found);
}

}  // namespace

std::vector<fs::path> find_runs(const fs::path& folder, size_t most) {
  std::vector<fs::path> found;
  add_runs_below(folder, 0, most, found);
  return found;
}

Summary summary_without_files(const fs::path& log_dir) {
  return {.log_dir = log_dir,
          .name = log_dir.filename().string(),
          .state = log_folder::state_of_run(log_dir),
          .record = log_folder::read_record(log_dir),
          .epoch = {},
          .step = {},
          .stats = {}};
}

Summary summary_of(const fs::path& log_dir) {
  const Value::Array records = records_so_far(log_dir);
  Summary run = summary_without_files(log_dir);
  run.name = name_of_run(log_dir);
  run.epoch = counter_of(records, "epoch_num");
  run.step = counter_of(records, "global_step");
  run.stats = last_values(records);
  return run;
}

}  // namespace broch::runs
