// run_folder.hpp: what a run left in its log folder, or has left there so far.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "output.hpp"
#include "session/run_record.hpp"

namespace broch::cli {

// A JSON file of any size. Throws base::Error (data).
Value read_json(const std::filesystem::path& path);

// stats.json of the folder: objects with epoch_num, oldest first, at least one. Throws base::Error
// (data).
Value::Array read_records(const std::filesystem::path& log_dir);
// The same, but empty where there are none.
Value::Array records_so_far(const std::filesystem::path& log_dir);

// The latest number of each metric by name, counters left out.
std::map<std::string, double> last_values(const Value::Array& records);
bool is_counter(std::string_view key);
// The metrics that --stat names; none named: all that are there. Throws base::Error (usage) naming
// the command for one that is not there.
std::vector<std::string> chosen_metrics(const std::string& command,
                                        const std::set<std::string>& there,
                                        const std::vector<std::string>& wanted);

// The "name" of its manifest, else the folder's.
std::string name_of_run(const std::filesystem::path& log_dir);
// The resolved manifest; null where there is none.
Value manifest_of_run(const std::filesystem::path& log_dir);
// Throws base::Error (data) for a folder that no run wrote into.
void require_run(const std::filesystem::path& log_dir);

// The manifest that a command is given: a file, or the log folder of a run, which means its
// resolved manifest. Throws base::Error (data) for a folder without one.
std::string manifest_file(const std::string& path);
// A checkpoint of a run: "": the newest; "best": the one under a name of its own, such as a
// min-saver keeps; else a file or folder, or the name of one in the log folder. Throws base::Error
// (checkpoint).
std::string checkpoint_of_run(const std::filesystem::path& log_dir, const std::string& which);

bool is_loss(std::string_view name);
bool is_error(std::string_view name);

}  // namespace broch::cli
