// rest_store.hpp: a tracking server of MLflow, through its REST API:
// https://mlflow.org/docs/latest/api_reference/rest-api.html.
#pragma once
#include <functional>
#include <optional>

#include "mlflow/store.hpp"

namespace broch::mlflow {

class RestStore final : public Store {
 public:
  // seconds: returns how long the next request may take; 0: it is not made. Takes
  // MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, from the
  // environment.
  RestStore(std::string server, std::function<double()> seconds);

  RunId begin(const NewRun& run) override;
  void log(const RunId& run, const std::vector<Metric>& metrics) override;
  void set_status(const RunId& run, Status status, int64_t end) override;

 private:
  // The answer of a function of the API, "runs/create", to a JSON text; as JSON text.
  std::string ask(const std::string& function, const std::string& body) const;
  std::optional<std::string> known_experiment(const std::string& name) const;
  std::string experiment_id(const std::string& name) const;

  std::string server_, token_, user_;
  std::function<double()> seconds_;
};

}  // namespace broch::mlflow
