// executor_inputs.cpp: the inputs of the towers of one execution: feeds and data points.
#include <algorithm>

#include "plan/executor.hpp"
#include "plan/misfit.hpp"

namespace broch::plan {

namespace {

// Whether a cost to differentiate, or a fetch of the tower, depends on the input.
bool needs_input(const tower::Tower& tower, const std::vector<std::string_view>& costs,
                 const RunRequest& request, const std::string& input) {
  const auto reaches = [&](std::string_view name) { return tower.depends(name, input); };
  if (std::ranges::any_of(costs, reaches)) return true;
  return std::ranges::any_of(request.fetches, [&](uint32_t entry) {
    return is_computed_from((*request.table)[entry], tower, input);
  });
}

[[noreturn]] void refuse_unfed(const tower::Tower& tower, const std::string& input,
                               const Input& source) {
  throw base::Error{
      base::Exit::training,
      {"input '" + input + "' of " + tower.describe(), "nobody feeds it in this run",
       "a feed, as " + abi::describe(source.instance()) +
           (source.is_placeholder() ? " has no data of its own" : " has no data for it"),
       "feed it in before_run of a callback, or use another input source"}};
}

[[noreturn]] void refuse_evaluation(const std::string& input, const Input& source) {
  throw base::Error{base::Exit::training,
                    {"evaluation outside a step", "it needs the input '" + input + "'",
                     "data that is there without a step, which " +
                         abi::describe(source.instance()) + " does not have",
                     "fetch along with a step instead, or use a queue"}};
}

}  // namespace

broch_status Executor::take_inputs(TowerRuns& runs, const RunRequest& request) {
  for (TowerRun& run : runs)
    if (take_point(run, request) == BROCH_END) return BROCH_END;
  return BROCH_OK;
}

broch_status Executor::take_point(TowerRun& run, const RunRequest& request) {
  take_feeds(run, request);
  std::vector<runtime::Tensor>& fed = run.fed;
  if (!lacks_data(run, request) || !needs_point(run, request)) {
    std::swap(run.request.inputs.inputs, fed);
    return BROCH_OK;
  }
  if (request.evaluation && (deps_.input->is_feed() || deps_.input->is_staged()))
    refuse_evaluation(run.tower->signature()[0].name, *deps_.input);
  if (next_point(run) == BROCH_END) return BROCH_END;
  for (size_t i = 0; i < fed.size(); ++i)
    if (fed[i]) run.request.inputs.inputs[i] = std::move(fed[i]);
  return BROCH_OK;
}

// A feed is either an input of the tower or a published name, which it replaces.
void Executor::take_feeds(TowerRun& run, const RunRequest& request) const {
  const std::vector<abi::InputSpec>& signature = run.tower->signature();
  run.fed.resize(signature.size());
  run.request.inputs.hooked_run = request.number;
  for (const RunRequest::Feed& feed : request.feeds) {
    if (deps_.towers->training(feed.name->tower) != run.tower) continue;
    const auto found = std::ranges::find(signature, feed.name->published, &abi::InputSpec::name);
    if (found == signature.end()) {
      run.request.inputs.feeds[feed.name->published] = feed.value;
      continue;
    }
    const auto input = static_cast<size_t>(found - signature.begin());
    run.tower->check_fed(input, feed.value);
    run.fed[input] = deps_.backend->brought_to(run.tower->spec().device, feed.value);
  }
}

// Whether an input that is not fed comes from the data. Refuses one that comes from nowhere.
bool Executor::lacks_data(const TowerRun& run, const RunRequest& request) const {
  const Input* input = deps_.input;
  const bool provides_all = input && !input->is_remapped() && !input->is_placeholder();
  const std::vector<abi::InputSpec>& signature = run.tower->signature();
  bool lacks = false;
  for (size_t i = 0; input && i < run.fed.size(); ++i) {
    if (run.fed[i]) continue;
    if (provides_all || input->provides(i))
      lacks = true;
    else if (run.is_peer || needs_input(*run.tower, run.costs, request, signature[i].name))
      refuse_unfed(*run.tower, signature[i].name, *input);
  }
  return lacks;
}

broch_status Executor::next_point(TowerRun& run) {
  const tower::TowerSpec& spec = run.tower->spec();
  std::vector<runtime::Tensor>& inputs = run.request.inputs.inputs;
  const auto reused = reuses_points_ ? reused_.find(run.tower) : reused_.end();
  if (reused != reused_.end()) {
    inputs = reused->second;
    return BROCH_OK;
  }
  if (deps_.input->next(spec.index, run.point) == BROCH_END) return BROCH_END;
  run.took_point = true;
  try {
    take_tensors(*deps_.backend, run.point, deps_.input->signature(), spec.device, inputs);
    if (deps_.input->is_remapped()) deps_.input->place(inputs);
  } catch (const base::Error& error) {
    throw misfit(error, deps_.input->instance());
  }
  if (reuses_points_) reused_.emplace(run.tower, inputs);
  return BROCH_OK;
}

// A tower of the plan needs a data point if it has an input node. Another tower needs one if
// something fetched from it depends on an input that is not fed.
bool Executor::needs_point(const TowerRun& run, const RunRequest& request) const {
  if (run.in_plan) return run.takes_points;
  if (run.is_peer) return true;
  if (request.summaries && run.tower->spec().is_main()) return true;
  for (size_t i = 0; i < run.fed.size(); ++i)
    if (!run.fed[i] && deps_.input->provides(i) &&
        needs_input(*run.tower, {}, request, run.tower->signature()[i].name))
      return true;
  return false;
}

}  // namespace broch::plan
