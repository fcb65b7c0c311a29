// evaluate.hpp: calls the operators of a graph, one after the other.
#pragma once
#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "runtime/backend.hpp"

namespace broch::graph {

class Evaluator {
 public:
  // Borrows both. Throws base::Error (Exit::plugin) that names all operators that are missing.
  Evaluator(runtime::Backend& backend, const Graph& graph);
  // values: inputs and weights. Returns the outputs, which have the types that the graph says: if
  // they do not, throws base::Error (Exit::training). stop: see runtime::throw_if_stopped.
  // REQUIRES: a StepGuard. Any thread.
  std::vector<runtime::Tensor> run(std::vector<runtime::Tensor> values,
                                   std::span<const int64_t> sizes,
                                   const std::atomic<bool>* stop) const;

 private:
  void check_output(size_t output, const runtime::Tensor& value,
                    std::span<const int64_t> sizes) const;
  // "input 'x' and weight 'fc/W'"; "" if it reads neither.
  std::string sources_of(const Node& node) const;

  runtime::Backend& backend_;
  const Graph& graph_;
  std::vector<runtime::Operator*> operators_;
  std::vector<std::vector<int>> last_uses_;  // by node: the values that are not used later
};

}  // namespace broch::graph
