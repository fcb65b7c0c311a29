// model_graph.cpp: broch.model_graph/1.
#include "base/error.hpp"
#include "base/text.hpp"
#include "capture/capture.hpp"
#include "graph/description.hpp"
#include "tables.hpp"

namespace broch::train {
namespace {

constexpr const char* kOfModel = "broch.model_graph/1 of_model";

tower::Tower& inference_tower(Instance& instance) {
  Trainer& trainer = ready_trainer(instance, kOfModel);
  if (!trainer.predictors())
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                         std::string(kOfModel) + ": the run has no model"};
  if (trainer.parts().run_context->in_run)
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                         std::string(kOfModel) +
                             ": called inside a hooked run, from before_run to after_run; call it "
                             "in before_train, trigger_step or trigger"};
  return trainer.predictors()->tower("", 0);
}

std::string graph_of(tower::Tower& tower, std::vector<std::string> outputs) {
  if (outputs.empty()) outputs = {capture::usual_output(tower)};
  if (outputs[0].empty())
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                         tower.describe() + ": no published name that is an output; name one of " +
                             base::join(tower.published_names(), ", ")};
  try {
    return graph::description(capture::capture(tower, {std::move(outputs), {}}).graph);
  } catch (const base::Error& error) {
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION, error.what()};
  }
}

broch_status of_model(const broch_host* host, const char* const* outputs, uint32_t n,
                      const char** graph) {
  return serve(host, kOfModel, Role::main, [&](Instance& instance) {
    given(graph, kOfModel, "graph");
    std::vector<std::string> names;
    for (uint32_t i = 0; i < n; ++i)
      names.emplace_back(given(given(outputs, kOfModel, "outputs")[i], kOfModel, "outputs"));
    static thread_local std::string text;
    text = graph_of(inference_tower(instance), std::move(names));
    *graph = text.c_str();
    return BROCH_OK;
  });
}

}  // namespace

const broch_host_model_graph kModelGraphTable = {sizeof(broch_host_model_graph), 0, &of_model};

}  // namespace broch::train
