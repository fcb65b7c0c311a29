// bundle_model.cpp: the graph of a bundle.
#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "bundle/bundle.hpp"
#include "graph/runner.hpp"
#include "predict/model.hpp"

namespace broch::predict {
namespace {

using Close = void (*)(runtime::Backend*);

class BundleModel final : public Model {
 public:
  BundleModel(const std::filesystem::path& file, const Names& names,
              const std::vector<std::string>& order)
      : bundle_(file), backend_(runtime::open_torch_backend()) {
    backend_->configure({.threads = 1, .deterministic = true, .level = runtime::Level::fast});
    const graph::Graph& graph = bundle_.graph();
    for (size_t i = 0; i < graph.inputs.size(); ++i) inputs_.push_back(input(i));
    order_ = names.inputs.empty() ? graph.inputs : names.inputs;
    auto sorted = order_, there = graph.inputs;
    std::ranges::sort(sorted);
    std::ranges::sort(there);
    if (sorted != there)
      base::fail(base::Exit::usage, "--input", base::join(order_, ", "),
                 "the inputs of the bundle: " + base::join(graph.inputs, ", "), "");
    if (names.inputs.empty() && !order.empty()) order_ = order;
    std::vector<std::string> published;
    for (const graph::Output& output : graph.outputs) published.push_back(output.name);
    outputs_ = names.outputs.empty() ? published : names.outputs;
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
    runner_.emplace(*backend_, graph, bundle_.weights(*backend_), graph::RunnerOptions{});
  }

  const std::vector<abi::InputSpec>& inputs() const override { return inputs_; }
  const std::vector<std::string>& order() const override { return order_; }
  const std::vector<std::string>& outputs() const override { return outputs_; }
  std::vector<runtime::Tensor> call(size_t /* tower */,
                                    std::span<const runtime::Tensor> inputs) override {
    const std::vector<runtime::Tensor> all = runner_->run(inputs);
    std::vector<runtime::Tensor> chosen;
    for (const size_t place : places_) chosen.push_back(all[place]);
    return chosen;
  }
  runtime::Backend& backend() override { return *backend_; }

 private:
  abi::InputSpec input(size_t i) const {
    const graph::Graph& graph = bundle_.graph();
    const graph::Type& type = graph.type_of_input(i);
    abi::InputSpec spec{graph.inputs[i], type.dtype, {}, {}};
    for (const graph::Number& size : type.shape) {
      const bool known = size.is_constant();
      spec.shape.push_back(known ? size.value({}) : -1);
      spec.dims.push_back(known ? "" : size.text(graph.symbols));
    }
    return spec;
  }

  bundle::Bundle bundle_;
  std::unique_ptr<runtime::Backend, Close> backend_;
  std::vector<abi::InputSpec> inputs_;
  std::vector<std::string> order_, outputs_;
  std::vector<size_t> places_;  // by output: its place in the graph
  std::optional<graph::Runner> runner_;
};

}  // namespace

std::unique_ptr<Model> model_of_bundle(const std::filesystem::path& file, const Names& names,
                                       const std::vector<std::string>& order) {
  return std::make_unique<BundleModel>(file, names, order);
}

}  // namespace broch::predict
