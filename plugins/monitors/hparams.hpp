// hparams.hpp: what TensorBoard's table of runs shows: values of the manifest, and how a run ended.
#pragma once
#include <chrono>

#include "manifest_values.hpp"
#include "store/event_tensors.hpp"

namespace broch::monitors {

class HParams {
 public:
  // places: in the manifest; none: there is no table.
  HParams(const LogDir& log_dir, std::vector<std::string> places)
      : log_dir_(log_dir), places_(std::move(places)) {}

  // When the run begins. No value: there is no table.
  std::optional<store::EventValue> begin() const {
    if (places_.empty() || !log_dir_.path()) return std::nullopt;
    const ManifestValues manifest(log_dir_);
    std::map<std::string, store::HParam> values;
    for (size_t i = 0; i < places_.size(); ++i)
      values[places_[i]] = param_of(manifest.at(places_[i], "/hparams/" + std::to_string(i)));
    return store::hparams_begin(values, *log_dir_.path(), wall_seconds());
  }
  // data: of the event BROCH_EVENT_TRAINING_ENDED. A run that was interrupted can be resumed, so it
  // has not ended.
  std::optional<store::EventValue> end(const std::string& data) const {
    const auto said = ManifestValues::Json::parse(data, nullptr, false);
    if (places_.empty() || !log_dir_.path() || !said.is_object()) return std::nullopt;
    const std::string outcome = said.value("outcome", "");
    if (outcome == "interrupted") return std::nullopt;
    return store::hparams_end(outcome != "failed", wall_seconds());
  }

 private:
  static store::HParam param_of(const ManifestValues::Json& value) {
    if (value.is_number()) return value.get<double>();
    if (value.is_boolean()) return value.get<bool>();
    return ManifestValues::text_of(value);
  }
  static double wall_seconds() {
    const std::chrono::duration<double> since = std::chrono::system_clock::now().time_since_epoch();
    return since.count();
  }

  LogDir log_dir_;
  std::vector<std::string> places_;
};

}  // namespace broch::monitors
