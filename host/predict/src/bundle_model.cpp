// bundle_model.cpp: the graph of a bundle.
#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "bundle/bundle.hpp"
#include "graph/runner.hpp"
#include "predict/model.hpp"

namespace broch::predict {
namespace {

using runtime::Tensor;
using Close = void (*)(runtime::Backend*);

class BundleModel final : public Model {
 public:
  BundleModel(const bundle::Bundle& bundle, const Names& names,
              const std::vector<std::string>& order)
      : graph_(bundle.graph()), backend_(runtime::open_torch_backend()) {
    backend_->configure({.threads = 1, .deterministic = true, .level = runtime::Level::fast});
    for (size_t i = 0; i < graph_.inputs.size(); ++i) inputs_.push_back(input(i));
    choose_order(names.inputs, order);
    choose_outputs(names.outputs);
    runner_.emplace(*backend_, graph_, bundle.weights(*backend_), graph::RunnerOptions{});
  }

  const std::vector<abi::InputSpec>& inputs() const override { return inputs_; }
  const std::vector<std::string>& order() const override { return order_; }
  const std::vector<std::string>& outputs() const override { return outputs_; }
  std::vector<Tensor> call(size_t /* tower */, std::span<const Tensor> inputs) override {
    const std::vector<Tensor> all = runner_->run(inputs);
    std::vector<Tensor> chosen;
    for (const size_t place : places_) chosen.push_back(all[place]);
    return chosen;
  }
  runtime::Backend& backend() override { return *backend_; }

 private:
  abi::InputSpec input(size_t i) const {
    const graph::Type& type = graph_.type_of_input(i);
    abi::InputSpec spec{graph_.inputs[i], type.dtype, {}, {}};
    for (const graph::Number& size : type.shape) {
      const bool known = size.is_constant();
      spec.shape.push_back(known ? size.value({}) : -1);
      spec.dims.push_back(known ? "" : size.text(graph_.symbols));
    }
    return spec;
  }

  void choose_order(const std::vector<std::string>& wanted,
                    const std::vector<std::string>& exported) {
    order_ = wanted.empty() ? graph_.inputs : wanted;
    auto sorted = order_, there = graph_.inputs;
    std::ranges::sort(sorted);
    std::ranges::sort(there);
    if (sorted != there)
      base::fail(base::Exit::usage, "--input", base::join(order_, ", "),
                 "the inputs of the bundle: " + base::join(graph_.inputs, ", "), "");
    if (wanted.empty() && !exported.empty()) order_ = exported;
  }

  void choose_outputs(const std::vector<std::string>& wanted) {
    std::vector<std::string> published;
    for (const graph::Output& output : graph_.outputs) published.push_back(output.name);
    outputs_ = wanted.empty() ? published : wanted;
    for (const std::string& name : outputs_) {
      const auto found = std::ranges::find(published, name);
      if (found == published.end())
        base::fail(
            base::Exit::usage, "--name",
            base::quoted(name) + ", no output of the bundle" + base::did_you_mean(name, published),
            "one of " + base::join(published, ", "),
            "broch export --name puts other outputs into a bundle");
      places_.push_back(size_t(found - published.begin()));
    }
  }

  const graph::Graph graph_;
  std::unique_ptr<runtime::Backend, Close> backend_;
  std::vector<abi::InputSpec> inputs_;
  std::vector<std::string> order_, outputs_;
  std::vector<size_t> places_;  // by output: its place in the graph
  std::optional<graph::Runner> runner_;
};

}  // namespace

std::unique_ptr<Model> model_of_bundle(const bundle::Bundle& bundle, const Names& names,
                                       const std::vector<std::string>& order) {
  return std::make_unique<BundleModel>(bundle, names, order);
}

}  // namespace broch::predict
