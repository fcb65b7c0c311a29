// optimizer.cpp: the role optimizer.
#include "abi/roles/optimizer.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "broch/ext/tensor.h"
#include "collector.hpp"

namespace broch::abi {
namespace {

using Pairs = std::vector<std::pair<std::string, double>>;
using Collected = Collector<Optimizer::Spec>;

void add(Pairs& pairs, const char* what, const char* name, double initial) {
  const std::string given = name ? name : "";
  const bool fits = !given.empty() && given.find('/') == std::string::npos;
  if (!fits || std::ranges::count(pairs, given, &Pairs::value_type::first) > 0)
    throw CallError(BROCH_E_INVALID_ARGUMENT,
                    std::string(what) + ": the name is " + base::quoted(given) +
                        ", expected one without '/' that was not given before");
  pairs.emplace_back(given, initial);
}

broch_status add_hyper_param(void* context, const char* name, double initial) {
  return Collected::collect(context, [&](Optimizer::Spec& spec) {
    add(spec.hyper_params, "hyper_param", name, initial);
  });
}

broch_status add_slot(void* context, const char* name, double initial) {
  return Collected::collect(context,
                            [&](Optimizer::Spec& spec) { add(spec.slots, "slot", name, initial); });
}

}  // namespace

Optimizer::Optimizer(Instance& instance) : RoleOf(instance, BROCH_ROLE_OPTIMIZER) {
  require_entry(instance, BROCH_ROLE_OPTIMIZER, "update", table_.update);
}

Optimizer::Spec Optimizer::spec() {
  Collected collected;
  const broch_optimizer_spec spec{sizeof spec, 0, &collected, add_hyper_param, add_slot};
  if (table_.spec)
    invoke(*instance_, "spec", Role::main, kOnlyOk, [&] {
      const broch_status status = table_.spec(self_, &spec);
      return says_unimplemented(status) ? BROCH_OK : collected.end(status);
    });
  return std::move(collected.list);
}

std::vector<int64_t> Optimizer::slot_shape(size_t slot, std::span<const int64_t> shape) const {
  std::array<int64_t, BROCH_RANK_MAX> dims{};
  std::ranges::copy(shape, dims.begin());
  auto rank = static_cast<uint32_t>(shape.size());
  call("slot_shape", Role::main, kOnlyOk, BROCH_OK, table_.slot_shape, static_cast<uint32_t>(slot),
       dims.data(), &rank);
  const bool fits = rank <= BROCH_RANK_MAX && std::ranges::all_of(dims.begin(), dims.begin() + rank,
                                                                  [](int64_t n) { return n > 0; });
  if (!fits)
    throw violation(*instance_, "slot_shape gave a shape of rank " + std::to_string(rank),
                    "at most 8 dimensions, and none below 1");
  return {dims.begin(), dims.begin() + rank};
}

void Optimizer::update(broch_update update, size_t slots, const Take& take) const {
  invoke(*instance_, "update", Role::step, kOnlyOk, [&]() -> broch_status {
    std::vector<broch_tensor> values(update.n), new_slots(update.n * slots);
    update.struct_size = sizeof update;
    update.new_values = values.data();
    update.new_slots = new_slots.data();
    const broch_status status = table_.update(self_, &update);
    if (status != BROCH_OK) return status;
    const auto lacks = [](const std::vector<broch_tensor>& list) {
      return std::ranges::count(list, broch_tensor{0}) > 0;
    };
    if ((lacks(values) || lacks(new_slots)) && thread_state().told_in_call())
      return failure_of_this_call();
    take(values, new_slots);
    return status;
  });
}

}  // namespace broch::abi
