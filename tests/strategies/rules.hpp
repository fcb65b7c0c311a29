// rules.hpp: trainings of the models of this folder, to hold beside descent.hpp.
#pragma once
#include <nlohmann/json.hpp>

#include "builtins/project.hpp"
#include "descent.hpp"

namespace broch::test {

using Json = nlohmann::json;

// Entries of a manifest: a component, a wrapper around an optimizer, plain descent.
inline Json entry(const std::string& use, const Json& with = Json::object()) {
  return {{"use", use}, {"with", with}};
}
inline Json around(const std::string& use, const Json& inner, Json with = Json::object()) {
  with["optimizer"] = inner;
  return entry(use, with);
}
inline Json sgd() { return entry("sgd", {{"learning_rate", 0.1}}); }

// Trainings of one of the models of this folder, whose towers take data points in turn.
class Strategy {
 public:
  Strategy(std::string use, std::string plugin, std::string model)
      : use_(std::move(use)), plugin_(std::move(plugin)), model_(std::move(model)) {}
  // Of slope.c.
  explicit Strategy(std::string use) : Strategy(std::move(use), SLOPE, "conformance.slope") {}

  Json with = Json::object();
  Json callbacks = Json::array();
  Json monitors = Json::array();
  Json optimizer;  // an entry instead of what train is given
  Json processors = Json::array();
  Json plugins = Json::array();         // besides
  Json predict_devices, predict_tower;  // null: not given
  std::vector<std::string> fetches{"w"};
  std::string execution = "auto";
  int64_t epochs = 1;
  bool resume = false;
  Project project;

  // w of slope.c after each step.
  std::vector<double> train(const Gradients& gradients, const Optimizer& optimizer) {
    std::vector<double> data;
    for (const auto& step : gradients) data.insert(data.end(), step.begin(), step.end());
    return train(data, gradients.front().size(), gradients.size(), optimizer)
               ? values("w")
               : std::vector<double>{};
  }
  bool train(const std::vector<double>& data, size_t towers, size_t steps,
             const Optimizer& optimizer) {
    Json rows = Json::array();
    for (const double x : data) rows.push_back(Json::array({x}));
    return train_rows(rows, towers, steps, optimizer);
  }
  bool train_rows(const Json& rows, size_t towers, size_t steps, const Optimizer& optimizer) {
    Json devices = Json::array();
    for (size_t i = 0; i < towers; ++i) devices.push_back("cpu:" + std::to_string(i));
    with["devices"] = devices;
    const Json rule{{"use", optimizer.use}, {"with", {{"learning_rate", optimizer.rate}}}};
    const Json recorder{{"use", "test.recorder"},
                        {"with", {{"fetch", fetches}, {"trace", project.trace_path()}}}};
    Json all = callbacks;
    all.push_back(recorder);
    Json files = plugins;
    for (const std::string& file : {std::string(RECORDER), std::string(MODELS), plugin_})
      files.push_back(file);
    const std::vector<std::pair<std::string, Json>> settings{
        {"plugins", files},
        {"model", {{"use", model_}}},
        {"trainer", {{"use", use_}, {"with", with}}},
        {"dataflow", {{"use", "test.rows"}, {"with", {{"rows", rows}}}}},
        {"optimizer", this->optimizer.is_null() ? rule : this->optimizer},
        {"gradient_processors", processors},
        {"monitors", monitors},
        {"runtime", {{"execution", execution}}},
        {"callbacks", all},
        {"steps_per_epoch", steps},
        {"max_epoch", epochs}};
    Lines overrides;
    if (!predict_devices.is_null())
      overrides.push_back("predict_devices=" + predict_devices.dump());
    if (!predict_tower.is_null()) overrides.push_back("predict_tower=" + predict_tower.dump());
    for (const auto& [key, value] : settings) overrides.push_back(key + "=" + value.dump());
    session::RunOptions options;
    options.resume = resume;
    return project.train(overrides, options) == Exit::ok;
  }
  // What was fetched, a number for each hooked run.
  std::vector<double> values(const std::string& name) const {
    std::vector<double> values;
    for (const std::string& line : project.trace(name + " ")) values.push_back(std::stod(line));
    return values;
  }

 private:
  std::string use_, plugin_, model_;
};

}  // namespace broch::test
