// inference_runner.cpp: on each trigger, runs the model in inference mode over a data set and lets
// inferencers turn the outputs into numbers. tensorpack: `InferenceRunner`.
#include "inference.hpp"

namespace {

class InferenceRunner final : public broch::callbacks::Inference {
 public:
  explicit InferenceRunner(const broch::Host& host) : Inference(host) {
    const broch::Config config(host);
    add_tower(config.string("/tower_name"), uint32_t(config.integer("/device")));
  }

  void before_train() override {
    if (size() < 0)
      host_.warning("the data does not say its size: each round lasts until the data ends");
  }
};

}  // namespace

// clang-format off
#define OPTIONS \
  R"({"type": "object", "properties": {)" BROCH_INFERENCE_SCHEMA R"(,)" \
  R"("tower_name": {"type": "string", "minLength": 1, "default": "InferenceTower",)" \
  R"( "description": "Name of the tower; runners with the same name share it."},)" \
  R"("device": {"type": "integer", "minimum": 0, "default": 0,)" \
  R"( "description": "Index into predict_devices."}},)" \
  R"("required": ["inferencers"], "additionalProperties": false})"

BROCH_COMPONENT_MORE(InferenceRunner, "broch.callback.inference-runner", "callback", "1.0.0",
               "Evaluates the model on a data set; inferencers compute metrics from the outputs.", R"("produces": [])",
               OPTIONS)
// clang-format on
