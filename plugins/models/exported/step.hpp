// step.hpp: what a node of a program does.
#pragma once
#include <deque>
#include <optional>

#include "models/exported/executable.hpp"

namespace exported {

// Where an argument of an operator comes from.
struct Source {
  const Argument* argument = nullptr;  // nullptr: constant
  broch_value constant = broch_none();
  const SchemaType* type = nullptr;
};

struct Step {
  enum class Kind {
    call,      // an operator of the host
    dropout,   // in training; otherwise as call
    number,    // a function of numbers
    size,      // of a dimension of a tensor
    elements,  // their number
    stride,    // of a dimension, as if there were no gaps
    same,      // the first argument is the result
    nothing,   // a check that export has made for its own use
    graph,     // a part of the program
    choice     // the results of one of two parts
  };
  Kind kind = Kind::call;
  const Node* node = nullptr;

  // call
  const HostOperator* op = nullptr;
  std::vector<Source> sources;
  const HostOperator* in_evaluation = nullptr;  // in place of op
  std::optional<double> mean = {};              // an argument of it, behind those of op
  int training = -1;     // the argument that says whether it is training; -1: there is none
  int probability = -1;  // the argument that is the probability of a dropout inside
  const HostOperator* contiguous = nullptr;  // for the result
  // In place of a view on a GPU, where the kernels before it may give other strides than those of
  // the CPU, where the program was made.
  const HostOperator* reshape = nullptr;
  const HostOperator* scalar_tensor = nullptr;  // makes tensors of numbers
  const HostOperator* bernoulli = nullptr;      // dropout, with detach (also choice) and multiply
  const HostOperator *detach = nullptr, *multiply = nullptr, *scale = nullptr;

  bool without_gradients = false;  // call, graph

  // graph, choice
  std::vector<std::unique_ptr<Steps>> graphs;
  std::vector<Item> operands;
  const HostOperator* where = nullptr;  // choice
};

// "node 'relu' (torch.ops.aten.relu.default), model.py, line 7: x = F.relu(x)"
std::string words_of(const Node& node);

}  // namespace exported
