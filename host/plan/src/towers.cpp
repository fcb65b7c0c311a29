// towers.cpp: defines the towers of one model.
#include "plan/towers.hpp"

#include <algorithm>
#include <chrono>

#include "base/log.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "runtime/point.hpp"

namespace broch::plan {

namespace {

constexpr int64_t kUnknownDim = 2;
constexpr const char* kTrainFirst = "add the training tower before the inference tower";
constexpr const char* kOwnIndex =
    "give a further training tower an index of its own, and each of them their number as total: "
    "with index 1 and total 2 it shares the variables of tower 0, with a vs_name, too, it has its "
    "own";

runtime::Shape shape_of(const abi::InputSpec& input) {
  runtime::Shape shape;
  shape.rank = static_cast<uint32_t>(input.shape.size());
  for (size_t i = 0; i < input.shape.size(); ++i)
    shape.dims[i] = input.shape[i] < 0 ? kUnknownDim : input.shape[i];
  return shape;
}

bool same(const tower::TowerSpec& a, const tower::TowerSpec& b) {
  return a.vs_name == b.vs_name && a.index == b.index && a.total == b.total &&
         a.training == b.training && a.device == b.device &&
         a.variable_devices == b.variable_devices;
}

std::string in_words(const tower::TowerSpec& spec) {
  return std::string(spec.training ? "training" : "inference") + " tower " +
         std::to_string(spec.index) + " of " + std::to_string(spec.total) + " on " +
         to_string(spec.device);
}

DefineCost define(tower::Tower& tower, std::vector<runtime::Tensor> example) {
  DefineCost cost;
  base::forget_peak_memory();
  const auto start = std::chrono::steady_clock::now();
  tower.define(std::move(example));
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
  cost.milliseconds = passed.count();
  cost.peak_bytes = base::peak_memory();
  base::info(tower.describe() + ": defined in " + base::general(cost.milliseconds, 3) + " ms");
  return cost;
}

}  // namespace

Towers::Towers(tower::RunContext& context, abi::Instance& model, Makes makes)
    : context_(context),
      model_(abi::Model::make(model)),
      makes_(makes),
      signature_(model_.inputs()) {}

tower::Tower* Towers::find(std::string_view name) const {
  for (const auto& tower : towers_)
    if (tower->spec().name == name) return tower.get();
  return nullptr;
}

bool Towers::has_other(const tower::TowerSpec& spec) const {
  const tower::Tower* const known = find(spec.name);
  return known && !known->spec().training && !same(known->spec(), spec);
}

std::vector<const tower::Tower*> Towers::all() const {
  std::vector<const tower::Tower*> all;
  for (const auto& tower : towers_) all.push_back(tower.get());
  return all;
}

tower::Tower& Towers::get(tower::TowerSpec spec) {
  if (tower::Tower* tower = find(spec.name)) {
    if (same(tower->spec(), spec)) return *tower;
    throw base::Error{
        base::Exit::training,
        {"tower '" + spec.name + "'", in_words(spec),
         "what it was defined as: " + in_words(tower->spec()), "give towers names of their own"}};
  }
  spec.owns_variables =
      makes_ == Makes::variables &&
      (towers_.empty() || (spec.training && (spec.index == 0 || !spec.vs_name.empty())));
  if (spec.owns_variables) require_own_variables(spec);
  auto tower = std::make_unique<tower::Tower>(context_, spec, signature_,
                                              tower::model_function(model_), model_.instance());
  costs_.push_back(define(*tower, example(spec.device)));
  if (spec.training) {
    if (training_.size() <= spec.index) training_.resize(spec.index + 1);
    training_[spec.index] = tower.get();
  }
  return *towers_.emplace_back(std::move(tower));
}

// Two towers would fail at the first variable that both make, with a message about that variable.
void Towers::require_own_variables(const tower::TowerSpec& spec) const {
  const auto found = std::ranges::find_if(towers_, [&](const auto& other) {
    return other->spec().owns_variables && other->spec().vs_name == spec.vs_name;
  });
  if (found == towers_.end()) return;
  const std::string scope =
      spec.vs_name.empty() ? " without vs_name" : " with the vs_name " + base::quoted(spec.vs_name);
  base::fail(base::Exit::training,
             spec.name.empty() ? "a tower without a name" : "tower " + base::quoted(spec.name),
             in_words(spec) + scope + ", whose variables " + (*found)->describe() + " has made",
             "variables that it shares, or that have a scope of their own",
             !(*found)->spec().training ? kTrainFirst
             : spec.vs_name.empty()     ? kOwnIndex
                                        : "give each tower a vs_name of its own");
}

const DefineCost& Towers::cost_of(const tower::Tower& tower) const {
  const auto found = std::ranges::find(towers_, &tower, &std::unique_ptr<tower::Tower>::get);
  return costs_[static_cast<size_t>(found - towers_.begin())];
}

std::vector<runtime::Tensor> Towers::example(runtime::Device device) {
  std::vector<runtime::Tensor> tensors;
  runtime::Point point;
  bool has_one = false;
  {
    const runtime::LentPoint lent(point);
    has_one = model_.example(lent.handle());
  }
  if (has_one) {
    take_tensors(*context_.backend, point, signature_, device, tensors);
    return tensors;
  }
  for (const abi::InputSpec& input : signature_)
    tensors.push_back(context_.backend->zeros(input.dtype, shape_of(input), device));
  return tensors;
}

}  // namespace broch::plan
