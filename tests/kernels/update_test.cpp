// update_test.cpp: Adam without roots and quotients to the last bit, beside Adam with them. All the
// bits of LibTorch: tests/torch.
#include "kernels/update.hpp"

#include "support.hpp"

using namespace broch::kernels;

namespace {

struct State {
  Floats parameters, mean, square;
};

State after_steps(AdamStep step, bool nearly, const Floats& gradients, double scale) {
  const auto size = static_cast<int64_t>(gradients.size());
  State state{random_floats(size, 2), Floats(gradients.size()), Floats(gradients.size())};
  step.nearly = nearly;
  Floats scaled = gradients;
  for (float& gradient : scaled) gradient = static_cast<float>(gradient * scale);
  for (step.number = 1; step.number <= 5; ++step.number)
    adam(step, state.parameters.data(), scaled.data(), state.mean.data(), state.square.data(),
         size);
  return state;
}

}  // namespace

TEST_CASE("update: adam nearly moves what adam moves, for gradients of every size") {
  with_each_isa([&] {
    for (const int64_t size : {1, 15, 16, 531}) {
      Floats gradients = random_floats(size, 1);
      gradients[size / 2] = 0;
      for (const double scale : {1e-30, 1e-12, 1e-3, 1.0, 1e6, 1e18}) {
        for (const bool decoupled : {false, true}) {
          CAPTURE(size);
          CAPTURE(scale);
          const AdamStep step{0.1, decoupled ? 0.01 : 0, 0.9, 0.999, 1e-8, nullptr, decoupled};
          const State exact = after_steps(step, false, gradients, scale);
          const State near = after_steps(step, true, gradients, scale);
          CHECK(same_bits(near.mean, exact.mean));
          CHECK(same_bits(near.square, exact.square));
          CHECK(difference(near.parameters, exact.parameters) < 2e-6);
        }
      }
    }
  });
}

TEST_CASE("update: adam nearly leaves a NaN where it is, and infinite squares move nothing") {
  with_each_isa([&] {
    Floats gradients = random_floats(40, 1);
    gradients[3] = kNaN;
    gradients[20] = 1e30f;  // its square is infinite
    const AdamStep step{0.1, 0, 0.9, 0.999, 1e-8};
    const State exact = after_steps(step, false, gradients, 1);
    const State near = after_steps(step, true, gradients, 1);
    CHECK(std::isnan(near.parameters[3]));
    CHECK(near.parameters[20] == random_floats(40, 2)[20]);
    CHECK(difference(near.parameters, exact.parameters) < 2e-6);
  });
}
