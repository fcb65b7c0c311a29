// data_parallel_inference_runner.cpp: an inference-runner with several towers, each on its own
// thread. tensorpack: `DataParallelInferenceRunner`.
//
// Inferencers get the outputs in the order of the data, so their results have the same bits as with
// one tower.
#include "inference.hpp"

namespace {

class DataParallelInferenceRunner final : public broch::callbacks::Inference {
 public:
  explicit DataParallelInferenceRunner(const broch::Host& host) : Inference(host) {
    const broch::Config config(host);
    const std::string name = config.string("/tower_name");
    const std::vector<int64_t> devices = config.integers("/devices");
    for (size_t i = 0; i < devices.size(); ++i)
      add_tower(name + std::to_string(i), uint32_t(devices[i]));
  }

  void before_train() override {
    if (size() < 0)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "the data does not say its size, which is what towers divide: use "
                         "inference-runner, or data with a size");
  }
};

}  // namespace

// clang-format off
#define OPTIONS \
  R"({"type": "object", "properties": {)" BROCH_INFERENCE_SCHEMA R"(,)" \
  R"("tower_name": {"type": "string", "minLength": 1, "default": "InferenceTower",)" \
  R"( "description": "Name of the towers, before their numbers; runners with the same name share)" \
  R"( towers."},)" \
  R"("devices": {"type": "array", "minItems": 1, "maxItems": 1024, "items": {"type": "integer", "minimum": 0},)" \
  R"( "description": "One tower per entry, which is an index into predict_devices."}},)" \
  R"("required": ["inferencers", "devices"], "additionalProperties": false})"

BROCH_COMPONENT_MORE(DataParallelInferenceRunner, "broch.callback.data-parallel-inference-runner", "callback", "1.0.0",
               "Evaluates the model on a data set in several towers at once; inferencers compute "
               "metrics from the outputs.", R"("produces": [])", OPTIONS)
// clang-format on
