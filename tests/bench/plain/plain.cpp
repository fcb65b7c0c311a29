// plain.cpp: an ordinary LibTorch training loop that takes turns; nothing of Broch takes part.
//   broch_bench_plain WORKLOAD THREADS [--fused]     --fused: LibTorch's fused optimizers
#include <ATen/Parallel.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <cstring>

#include "models.hpp"
#include "turns.hpp"

namespace broch::bench {
namespace {

using at::Tensor;
using Update = std::function<void(const std::vector<Tensor>& gradients)>;

template <class Element>
Tensor tensor_of(const std::vector<Element>& values, const std::vector<int64_t>& shape,
                 at::ScalarType type) {
  const Tensor tensor = at::empty(shape, type);
  std::memcpy(tensor.mutable_data_ptr(), values.data(), values.size() * sizeof(Element));
  return tensor;
}

std::vector<Point> make_points(const std::vector<Component>& components) {
  std::vector<Point> points(kBatches);
  for (int64_t batch = 0; batch < kBatches; ++batch)
    for (const Component& one : components)
      points[batch].push_back(one.classes ? tensor_of(integers(one, batch), one.shape, at::kLong)
                                          : tensor_of(numbers(one, batch), one.shape, at::kFloat));
  return points;
}

Update torch_optimizer(const std::vector<Tensor>& parameters, Rule rule, double rate) {
  std::shared_ptr<torch::optim::Optimizer> optimizer;
  if (rule == Rule::adam) {
    optimizer = std::make_shared<torch::optim::Adam>(parameters, torch::optim::AdamOptions(rate));
  } else {
    torch::optim::SGDOptions options(rate);
    if (rule == Rule::momentum) options.momentum(0.9);
    optimizer = std::make_shared<torch::optim::SGD>(parameters, options);
  }
  return [=](const std::vector<Tensor>& gradients) {
    for (size_t i = 0; i < gradients.size(); ++i) parameters[i].mutable_grad() = gradients[i];
    optimizer->step();
  };
}

// Of momentum and Adam; gradients of embedding tables are sparse, which these do not take.
Update fused_optimizer(const std::vector<Tensor>& parameters, Rule rule, double rate) {
  std::vector<Tensor> first, second, steps;
  for (const Tensor& parameter : parameters) {
    first.push_back(at::zeros_like(parameter));
    second.push_back(at::zeros_like(parameter));
    steps.push_back(at::zeros({}, at::kFloat));
  }
  if (rule == Rule::momentum)
    return [=](const std::vector<Tensor>& gradients) {
      at::_fused_sgd_(parameters, gradients, first, 0.0, 0.9, rate, 0.0, false, false, false);
    };
  return [=](const std::vector<Tensor>& gradients) {
    for (const Tensor& step : steps) step.add_(1);
    at::_fused_adam_(parameters, gradients, first, second, {}, steps, rate, 0.9, 0.999, 0.0, 1e-8,
                     false, false);
  };
}

// What learns from one cost.
struct Learner {
  std::vector<Tensor> parameters;
  Update update;
};

std::vector<Learner> make_learners(const Workload& task, const Variables& variables, bool fused) {
  const auto make = fused && task.rule != Rule::sgd ? fused_optimizer : torch_optimizer;
  std::vector<Learner> learners;
  for (const std::string& scope : task.scopes) {
    const std::vector<Tensor> parameters = variables.trainables(scope);
    learners.push_back({parameters, make(parameters, task.rule, task.rate)});
  }
  return learners;
}

void learn(const std::vector<Learner>& learners, const Costs& costs) {
  std::vector<std::vector<Tensor>> gradients;
  for (size_t i = 0; i < costs.size(); ++i) {
    const bool again = i + 1 < costs.size();
    gradients.push_back(torch::autograd::grad({costs[i]}, learners[i].parameters, {}, again));
  }
  const at::NoGradGuard no_grad;
  for (size_t i = 0; i < costs.size(); ++i) learners[i].update(gradients[i]);
}

void run(const std::string& name, int threads, bool fused) {
  at::set_num_threads(threads);
  const Workload task = workload(name);
  const std::vector<Point> points = make_points(task.components);
  Variables variables;
  task.costs(variables, points[0]);  // makes them
  const std::vector<Learner> learners = make_learners(task, variables, fused);
  Turns turns;
  bool go_on = turns.ready();
  for (int64_t step = 0; go_on; ++step, go_on = turns.step_done()) {
    const Costs costs = task.costs(variables, points[step % kBatches]);
    learn(learners, costs);
    if (turns.is_last()) {
      double sum = 0;
      for (const Tensor& cost : costs) sum += cost.item<float>();
      turns.set_cost(sum);
    }
  }
}

}  // namespace
}  // namespace broch::bench

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s WORKLOAD THREADS [--fused]\n", argv[0]);
    return 2;
  }
  broch::bench::run(argv[1], std::stoi(argv[2]), argc > 3 && std::string(argv[3]) == "--fused");
}
