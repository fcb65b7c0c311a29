// executor_results.cpp: what an execution leaves: updates of towers, averages, fetched values and
// summaries.

#include "plan/executor.hpp"

namespace broch::plan {

namespace {

runtime::Tensor int64_tensor(runtime::Backend& backend, int64_t value) {
  const broch_dl_tensor data{&value,  {BROCH_DL_CPU, 0}, 0, {BROCH_DL_INT, 64, 1},
                             nullptr, nullptr,           0};
  return backend.copy_in(data, runtime::Device{});
}

}  // namespace

void Executor::commit(TowerRuns& runs, const RunRequest& request) {
  size_t count = 0;
  const TowerRun* only = nullptr;
  for (const TowerRun& run : runs) {
    if (!run.result->tower.updates.empty()) ++count, only = &run;
    if (updates_averages(request))
      for (const tower::Moving& moving : run.result->tower.moving)
        deps_.averages->update(*deps_.backend, moving);
    if (!request.hooked) continue;
    for (const TowerRun::Averaged& cost : run.averaged)
      deps_.costs->update(cost.average,
                          deps_.backend->item(run.result->tower.published[cost.index]));
  }
  if (count == 1) return tower::commit(*deps_.variables, only->result->tower.updates);
  if (count == 0) return;
  std::vector<tower::Update> updates;
  for (const TowerRun& run : runs)
    updates.insert(updates.end(), run.result->tower.updates.begin(),
                   run.result->tower.updates.end());
  tower::commit(*deps_.variables, updates);
}

void Executor::read_activations(TowerRuns& runs, RunRequest& request) {
  const TowerRun* run = nullptr;
  uint32_t tower = 0;  // index of run's tower
  for (const uint32_t entry : request.fetches) {
    const Fetch& fetch = (*request.table)[entry];
    if (fetch.kind != Fetch::Kind::published) continue;
    if (!run || tower != fetch.tower) run = runs.find(deps_.towers->training(tower = fetch.tower));
    request.values[entry] = run->result->tower.published[fetch.index];
  }
}

void Executor::read_variables(RunRequest& request) {
  for (const uint32_t entry : request.fetches) {
    const Fetch& fetch = (*request.table)[entry];
    runtime::Tensor& value = request.values[entry];
    switch (fetch.kind) {
      case Fetch::Kind::published:
        break;  // already read
      case Fetch::Kind::variable:
        value = fetch.variable->value;
        break;
      case Fetch::Kind::global_step:
        value = int64_tensor(*deps_.backend, deps_.progress->global_step);
        break;
      case Fetch::Kind::epoch_num:
        value = int64_tensor(*deps_.backend, deps_.progress->epoch_num);
        break;
      case Fetch::Kind::unresolved:
        break;
    }
  }
}

void Executor::summarize(TowerRuns& runs, RunRequest& request) {
  for (const TowerRun& run : runs)
    for (const tower::Summary& summary : run.result->tower.summaries)
      request.summary.add(*deps_.backend, summary);
  for (const auto& [name, value] : deps_.averages->values())
    request.summary.add_scalar(name, value);
}

}  // namespace broch::plan
