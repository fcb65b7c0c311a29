// runner.hpp: computes a graph on a backend, as recorded programs, one for each shape of the
// inputs.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "runtime/backend.hpp"

namespace broch::graph {

struct RunnerOptions {
  runtime::Level level = runtime::Level::fast;
  bool eager = false;      // never record
  size_t most_shapes = 8;  // whose programs are kept; the one that was used longest ago goes
  int32_t threads = 1;     // of the backend
  // Told why a model is computed without a program. Empty: the log. Any thread.
  std::function<void(const std::string&)> tell{};
};

// What becomes of the results of a run on plain memory.
class Results {
 public:
  virtual ~Results() = default;
  // Memory for an output, row-major without gaps; nullptr: it is not wanted. Called before anything
  // is computed, once for each output in order. May throw.
  virtual void* place(size_t output, broch_dtype dtype, const runtime::Shape& shape) = 0;
  // A run ends with base::Error (Exit::interrupted) soon after the flag is set.
  virtual const std::atomic<bool>* stop() const { return nullptr; }
};

class Runner {
 public:
  // weights: by Graph::weights; they must not change. Borrows graph and backend. Throws base::Error
  // (Exit::plugin) that names all operators that the backend does not have.
  Runner(runtime::Backend& backend, const Graph& graph, std::vector<runtime::Tensor> weights,
         const RunnerOptions& options);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // inputs: by Graph::inputs; the results by Graph::outputs, in memory of their own. call: a number
  // for random draws; no value: another one each time. Any number of threads at once. Throws
  // base::Error.
  std::vector<runtime::Tensor> run(std::span<const runtime::Tensor> inputs,
                                   std::optional<uint64_t> call = std::nullopt);
  // The same for elements in plain memory, row-major without gaps, with any alignment. A large
  // batch whose examples do not depend on each other is computed in pieces, which is faster.
  void run(std::span<const runtime::TensorInfo> inputs, const void* const* data, Results& results);
  // The programs that are in use, for people.
  std::string text() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace broch::graph
