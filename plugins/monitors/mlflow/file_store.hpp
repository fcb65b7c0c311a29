// file_store.hpp: the folder mlruns of MLflow: a folder for each experiment, in it one for each
// run, with meta.yaml, and a file for each metric, parameter and tag.
#pragma once
#include <filesystem>
#include <map>
#include <set>

#include "mlflow/store.hpp"

namespace broch::mlflow {

class FileStore final : public Store {
 public:
  explicit FileStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  RunId begin(const NewRun& run) override;
  // Appends a line "timestamp value step" to the file of each metric. Lines that cannot be written
  // are written by a later call.
  void log(const RunId& run, const std::vector<Metric>& metrics) override;
  void sync(const RunId& run) override;
  void set_status(const RunId& run, Status status, int64_t end) override;

  // The name of the file of a key. A metric may have the name of another one and a part behind it,
  // "cost" and "cost/SMA", which cannot be a file and a folder.
  static std::string file_of(std::string key);

  // Whether the run is there.
  bool has(const RunId& run) const;
  // Cuts the file of each metric to so many lines, and removes those of others. Returns how many
  // lines each of these metrics has: fewer if a power failure has cost some.
  std::map<std::string, int64_t> cut(const RunId& run,
                                     const std::map<std::string, int64_t>& lines) const;

 private:
  std::filesystem::path folder_of(const RunId& run) const;
  std::string experiment_id(const std::string& name) const;
  std::string new_experiment(const std::string& name) const;

  std::filesystem::path folder_;
  std::map<std::string, std::string> waiting_;  // lines that are not in their files yet
  std::set<std::string> unsynced_;              // files that have grown
};

}  // namespace broch::mlflow
