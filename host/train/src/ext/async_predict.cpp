// async_predict.cpp: broch.async_predict/1.
#include "abi/plugin_struct.hpp"
#include "plan/async_predictor.hpp"
#include "predictors.hpp"
#include "tower/tensor_handles.hpp"

namespace broch::train {

namespace {

using plan::AsyncPredictor;

constexpr const char* kCreate = "broch.async_predict/1 create";
constexpr const char* kCall = "broch.async_predict/1 call";
constexpr const char* kPut = "broch.async_predict/1 put";
constexpr const char* kClose = "broch.async_predict/1 close";
constexpr const char* kAnswer = "answer of broch.async_predict/1 put";

AsyncPredictor::Limits limits_of(const broch_async_limits* theirs) {
  const broch_async_limits limits = abi::read_struct(theirs, kCreate, "limits");
  constexpr uint64_t kMost = uint64_t{1} << 62;  // nanoseconds; 146 years
  return {limits.batch_size, std::chrono::nanoseconds(std::min(limits.wait_ns, kMost))};
}

broch_status create(const broch_host* host, const broch_predictor* predictors, uint32_t n,
                    const broch_async_limits* limits, broch_async_predictor* predictor) {
  return serve(host, kCreate, Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    given(predictor, kCreate, "predictor");
    if (n) given(predictors, kCreate, "predictors");
    std::vector<SharedPredictor> shared;
    for (uint32_t i = 0; i < n; ++i) shared.push_back(predictor_at(instance, predictors[i]));
    AsyncPredictor& made =
        trainer.keep(std::make_unique<AsyncPredictor>(std::move(shared), limits_of(limits)));
    *predictor = instance.handles().add(abi::Kind::async_predictor, {&made, nullptr, nullptr});
    return BROCH_OK;
  });
}

AsyncPredictor& async_at(Instance& instance, broch_async_predictor handle) {
  const char* why = nullptr;
  void* found = instance.handles().find(handle, abi::Kind::async_predictor, &why);
  if (!found)
    throw abi::CallError{BROCH_E_INVALID_ARGUMENT,
                         abi::explain(handle, abi::Kind::async_predictor, why)};
  return *static_cast<AsyncPredictor*>(found);
}

void refuse_in_answer(const AsyncPredictor& predictor, const char* function) {
  if (predictor.is_own_thread())
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                         std::string(function) +
                             " in an answer function of the same predictor would wait for itself; "
                             "use put there, and close it elsewhere"};
}

std::vector<runtime::Tensor> sample_of(Instance& instance, const AsyncPredictor& predictor,
                                       const broch_tensor* inputs, uint32_t n,
                                       const char* function) {
  require_count(function, "inputs", predictor.input_count(), n);
  if (n) given(inputs, function, "inputs");
  runtime::Backend& backend = *ready_trainer(instance, function).parts().backend;
  std::vector<runtime::Tensor> sample;
  for (uint32_t i = 0; i < n; ++i)
    sample.push_back(tower::resolve_to_look(backend, instance, inputs[i], {function, nullptr, i}));
  return sample;
}

broch_status call(const broch_host* host, broch_async_predictor predictor,
                  const broch_tensor* inputs, uint32_t n, broch_tensor* outputs, uint32_t m) {
  return serve(host, kCall, abi::kAnyRole, [&](Instance& instance) -> broch_status {
    AsyncPredictor& called = async_at(instance, predictor);
    refuse_in_answer(called, kCall);
    if (called.is_closed()) return BROCH_CANCELLED;
    require_count(kCall, "outputs", called.output_count(), m);
    if (m) given(outputs, kCall, "outputs");
    AsyncPredictor::Answer answer = called.call(sample_of(instance, called, inputs, n, kCall));
    if (answer.closed) return BROCH_CANCELLED;
    for (uint32_t i = 0; i < m; ++i) outputs[i] = tower::lend(std::move(answer.outputs[i]));
    return BROCH_OK;
  });
}

// Sets the message of this thread if the answer is a failure.
broch_status status_of(const AsyncPredictor::Answer& answer) {
  if (answer.closed) return BROCH_CANCELLED;
  if (!answer.failure) return BROCH_OK;
  try {
    std::rethrow_exception(answer.failure);
  } catch (...) {
    return abi::error_from_exception();
  }
}

void tell(Instance& instance, broch_answer_fn function, void* user, AsyncPredictor::Answer answer) {
  abi::invoke(instance, kAnswer, Role::data, abi::kOnlyOk, [&] {
    const broch_status status = status_of(answer);
    std::vector<broch_tensor> outputs;
    for (runtime::Tensor& output : answer.outputs)
      outputs.push_back(tower::lend(std::move(output)));
    return function(user, status, status == BROCH_OK ? outputs.data() : nullptr,
                    uint32_t(outputs.size()));
  });
}

broch_status put(const broch_host* host, broch_async_predictor predictor,
                 const broch_tensor* inputs, uint32_t n, broch_answer_fn answer, void* user) {
  return serve(host, kPut, abi::kAnyRole, [&](Instance& instance) -> broch_status {
    AsyncPredictor& asked = async_at(instance, predictor);
    given(answer, kPut, "answer");
    if (asked.is_closed()) return BROCH_CANCELLED;
    const bool open = asked.ask(sample_of(instance, asked, inputs, n, kPut),
                                [&instance, answer, user](AsyncPredictor::Answer given) {
                                  tell(instance, answer, user, std::move(given));
                                });
    return open ? BROCH_OK : BROCH_CANCELLED;
  });
}

broch_status close(const broch_host* host, broch_async_predictor predictor) {
  return serve(host, kClose, abi::kAnyRole, [&](Instance& instance) {
    AsyncPredictor& closed = async_at(instance, predictor);
    refuse_in_answer(closed, kClose);
    closed.close();
    return BROCH_OK;
  });
}

}  // namespace

const broch_host_async_predict kAsyncPredictTable = {
    sizeof(broch_host_async_predict), 0, create, call, put, close};

}  // namespace broch::train
