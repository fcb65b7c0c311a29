// bundle_model.cpp: the graphs of a bundle.
#include <algorithm>
#include <mutex>
#include <set>

#include "base/error.hpp"
#include "base/machine.hpp"
#include "base/text.hpp"
#include "bundle/bundle.hpp"
#include "graph/runner.hpp"
#include "predict/model.hpp"

namespace broch::predict {
namespace {

using runtime::Tensor;
using Close = void (*)(runtime::Backend*);
using Graphs = bundle::Sequence<graph::Graph>;

class BundleSequence final : public Sequence {
 public:
  // chosen: by output of a call, its place in the graphs. Borrows backend and graphs.
  BundleSequence(runtime::Backend& backend, const Graphs& graphs,
                 const bundle::Bundle::Weights& weights, std::vector<size_t> chosen)
      : graphs_(graphs),
        chosen_(std::move(chosen)),
        // Which is called once, so a program is not worth its while.
        first_(backend, graphs.first, bundle::weights_of(graphs.first, weights), {.eager = true}),
        later_(backend, graphs.later, bundle::weights_of(graphs.later, weights), {}) {
    for (const std::string& name : graphs.later.inputs) sources_.push_back(source_of(name));
  }

  std::vector<Tensor> call(std::span<const Tensor> inputs) override {
    if (last_.empty()) {
      last_ = first_.run(inputs);
    } else {
      std::vector<Tensor> all;
      for (const size_t source : sources_)
        all.push_back(source < inputs.size() ? inputs[source] : last_[source - inputs.size()]);
      last_ = later_.run(all);
    }
    std::vector<Tensor> outputs;
    for (const size_t place : chosen_) outputs.push_back(last_[place]);
    return outputs;
  }

  bool one_by_one() const override {
    const graph::Type &first = graphs_.first.type_of_input(0),
                      &later = graphs_.later.type_of_input(0);
    const auto has_one = [](const graph::Type& type) {
      return type.shape.size() > 1 && type.shape[1] == graph::Number(1);
    };
    return has_one(first) || has_one(later);
  }

 private:
  // Of an input of later calls: its place among the inputs of a call and then the outputs of the
  // one before.
  size_t source_of(const std::string& name) const {
    const std::vector<std::string>& inputs = graphs_.first.inputs;
    const auto own = std::ranges::find(inputs, name);
    if (own != inputs.end()) return size_t(own - inputs.begin());
    const std::vector<graph::Output>& outputs = graphs_.first.outputs;
    const std::string kept = bundle::kBehind + name.substr(std::string(bundle::kBefore).size());
    const auto output = std::ranges::find(outputs, kept, &graph::Output::name);
    return inputs.size() + size_t(output - outputs.begin());
  }

  const Graphs& graphs_;
  const std::vector<size_t> chosen_;
  std::vector<size_t> sources_;  // by input of later calls
  graph::Runner first_, later_;
  std::vector<Tensor> last_;  // all outputs of the last call
};

class BundleModel final : public Model {
 public:
  BundleModel(const bundle::Bundle& bundle, const Names& names,
              const std::vector<std::string>& order)
      : graph_(bundle.graph()),
        graphs_(bundle.sequence()),
        backend_(runtime::open_torch_backend()),
        calls_(size_t(std::max(1, base::cpu().usable_cores))) {
    backend_->configure({.threads = 1, .deterministic = true, .level = runtime::Level::fast});
    ports_ = ports_of(graph_, order);
    if (!names.inputs.empty()) choose_order(names.inputs);
    choose_outputs(names.outputs);
    weights_ = bundle.all_weights(*backend_);
    runner_.emplace(*backend_, graph_, bundle::weights_of(graph_, weights_),
                    graph::RunnerOptions{});
  }

  size_t towers() const override { return calls_.size(); }
  std::vector<Tensor> call(size_t tower, std::span<const Tensor> inputs) override {
    // Random numbers are those of the call, and so the same with any number of towers.
    const std::vector<Tensor> all = run(inputs, calls_[tower]++ * towers() + tower);
    std::vector<Tensor> chosen;
    for (const size_t place : places_) chosen.push_back(all[place]);
    return chosen;
  }
  std::unique_ptr<Sequence> sequence() override {
    if (!graphs_) return nullptr;
    return std::make_unique<BundleSequence>(*backend_, *graphs_, weights_, places_);
  }
  runtime::Backend& backend() override { return *backend_; }

 private:
  void choose_order(const std::vector<std::string>& wanted) {
    auto sorted = wanted, there = graph_.inputs;
    std::ranges::sort(sorted);
    std::ranges::sort(there);
    if (sorted != there)
      base::fail(base::Exit::usage, "--input", base::join(wanted, ", "),
                 "the inputs of the bundle: " + base::join(graph_.inputs, ", "), "");
    ports_.order = wanted;
  }

  void choose_outputs(const std::vector<std::string>& wanted) {
    const std::vector<std::string> published = ports_.outputs;
    if (!wanted.empty()) ports_.outputs = wanted;
    for (const std::string& name : ports_.outputs) {
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

  // One tower makes the program for inputs of some shape, and the others wait for it. Otherwise
  // each would make one, with the weights in an order of its own.
  std::vector<Tensor> run(std::span<const Tensor> inputs, uint64_t call) {
    std::vector<runtime::TensorInfo> infos;
    for (const Tensor& one : inputs) infos.push_back(backend_->info(one));
    const std::vector<int64_t> sizes = graph_.sizes_for(infos);
    {
      const std::lock_guard lock(making_);
      if (!made_.contains(sizes)) {
        std::vector<Tensor> outputs = runner_->run(inputs, call);
        made_.insert(sizes);
        return outputs;
      }
    }
    return runner_->run(inputs, call);
  }

  const graph::Graph graph_;
  const std::optional<Graphs> graphs_;
  std::unique_ptr<runtime::Backend, Close> backend_;
  std::vector<size_t> places_;  // by output: its place in the graph
  bundle::Bundle::Weights weights_;
  std::optional<graph::Runner> runner_;
  std::vector<uint64_t> calls_;  // by tower: how many there were
  std::mutex making_;
  std::set<std::vector<int64_t>> made_;  // guarded by making_: sizes for which there is a program
};

abi::InputSpec input_of(const graph::Graph& graph, size_t i) {
  const graph::Type& type = graph.type_of_input(i);
  abi::InputSpec spec{graph.inputs[i], type.dtype, {}, {}};
  for (const graph::Number& size : type.shape) {
    const bool known = size.is_constant();
    spec.shape.push_back(known ? size.value({}) : -1);
    spec.dims.push_back(known ? "" : size.text(graph.symbols));
  }
  return spec;
}

}  // namespace

Ports ports_of(const graph::Graph& graph, const std::vector<std::string>& order) {
  Ports ports;
  for (size_t i = 0; i < graph.inputs.size(); ++i) ports.inputs.push_back(input_of(graph, i));
  ports.order = order.empty() ? graph.inputs : order;
  for (const graph::Output& output : graph.outputs) ports.outputs.push_back(output.name);
  return ports;
}

std::unique_ptr<Model> model_of_bundle(const bundle::Bundle& bundle, const Names& names,
                                       const std::vector<std::string>& order) {
  return std::make_unique<BundleModel>(bundle, names, order);
}

}  // namespace broch::predict
