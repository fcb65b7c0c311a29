// tower_call.cpp: the rules of a tower function, each with its message. tensorpack:
// `TowerContext`.
#include "tower_call.hpp"

#include <algorithm>
#include <map>

#include "abi/refuse.hpp"
#include "abi/thread.hpp"
#include "all_reduce.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "broch/ext/tower.h"
#include "domain.hpp"
#include "handles.hpp"

namespace broch::tower {
namespace {

constexpr std::string_view kCost = "cost";

bool is_floating(broch_dtype dtype) { return dtype >= BROCH_FLOAT32 && dtype <= BROCH_BFLOAT16; }

// Everything but the site: operators of two towers, modes or ranks never draw the same. What is no
// tower is computed on all ranks alike, so that variables stay equal.
uint64_t seed_of(const Tower& tower) {
  const TowerSpec& spec = tower.spec();
  const uint64_t rank = spec.operation ? 0 : tower.world().rank;
  uint64_t seed = base::hash64(rank, tower.world().root_seed);
  seed = base::hash64(spec.training ? 1 : spec.operation ? 2 : 0, seed);
  seed = base::hash64(spec.index, seed);
  return spec.operation ? base::hash64(spec.name, seed) : seed;
}

// The null runtime gives a result the shape of its first argument.
const char* next_for_shape(const Backend& backend, const char* next) {
  return backend.is_null() ? "the null runtime computes no shapes: use --runtime torch" : next;
}

}  // namespace

TowerCall::TowerCall(const Tower& tower, Definition& definition)
    : tower_(tower),
      definition_(definition),
      follower_(definition),
      backend_(*tower.world().backend),
      draw_seed_(seed_of(tower)) {}

void TowerCall::refuse_handle(broch_tower handle) {
  const char* why = "it belongs to another tower call";
  abi::Arena::of_this_thread().find(handle, abi::Kind::tower, Domain::current_id(), &why);
  abi::refuse(BROCH_E_INVALID_ARGUMENT,
              {.where = abi::explain(handle, abi::Kind::tower, why),
               .found = "",
               .expected = "the handle that the running tower function was called with",
               .hint = "pass it on; it is valid during that call and nowhere else"});
}

void TowerCall::refuse(broch_status status, const std::string& what, const std::string& found,
                       const std::string& expected, const std::string& next) const {
  abi::refuse(status, {.where = what + " in " + tower_.describe(),
                       .found = found,
                       .expected = expected,
                       .hint = next});
}

void TowerCall::begin(RunInputs& inputs, bool gradients, bool defining, TowerResult& result) {
  std::swap(inputs_, inputs);
  result_ = &result;
  messages_ = abi::thread_state().messages;
  gradients_ = gradients;
  defining_ = defining;
  follower_.begin(defining);
  result_->published.reserve(tower_.published_names().size());
  result_->tags.published.reserve(tower_.published_names().size());
  use_of_.assign(tower_.world().variables->all().size(), 0);
}

void TowerCall::end() {
  inputs_.clear();
  result_ = nullptr;
  watch_.reset();
  writes_.clear();
  handle_ = 0;
  uses_.clear();
  collected_.clear();
  update_events_.clear();
  draws_.clear();
  scope_.clear();
  scope_ends_.clear();
}

broch_tower TowerCall::lend_handle() {
  handle_ = abi::Arena::of_this_thread().add(abi::Kind::tower, {this}, Domain::current_id());
  return handle_;
}

const std::vector<broch_tensor>& TowerCall::input_handles() {
  handles_.clear();
  const std::vector<abi::InputSpec>& signature = tower_.signature();
  for (size_t i = 0; i < signature.size(); ++i) {
    const uint64_t tag = publish_tag();
    result_->tags.published.push_back(tag);
    handles_.push_back(lend(inputs_.inputs[i], tag));
    result_->published.add(signature[i].name, inputs_.inputs[i]);
  }
  return handles_;
}

uint64_t TowerCall::publish_tag() { return Tags::bit(result_->published.size()); }

// --- variables

void TowerCall::scope_push(std::string_view name) {
  if (name.empty())
    refuse(BROCH_E_INVALID_ARGUMENT, "variable scope", "an empty name", "a part of variable names",
           "give the scope a name");
  scope_ends_.push_back(scope_.size());
  if (!scope_.empty()) scope_ += '/';
  scope_ += name;
}

void TowerCall::scope_pop() {
  if (scope_ends_.empty())
    refuse(BROCH_E_FAILED_PRECONDITION, "scope_pop", "no open scope", "one scope_push for each",
           "remove this call, or push before it");
  scope_.resize(scope_ends_.back());
  scope_ends_.pop_back();
}

Variable& TowerCall::get(std::string_view name, const broch_variable_spec& spec) {
  scope_push(name);  // the full name, without memory of its own
  Variable* variable;
  try {
    const Event* event = follower_.next_get(scope_);
    const bool as_defined =
        event && event->variable->dtype == spec.dtype &&
        std::ranges::equal(event->variable->shape.span(), std::span(spec.shape, spec.rank));
    variable = as_defined  ? event->variable
               : defining_ ? &define_variable(scope_, spec)
                           : &repeat_variable(scope_, spec);
    note({.kind = EventKind::get, .name = scope_, .variable = variable});
  } catch (...) {
    scope_pop();
    throw;
  }
  scope_pop();
  return *variable;
}

Variable& TowerCall::define_variable(const std::string& full, const broch_variable_spec& spec) {
  check_variable_name(full, tower_.describe());
  for (const auto& event : definition_.events)
    if (event->kind == EventKind::get && event->name == full)
      refuse(BROCH_E_ALREADY_EXISTS, "variable " + base::quoted(full), "asked for twice",
             "once in a tower call", "keep the handle, or open another scope");
  VariableStore& store = *tower_.world().variables;
  const std::string& by = tower_.instance().label();
  const TowerSpec& own = tower_.spec();
  if (own.owns_variables) {
    uint64_t elements = 1;  // of a shape that the store may refuse
    for (uint32_t d = 0; d < std::min<uint32_t>(spec.rank, BROCH_RANK_MAX); ++d)
      elements *= static_cast<uint64_t>(spec.shape[d]);
    const Device device = definition_.placement.place(static_cast<int64_t>(elements), own.device);
    return store.create(full, spec, device, by, own.vs_name);
  }
  const bool local =
      (spec.flags & (BROCH_VARIABLE_LOCAL | BROCH_VARIABLE_TRAINABLE)) == BROCH_VARIABLE_LOCAL;
  if (local && !store.find(full, own.vs_name))
    return store.create(full, spec, own.device, by, own.vs_name);
  return store.reuse(full, spec, tower_.describe(), own.vs_name);
}

// A get that did not come when the graph was defined: goes on if it can, the end of the call tells.
Variable& TowerCall::repeat_variable(const std::string& full, const broch_variable_spec& spec) {
  VariableStore& store = *tower_.world().variables;
  const std::string& replica = tower_.spec().vs_name;
  if (store.find(full, replica)) return store.reuse(full, spec, tower_.describe(), replica);
  refuse(BROCH_E_FAILED_PRECONDITION, "variable " + base::quoted(full),
         "asked for, but it was not there when the graph was defined",
         "the same variables in every call",
         "a tower function is a description: let nothing but its arguments decide what it builds");
}

uint32_t& TowerCall::place_of(const Variable& variable) {
  if (variable.id >= use_of_.size()) use_of_.resize(variable.id + 1, 0);
  return use_of_[variable.id];
}

const Valued& TowerCall::read(Variable& variable) {
  uint32_t& place = place_of(variable);
  if (place) return uses_[place - 1].value;
  Tensor value;
  if (gradients_ && variable.trainable()) {
    value = backend_.leaf(variable.value);
    result_->leaves.emplace_back(&variable, value);
  } else {
    value = backend_.detach(variable.value);
  }
  if (!share_memory(variable.device, tower_.spec().device))
    value = backend_.brought_to(tower_.spec().device, value);
  uses_.push_back({&variable, {std::move(value), 0}});
  place = static_cast<uint32_t>(uses_.size());
  return uses_.back().value;
}

std::vector<Variable*> TowerCall::used_variables(uint32_t flags) const {
  std::vector<Variable*> variables;
  for (const Use& use : uses_)
    if ((use.variable->flags & flags) == flags) variables.push_back(use.variable);
  std::ranges::sort(variables, {}, &Variable::id);
  return variables;
}

// --- names, writes, lists

void TowerCall::publish(std::string_view name, Valued& value) {
  if (defining_) {
    const std::string what = "published name " + base::quoted(name);
    if (name.empty() || name.find(':') != std::string_view::npos || !base::is_utf8(name))
      refuse(BROCH_E_INVALID_ARGUMENT, what, "a name that nobody could ask for",
             "some text without ':'", "rename it");
    if (result_->published.contains(name))
      refuse(BROCH_E_ALREADY_EXISTS, what, "published twice", "each name once a tower",
             "rename one, for example after its scope");
  }
  const TensorInfo info = backend_.info(value.tensor);
  const Event& event = note({.kind = EventKind::publish, .name = name, .published = &info});
  const uint64_t tag = publish_tag();
  value.tags |= tag;
  if (!inputs_.feeds.empty()) {
    const auto fed = inputs_.feeds.find(name);
    if (fed != inputs_.feeds.end()) {
      check_feed(name, fed->second, value.tensor);
      value = {fed->second, tag};
    }
  }
  result_->published.add(event.name, value.tensor);
  result_->tags.published.push_back(value.tags);
}

void TowerCall::check_feed(std::string_view name, const Tensor& fed, const Tensor& own) const {
  const TensorInfo given = backend_.info(fed);
  const TensorInfo wanted = backend_.info(own);
  if (given.dtype != wanted.dtype || given.shape.rank != wanted.shape.rank)
    refuse(BROCH_E_INVALID_ARGUMENT, "feed of " + base::quoted(name),
           type_text(given.dtype, given.shape),
           std::string(dtype_name(wanted.dtype)) + " of rank " + std::to_string(wanted.shape.rank),
           "convert what is fed");
}

void TowerCall::update(Variable& variable, const Valued& value, std::string_view anchor) {
  const TensorInfo info = backend_.info(value.tensor);
  if (info.dtype != variable.dtype || !(info.shape == variable.shape))
    refuse(BROCH_E_INVALID_ARGUMENT, "update of variable '" + variable.name + "'",
           type_text(info.dtype, info.shape), type_text(variable.dtype, variable.shape),
           "convert or reshape the value");
  if (anchor.empty())
    refuse(BROCH_E_INVALID_ARGUMENT, "update of variable '" + variable.name + "'",
           "an empty anchor", "a published name or a collection such as UPDATE_OPS",
           "say which runs are to write it");
  Event& event = note({.kind = EventKind::update, .name = anchor, .variable = &variable});
  event.frozen = freezes(anchor);
  Valued written{backend_.detach(value.tensor), value.tags};
  result_->updates.push_back({&variable, written.tensor, event.name, event.to_collection});
  update_events_.push_back(&event);
  uint32_t& place = place_of(variable);
  if (place) {
    uses_[place - 1].value = std::move(written);
  } else {
    uses_.push_back({&variable, std::move(written)});
    place = static_cast<uint32_t>(uses_.size());
  }
}

void TowerCall::collect(std::string_view collection, Valued value) {
  if (collection.empty())
    refuse(BROCH_E_INVALID_ARGUMENT, "collection_add", "an empty name", "the name of a collection",
           "give it a name");
  Event& event = note({.kind = EventKind::collect, .name = collection});
  event.frozen = freezes(collection);
  auto list = std::ranges::find(collected_, collection, &Collected::name);
  if (list == collected_.end()) list = collected_.insert(list, {event.name, event.frozen, {}});
  list->values.push_back(std::move(value));
}

const std::vector<Valued>* TowerCall::collected(std::string_view collection) const {
  const auto list = std::ranges::find(collected_, collection, &Collected::name);
  return list == collected_.end() ? nullptr : &list->values;
}

// All training towers but the first lose summaries, prediction towers their updates as well.
bool TowerCall::freezes(std::string_view collection) const {
  const TowerSpec& spec = tower_.spec();
  if (spec.operation || spec.is_main()) return false;
  if (collection == BROCH_UPDATE_OPS) return !spec.training;
  return collection == BROCH_SUMMARIES || collection == BROCH_MOVING_SUMMARY_OPS;
}

// --- summaries

void TowerCall::show(std::string_view name, const Tensor& tensor, uint32_t kinds) {
  if (!tower_.spec().is_main()) return;
  if (std::ranges::any_of(result_->summaries, [&](const Summary& s) { return s.name == name; }))
    refuse(BROCH_E_ALREADY_EXISTS, "summary " + base::quoted(name), "added twice", "once a tower",
           "pass all kinds in one call, or rename one");
  const Event& event = note({.kind = EventKind::summary, .name = name, .kinds = kinds});
  result_->summaries.push_back({event.name, kinds, tensor});
}

void TowerCall::average(std::string_view name, const Tensor& tensor, double decay) {
  const TensorInfo info = backend_.info(tensor);
  const std::string what = "moving summary " + base::quoted(name);
  if (info.shape.rank != 0)
    refuse(BROCH_E_INVALID_ARGUMENT, what, "shape " + to_string(info.shape), "a 0-dim tensor",
           next_for_shape(backend_, "reduce it, for example with mean"));
  if (!(decay >= 0 && decay < 1))
    refuse(BROCH_E_INVALID_ARGUMENT, what, "decay " + base::shortest(decay),
           "at least 0 and below 1", "0.95 is usual");
  if (!tower_.spec().is_main()) return;
  if (!tower_.spec().owns_variables) {
    if (!warned_of_moving_)
      base::warning("moving summaries of " + tower_.describe() +
                    " are ignored: it was built under reuse");
    warned_of_moving_ = true;
    return;
  }
  if (std::ranges::any_of(result_->moving, [&](const Moving& m) { return m.name == name; }))
    refuse(BROCH_E_ALREADY_EXISTS, what, "added twice", "once a tower", "rename one");
  const Event& event = note({.kind = EventKind::moving, .name = name});
  result_->moving.push_back({event.name, decay, tensor});
}

// --- other towers

Valued TowerCall::all_reduce(bool mean, const Valued& value) {
  const TowerSpec& spec = tower_.spec();
  const TensorInfo info = backend_.info(value.tensor);
  const std::string what = "all_reduce";
  if (info.dtype != BROCH_FLOAT32 && info.dtype != BROCH_FLOAT64)
    refuse(BROCH_E_INVALID_ARGUMENT, what, type_text(info.dtype, info.shape), "float32 or float64",
           "convert it first");
  if (info.device.type != BROCH_DL_CPU)
    refuse(BROCH_E_UNIMPLEMENTED, what, "memory of " + to_string(info.device), "memory of the CPU",
           "run these towers on the CPU");
  if (!spec.training || spec.total * tower_.world().ranks == 1) return value;
  if (defining_) meets_ = true;
  if (!meets_)
    refuse(
        BROCH_E_FAILED_PRECONDITION, what, "not called when the graph was defined",
        "the same calls in every call",
        "a tower function is a description: let nothing but its arguments decide what it builds");
  const bool exact = tower_.world().level == Level::bitwise;
  return {tower::all_reduce(backend_, mean, spec.total, exact, value.tensor), value.tags};
}

// --- draws, reads, writes by others

DrawKey TowerCall::next(std::string_view operator_name) {
  const uint64_t site = base::hash64(operator_name, base::hash64(scope_, draw_seed_));
  auto use = std::ranges::find(draws_, site, &std::pair<uint64_t, uint32_t>::first);
  if (use == draws_.end()) use = draws_.insert(use, {site, 0});
  return {base::hash64(use->second++, site), inputs_.hooked_run};
}

void TowerCall::refuse_write_to_input(const char* operator_name, const void* data) const {
  for (size_t i = 0; i < inputs_.inputs.size(); ++i)
    if (shares_memory(backend_, inputs_.inputs[i], data))
      refuse(BROCH_E_INVALID_ARGUMENT, std::string("operator ") + operator_name,
             "a write to input '" + tower_.signature()[i].name + "'",
             "inputs that keep their values", "use the operator that returns a new tensor");
}

void TowerCall::watch() {
  if (watch_) return;
  watch_ = backend_.watch();
  writes_ = count_writes();
}

// Of the inputs, then of the variables, of which there may be more later.
std::vector<uint64_t> TowerCall::count_writes() const {
  std::vector<uint64_t> counts;
  for (const Tensor& input : inputs_.inputs) counts.push_back(backend_.writes_to(input));
  for (const auto& variable : tower_.world().variables->all())
    counts.push_back(backend_.writes_to(variable->value));
  return counts;
}

// --- the end

void TowerCall::keep_cost(broch_tensor cost) {
  if (!cost || tower_.spec().operation) return;
  Valued value = resolve(backend_, nullptr, cost, {"tower function", "cost"});
  // One without a name could be neither fetched nor recorded.
  if (defining_)
    definition_.names_cost =
        published_as(value.tensor).empty() && !result_->published.contains(kCost);
  if (definition_.names_cost) publish(kCost, value);
  result_->cost = std::move(value.tensor);
  result_->tags.cost = value.tags;
}

void TowerCall::finish() {
  check_writes();
  check_cost();
  if (defining_) {
    definition_.has_cost = static_cast<bool>(result_->cost);
    settle_anchors();
    warn_of_unused_losses();
    definition_.collections = collections();
  }
  const std::string difference = follower_.difference(static_cast<bool>(result_->cost));
  if (!difference.empty())
    throw base::Error(base::Exit::training,
                      {.where = tower_.describe(),
                       .found = difference,
                       .expected = "the same registrations in every call",
                       .hint = "a tower function is a description: it keeps no state and lets "
                               "nothing but its arguments decide what it builds"});
  size_t kept = 0;
  for (size_t i = 0; i < update_events_.size(); ++i)
    if (!update_events_[i]->frozen) {
      if (kept != i) result_->updates[kept] = std::move(result_->updates[i]);
      ++kept;
    }
  result_->updates.resize(kept);
  for (Collected& list : collected_) {
    if (list.frozen) continue;
    std::vector<Tensor>& tensors = result_->collections[std::string(list.name)];
    for (Valued& value : list.values) tensors.push_back(std::move(value.tensor));
  }
}

// A failure that the function did not pass on, as one that forgets broch_opset_status.
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
         .hint = next_for_shape(backend_, "set *cost to the number that training makes smaller")});
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
       .found = "a write to " +
                (index < inputs
                     ? "input '" + tower_.signature()[index].name + "'"
                     : "variable '" + tower_.world().variables->all()[index - inputs]->name + "'"),
       .expected = "inputs that keep their values, variables that are written by broch.tower/1 "
                   "update alone",
       .hint = "use the operator that returns a new tensor, and update the variable with it"});
}

bool TowerCall::is_collection(std::string_view anchor) const {
  return anchor == BROCH_UPDATE_OPS || anchor == BROCH_SUMMARIES ||
         anchor == BROCH_MOVING_SUMMARY_OPS || anchor == BROCH_REGULARIZATION_LOSSES ||
         collected(anchor) != nullptr;
}

// Only now is it known what all anchors are: a name may be published after the update.
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

// The first name of that very tensor; "" for none.
std::string TowerCall::published_as(const Tensor& tensor) const {
  const auto is_it = [&](const Published::Entry& entry) {
    return entry.second.impl() == tensor.impl();
  };
  const auto found = std::ranges::find_if(result_->published, is_it);
  return found == result_->published.end() ? std::string() : std::string(found->first);
}

std::vector<Collection> TowerCall::collections() const {
  std::vector<Collection> all;
  std::map<std::string_view, size_t> seen;  // of collected_, by collection
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
        add(BROCH_MOVING_SUMMARY_OPS, published_as(result_->moving[moving++].tensor),
            "moving summary " + base::quoted(event->name));
        break;
    }
  if (result_->cost) add(BROCH_COST, published_as(result_->cost), "a cost without a name");
  return all;
}

// Whether the cost depends on a loss is what autograd knows.
void TowerCall::warn_of_unused_losses() {
  const std::vector<Valued>* losses = collected(BROCH_REGULARIZATION_LOSSES);
  if (!losses || !gradients_ || !backend_.info(result_->cost).requires_grad) return;
  std::vector<Tensor> candidates;
  for (const Valued& loss : *losses)
    if (backend_.info(loss.tensor).requires_grad) candidates.push_back(loss.tensor);
  if (candidates.empty()) return;
  size_t unused = 0;
  for (const Tensor& gradient : backend_.grad({&result_->cost, 1}, candidates, {}, false, true))
    unused += !gradient;
  if (unused)
    base::warning(std::to_string(unused) + " of " + std::to_string(losses->size()) +
                  " regularization losses of " + tower_.describe() +
                  " are not part of its cost; add collection REGULARIZATION_LOSSES to the cost");
}

}  // namespace broch::tower
