// predict.cpp: broch.predict/1.
#include "predictors.hpp"
#include "tables.hpp"
#include "tower/tensor_handles.hpp"

namespace broch::train {

namespace {

constexpr const char* kCall = "broch.predict/1 call";
constexpr const char* kGetPredictor = "broch.predict/1 get_predictor";
constexpr const char* kSignature = "broch.predict/1 signature";

broch_status signature(const broch_host* host, const broch_input_spec** inputs, uint32_t* n) {
  return serve(host, kSignature, abi::kAnyRole, [&](Instance& instance) {
    const abi::SpecArray* specs = trainer_of(instance).signature();
    if (!specs)
      throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                           std::string(kSignature) + ": the run has no model"};
    *given(inputs, kSignature, "inputs") = specs->data();
    *given(n, kSignature, "n") = specs->size();
    return BROCH_OK;
  });
}

std::vector<std::string> texts(const char* const* names, uint32_t n, const char* argument) {
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < n; ++i)
    texts.emplace_back(given(given(names, kGetPredictor, argument)[i], kGetPredictor, argument));
  return texts;
}

broch_status get_predictor(const broch_host* host, const char* tower_name, uint32_t device,
                           const char* const* inputs, uint32_t n, const char* const* outputs,
                           uint32_t m, broch_predictor* predictor) {
  return serve(host, kGetPredictor, Role::main, [&](Instance& instance) {
    Predictors* predictors = trainer_of(instance).predictors();
    if (!predictors)
      throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                           std::string(kGetPredictor) + ": the run has no model"};
    given(predictor, kGetPredictor, "predictor");
    auto made = std::make_unique<SharedPredictor>(
        predictors->get(tower_name ? tower_name : "", device, texts(inputs, n, "inputs"),
                        texts(outputs, m, "outputs")));
    *predictor = instance.handles().add(
        abi::Kind::predictor,
        {made.release(), [](void* pointer) { delete static_cast<SharedPredictor*>(pointer); },
         nullptr});
    return BROCH_OK;
  });
}

broch_status call(const broch_host* host, broch_predictor predictor, const broch_tensor* inputs,
                  uint32_t n, broch_tensor* outputs, uint32_t m) {
  return serve(host, kCall, abi::kAnyRole, [&](Instance& instance) {
    Trainer& trainer = ready_trainer(instance, kCall);
    Predictor& called = *predictor_at(instance, predictor);
    require_count(kCall, "inputs", called.inputs().size(), n);
    require_count(kCall, "outputs", called.outputs().size(), m);
    if (n) given(inputs, kCall, "inputs");
    if (m) given(outputs, kCall, "outputs");
    runtime::Backend& backend = *trainer.parts().backend;
    std::vector<runtime::Tensor> tensors;
    for (uint32_t i = 0; i < n; ++i)
      tensors.push_back(tower::resolve_to_look(backend, instance, inputs[i], {kCall, nullptr, i}));
    std::vector<runtime::Tensor> results = called.call(tensors);
    for (uint32_t i = 0; i < m; ++i) outputs[i] = tower::lend(std::move(results[i]));
    return BROCH_OK;
  });
}

}  // namespace

SharedPredictor predictor_at(Instance& instance, broch_predictor handle) {
  const char* why = nullptr;
  void* found = instance.handles().find(handle, abi::Kind::predictor, &why);
  if (!found)
    throw abi::CallError{BROCH_E_INVALID_ARGUMENT, abi::explain(handle, abi::Kind::predictor, why)};
  return *static_cast<SharedPredictor*>(found);
}

void require_count(const char* function, const char* what, size_t expected, uint32_t found) {
  if (expected != found)
    throw abi::CallError{BROCH_E_INVALID_ARGUMENT, std::string(function) + ": found " +
                                                       std::to_string(found) + " " + what +
                                                       ", expected " + std::to_string(expected)};
}

const broch_host_predict kPredictTable = {sizeof(broch_host_predict), 0, signature, get_predictor,
                                          call};

}  // namespace broch::train
