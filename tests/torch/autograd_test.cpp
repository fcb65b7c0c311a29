// autograd_test.cpp: gradients, double backward, functions with a derivative of their own.
#include <cmath>

#include "step_operators.hpp"

using namespace broch::runtime;

namespace {

std::vector<Tensor> grad(const Tensor& output, std::vector<Tensor> inputs,
                         bool create_graph = false, bool allow_unused = false) {
  return backend().grad(std::span(&output, 1), inputs, {}, create_graph, allow_unused);
}

// y = x * x, with backward written as 2 * x * g.
std::shared_ptr<Backend::CustomFunction> square() {
  auto function = std::make_shared<Backend::CustomFunction>();
  function->name = "square";
  function->forward = [](std::span<const Tensor> inputs, std::vector<Tensor>& save) {
    save = {inputs[0]};
    return std::vector<Tensor>{mul(inputs[0], inputs[0])};
  };
  function->backward = [](std::span<const Tensor> grads, std::span<const Tensor> saved) {
    const Tensor product = mul(saved[0], grads[0]);
    return std::vector<Tensor>{
        call1("aten::add.Tensor(Tensor self, Tensor other) -> Tensor", {of(product), of(product)})};
  };
  return function;
}

}  // namespace

TEST_CASE("grad: of a sum of squares") {
  const auto guard = backend().enter(true, nullptr);
  const Tensor x = backend().leaf(floats({1, 2, 3}, {3}));
  CHECK(numbers(grad(sum(mul(x, x)), {x})[0]) == std::vector<double>{2, 4, 6});
}

TEST_CASE("grad: twice over one forward, for two costs") {
  const auto guard = backend().enter(true, nullptr);
  const Tensor x = backend().leaf(floats({1, 2}, {2}));
  const Tensor shared = mul(x, x), first = sum(shared), second = sum(mul(shared, x));
  CHECK(numbers(grad(first, {x})[0]) == std::vector<double>{2, 4});
  CHECK(numbers(grad(second, {x})[0]) == std::vector<double>{3, 12});
}

TEST_CASE("grad: of a gradient") {
  const auto guard = backend().enter(true, nullptr);
  const Tensor x = backend().leaf(floats({2}, {1}));
  const Tensor first = grad(sum(mul(mul(x, x), x)), {x}, true)[0];
  CHECK(numbers(first) == std::vector<double>{12});
  CHECK(numbers(grad(sum(first), {x})[0]) == std::vector<double>{12});
}

TEST_CASE("grad: with weights of the outputs") {
  const auto guard = backend().enter(true, nullptr);
  const Tensor x = backend().leaf(floats({1, 2}, {2})), y = mul(x, x),
               weights = floats({1, 10}, {2});
  const std::vector<Tensor> grads =
      backend().grad(std::span(&y, 1), std::span(&x, 1), std::span(&weights, 1), false, false);
  CHECK(numbers(grads[0]) == std::vector<double>{2, 40});
}

TEST_CASE("grad: common mistakes are told in words") {
  const auto guard = backend().enter(true, nullptr);
  const Tensor x = backend().leaf(floats({1, 2}, {2})), other = backend().leaf(floats({1}, {1}));
  const Tensor plain = floats({1, 2}, {2}), cost = sum(mul(x, x));
  CHECK(has(error_of([&] {
              grad(cost, {x, other});
            }),
            "gradient, input 1: the outputs do not depend on it"));
  const std::vector<Tensor> unused = grad(cost, {x, other}, false, true);
  CHECK(unused[0]);
  CHECK(!unused[1]);
  CHECK(has(error_of([&] { grad(cost, {plain}); }),
            "gradient, input 0: found a tensor that requires no gradient"));
  CHECK(has(error_of([&] { grad(sum(plain), {x}); }),
            "gradient, output 0: found a tensor that was computed without gradients"));
  CHECK(has(error_of([&] { grad(mul(x, x), {x}); }),
            "gradient, output 0: found shape [2], expected a scalar"));
}

TEST_CASE("grad: a variable changed between forward and backward is noticed") {
  const auto guard = backend().enter(true, nullptr);
  const Tensor x = backend().leaf(floats({1, 2}, {2}));
  const Tensor y = mul(x, x), cost = sum(mul(y, y));
  call("aten::zero_(Tensor(a!) self) -> Tensor(a!)", {of(backend().detach(y))});
  CHECK(has(error_of([&] { grad(cost, {x}); }), "modified by an inplace operation"));
}

TEST_CASE("grad: outside a guard for gradients nothing is recorded, and guards nest") {
  const Tensor value = floats({1, 2}, {2});
  const auto outer = backend().enter(true, nullptr);
  const Tensor x = backend().leaf(value);
  {
    const auto inner = backend().enter(false, nullptr);
    CHECK(!backend().info(mul(x, x)).requires_grad);
  }
  CHECK(backend().info(mul(x, x)).requires_grad);
}

TEST_CASE("apply: a custom function has the gradient it says, and one of that") {
  const auto guard = backend().enter(true, nullptr);
  const Tensor x = backend().leaf(floats({3}, {1}));
  const std::vector<Tensor> outputs = backend().apply(square(), std::span(&x, 1));
  REQUIRE(outputs.size() == 1);
  CHECK(numbers(outputs[0]) == std::vector<double>{9});
  const Tensor first = grad(sum(mul(outputs[0], x)), {x}, true)[0];
  CHECK(numbers(first) == std::vector<double>{27});  // 3 x²
  CHECK(numbers(grad(sum(first), {x})[0]) == std::vector<double>{18});
}

TEST_CASE("apply: a saved tensor that was changed in place is noticed") {
  const auto guard = backend().enter(true, nullptr);
  const Tensor x = backend().leaf(floats({3}, {1})), y = mul(x, x);
  const Tensor z = backend().apply(square(), std::span(&y, 1))[0];
  call("aten::zero_(Tensor(a!) self) -> Tensor(a!)", {of(backend().detach(y))});
  CHECK(has(error_of([&] { grad(sum(z), {x}); }), "modified by an inplace operation"));
}

TEST_CASE("apply: an output that was not used has no gradient") {
  const auto guard = backend().enter(true, nullptr);
  auto function = std::make_shared<Backend::CustomFunction>();
  function->name = "two";
  bool first = true, second = false;
  function->forward = [](std::span<const Tensor> inputs, std::vector<Tensor>&) {
    return std::vector<Tensor>{mul(inputs[0], inputs[1]), mul(inputs[1], inputs[1])};
  };
  function->backward = [&](std::span<const Tensor> grads, std::span<const Tensor>) {
    first = static_cast<bool>(grads[0]);
    second = static_cast<bool>(grads[1]);
    return std::vector<Tensor>{Tensor(), grads[1]};
  };
  const std::vector<Tensor> inputs{backend().leaf(scalar(2)), backend().leaf(scalar(5))};
  const Tensor used = backend().apply(function, inputs)[1];
  const std::vector<Tensor> grads = grad(sum(used), inputs, false, true);
  CHECK(!first);
  CHECK(second);
  CHECK(!grads[0]);
  CHECK(numbers(grads[1]) == std::vector<double>{1});
}

TEST_CASE("apply: the host's errors pass through, and the function dies with its graph") {
  const auto guard = backend().enter(true, nullptr);
  std::weak_ptr<Backend::CustomFunction> alive;
  {
    auto function = square();
    alive = function;
    function->backward = [](std::span<const Tensor>,
                            std::span<const Tensor>) -> std::vector<Tensor> {
      throw broch::base::Error(broch::base::Exit::numbers, "made on purpose");
    };
    const Tensor x = backend().leaf(scalar(2));
    const Tensor y = backend().apply(std::move(function), std::span(&x, 1))[0];
    try {
      grad(y, {x});
      FAIL("backward throws");
    } catch (const broch::base::Error& error) {
      CHECK(error.exit() == broch::base::Exit::numbers);
      CHECK(error.what() == std::string("made on purpose"));
    }
  }
  CHECK(alive.expired());
}

TEST_CASE("apply: an input that is no tensor is refused") {
  const Tensor nothing;
  CHECK(has(error_of([&] { backend().apply(square(), std::span(&nothing, 1)); }),
            "function 'square': found no tensor as input 0"));
}

TEST_CASE("apply: a wrong number of gradients is refused") {
  const auto guard = backend().enter(true, nullptr);
  auto function = square();
  function->backward = [](std::span<const Tensor>, std::span<const Tensor>) {
    return std::vector<Tensor>{};
  };
  const Tensor x = backend().leaf(scalar(2));
  const Tensor y = backend().apply(function, std::span(&x, 1))[0];
  CHECK(has(error_of([&] { grad(y, {x}); }), "function 'square': found 0 gradients, expected 1"));
}
