// models.cpp: towers on at::Tensor: the network of recorded/models.cpp once more, and hard cases.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/ops/bernoulli.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/square.h>
#include <stdlib.h>
#include <torch/library.h>

#include <broch/broch.hpp>
#include <broch/cpp/torch.hpp>
#include <fstream>

namespace {

// What a refused library must not get to do.
[[gnu::constructor]] void leave_a_trace() {
  if (const char* file = getenv("TORCH_CXX_TRACE")) std::ofstream(file) << "loaded";
}

class OnTensors : public broch::Model {
 public:
  explicit OnTensors(const broch::Host& host) : Model(host), torch_(host, &ops()) {}

 protected:
  at::Tensor variable(broch::Tower& t, const std::string& name, const std::vector<int64_t>& shape,
                      broch::Init init) const {
    return torch_.get(t.variable(name, shape, init).value);
  }

  broch::Torch torch_;
};

class Mlp final : public OnTensors {
 public:
  using OnTensors::OnTensors;
  std::vector<broch::Input> inputs() override {
    return {{"x", BROCH_FLOAT32, {-1, 64}, {"B", ""}}, {"label", BROCH_INT64, {-1}, {"B"}}};
  }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    at::Tensor x = at::relu(linear(t, "fc1", torch_.get(inputs[0]), 64, 128));
    x = at::relu(linear(t, "fc2", x, 128, 128));
    const at::Tensor logits = linear(t, "fc3", x, 128, 10);
    t.publish("logits", torch_.put(logits));
    const at::Tensor cost = at::cross_entropy_loss(logits, torch_.get(inputs[1]));
    return t.publish("cost", torch_.put(cost));
  }

 private:
  at::Tensor linear(broch::Tower& t, const std::string& name, const at::Tensor& x, int64_t in,
                    int64_t out) const {
    const auto scope = t.scope(name);
    const at::Tensor w = variable(t, "W", {out, in}, broch::Init::glorot_uniform());
    const at::Tensor b = variable(t, "b", {out}, broch::Init::constant(0));
    return at::linear(x, w, b);
  }
};

// The mean square of w times something that a case makes of x.
class Case : public OnTensors {
 public:
  using OnTensors::OnTensors;
  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, {-1, 4}, {"B", ""}}}; }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    const at::Tensor w = variable(t, "W", {4}, broch::Init::normal(0, 1));
    const at::Tensor y = at::mul(w, made_of(torch_.get(inputs[0]), w));
    t.publish("y", torch_.put(y));
    return t.publish("cost", torch_.put(at::mean(at::square(y))));
  }

 private:
  virtual at::Tensor made_of(const at::Tensor& x, const at::Tensor& w) = 0;
};

// Draws, and an operator by handle between two by tensor.
class Draws final : public Case {
  using Case::Case;
  at::Tensor made_of(const at::Tensor& x, const at::Tensor& w) override {
    const at::Tensor masked = at::dropout(at::add(x, at::rand({4})), 0.5, true);
    const broch::Tensor bent = ops().tanh(torch_.put(at::mul(masked, w)));
    return at::dropout(torch_.get(bent), 0.25, true);
  }
};

class OwnGenerator final : public Case {
  using Case::Case;
  at::Tensor made_of(const at::Tensor& x, const at::Tensor&) override {
    return at::add(x, at::bernoulli(at::full({4}, 0.5), at::detail::createCPUGenerator(3)));
  }
};

class ReadsMemory final : public Case {
  using Case::Case;
  at::Tensor made_of(const at::Tensor& x, const at::Tensor&) override {
    return at::add(x, *x.const_data_ptr<float>());
  }
};

class WritesMemory final : public Case {
  using Case::Case;
  at::Tensor made_of(const at::Tensor& x, const at::Tensor&) override {
    const at::Tensor made = at::empty_like(x);
    float* const to = made.mutable_data_ptr<float>();
    for (int64_t i = 0; i < x.numel(); ++i) to[i] = 2 * x.const_data_ptr<float>()[i];
    return made;
  }
};

class ReadsItem final : public Case {
  using Case::Case;
  at::Tensor made_of(const at::Tensor& x, const at::Tensor&) override {
    return at::add(x, at::mean(x).item<float>());
  }
};

class Foreign final : public Case {
  using Case::Case;
  at::Tensor made_of(const at::Tensor& x, const at::Tensor&) override {
    return at::add(x, at::from_blob(numbers_, {4}));
  }
  float numbers_[4] = {1, 2, 3, 4};
};

// Parameters that are not the tower's.
class OwnParameters final : public Case {
  using Case::Case;
  at::Tensor made_of(const at::Tensor& x, const at::Tensor&) override {
    if (!a_.defined()) {
      a_ = at::full({4}, 2.0).requires_grad_(true);
      b_ = at::full({1}, 3.0).requires_grad_(true);
    }
    return at::add(at::mul(x, a_), b_);
  }
  at::Tensor a_, b_;
};

class WritesVariable final : public Case {
  using Case::Case;
  at::Tensor made_of(const at::Tensor& x, const at::Tensor& w) override {
    const at::NoGradGuard no_grad;
    w.add_(1);
    return x;
  }
};

class WritesInput final : public Case {
  using Case::Case;
  at::Tensor made_of(const at::Tensor& x, const at::Tensor&) override { return x.add_(1); }
};

class Fails final : public Case {
  using Case::Case;
  at::Tensor made_of(const at::Tensor& x, const at::Tensor&) override {
    return at::add(x, at::full({3}, 1));
  }
};

// An operator of the plugin's own may touch memory.
at::Tensor doubled(const at::Tensor& x) {
  at::Tensor made = at::empty_like(x);
  for (int64_t i = 0; i < x.numel(); ++i)
    made.mutable_data_ptr<float>()[i] = 2 * x.const_data_ptr<float>()[i];
  return made;
}

class OwnOperator final : public Case {
  using Case::Case;
  at::Tensor made_of(const at::Tensor& x, const at::Tensor&) override {
    static const auto op = c10::Dispatcher::singleton()
                               .findSchemaOrThrow("torch_cxx_test::doubled", "")
                               .typed<at::Tensor(const at::Tensor&)>();
    return op.call(x);
  }
};

constexpr broch_component kComponents[] = {
    broch::component<Mlp>("torch-cxx.mlp", "model"),
    broch::component<Draws>("torch-cxx.draws", "model"),
    broch::component<OwnGenerator>("torch-cxx.own-generator", "model"),
    broch::component<ReadsMemory>("torch-cxx.reads-memory", "model"),
    broch::component<WritesMemory>("torch-cxx.writes-memory", "model"),
    broch::component<ReadsItem>("torch-cxx.reads-item", "model"),
    broch::component<Foreign>("torch-cxx.foreign", "model"),
    broch::component<OwnParameters>("torch-cxx.own-parameters", "model"),
    broch::component<WritesVariable>("torch-cxx.writes-variable", "model"),
    broch::component<WritesInput>("torch-cxx.writes-input", "model"),
    broch::component<Fails>("torch-cxx.fails", "model"),
    broch::component<OwnOperator>("torch-cxx.own-operator", "model")};

}  // namespace

TORCH_LIBRARY(torch_cxx_test, library) {
  library.def("doubled(Tensor x) -> Tensor");
  library.impl("doubled", c10::DispatchKey::CPU, &doubled);
}

#define TOWER(id) \
  BROCH_META("torch-cxx." id, "model", "1.0.0", "A tower of the tests.", "{\"type\": \"object\"}")

BROCH_PLUGIN(kComponents,
             "{\"components\": [" TOWER("mlp") "," TOWER("draws") "," TOWER("own-generator") ","
             TOWER("reads-memory") "," TOWER("writes-memory") "," TOWER("reads-item") ","
             TOWER("foreign") "," TOWER("own-parameters") "," TOWER("writes-variable") "," TOWER("writes-input") ","
             TOWER("fails") "," TOWER("own-operator") "]" BROCH_META_TORCH "}")
