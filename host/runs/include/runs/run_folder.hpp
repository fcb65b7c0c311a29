// run_folder.hpp: reads the files in the log folder of a run, which may still be running.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "log_folder/run_record.hpp"
#include "value/value.hpp"

namespace broch::runs {

using value::Value;

// Reads a JSON file of at most 1 GiB. Throws base::Error (data).
Value read_json(const std::filesystem::path& path);
// When a file was last written, in seconds since 1970-01-01 UTC; 0 if there is no such file.
double modified_at(const std::filesystem::path& file);

// The records in stats.json: objects with epoch_num, oldest first, at least one. Throws base::Error
// (data).
Value::Array read_records(const std::filesystem::path& log_dir);
// The same, but empty if there are none.
Value::Array records_so_far(const std::filesystem::path& log_dir);

// The latest value of each metric, without the counters.
std::map<std::string, double> last_values(const Value::Array& records);
bool is_counter(std::string_view key);
// The metrics in wanted (from --stat) or, if that is empty, all in there. Throws base::Error
// (usage), with the command's name, if one is missing.
std::vector<std::string> chosen_metrics(const std::string& command,
                                        const std::set<std::string>& there,
                                        const std::vector<std::string>& wanted);

// The "name" in the manifest of the run, otherwise the name of the folder.
std::string name_of_run(const std::filesystem::path& log_dir);
// The resolved manifest; null if there is none.
Value manifest_of_run(const std::filesystem::path& log_dir);
// Throws base::Error (data) if no run has written into the folder.
void require_run(const std::filesystem::path& log_dir);

// Resolves the "manifest" argument of a command: a file, or the log folder of a run, which means
// its resolved manifest. Throws base::Error (data) if the folder has none, and (manifest) if one of
// the overrides is for a variable, whose value is in its places there.
std::string manifest_file(const std::string& path, const std::vector<std::string>& overrides = {});
// The checkpoint of a run that which means. "" and "last": the newest. "best": the only one with a
// name of its own, as a saver of the best one writes it. Otherwise a file or folder, or a name in
// the log folder. Throws base::Error (checkpoint).
std::string checkpoint_of_run(const std::filesystem::path& log_dir, const std::string& which);

// Throws base::Error if the argument of a command cannot be what is expected ("a manifest or …"):
// there is no such file (data), or it is no folder and does not begin like a manifest (usage).
void require_model(const std::string& path, const std::string& expected);
// The checkpoint for a command that takes a manifest or the log folder of a run, and --checkpoint.
// Throws base::Error (usage) if a manifest, or what cannot be one, comes without --checkpoint.
std::string checkpoint_to_use(const std::string& command, const std::string& manifest,
                              const std::string& checkpoint);

bool is_loss(std::string_view name);
bool is_error(std::string_view name);

}  // namespace broch::runs
