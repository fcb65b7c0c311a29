// tower_call.cpp: the rules for tower functions, each with its error. tensorpack: `TowerContext`.
#include "tower_call.hpp"

#include <algorithm>

#include "abi/refuse.hpp"
#include "abi/thread.hpp"
#include "all_reduce.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "broch/ext/tower.h"
#include "domain.hpp"
#include "handles.hpp"
#include "null_hint.hpp"

namespace broch::tower {

TowerCall::TowerCall(const Tower& tower, Definition& definition)
    : tower_(tower),
      definition_(definition),
      follower_(definition),
      backend_(*tower.context().backend),
      draws_(tower) {}

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
                       const std::string& expected, const std::string& hint) const {
  abi::refuse(status, {.where = what + " in " + tower_.describe(),
                       .found = found,
                       .expected = expected,
                       .hint = hint});
}

void TowerCall::begin(RunInputs& inputs, bool gradients, bool defining, TowerResult& result) {
  std::swap(inputs_, inputs);
  result_ = &result;
  messages_ = abi::thread_state().messages;
  gradients_ = gradients;
  defining_ = defining;
  mixes_ = tower_.context().bf16 && !tower_.spec().operation && !tape_;
  follower_.begin(defining);
  result_->published.reserve(tower_.published_names().size());
  result_->tags.published.reserve(tower_.published_names().size());
  used_.begin(tower_.context().variables->all().size());
}

void TowerCall::end() {
  inputs_.clear();
  result_ = nullptr;
  watch_.reset();
  writes_.clear();
  handle_ = 0;
  used_.clear();
  collected_.clear();
  update_events_.clear();
  draws_.clear();
  scope_.clear();
  wide_ = {};
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
    if (tape_) tape_->input(inputs_.inputs[i]);
    result_->published.add(signature[i].name, inputs_.inputs[i]);
  }
  return handles_;
}

uint64_t TowerCall::publish_tag() { return Tags::bit(result_->published.size()); }

// --- published names, updates, collections

void TowerCall::require_publishable(std::string_view name) const {
  const std::string what = "published name " + base::quoted(name);
  if (name.empty() || name.find(':') != std::string_view::npos || !base::is_utf8(name))
    refuse(BROCH_E_INVALID_ARGUMENT, what, "a name that nobody could ask for",
           "some text without ':'", "rename it");
  if (result_->published.contains(name))
    refuse(BROCH_E_ALREADY_EXISTS, what, "published twice", "each name once per tower",
           "rename one, for example after its scope");
}

void TowerCall::publish(std::string_view name, Valued& value) {
  if (defining_) require_publishable(name);
  const Tensor* published = &value.tensor;
  if (mixes_)
    published = &(wide_ = backend_.widened(value.tensor));  // the call goes on in bfloat16
  const TensorInfo info = backend_.info(*published);
  if (tape_) tape_->published(name, *published);
  const Event& event = note({.kind = EventKind::publish, .name = name, .published = &info});
  const uint64_t tag = publish_tag();
  value.tags |= tag;
  if (!inputs_.feeds.empty()) {
    const auto fed = inputs_.feeds.find(name);
    if (fed != inputs_.feeds.end()) {
      check_feed(name, fed->second, *published);
      value = {backend_.brought_to(tower_.spec().device, fed->second), tag};
      published = &value.tensor;
    }
  }
  result_->published.add(event.name, *published);
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
  const Tensor& tensor = mixes_ ? wide_ = backend_.widened(value.tensor) : value.tensor;
  const TensorInfo info = backend_.info(tensor);
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
  Valued written{backend_.detach(tensor), value.tags};
  result_->updates.push_back({&variable, written.tensor, event.name, event.to_collection});
  update_events_.push_back(&event);
  used_.set(variable, std::move(written));
}

void TowerCall::collect(std::string_view collection, Valued value) {
  if (collection.empty())
    refuse(BROCH_E_INVALID_ARGUMENT, "collection_add", "an empty name", "the name of a collection",
           "give it a name");
  Event& event = note({.kind = EventKind::collect, .name = collection});
  event.frozen = freezes(collection);
  collected_.add(event.name, event.frozen, std::move(value));
}

// Training towers other than the first drop summaries; prediction towers also drop updates.
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
    refuse(BROCH_E_ALREADY_EXISTS, "summary " + base::quoted(name), "added twice", "once per tower",
           "pass all kinds in one call, or rename one");
  const Event& event = note({.kind = EventKind::summary, .name = name, .kinds = kinds});
  result_->summaries.push_back({event.name, kinds, widened(tensor)});
}

void TowerCall::average(std::string_view name, const Tensor& tensor, double decay,
                        std::string_view collection) {
  const TensorInfo info = backend_.info(tensor);
  const std::string what = "moving summary " + base::quoted(name);
  if (info.shape.rank != 0)
    refuse(BROCH_E_INVALID_ARGUMENT, what, "shape " + to_string(info.shape), "a 0-dim tensor",
           hint_for_shape(backend_, "reduce it, for example with mean"));
  if (!(decay >= 0 && decay < 1))
    refuse(BROCH_E_INVALID_ARGUMENT, what, "decay " + base::shortest(decay),
           "at least 0 and below 1", "0.95 is usual");
  if (collection.empty())
    refuse(BROCH_E_INVALID_ARGUMENT, what, "a collection without a name", "a name",
           std::string(BROCH_MOVING_SUMMARY_OPS) + " is usual");
  if (!tower_.spec().is_main()) return;
  if (!tower_.spec().owns_variables) {
    if (!warned_of_moving_)
      base::warning("moving summaries of " + tower_.describe() +
                    " are ignored: it was built under reuse");
    warned_of_moving_ = true;
    return;
  }
  if (std::ranges::any_of(result_->moving, [&](const Moving& m) { return m.name == name; }))
    refuse(BROCH_E_ALREADY_EXISTS, what, "added twice", "once per tower", "rename one");
  Event& event = note({.kind = EventKind::moving, .name = name});
  if (event.collection.empty()) event.collection = collection;
  if (event.collection != collection)
    refuse(BROCH_E_FAILED_PRECONDITION, what, "collection " + base::quoted(collection),
           base::quoted(event.collection) + ", as when the graph was defined",
           "a tower function has to do the same in each call");
  result_->moving.push_back({event.name, decay, widened(tensor), event.collection});
}

// --- exchange with other towers

Valued TowerCall::all_reduce(bool mean, const Valued& value) {
  const TowerSpec& spec = tower_.spec();
  const Tensor tensor = widened(value.tensor);
  const TensorInfo info = backend_.info(tensor);
  const std::string what = "all_reduce";
  if (info.dtype != BROCH_FLOAT32 && info.dtype != BROCH_FLOAT64)
    refuse(BROCH_E_INVALID_ARGUMENT, what, type_text(info.dtype, info.shape), "float32 or float64",
           "convert it first");
  if (!spec.training || spec.total * tower_.context().ranks == 1) return {tensor, value.tags};
  if (info.device.type != BROCH_DL_CPU)
    refuse(BROCH_E_UNIMPLEMENTED, what, "memory of " + to_string(info.device), "memory of the CPU",
           "run these towers on the CPU");
  if (defining_) meets_ = true;
  if (!meets_)
    refuse(
        BROCH_E_FAILED_PRECONDITION, what, "not called when the graph was defined",
        "the same calls in every call",
        "a tower function is a description: let nothing but its arguments decide what it builds");
  const bool exact = tower_.context().level == Level::bitwise;
  return {tower::all_reduce(backend_, mean, spec.total, exact, tensor), value.tags};
}

// --- random draws, and writes by foreign code

DrawKey TowerCall::next(std::string_view operator_name) {
  return draws_.next(operator_name, scope_.text(), inputs_.hooked_run);
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
  if (tape_) tape_->foreign("code that uses LibTorch itself");
  watch_ = backend_.watch();
  writes_ = count_writes();
}

// Inputs first, then variables, because variables may be added later.
std::vector<uint64_t> TowerCall::count_writes() const {
  std::vector<uint64_t> counts;
  for (const Tensor& input : inputs_.inputs) counts.push_back(backend_.writes_to(input));
  for (const auto& variable : tower_.context().variables->all())
    counts.push_back(backend_.writes_to(variable->value));
  return counts;
}

}  // namespace broch::tower
