// plan_buffers.cpp: chooses the buffers between nodes, and which nodes may run in parallel.
#include <algorithm>

#include "plan/plans.hpp"

namespace broch::plan {

namespace {

// The node that computes an input list of this node; skips nodes that pass their input on.
Node& source_of(Plan& plan, const Node& node, size_t input = 0) {
  Node* list = &plan.nodes()[node.inputs[input]];
  while (list->kind != NodeKind::gradients && !list->bound.operation)
    list = &plan.nodes()[list->inputs[0]];
  return *list;
}

// Whether the node consumes a list and produces none.
bool updates(const Node& node) {
  return node.kind == NodeKind::apply || node.kind == NodeKind::serve;
}

// The first node that takes the list decides.
void set_buffers(Node& list, const std::vector<runtime::Tensor>& buffers) {
  if (list.bound.operation)
    list.bound.operation->set_output_buffers(buffers);
  else if (list.bound.request.buffers.empty())
    list.bound.request.buffers = buffers;
}

// Gradients that come straight from a tower can be sent while it computes others.
void bind_gather(Plan& plan, const Node& node) {
  Node& source = source_of(plan, node);
  const bool first = !source.bound.operation && source.bound.request.buffers.empty();
  set_buffers(source, node.bound.gather->buffers());
  if (!first || node.bound.gather->parts().empty()) return;
  source.bound.request.sink = node.bound.gather.get();
  source.bound.request.parts = node.bound.gather->parts();
}

// For a sum or a chain of processors.
void bind_operation(Plan& plan, const Node& node) {
  for (size_t list = 0; list < node.inputs.size(); ++list)
    set_buffers(source_of(plan, node, list), node.bound.operation->input_buffers(list));
}

}  // namespace

// Gradients are written directly to where the first node that takes the list reads them: the flat
// buffer of an update, or the inputs of the program of a sum or of a chain of processors. That is
// safe without a copy: such a buffer belongs to one program alone, views_of leaves out buffers
// that others write to, and a program does not write to its inputs. Within an execution a list is
// complete before a node takes it, and the next one computes the whole list again.
void Plans::bind_buffers() {
  for (const auto& plan : plans_) {
    bind_neighbors(*plan);
    for (Node& node : plan->nodes())
      if (node.kind == NodeKind::gradients) bind_rows(*plan, node);
    for (const Node& node : plan->nodes()) {
      if (updates(node))
        bind_update_buffers(*plan, node);
      else if (node.bound.gather)
        bind_gather(*plan, node);
      else if (node.bound.operation)
        bind_operation(*plan, node);
    }
  }
}

void Plans::bind_update_buffers(Plan& plan, const Node& node) const {
  const std::vector<runtime::Tensor> views =
      node.bound.served ? node.bound.served->buffers()
                        : deps_.optimizers->views_of(node.bound.application);
  // Processors of the optimizer take a part of the list, and write where the update reads.
  if (node.bound.operation) return node.bound.operation->set_output_buffers(views);
  std::vector<runtime::Tensor> places(plan.nodes()[node.inputs[0]].bound.list.size());
  for (size_t i = 0; i < views.size(); ++i) places[node.bound.positions[i]] = views[i];
  set_buffers(source_of(plan, node), places);
}

// Marks gradients as rows if they are read only by updates that accept rows.
void Plans::bind_rows(Plan& plan, Node& gradients) const {
  std::vector<bool>& rows = gradients.bound.request.rows;
  rows.assign(gradients.bound.list.size(), true);
  for (const Node& node : plan.nodes()) {
    if (!node.bound.operation && !updates(node)) continue;
    bool takes = false;
    for (size_t list = 0; list < node.inputs.size(); ++list)
      takes |= &source_of(plan, node, list) == &gradients;
    if (!takes) continue;
    if (node.bound.operation || node.bound.served) return rows.assign(rows.size(), false);
    const std::vector<bool> taken = deps_.optimizers->takes_rows(node.bound.application);
    for (size_t i = 0; i < taken.size(); ++i)
      rows[node.bound.positions[i]] = rows[node.bound.positions[i]] && taken[i];
  }
}

// Finds consecutive updates that share no memory, such as those of replicas.
void Plans::bind_neighbors(Plan& plan) const {
  std::vector<const Node*> row;
  for (const uint32_t index : plan.order()) {
    Node& node = plan.nodes()[index];
    const bool alone = node.kind != NodeKind::apply || node.bound.operation;
    node.bound.with_previous =
        !alone && !row.empty() && std::ranges::all_of(row, [&](const Node* other) {
          return deps_.optimizers->independent(other->bound.application, node.bound.application);
        });
    if (!node.bound.with_previous) row.clear();
    if (!alone) row.push_back(&node);
  }
}

}  // namespace broch::plan
