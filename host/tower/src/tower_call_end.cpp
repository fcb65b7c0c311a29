// tower_call_end.cpp: what is checked after a tower function has returned.
#include <algorithm>
#include <map>

#include "abi/thread.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "broch/ext/tower.h"
#include "handles.hpp"
#include "null_hint.hpp"
#include "tower_call.hpp"

namespace broch::tower {
namespace {

constexpr std::string_view kCost = "cost";

}  // namespace

void TowerCall::keep_cost(broch_tensor cost) {
  if (!cost || tower_.spec().operation) return;
  Valued value = resolve(backend_, nullptr, cost, {"tower function", "cost"});
  // A cost without a name could be neither fetched nor recorded.
  if (defining_)
    definition_.names_cost =
        published_as(value.tensor).empty() && !result_->published.contains(kCost);
  if (definition_.names_cost) publish(kCost, value);
  if (mixes()) value.tensor = backend_.widened(value.tensor);
  result_->cost = std::move(value.tensor);
  result_->tags.cost = value.tags;
}

void TowerCall::finish() {
  check_writes();
  check_cost();
  if (defining_) complete_definition();
  require_as_defined();
  drop_frozen_updates();
  give_collections();
}

void TowerCall::complete_definition() {
  definition_.has_cost = static_cast<bool>(result_->cost);
  settle_anchors();
  warn_of_useless_penalties();
  definition_.collections = collections();
}

void TowerCall::require_as_defined() const {
  const std::string difference = follower_.difference(static_cast<bool>(result_->cost));
  if (difference.empty()) return;
  throw base::Error(base::Exit::training,
                    {.where = tower_.describe(),
                     .found = difference,
                     .expected = "the same registrations in every call",
                     .hint = "a tower function is a description: it keeps no state and lets "
                             "nothing but its arguments decide what it builds"});
}

void TowerCall::drop_frozen_updates() {
  size_t kept = 0;
  for (size_t i = 0; i < update_events_.size(); ++i)
    if (!update_events_[i]->frozen) {
      if (kept != i) result_->updates[kept] = std::move(result_->updates[i]);
      ++kept;
    }
  result_->updates.resize(kept);
}

void TowerCall::give_collections() {
  for (CollectedTensors::List& list : collected_.lists()) {
    if (list.frozen) continue;
    std::vector<Tensor>& tensors = result_->collections[std::string(list.name)];
    for (Valued& value : list.values) tensors.push_back(std::move(value.tensor));
  }
}

// A failure that the function ignored, for example because it did not check broch_opset_status.
std::string TowerCall::failed_before() const {
  if (abi::thread_state().messages == messages_) return "";
  const broch_host* host = tower_.instance().host();
  return std::string(", and this had failed: ") + host->last_error(host);
}

void TowerCall::check_cost() const {
  const auto wrong = [this](const std::string& found) {
    throw base::Error(
        base::Exit::training,
        {.where = "cost of " + tower_.describe(),
         .found = found,
         .expected = "a 0-dim floating-point tensor",
         .hint = hint_for_shape(backend_, "set *cost to the number that training makes smaller")});
  };
  if (!result_->cost) {
    if (tower_.spec().training && !tower_.spec().operation) wrong("none" + failed_before());
    return;
  }
  const TensorInfo info = backend_.info(result_->cost);
  if (info.shape.rank != 0 || !is_floating(info.dtype)) wrong(type_text(info.dtype, info.shape));
}

void TowerCall::check_writes() const {
  if (!watch_) return;
  const std::vector<uint64_t> now = count_writes();
  const auto differs = std::ranges::mismatch(writes_, now).in1;
  if (differs == writes_.end()) return;
  const auto index = static_cast<size_t>(differs - writes_.begin());
  const size_t inputs = inputs_.inputs.size();
  throw base::Error(
      base::Exit::training,
      {.where = tower_.describe(),
       .found =
           "a write to " +
           (index < inputs
                ? "input '" + tower_.signature()[index].name + "'"
                : "variable '" + tower_.context().variables->all()[index - inputs]->name + "'"),
       .expected = "inputs that keep their values, variables that are written by broch.tower/1 "
                   "update alone",
       .hint = "use the operator that returns a new tensor, and update the variable with it"});
}

bool TowerCall::is_collection(std::string_view anchor) const {
  return anchor == BROCH_UPDATE_OPS || anchor == BROCH_SUMMARIES ||
         anchor == BROCH_MOVING_SUMMARY_OPS || anchor == BROCH_REGULARIZATION_LOSSES ||
         collected(anchor) != nullptr;
}

// Anchors are checked only now, because a name may be published after the update that refers to
// it.
void TowerCall::settle_anchors() {
  for (size_t i = 0; i < update_events_.size(); ++i) {
    Event& event = *update_events_[i];
    event.to_collection = is_collection(event.name);
    result_->updates[i].anchor_is_collection = event.to_collection;
    if (event.to_collection || tower_.spec().operation || result_->published.contains(event.name))
      continue;
    std::vector<std::string> names;
    for (const Published::Entry& entry : result_->published) names.emplace_back(entry.first);
    throw base::Error(
        base::Exit::training,
        {.where = "update of variable '" + event.variable->name + "' in " + tower_.describe(),
         .found = "anchor " + base::quoted(event.name),
         .expected = "a name that this tower publishes, UPDATE_OPS, or a collection it adds to" +
                     base::did_you_mean(event.name, names),
         .hint = "publish the name, or anchor the update at UPDATE_OPS"});
  }
}

// Returns the first name under which this very tensor was published; "" if there is none.
std::string TowerCall::published_as(const Tensor& tensor) const {
  const auto is_it = [&](const Published::Entry& entry) {
    return entry.second.impl() == tensor.impl();
  };
  const auto found = std::ranges::find_if(result_->published, is_it);
  return found == result_->published.end() ? std::string() : std::string(found->first);
}

std::vector<Collection> TowerCall::collections() const {
  std::vector<Collection> all;
  std::map<std::string_view, size_t> seen;  // number of members seen in each list of collected_
  size_t summaries = 0, moving = 0;
  const auto add = [&](std::string_view name, std::string published, std::string what) {
    auto found = std::ranges::find(all, name, &Collection::name);
    if (found == all.end()) found = all.insert(found, {std::string(name), {}});
    found->members.push_back({std::move(published), std::move(what)});
  };
  for (const auto& event : definition_.events) switch (event->kind) {
      case EventKind::get:
      case EventKind::publish:
        break;
      case EventKind::collect: {
        const Valued& value = (*collected(event->name))[seen[event->name]++];
        if (!event->frozen) add(event->name, published_as(value.tensor), "a tensor without a name");
        break;
      }
      case EventKind::update:
        if (event->to_collection && !event->frozen)
          add(event->name, "", "the update of variable " + base::quoted(event->variable->name));
        break;
      case EventKind::summary:
        add(BROCH_SUMMARIES, published_as(result_->summaries[summaries++].tensor),
            "summary " + base::quoted(event->name));
        break;
      case EventKind::moving:
        add(event->collection, published_as(result_->moving[moving++].tensor),
            "moving summary " + base::quoted(event->name));
        break;
    }
  if (result_->cost) add(BROCH_COST, published_as(result_->cost), "a cost without a name");
  return all;
}

std::string TowerCall::names_of(const std::vector<Tensor>& penalties) const {
  std::vector<std::string> names;
  for (const Tensor& penalty : penalties) {
    const std::string name = published_as(penalty);
    names.push_back(name.empty() ? "one without a name" : base::quoted(name));
  }
  return base::join(names, ", ");
}

// Asks autograd whether a penalty depends on a variable, and the cost on the penalty.
void TowerCall::warn_of_useless_penalties() {
  const std::vector<Valued>* losses = collected(BROCH_REGULARIZATION_LOSSES);
  if (!losses || !gradients_ || !result_->cost || !backend_.info(result_->cost).requires_grad)
    return;
  std::vector<Tensor> constant, varying, unused;
  for (const Valued& loss : *losses)
    (backend_.info(loss.tensor).requires_grad ? varying : constant).push_back(loss.tensor);
  const std::string collection = " in the collection REGULARIZATION_LOSSES of " + tower_.describe();
  if (!constant.empty())
    base::warning("these penalties" + collection + " depend on no variable that is trained: " +
                  names_of(constant) + "; does the expression match names of such variables?");
  if (varying.empty()) return;
  const std::vector<Tensor> gradients = backend_.grad(
      {&result_->cost, 1}, varying, {}, /*create_graph=*/false, /*allow_unused=*/true);
  for (size_t i = 0; i < varying.size(); ++i)
    if (!gradients[i]) unused.push_back(varying[i]);
  if (!unused.empty())
    base::warning("the cost does not contain these penalties" + collection + ": " +
                  names_of(unused) + "; add them to the cost");
}

}  // namespace broch::tower
