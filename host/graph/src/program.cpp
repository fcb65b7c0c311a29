// program.cpp: compiles as often as threads run it at the same time.
#include "program.hpp"

#include <new>

namespace broch::graph {

Program::Program(runtime::Backend& backend, const Graph& graph, std::vector<int64_t> sizes,
                 runtime::Level level)
    : backend_(backend), graph_(graph), sizes_(std::move(sizes)), level_(level) {
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    outputs_.push_back(shape_of(graph.type_of_output(i), sizes_));
}

void Program::record(std::unique_ptr<runtime::RecordedProgram> recorded) {
  idle_.clear();
  recorded_ = std::move(recorded);
}

std::unique_ptr<Compiled> Program::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Compiled> compiled = std::move(idle_.back());
      idle_.pop_back();
      return compiled;
    }
  }
  return std::make_unique<Compiled>(backend_, graph_, *recorded_, sizes_, level_);
}

void Program::give_back(std::unique_ptr<Compiled> compiled) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    idle_.push_back(std::move(compiled));
  } catch (const std::bad_alloc&) {  // then it is made again
  }
}

}  // namespace broch::graph
