// tensors.cpp: a model on at::Tensor, tied to one build of LibTorch.
#include <ATen/ops/matmul.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/square.h>

#include <broch/broch.hpp>
#include <broch/cpp/torch.hpp>

class Tensors final : public broch::Model {
 public:
  explicit Tensors(const broch::Host& host) : Model(host), torch_(host, &ops()) {}
  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, {-1, 4}, {}}}; }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    const broch::Variable w = t.variable("W", {4}, broch::Init::constant(1));
    const at::Tensor y = at::matmul(torch_.get(inputs[0]), torch_.get(w.value));
    return torch_.put(at::mean(at::square(y)));
  }

 private:
  broch::Torch torch_;
};

BROCH_MODEL(Tensors, "org.example.tensors", "1.0.0", "A product on tensors.",
            R"({"type": "object", "additionalProperties": false})")
