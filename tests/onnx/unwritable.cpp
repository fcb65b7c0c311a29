// unwritable.cpp: a model with two operators that ONNX does not have, and others with arguments
// that mean something else there; and one that writes to a tensor, of which ONNX has no notion.
#include <broch/broch.hpp>
#include <broch/cpp/operator.hpp>

namespace {

using broch::Tensor;

// Input: x (N, 3). Publishes "distances" (N, N), "large" (N, 3), "end" (N, 2), "wide" (N, 1, 1, 4),
// "cut", "edges", "inner" and "maxima" (N, 1, 1, 2), "attended" (N, 1, 1, 3), "some" (N,),
// "length" and "every" (), and "times", "whole", "either", "powers", "endless", "bounded",
// "spaced", "corner", "diagonal" and "bits" (N, 3).
class Unwritable final : public broch::Model {
 public:
  explicit Unwritable(const broch::Host& host) : Model(host) {}

  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, {-1, 3}, {"B", ""}}}; }

  Tensor tower(broch::Tower& t, const std::vector<Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const Tensor& x = inputs[0];
    t.publish("large", ops.to_dtype(x, BROCH_INT64) + broch::Scalar((int64_t{1} << 53) + 1));
    t.publish("end", ops.narrow(x, 1, -2, 2));
    const Tensor image = ops.reshape(x, {-1, 1, 1, 3});
    t.publish("wide", ops.upsample_nearest2d(image, {1, 4}, 1.0, 1.5));
    t.publish("cut", ops.avg_pool2d(image, {1, 2}, {1, 2}, {0}, true));
    t.publish("edges", ops.avg_pool2d(image, {1, 2}, {1, 2}, {0, 1}, true));
    t.publish("inner", ops.avg_pool2d(image, {1, 2}, {1, 2}, {0, 1}, true, false));
    t.publish("maxima", ops.max_pool2d(image, {1, 2}, {1, 2}, {0, 1}, {1}, true));
    t.publish("times", ops.floor_divide(x, ops.square(x) + broch::Scalar(1)));
    t.publish("whole", ops.floor(ops.to_dtype(x, BROCH_INT64)));
    const Tensor bytes = ops.to_dtype(ops.gt(x, broch::Scalar(0)), BROCH_UINT8);
    t.publish("every", ops.all(bytes));
    t.publish("some", ops.any_dim(bytes, 1));
    t.publish("length", ops.linalg_vector_norm(ops.mean(x)));
    const Tensor added = ops.narrow(image, 3, 0, 1) * broch::Scalar(2);
    t.publish("attended", ops.scaled_dot_product_attention(image, image, image, added));
    t.publish("either", ops.where(ops.gt(x, broch::Scalar(0)), ops.lt(x, broch::Scalar(1)),
                                  ops.lt(x, broch::Scalar(-1))));
    t.publish("powers", ops.logaddexp(x, ops.square(x)));
    t.publish("endless", ops.isinf(ops.to_dtype(x, BROCH_FLOAT16)));
    t.publish("bounded", ops.isfinite(ops.to_dtype(x, BROCH_BFLOAT16)));
    t.publish("spaced", ops.to_dtype(x, BROCH_FLOAT64) * ops.linspace(0.1, 0.4, 3, BROCH_FLOAT64));
    t.publish("corner", ops.tril(ops.to_dtype(x, BROCH_INT32)));
    t.publish("diagonal", ops.matmul(x, ops.to_dtype(ops.eye(3, BROCH_BOOL), BROCH_FLOAT32)));
    const broch::Operator read_as(
        ops, t.host(), "aten::view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)");
    t.publish("bits",
              read_as({broch_of(ops.square(x).handle()), broch_dtype_or_none(BROCH_INT32)}));
    const Tensor w = t.variable("w", {3, 3}, broch::Init::uniform(-1, 1)).value;
    const Tensor dominant = w + ops.eye(3) * broch::Scalar(3);
    const Tensor y = ops.matmul(x, ops.linalg_inv(dominant) + ops.linalg_inv(ops.t(dominant)));
    return t.publish("cost", ops.mean(t.publish("distances", ops.cdist(y, x))));
  }
};

// Publishes "greater" (N, 3), of float32: comparisons, written over what is compared.
class Writing final : public broch::Model {
 public:
  explicit Writing(const broch::Host& host) : Model(host) {}

  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, {-1, 3}, {"B", ""}}}; }

  Tensor tower(broch::Tower& t, const std::vector<Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const broch::Operator make_greater(
        ops, t.host(), "aten::gt_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)");
    const Tensor greater = make_greater({broch_of(ops.square(inputs[0]).handle()), broch_int(1)});
    const Tensor w = t.variable("w", {3, 3}, broch::Init::uniform(-1, 1)).value;
    return t.publish("cost", ops.mean(ops.matmul(t.publish("greater", greater), w)));
  }
};

}  // namespace

BROCH_COMPONENTS(broch::component<Unwritable>("org.test.unwritable", "model", "1.0.0",
                                              "Operators that ONNX does not have."),
                 broch::component<Writing>("org.test.writing", "model", "1.0.0",
                                           "Writes to a tensor."))
