// data_parallel_inference_runner.cpp: an inference-runner with several towers, each on its own
// thread. tensorpack: `DataParallelInferenceRunner`.
//
// Inferencers get the outputs in the order of the data, so their results have the same bits as with
// one tower.
#include "inference.hpp"

namespace {

struct Options : broch::callbacks::InferenceOptions {
  std::string tower_name;
  std::vector<uint32_t> devices;

  static constexpr auto schema = broch::options(
      InferenceOptions::schema,
      broch::option(
          "tower_name", &Options::tower_name,
          "Name of the towers, before their numbers; runners with the same name and devices share "
          "them.")
          .min_length(1)
          .by_default("InferenceTower"),
      broch::option("devices", &Options::devices,
                    "One tower per entry, which is an index into predict_devices.")
          .min_items(1)
          .max_items(1024)
          .minimum(0));
};

class DataParallelInferenceRunner final : public broch::callbacks::Inference {
 public:
  DataParallelInferenceRunner(const broch::Host& host, const Options& options)
      : Inference(host, options) {
    for (size_t i = 0; i < options.devices.size(); ++i)
      add_tower(options.tower_name + std::to_string(i), options.devices[i]);
  }
};

}  // namespace

BROCH_CALLBACK(DataParallelInferenceRunner, "broch.callback.data-parallel-inference-runner",
               "1.0.0",
               "Evaluates the model on a dataset in several towers at once; inferencers compute "
               "metrics from the outputs.",
               Options::schema, broch::produces(), broch::evaluates(),
               broch::callbacks::kMetricPrefix)
