// computing.cpp: a model with kernels, functions with a derivative of their own, and gradients
// inside the tower function.
#include <algorithm>
#include <broch/broch.hpp>
#include <stdexcept>

namespace {

// The elements of a vector in reverse order.
class Reversed final : public broch::Kernel {
 public:
  static constexpr const char* kName = "reversed";
  static constexpr uint32_t kFlags = BROCH_KERNEL_PURE;

  Reversed(const broch::Host& host, bool fails) : Kernel(host), fails_(fails) {}
  void run(const broch_kernel_call&, Tensors inputs, Tensors outputs) override {
    if (fails_) throw std::runtime_error("the kernel is worn out");
    reverse(inputs[0], outputs[0]);
  }
  void backward(const broch_kernel_call&, Tensors inputs, Tensors outputs) override {
    reverse(inputs[2], outputs[0]);
  }

 private:
  static void reverse(const broch_dl_tensor& from, const broch_dl_tensor& to) {
    const auto in = broch::view_as<const float>(from);
    std::reverse_copy(in.begin(), in.end(), broch::view_as<float>(to).begin());
  }

  bool fails_;
};

// The number of elements, as an integer, without a derivative.
class Counted final : public broch::Kernel {
 public:
  static constexpr const char* kName = "counted";
  static constexpr uint32_t kFlags = BROCH_KERNEL_PURE;

  using Kernel::Kernel;
  void shapes(Types, broch::View<broch_kernel_type> outputs) override {
    outputs[0] = {BROCH_INT64, 0, {}};
  }
  void run(const broch_kernel_call&, Tensors inputs, Tensors outputs) override {
    broch::view_as<int64_t>(outputs[0])[0] = int64_t(broch::view_as<const float>(inputs[0]).size());
  }
};

// scale x², with half of its derivative.
class Halved final : public broch::CustomFunction {
 public:
  static constexpr const char* kName = "halved";
  static constexpr uint32_t kOutputs = 1;

  Halved(double scale, bool forgets) : scale_(scale), forgets_(forgets) {}
  std::vector<broch::Tensor> forward(const broch::Saved& saved,
                                     const std::vector<broch::Tensor>& inputs) override {
    saved.save({inputs[0]});
    return {inputs[0] * inputs[0] * broch::Scalar(scale_)};
  }
  std::vector<broch::Tensor> backward(const broch::Saved& saved,
                                      const std::vector<broch::Tensor>& grad_outputs) override {
    if (forgets_) return {};
    return {grad_outputs[0] * saved[0] * broch::Scalar(scale_)};
  }

 private:
  double scale_;
  bool forgets_;
};

// The gradients of the cost are 2 w for w, (20, 10) for v, and 1 for u.
class Computing final : public broch::Model {
 public:
  explicit Computing(const broch::Host& host)
      : Model(host),
        autograd_(host, ops()),
        forgets_(broch::Config(host).boolean("/forgets")),
        reversed_(host, broch::Config(host).boolean("/fails")),
        counted_(host),
        relu_(ops(), host, broch::operator_schema(host, "aten::relu")) {}

  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, {-1}, {"B"}}}; }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const broch::Tensor mean = t.publish("mean", ops.mean(inputs[0]));
    const broch::Tensor w = t.variable("w", {}, broch::Init::constant(3)).value;
    const broch::Tensor u = t.variable("u", {}, broch::Init::constant(5)).value;
    const std::vector<float> first = {1, 2};
    std::vector<int64_t> shape = {2};
    const broch_dl_tensor values = broch::dl_view(first, shape);
    const broch::Tensor v = t.variable("v", shape, broch::Init::values(values)).value;

    broch::Tensor constant_part;
    {
      const broch::NoGrad no_grad = autograd_.no_grad();
      constant_part = u * u;
    }
    t.publish("count", t.kernel(counted_, {inputs[0]})[0]);
    const broch::Tensor rectified =
        relu_({broch_of(t.constant(std::vector<float>{-1, 7}, {2}).handle())});
    t.publish("rectified", ops.sum(rectified));
    if (t.is_training()) {
      const broch::Tensor cube = w * w * w;
      t.publish("slope", autograd_.grad({cube}, {w})[0]);
      t.publish("twice", autograd_.grad({v * v}, {v}, {{v}, false, false})[0]);
      const auto nothing = autograd_.grad({cube}, {u}, {{}, false, true});
      t.publish("nothing", nothing[0] ? w : u);
    }
    const broch::Tensor weights = t.constant(std::vector<float>{10, 20}, {2});
    const broch::Tensor reversed = t.kernel(reversed_, {v})[0];
    return t.publish("cost", autograd_.apply(Halved(2, forgets_), {w})[0] +
                                 ops.sum(reversed * weights) + u + constant_part + mean);
  }
  std::string optimizer() override { return R"({"use": "sgd", "with": {"learning_rate": 0.5}})"; }

 private:
  broch::Autograd autograd_;
  bool forgets_;
  Reversed reversed_;
  Counted counted_;
  broch::Operator relu_;
};

}  // namespace

BROCH_MODEL(Computing, "test.computing", "1.0.0", "Computes in all ways.", R"({
  "type": "object",
  "properties": {"fails": {"type": "boolean", "default": false},
                 "forgets": {"type": "boolean", "default": false}},
  "additionalProperties": false
})")
