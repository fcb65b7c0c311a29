// program.hpp: the program of a graph for inputs of some sizes, for any number of threads.
#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "compiled.hpp"

namespace broch::graph {

class Program {
 public:
  // Eager until it gets a recorded program. Borrows backend and graph.
  Program(runtime::Backend& backend, const Graph& graph, std::vector<int64_t> sizes,
          runtime::Level level);

  const std::vector<int64_t>& sizes() const { return sizes_; }  // of the graph's symbols
  const std::vector<runtime::Shape>& outputs() const { return outputs_; }

  const runtime::RecordedProgram* recorded() const { return recorded_.get(); }  // nullptr: eager
  // REQUIRES: no other thread has the program yet.
  void record(std::unique_ptr<runtime::RecordedProgram> recorded);

  // A compiled program that no other thread uses. It is idle again afterwards, also when a run has
  // failed. REQUIRES: recorded().
  class Lease {
   public:
    explicit Lease(Program& program) : program_(program), compiled_(program.take()) {}
    ~Lease() { program_.give_back(std::move(compiled_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Compiled& operator*() const { return *compiled_; }
    Compiled* operator->() const { return compiled_.get(); }

   private:
    Program& program_;
    std::unique_ptr<Compiled> compiled_;
  };

 private:
  std::unique_ptr<Compiled> take();
  void give_back(std::unique_ptr<Compiled> compiled) noexcept;

  runtime::Backend& backend_;
  const Graph& graph_;
  const std::vector<int64_t> sizes_;
  const runtime::Level level_;
  std::vector<runtime::Shape> outputs_;
  std::unique_ptr<runtime::RecordedProgram> recorded_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Compiled>> idle_;  // guarded by mutex_
};

}  // namespace broch::graph
