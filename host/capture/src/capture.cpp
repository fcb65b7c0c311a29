// capture.cpp: calls the tower function with several sizes.
#include "capture/capture.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fit.hpp"
#include "trace.hpp"

namespace broch::capture {
namespace {

using graph::Graph;

// Sizes at which samples are taken, others with which the result is tried, and the smallest one.
// Not 1, since a dimension of that size can be left out or repeated.
constexpr int64_t kFirst = 3, kOther = 7, kSmallest = 1;
constexpr size_t kMostSymbols = 4;  // 16 calls

class Capture {
 public:
  Capture(tower::Tower& tower, const Wish& wish)
      : tower_(tower), wish_(wish), specs_(tower.signature()) {
    for (const std::string& name : wish.outputs)
      if (!tower.publishes(name))
        base::fail(base::Exit::manifest, tower.describe(), "no output " + base::quoted(name),
                   "one of " + base::join(tower.published_names(), ", ") +
                       base::did_you_mean(name, tower.published_names()),
                   "name another one");
    specs_.insert(specs_.end(), wish.fed.begin(), wish.fed.end());
    for (const abi::InputSpec& input : specs_) inputs_.push_back(input.name);
    find_symbols();
  }

  Captured run() {
    Captured captured = fit();
    // An operator may need the size of an input, but not its elements: noise for each example.
    if (keep_inputs_of_sizes(captured.graph)) captured = fit();
    check(captured.graph);
    find_least(captured.graph);
    drop_unused_symbols(captured.graph);
    return captured;
  }

 private:
  // Names of the sizes that may be any.
  void find_symbols() {
    for (const abi::InputSpec& input : specs_) {
      std::vector<int> symbols;
      for (size_t d = 0; d < input.shape.size(); ++d) {
        const std::string name = name_of(input, d);
        const bool is_fixed = input.shape[d] >= 0 || wish_.fixed.contains(name);
        symbols.push_back(is_fixed ? -1 : number_of(name));
      }
      symbols_of_inputs_.push_back(std::move(symbols));
    }
    for (const auto& [name, size] : wish_.fixed)
      if (!std::ranges::count(names_, name))
        base::fail(base::Exit::usage, "size " + base::quoted(name), "no dimension of this name",
                   "one of " + base::join(names_, ", "), "broch plan prints the inputs");
    if (symbols_.size() > kMostSymbols)
      base::fail(base::Exit::usage, tower_.describe(),
                 base::join(symbols_, ", ") + ", which may all be of any size", "at most 4",
                 "give some of them a fixed size");
  }
  std::string name_of(const abi::InputSpec& input, size_t d) {
    const std::string name = name_of_size(input, d);
    if (input.shape[d] < 0 && !std::ranges::count(names_, name)) names_.push_back(name);
    return name;
  }
  int number_of(const std::string& name) {
    const auto found = std::ranges::find(symbols_, name);
    if (found == symbols_.end()) {
      symbols_.push_back(name);
      return int(symbols_.size()) - 1;
    }
    return int(found - symbols_.begin());
  }

  // The inputs are zeros: nothing that a graph can have depends on their elements.
  Trace::Result sample(const std::vector<int64_t>& sizes) {
    runtime::Backend& backend = *tower_.context().backend;
    const size_t own = tower_.signature().size();
    tower::RunInputs inputs;
    std::vector<runtime::Tensor> fed;
    for (size_t i = 0; i < specs_.size(); ++i) {
      const abi::InputSpec& input = specs_[i];
      runtime::Shape shape;
      shape.rank = uint32_t(input.shape.size());
      for (size_t d = 0; d < input.shape.size(); ++d) {
        const int symbol = symbols_of_inputs_[i][d];
        shape.dims[d] = symbol >= 0           ? sizes[size_t(symbol)]
                        : input.shape[d] >= 0 ? input.shape[d]
                                              : wish_.fixed.at(name_of(input, d));
      }
      const runtime::Tensor zeros = backend.zeros(input.dtype, shape, tower_.spec().device);
      if (i < own) {
        inputs.inputs.push_back(zeros);
      } else {
        inputs.feeds[input.name] = zeros;
        fed.push_back(zeros);
      }
    }
    Trace trace(backend, own, std::move(fed));
    tower_.run_on(trace, std::move(inputs));
    return trace.take(inputs_, wish_.outputs, tower_.describe(), kept_);
  }

  void check(const Graph& graph) {
    const std::vector<int64_t> sizes(symbols_.size(), kOther);
    const std::string wrong = difference(graph, {sizes, sample(sizes).graph});
    if (!wrong.empty())
      base::fail(base::Exit::training, tower_.describe(),
                 "a computation that depends on " + base::join(symbols_, ", ") +
                     " in another way than by sums and products (" + wrong + ")",
                 "sums and products of sizes", "give one of them a fixed size");
  }

  Captured fit() {
    const std::vector<int64_t> first(symbols_.size(), kFirst);
    std::vector<Sample> samples;
    Captured captured;
    for (const std::vector<int64_t>& sizes : sizes_of_samples(first)) {
      Trace::Result result = sample(sizes);
      if (samples.empty()) captured.weights = result.weights;
      samples.push_back({sizes, std::move(result.graph)});
    }
    captured.graph = fitted(symbols_, samples, tower_.describe());
    return captured;
  }

  // Whether there are symbols that are used, but are no size of an input of the graph.
  bool keep_inputs_of_sizes(const Graph& graph) {
    std::vector<bool> is_missing(symbols_.size());
    const auto mark = [&](const std::vector<graph::Number>& numbers, bool missing) {
      for (const graph::Number& number : numbers)
        for (const graph::Number::Term& term : number.terms)
          for (const uint32_t symbol : term.symbols) is_missing[symbol] = missing;
    };
    for (const graph::Node& node : graph.nodes)
      for (const graph::Argument& argument : node.arguments) mark(argument.integers, true);
    for (const graph::Type& type : graph.types) mark(type.shape, true);
    for (size_t i = 0; i < graph.inputs.size(); ++i) mark(graph.type_of_input(i).shape, false);
    for (size_t i = 0; i < symbols_of_inputs_.size(); ++i)
      for (const int symbol : symbols_of_inputs_[i])
        if (symbol >= 0 && is_missing[size_t(symbol)]) {
          kept_.insert(i);
          is_missing[size_t(symbol)] = false;
        }
    return !kept_.empty();
  }

  // With a size of 1 a tower function may compute something else.
  void find_least(Graph& graph) {
    for (size_t s = 0; s < symbols_.size(); ++s) {
      std::vector<int64_t> sizes(symbols_.size(), kFirst);
      sizes[s] = kSmallest;
      bool is_same = false;
      try {
        is_same = difference(graph, {sizes, sample(sizes).graph}).empty();
      } catch (const base::Error&) {
      }
      graph.least.push_back(is_same ? kSmallest : kSmallest + 1);
    }
  }

  // Those of inputs that the outputs do not need.
  static void drop_unused_symbols(Graph& graph) {
    std::vector<bool> is_used(graph.symbols.size());
    for (size_t i = 0; i < graph.inputs.size(); ++i)
      for (const graph::Number& size : graph.type_of_input(i).shape)
        for (const graph::Number::Term& term : size.terms)
          for (const uint32_t symbol : term.symbols) is_used[symbol] = true;
    std::vector<uint32_t> number(graph.symbols.size());
    uint32_t next = 0;
    for (size_t s = 0; s < is_used.size(); ++s) number[s] = is_used[s] ? next++ : UINT32_MAX;
    const auto renumber = [&](graph::Number& size) {
      for (graph::Number::Term& term : size.terms)
        for (uint32_t& symbol : term.symbols) symbol = number[symbol];
    };
    for (graph::Type& type : graph.types) std::ranges::for_each(type.shape, renumber);
    for (graph::Node& node : graph.nodes)
      for (graph::Argument& argument : node.arguments)
        std::ranges::for_each(argument.integers, renumber);
    size_t s = 0;
    std::erase_if(graph.least, [&](int64_t) { return !is_used[s++]; });
    s = 0;
    std::erase_if(graph.symbols, [&](const std::string&) { return !is_used[s++]; });
  }

  tower::Tower& tower_;
  const Wish& wish_;
  std::vector<abi::InputSpec> specs_;  // of the inputs of the tower, then of what is fed
  std::vector<std::string> inputs_, symbols_;
  std::vector<std::string> names_;                   // of all sizes that are not constant
  std::vector<std::vector<int>> symbols_of_inputs_;  // by input and dimension; -1: fixed
  std::set<size_t> kept_;                            // inputs whose sizes alone are needed
};

}  // namespace

std::string name_of_size(const abi::InputSpec& input, size_t dimension) {
  const bool is_named = dimension < input.dims.size() && !input.dims[dimension].empty();
  return is_named ? input.dims[dimension] : input.name + "_" + std::to_string(dimension);
}

std::string usual_output(const tower::Tower& tower) {
  for (const char* name : {"output", "logits"})
    if (tower.publishes(name)) return name;
  const std::vector<abi::InputSpec>& inputs = tower.signature();
  std::string last;
  for (size_t i = inputs.size(); i < tower.published_names().size(); ++i) {
    const std::string& name = tower.published_names()[i];
    const auto needs = [&](const abi::InputSpec& input) { return tower.depends(name, input.name); };
    if (inputs.empty() || !needs(inputs[0])) continue;
    if (inputs.size() == 1 || !std::ranges::all_of(inputs, needs)) last = name;
  }
  return last;
}

Captured capture(tower::Tower& tower, const Wish& wish) { return Capture(tower, wish).run(); }

}  // namespace broch::capture
