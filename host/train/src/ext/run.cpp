// run_extension.cpp: broch.run/1.
#include "tables.hpp"
#include "tower/tensor_handles.hpp"
#include "train/progress_page.hpp"

namespace broch::train {

namespace {

using abi::Instance;
using abi::Role;
using abi::serve;

const broch_progress* progress(const broch_host* host) {
  const broch_progress* found = nullptr;
  serve(host, "progress", abi::kNoScope, [&](Instance& instance) {
    const auto* page = instance.context().find<ProgressPage>();
    found = page ? page->lent() : instance.context().find<broch_progress>();
    return BROCH_OK;
  });
  return found;
}

broch_status fetch(const broch_host* host, const char* name, uint32_t* id) {
  return serve(host, "fetch", Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    require_callbacks_setup(trainer, instance, "fetch");
    *id = trainer.runs().declare_fetch(slot_of(trainer, instance, "fetch"), name,
                                       abi::describe(instance));
    return BROCH_OK;
  });
}

broch_status value(const broch_host* host, broch_run run, uint32_t id, broch_tensor* value) {
  return serve(host, "value", Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    *value = trainer.runs().handle(run, slot_of(trainer, instance, "value"), id, instance);
    return broch_status{*value ? BROCH_OK : BROCH_NONE};
  });
}

broch_status scalar(const broch_host* host, broch_run run, uint32_t id, double* value) {
  return serve(host, "scalar", Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    runtime::Backend& backend = *trainer.parts().backend;
    const runtime::Tensor& tensor =
        trainer.runs().value(run, slot_of(trainer, instance, "scalar"), id);
    if (!tensor) return broch_status{BROCH_NONE};
    if (backend.elements(tensor) != 1)
      throw abi::CallError{BROCH_E_INVALID_ARGUMENT,
                           "scalar: fetch " + std::to_string(id) + " has shape " +
                               to_string(backend.info(tensor).shape) + ", expected one element"};
    *value = backend.item(tensor);
    return broch_status{BROCH_OK};
  });
}

broch_status feed(const broch_host* host, const char* name, uint32_t* id) {
  return serve(host, "feed", Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    require_callbacks_setup(trainer, instance, "feed");
    *id = trainer.runs().declare_feed(slot_of(trainer, instance, "feed"), name,
                                      abi::describe(instance));
    return BROCH_OK;
  });
}

broch_status set_feed(const broch_host* host, broch_run run, uint32_t id, broch_tensor value) {
  return serve(host, "set_feed", Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    trainer.runs().set_feed(
        run, slot_of(trainer, instance, "set_feed"), id,
        tower::resolve_to_look(*trainer.parts().backend, instance, value, {"set_feed", "value"}));
    return BROCH_OK;
  });
}

broch_status request_stop(const broch_host* host, const char* reason) {
  return serve(host, "request_stop", Role::main, [&](Instance& instance) {
    trainer_of(instance).runs().request_stop(reason && *reason ? reason : abi::describe(instance));
    return BROCH_OK;
  });
}

broch_status run_collection(const broch_host* host, const char* collection) {
  return serve(host, "run_collection", Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    require_setup(trainer, "run_collection");
    trainer.executor().run_collection(collection);
    return BROCH_OK;
  });
}

broch_status eval(const broch_host* host, const char* const* names, uint32_t n,
                  broch_tensor* values) {
  return serve(host, "eval", Role::main, [&](Instance& instance) {
    Trainer& trainer = ready_trainer(instance, "eval");
    const std::string who = "eval of " + abi::describe(instance);
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
  return serve(host, "want_summaries", Role::main, [&](Instance& instance) {
    Trainer& trainer = trainer_of(instance);
    trainer.runs().want_summaries(run, slot_of(trainer, instance, "want_summaries"));
    return BROCH_OK;
  });
}

broch_status evaluate_summaries(const broch_host* host) {
  return serve(host, "evaluate_summaries", Role::main, [&](Instance& instance) {
    Trainer& trainer = ready_trainer(instance, "evaluate_summaries");
    const broch_status status =
        trainer.evaluate_for_plugin([&] { return trainer.runs().evaluate_summaries(); });
    if (status == BROCH_END)
      throw abi::CallError{BROCH_E_OUT_OF_RANGE, "evaluate_summaries: the data has ended"};
    return status;
  });
}

}  // namespace

const broch_run_ext kRunTable = {sizeof(broch_run_ext),
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
  context.extend(BROCH_EXT_RUN, &kRunTable);
  context.extend(BROCH_EXT_METRICS, &kMetricsTable);
  context.extend(BROCH_EXT_PLAN, &kPlanTable);
  context.extend(BROCH_EXT_PREDICT, &kPredictTable);
  context.extend(BROCH_EXT_DIST, &kDistTable);
  context.extend(BROCH_EXT_INPUT, &kInputTable);
  context.extend(BROCH_EXT_COLLECTIONS, &kCollectionsTable);
}

}  // namespace broch::train
