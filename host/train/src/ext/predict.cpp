// predict.cpp: broch.predict/1.
#include "base/text.hpp"
#include "predictors.hpp"
#include "tables.hpp"
#include "tower/tensor_handles.hpp"

namespace broch::train {

namespace {

constexpr const char* kCall = "broch.predict/1 call";
constexpr const char* kGetPredictor = "broch.predict/1 get_predictor";
constexpr const char* kSignature = "broch.predict/1 signature";
constexpr const char* kChildSignature = "broch.predict/1 child_signature";
constexpr const char* kGetChildPredictor = "broch.predict/1 get_child_predictor";

Trainer& trainer_with_model(Instance& instance, const char* function) {
  Trainer& trainer = trainer_of(instance);
  if (!trainer.towers())
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                         std::string(function) + ": the run has no model"};
  return trainer;
}

Trainer::OtherModel& child_model(Instance& instance, const char* pointer, const char* function) {
  Trainer& trainer = trainer_with_model(instance, function);
  Instance* const child = instance.child_at(given(pointer, function, "pointer")).get();
  if (!child || child->spec().role != "model")
    throw abi::CallError{BROCH_E_INVALID_ARGUMENT, std::string(function) + ": the component at " +
                                                       base::quoted(pointer) +
                                                       " is no model; expected one"};
  return trainer.other_model(*child);
}

void give(const abi::SpecArray& specs, const broch_input_spec** inputs, uint32_t* n,
          const char* function) {
  *given(inputs, function, "inputs") = specs.data();
  *given(n, function, "n") = specs.size();
}

broch_status signature(const broch_host* host, const broch_input_spec** inputs, uint32_t* n) {
  return serve(host, kSignature, abi::kAnyRole, [&](Instance& instance) {
    give(*trainer_with_model(instance, kSignature).signature(), inputs, n, kSignature);
    return BROCH_OK;
  });
}

broch_status child_signature(const broch_host* host, const char* pointer,
                             const broch_input_spec** inputs, uint32_t* n) {
  return serve(host, kChildSignature, Role::main, [&](Instance& instance) {
    give(child_model(instance, pointer, kChildSignature).signature, inputs, n, kChildSignature);
    return BROCH_OK;
  });
}

// The arguments that get_predictor and get_child_predictor share.
struct Asked {
  const char* function;
  const char* tower_name;
  uint32_t device;
  const char* const* inputs;
  uint32_t n;
  const char* const* outputs;
  uint32_t m;
  broch_predictor* predictor;
};

std::vector<std::string> texts(const Asked& asked, const char* const* names, uint32_t n,
                               const char* argument) {
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < n; ++i)
    texts.emplace_back(given(given(names, asked.function, argument)[i], asked.function, argument));
  return texts;
}

void make(Instance& instance, Predictors& predictors, const Asked& asked) {
  given(asked.predictor, asked.function, "predictor");
  auto made = std::make_unique<SharedPredictor>(
      predictors.get(asked.tower_name ? asked.tower_name : "", asked.device,
                     texts(asked, asked.inputs, asked.n, "inputs"),
                     texts(asked, asked.outputs, asked.m, "outputs")));
  *asked.predictor = instance.handles().add(
      abi::Kind::predictor,
      {made.release(), [](void* pointer) { delete static_cast<SharedPredictor*>(pointer); },
       nullptr});
}

broch_status get_predictor(const broch_host* host, const char* tower_name, uint32_t device,
                           const char* const* inputs, uint32_t n, const char* const* outputs,
                           uint32_t m, broch_predictor* predictor) {
  return serve(host, kGetPredictor, Role::main, [&](Instance& instance) {
    make(instance, *trainer_with_model(instance, kGetPredictor).predictors(),
         {kGetPredictor, tower_name, device, inputs, n, outputs, m, predictor});
    return BROCH_OK;
  });
}

broch_status get_child_predictor(const broch_host* host, const char* pointer,
                                 const char* tower_name, uint32_t device, const char* const* inputs,
                                 uint32_t n, const char* const* outputs, uint32_t m,
                                 broch_predictor* predictor) {
  return serve(host, kGetChildPredictor, Role::main, [&](Instance& instance) {
    make(instance, child_model(instance, pointer, kGetChildPredictor).predictors,
         {kGetChildPredictor, tower_name, device, inputs, n, outputs, m, predictor});
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

const broch_host_predict kPredictTable = {
    sizeof(broch_host_predict), 0, signature, get_predictor, call, child_signature,
    get_child_predictor};

}  // namespace broch::train
