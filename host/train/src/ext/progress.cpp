// progress.cpp: broch.progress/1.
#include "base/text.hpp"
#include "monitors/progress_page.hpp"
#include "tables.hpp"
#include "tower/tensor_handles.hpp"

namespace broch::train {

namespace {

constexpr const char* kEvaluateSummaries = "broch.progress/1 evaluate_summaries";
constexpr const char* kRunCollection = "broch.progress/1 run_collection";
constexpr const char* kWantSummaries = "broch.progress/1 want_summaries";
constexpr const char* kRequestStop = "broch.progress/1 request_stop";
constexpr const char* kProgress = "broch.progress/1 progress";
constexpr const char* kSetFeed = "broch.progress/1 set_feed";
constexpr const char* kScalar = "broch.progress/1 scalar";
constexpr const char* kFetch = "broch.progress/1 fetch";
constexpr const char* kValue = "broch.progress/1 value";
constexpr const char* kFeed = "broch.progress/1 feed";
constexpr const char* kEval = "broch.progress/1 eval";

const broch_progress* progress(const broch_host* host) {
  const broch_progress* found = nullptr;
  serve(host, kProgress, abi::kNoScope, [&](Instance& instance) {
    auto* const page = instance.context().find<ProgressPage>();
    found = page ? page->lent(instance) : instance.context().find<broch_progress>();
    return BROCH_OK;
  });
  return found;
}

broch_status fetch(const broch_host* host, const char* name, uint32_t* id) {
  return serve(host, kFetch, Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    require_callbacks_setup(trainer, instance, kFetch);
    *given(id, kFetch, "id") = trainer.runs().declare_fetch(
        slot_of(trainer, instance, kFetch), given(name, kFetch, "name"), abi::describe(instance));
    return BROCH_OK;
  });
}

broch_status value(const broch_host* host, broch_run run, uint32_t id, broch_tensor* value) {
  return serve(host, kValue, Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    *given(value, kValue, "value") =
        trainer.runs().handle(run, slot_of(trainer, instance, kValue), id, instance);
    return broch_status{*value ? BROCH_OK : BROCH_NONE};
  });
}

broch_status scalar(const broch_host* host, broch_run run, uint32_t id, double* value) {
  return serve(host, kScalar, Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    runtime::Backend& backend = *trainer.parts().backend;
    const runtime::Tensor& tensor =
        trainer.runs().value(run, slot_of(trainer, instance, kScalar), id);
    if (!tensor) return broch_status{BROCH_NONE};
    if (backend.elements(tensor) != 1)
      throw abi::CallError{BROCH_E_INVALID_ARGUMENT,
                           std::string(kScalar) + ": fetch " + std::to_string(id) + " has shape " +
                               to_string(backend.info(tensor).shape) + ", expected one element"};
    *given(value, kScalar, "value") = backend.item(tensor);
    return broch_status{BROCH_OK};
  });
}

broch_status feed(const broch_host* host, const char* name, uint32_t* id) {
  return serve(host, kFeed, Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    require_callbacks_setup(trainer, instance, kFeed);
    *given(id, kFeed, "id") = trainer.runs().declare_feed(
        slot_of(trainer, instance, kFeed), given(name, kFeed, "name"), abi::describe(instance));
    return BROCH_OK;
  });
}

broch_status set_feed(const broch_host* host, broch_run run, uint32_t id, broch_tensor value) {
  return serve(host, kSetFeed, Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    trainer.runs().set_feed(
        run, slot_of(trainer, instance, kSetFeed), id,
        tower::resolve_to_look(*trainer.parts().backend, instance, value, {kSetFeed, "value"}));
    return BROCH_OK;
  });
}

broch_status request_stop(const broch_host* host, const char* reason) {
  return serve(host, kRequestStop, Role::main, [&](Instance& instance) {
    trainer_of(instance).runs().request_stop(reason && *reason ? base::to_utf8(reason)
                                                               : abi::describe(instance));
    return BROCH_OK;
  });
}

broch_status run_collection(const broch_host* host, const char* collection) {
  return serve(host, kRunCollection, Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    require_setup(trainer, kRunCollection);
    trainer.executor().run_collection(given(collection, kRunCollection, "collection"));
    return BROCH_OK;
  });
}

broch_status eval(const broch_host* host, const char* const* names, uint32_t n,
                  broch_tensor* values) {
  return serve(host, kEval, Role::main, [&](Instance& instance) {
    Trainer& trainer = ready_trainer(instance, kEval);
    const std::string who = std::string(kEval) + " of " + abi::describe(instance);
    std::vector<Fetch> fetches;
    for (uint32_t i = 0; i < n; ++i) {
      if (!names || !names[i] || !values)
        throw abi::CallError{BROCH_E_INVALID_ARGUMENT,
                             who + ": names or values is NULL, expected a pointer"};
      fetches.push_back(resolve_fetch(names[i], who, trainer.names()));
    }
    std::vector<runtime::Tensor> results;
    const broch_status status =
        trainer.evaluate_for_plugin([&] { return trainer.runs().evaluate(fetches, results); });
    if (status == BROCH_END)
      throw abi::CallError{BROCH_E_OUT_OF_RANGE, who + ": the data has ended"};
    if (status != BROCH_OK) return status;
    for (uint32_t i = 0; i < n; ++i) values[i] = tower::lend(std::move(results[i]));
    return status;
  });
}

broch_status want_summaries(const broch_host* host, broch_run run) {
  return serve(host, kWantSummaries, Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    trainer.runs().want_summaries(run, slot_of(trainer, instance, kWantSummaries));
    return BROCH_OK;
  });
}

broch_status evaluate_summaries(const broch_host* host) {
  return serve(host, kEvaluateSummaries, Role::main, [&](Instance& instance) {
    Trainer& trainer = ready_trainer(instance, kEvaluateSummaries);
    const broch_status status =
        trainer.evaluate_for_plugin([&] { return trainer.runs().evaluate_summaries(); });
    if (status == BROCH_END)
      throw abi::CallError{BROCH_E_OUT_OF_RANGE,
                           std::string(kEvaluateSummaries) + ": the data has ended"};
    return status;
  });
}

}  // namespace

const broch_host_progress kProgressTable = {sizeof(broch_host_progress),
                                            0,
                                            progress,
                                            fetch,
                                            value,
                                            scalar,
                                            feed,
                                            set_feed,
                                            request_stop,
                                            run_collection,
                                            eval,
                                            want_summaries,
                                            evaluate_summaries};

void register_extensions(abi::Context& context) {
  context.extend(BROCH_EXT_PROGRESS, &kProgressTable);
  context.extend(BROCH_EXT_METRICS, &kMetricsTable);
  context.extend(BROCH_EXT_PLAN, &kPlanTable);
  context.extend(BROCH_EXT_PREDICT, &kPredictTable);
  context.extend(BROCH_EXT_ASYNC_PREDICT, &kAsyncPredictTable);
  context.extend(BROCH_EXT_MODEL_GRAPH, &kModelGraphTable);
  context.extend(BROCH_EXT_DIST, &kDistTable);
  context.extend(BROCH_EXT_INPUT, &kInputTable);
  context.extend(BROCH_EXT_COLLECTIONS, &kCollectionsTable);
}

}  // namespace broch::train
