// kernels_update_test.cpp: one pass over flat buffers against LibTorch's operators, bit for bit.
#include <cstring>
#include <random>

#include "fixture.hpp"
#include "kernels/isa.hpp"
#include "kernels/update.hpp"

using namespace broch::runtime;
namespace kernels = broch::kernels;

namespace {

using Values = std::vector<float>;

Values random_values(std::mt19937& engine, size_t size) {
  std::normal_distribution<float> normal;
  Values values(size);
  for (float& value : values) value = normal(engine);
  return values;
}

// The call behind at::sqrt (ATen/cpu/vml.h): high accuracy, denormals kept, errors ignored.
extern "C" void vmsSqrt(int size, const float* from, float* to, long long mode);
void roots_of_mkl(int64_t size, const float* from, float* to) {
  vmsSqrt(static_cast<int>(size), from, to, 0x2 | 0x140000 | 0x100);
}

const float* data_of(const Tensor& tensor) {
  return static_cast<const float*>(backend().view(tensor).data);
}

size_t differing(const Values& ours, const Tensor& theirs) {
  size_t count = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    count += std::memcmp(&ours[i], data_of(theirs) + i, sizeof(float)) != 0;
  }
  return count;
}

void run_ours(const UpdateStep& step, Values& parameters, const Values& gradients,
              std::vector<Values>& slots) {
  const auto size = static_cast<int64_t>(parameters.size());
  float* const to = parameters.data();
  const float* const from = gradients.data();
  if (step.rule == Rule::sgd) {
    kernels::sgd({step.learning_rate, step.weight_decay}, to, from, size);
  } else if (step.rule == Rule::momentum) {
    kernels::momentum({step.learning_rate, step.weight_decay, step.momentum, step.dampening,
                       step.nesterov, step.step == 1},
                      to, from, slots[0].data(), size);
  } else {
    kernels::adam({step.learning_rate, step.weight_decay, step.beta1, step.beta2, step.eps,
                   roots_of_mkl, step.rule == Rule::adamw, step.step},
                  to, from, slots[0].data(), slots[1].data(), size);
  }
}

// Elements that differ after some steps over a list of `size`: parameters and slots.
size_t differing_after(UpdateStep step, size_t slot_count, size_t size, int steps) {
  std::mt19937 engine(static_cast<uint32_t>(size));
  const std::vector<int64_t> shape{static_cast<int64_t>(size)};
  Values parameters = random_values(engine, size);
  std::vector<Values> slots(slot_count, Values(size));
  step.parameters = floats(parameters, shape);
  for (const Values& slot : slots) step.slots.push_back(floats(slot, shape));
  for (step.step = 1; step.step <= steps; ++step.step) {
    const Values gradients = random_values(engine, size);
    step.gradients = floats(gradients, shape);
    backend().update(step);
    run_ours(step, parameters, gradients, slots);
  }
  size_t count = differing(parameters, step.parameters);
  for (size_t i = 0; i < slot_count; ++i) count += differing(slots[i], step.slots[i]);
  return count;
}

size_t differing_at_any_length(const UpdateStep& step, size_t slot_count) {
  size_t count = 0;
  for (size_t size = 1; size <= 200; ++size) count += differing_after(step, slot_count, size, 4);
  return count + differing_after(step, slot_count, 100003, 4);
}

UpdateStep rule_step(Rule rule, double weight_decay) {
  UpdateStep step;
  step.rule = rule;
  step.learning_rate = 0.013;
  step.weight_decay = weight_decay;
  return step;
}

}  // namespace

TEST_CASE("update kernels: sgd has LibTorch's bits at every length") {
  for (const double decay : {0.0, 0.037}) {
    CHECK(differing_at_any_length(rule_step(Rule::sgd, decay), 0) == 0);
  }
}

TEST_CASE("update kernels: momentum has LibTorch's bits, with dampening, nesterov and decay") {
  for (const double decay : {0.0, 0.037}) {
    for (const double dampening : {0.0, 0.3}) {
      for (const bool nesterov : {false, true}) {
        UpdateStep step = rule_step(Rule::momentum, decay);
        step.momentum = 0.9;
        step.dampening = dampening;
        step.nesterov = nesterov;
        CHECK(differing_at_any_length(step, 1) == 0);
      }
    }
  }
}

TEST_CASE("update kernels: adam and adamw have LibTorch's bits at every length") {
  for (const Rule rule : {Rule::adam, Rule::adamw}) {
    for (const double decay : {0.0, 0.037}) {
      UpdateStep step = rule_step(rule, decay);
      step.beta1 = 0.9;
      step.beta2 = 0.999;
      step.eps = 1e-8;
      CHECK(differing_at_any_length(step, 2) == 0);
    }
  }
}
