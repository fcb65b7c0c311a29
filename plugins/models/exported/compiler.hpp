// compiler.hpp: makes the steps of a program.
#pragma once
#include "models/exported/step.hpp"

namespace exported {

class Compiler {
 public:
  explicit Compiler(Executable& executable)
      : executable_(executable), operators_(executable.operators_) {}
  // Fills the executable. Returns what cannot be computed, a line for each node.
  std::vector<std::string> compile(const Program& program);

 private:
  struct Scope;  // a graph that is being compiled

  std::unique_ptr<Steps> steps_of(const Graph& graph, const std::vector<int>& input_roots,
                                  std::vector<int>& output_roots);
  void add(Scope& scope, const Node& node);
  bool is_special(Scope& scope, const Node& node, const std::string& name, Step& step);
  void add_graphs(Scope& scope, const Node& node, const std::string& name);
  void add_call(Scope& scope, const Node& node, const std::string& name, Step step);
  const HostOperator* operator_for(Scope& scope, const Node& node, const std::string& name);
  const HostOperator* with_number(const Scope& scope, const Node& node, const HostOperator* op);
  const HostOperator* without_writing(const Scope& scope, const Node& node, const HostOperator* op);
  void take_arguments(Scope& scope, Step& step);
  void set_evaluation(Step& step);
  void follow_memory(Scope& scope, const Step& step);
  void written(int root, bool in_training);

  Executable& executable_;
  HostOperators& operators_;
  std::vector<std::string> problems_;
  int next_root_ = 0;
};

}  // namespace exported
