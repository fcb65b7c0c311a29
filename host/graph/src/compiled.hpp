// compiled.hpp: a compiled program with memory for its inputs and outputs. One thread at a time.
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "graph/graph.hpp"
#include "runtime/backend.hpp"
#include "runtime/stoppable.hpp"

namespace broch::graph {

// Set by another thread: the run ends with base::Error (Exit::interrupted). May be nullptr.
using Stop = const std::atomic<bool>*;

class Compiled {
 public:
  // Borrows the backend. sizes: of the graph's symbols.
  Compiled(runtime::Backend& backend, const Graph& graph, const runtime::RecordedProgram& program,
           std::span<const int64_t> sizes, runtime::Level level);

  // call: a number for random draws. Returns copies of the outputs.
  std::vector<runtime::Tensor> run(std::span<const runtime::Tensor> inputs, uint64_t call,
                                   Stop stop);
  // data, places: plain memory of each input, and of each output that is wanted, else nullptr.
  void run(const void* const* data, std::span<void* const> places, uint64_t call, Stop stop);

  runtime::Level level() const { return executable_->info().level; }  // that was used

 private:
  struct Memory {
    std::byte* first = nullptr;  // nullptr: the elements do not lie in order, without gaps
    size_t bytes = 0;            // of all elements, without gaps
  };
  struct Place {
    runtime::Tensor tensor{};  // undefined: the program does not use this input
    Memory memory{};
  };
  Memory memory_of(const runtime::Tensor& tensor) const;

  runtime::Backend& backend_;
  std::vector<Place> inputs_;
  std::vector<Memory> outputs_;
  std::unique_ptr<runtime::Executable> executable_;
  runtime::Stoppable* stoppable_ = nullptr;  // the executable, if it can be stopped
};

}  // namespace broch::graph
