// world.hpp: a run on the null backend, and a model whose functions a test decides.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "abi/extensions.hpp"
#include "abi/guard.hpp"
#include "broch/broch.h"
#include "runtime/extensions.hpp"
#include "tower/tower.hpp"

namespace broch::test {

constexpr const char* kRelu = "aten::relu(Tensor self) -> Tensor";

// self of the model. Its tower function runs `body`; every host function is at hand.
struct Probe {
  using Body = std::function<broch_status(Probe&, broch_tower, const broch_tensor* inputs,
                                          broch_tensor* cost)>;
  Body body;
  const broch_host* host = nullptr;
  const broch_host_tensor* tensor = nullptr;
  const broch_host_data_point* data = nullptr;
  const broch_host_ops* ops = nullptr;
  const broch_host_autograd* autograd = nullptr;
  const broch_host_kernel* kernel = nullptr;
  const broch_host_tower* tower = nullptr;
  const broch_host_variables* variables = nullptr;
  const broch_host_hyper_param* hyper = nullptr;
  const broch_host_summary* summary = nullptr;
  const broch_host_operation* graph = nullptr;

  std::string error() const { return host->last_error(host); }

  // Short forms for bodies; a failure ends the body as it would end a plugin's function.
  broch_tensor constant(broch_tower tower, double value);  // 0-dim float32
  broch_tensor get(broch_tower tower, const char* name, uint32_t flags = BROCH_VARIABLE_TRAINABLE,
                   std::vector<int64_t> shape = {}, double initial = 0);
  broch_tensor publish(broch_tower tower, const char* name, broch_tensor tensor);
  broch_tensor call(const char* schema, std::vector<broch_tensor> arguments);
  broch_variable find(const char* name);
  double item(broch_tensor tensor);
  void need(broch_status status);  // throws Failed
};

struct Failed {
  broch_status status;
};

struct World {
  World();
  ~World();

  std::unique_ptr<runtime::Backend> backend = runtime::make_null_backend();
  runtime::VariableStore variables{*backend, 7};
  runtime::HyperParams hypers{variables, {}};
  tower::RunContext towers;
  runtime::SignatureHolder signature;
  abi::Context context;
  Probe probe;
  std::unique_ptr<abi::Instance> instance;  // model 'net' (test.model)
  std::vector<abi::InputSpec> inputs;       // what towers are made with

  std::unique_ptr<tower::Tower> tower(tower::TowerSpec spec = {});
  // Defined with body, and kept for runs.
  std::unique_ptr<tower::Tower> defined(Probe::Body body, tower::TowerSpec spec = {});
  // A call from the host as [main].
  void main(const std::function<broch_status()>& body);
  double value(const std::string& name) { return backend->item(variables.at(name).value); }
};

abi::InputSpec input(std::string name, std::vector<int64_t> shape,
                     std::vector<std::string> dims = {}, broch_dtype dtype = BROCH_FLOAT32);
tower::TowerSpec prediction();
tower::TowerSpec second_training();
// All elements are `value`.
runtime::Tensor filled(runtime::Backend& backend, std::vector<int64_t> shape, double value,
                       broch_dtype dtype = BROCH_FLOAT32);
// What is thrown, with its exit code in front: "1: …"; "" when nothing is.
std::string error_of(const std::function<void()>& body);
bool has(const std::string& text, const std::string& part);

}  // namespace broch::test
