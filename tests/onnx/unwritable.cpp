// unwritable.cpp: a model with two operators that ONNX does not have.
#include <broch/broch.hpp>

namespace {

using broch::Tensor;

// Input: x (N, 3). Publishes "distances" (N, N).
class Unwritable final : public broch::Model {
 public:
  explicit Unwritable(const broch::Host& host) : Model(host) {}

  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, {-1, 3}, {"B", ""}}}; }

  Tensor tower(broch::Tower& t, const std::vector<Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const Tensor w = t.variable("w", {3, 3}, broch::Init::uniform(-1, 1)).value;
    const Tensor dominant = w + ops.eye(3) * broch::Scalar(3);
    const Tensor y =
        ops.matmul(inputs[0], ops.linalg_inv(dominant) + ops.linalg_inv(ops.t(dominant)));
    return t.publish("cost", ops.mean(t.publish("distances", ops.cdist(y, inputs[0]))));
  }
};

}  // namespace

BROCH_MODEL(Unwritable, "org.test.unwritable", "1.0.0", "Operators that ONNX does not have.")
