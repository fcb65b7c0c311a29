// inferencer.cpp: the role inferencer.
#include "abi/roles/inferencer.hpp"

#include "collector.hpp"

namespace broch::abi {
namespace {

using Names = Collector<std::vector<std::string>>;
using Scalars = Collector<std::vector<std::pair<std::string, double>>>;

void require_name(const char* name) {
  if (!name || !*name)
    throw CallError(BROCH_E_INVALID_ARGUMENT, "add: the name is empty, expected one");
}

broch_status add_name(void* context, const char* name) {
  return Names::collect(context, [&](std::vector<std::string>& names) {
    require_name(name);
    names.emplace_back(name);
  });
}

broch_status add_scalar(void* context, const char* name, double value) {
  return Scalars::collect(context, [&](auto& scalars) {
    require_name(name);
    scalars.emplace_back(name, value);
  });
}

}  // namespace

Inferencer::Inferencer(Instance& instance) : RoleOf(instance, BROCH_ROLE_INFERENCER) {
  require_entry(instance, BROCH_ROLE_INFERENCER, "fetches", table_.fetches);
  require_entry(instance, BROCH_ROLE_INFERENCER, "on_fetches", table_.on_fetches);
  require_entry(instance, BROCH_ROLE_INFERENCER, "after_inference", table_.after_inference);
}

std::vector<std::string> Inferencer::fetches() {
  Names names;
  const broch_names adder{sizeof adder, 0, &names, add_name};
  invoke(*instance_, "fetches", Role::main, kOnlyOk,
         [&] { return names.end(table_.fetches(self_, &adder)); });
  return std::move(names.list);
}

void Inferencer::before_inference() {
  call("before_inference", Role::main, kOnlyOk, BROCH_OK, table_.before_inference);
}

void Inferencer::on_fetches(std::span<const broch_tensor> values) {
  invoke(*instance_, "on_fetches", Role::main, kOnlyOk, [&] {
    std::vector<broch_tensor> lent;
    for (const broch_tensor value : values) lent.push_back(lend(value));
    return table_.on_fetches(self_, lent.data(), static_cast<uint32_t>(lent.size()));
  });
}

std::vector<std::pair<std::string, double>> Inferencer::after_inference() {
  Scalars scalars;
  const broch_scalars adder{sizeof adder, 0, &scalars, add_scalar};
  invoke(*instance_, "after_inference", Role::main, kOnlyOk,
         [&] { return scalars.end(table_.after_inference(self_, &adder)); });
  return std::move(scalars.list);
}

}  // namespace broch::abi
