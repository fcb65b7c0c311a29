// inference_runner.cpp: on each trigger, runs the model in inference mode over a dataset and lets
// inferencers turn the outputs into numbers. tensorpack: `InferenceRunner`.
#include "inference.hpp"

namespace {

struct Options : broch::callbacks::InferenceOptions {
  std::string tower_name;
  uint32_t device;

  static constexpr auto schema = broch::options(
      InferenceOptions::schema,
      broch::option("tower_name", &Options::tower_name,
                    "Name of the tower; runners with the same name and device share it.")
          .min_length(1)
          .by_default("InferenceTower"),
      broch::option("device", &Options::device, "Index into predict_devices.")
          .minimum(0)
          .by_default(0));
};

class InferenceRunner final : public broch::callbacks::Inference {
 public:
  InferenceRunner(const broch::Host& host, const Options& options) : Inference(host, options) {
    add_tower(options.tower_name, options.device);
  }
};

}  // namespace

BROCH_CALLBACK(InferenceRunner, "broch.callback.inference-runner", "1.0.0",
               "Evaluates the model on a dataset; inferencers compute metrics from the outputs.",
               Options::schema, broch::produces(), broch::evaluates(),
               broch::callbacks::kMetricPrefix)
