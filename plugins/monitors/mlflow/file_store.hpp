// file_store.hpp: the folder mlruns of MLflow: a folder for each experiment, in it one for each
// run, with meta.yaml, and a file for each metric, parameter and tag.
#pragma once
#include <filesystem>
#include <map>

#include "mlflow/store.hpp"

namespace broch::mlflow {

class FileStore final : public Store {
 public:
  explicit FileStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  RunId begin(const NewRun& run) override;
  // Appends a line "timestamp value step" to the file of each metric.
  void log(const RunId& run, const std::vector<Metric>& metrics) override;
  void set_status(const RunId& run, Status status, int64_t end) override;

  // Whether the run is there.
  bool has(const RunId& run) const;
  // Cuts the file of each metric to so many lines, and removes those of others.
  void cut(const RunId& run, const std::map<std::string, int64_t>& lines) const;

 private:
  std::filesystem::path folder_of(const RunId& run) const;
  std::string experiment_id(const std::string& name) const;
  std::string new_experiment(const std::string& name) const;

  std::filesystem::path folder_;
};

}  // namespace broch::mlflow
