// convolution.cpp: what the passes for convolutions share.
#include "convolution.hpp"

#include <algorithm>

namespace broch::passes {

std::optional<kernels::Extent> extent_of(const Node& node, size_t argument) {
  const std::vector<int64_t> numbers = integers_argument(node, argument);
  if (numbers.empty() || numbers.size() > 2) return std::nullopt;
  return kernels::Extent{numbers.front(), numbers.back()};  // one number is for both directions
}

bool is_image(const Program& program, int view) {
  return view != kNoView && program.views[view].sizes.size() == 4 &&
         program.views[view].dtype == at::kFloat && !program.views[view].conjugate &&
         !program.views[view].negative;
}

bool is_together(const Program& program, int number) {
  if (!is_image(program, number)) return false;
  const View& view = program.views[number];
  return is_channels_last(view) ||
         (view.contiguous() && (view.sizes[1] == 1 || view.sizes[2] * view.sizes[3] == 1));
}

std::optional<Following> following(const Program& program, const Uses& uses, size_t at,
                                   int result) {
  const auto reader = uses.only_reader(program, program.views[result].buffer);
  if (!reader || *reader < at) return std::nullopt;
  const Node& next = program.nodes[*reader];
  const auto same = [&](int view) {
    return view != kNoView && program.views[view].sizes == program.views[result].sizes &&
           program.views[view].strides == program.views[result].strides &&
           program.views[view].dtype == at::kFloat;
  };
  const bool relu = next.is("aten::relu");
  const bool gate = next.is("aten::threshold_backward") && number_argument(next, 2, 1) == 0;
  if ((!relu && !gate) || next.argument_view(0) != result || !same(next.result_view(0)) ||
      next.makes.empty())
    return std::nullopt;
  Following found{*reader, relu, kNoView, next.result_view(0)};
  if (relu) return found;
  found.gate = next.argument_view(1);
  const std::vector<size_t>& writers = uses.writers[program.views[found.gate].buffer];
  const bool ready = std::ranges::none_of(writers, [&](size_t writer) { return writer >= at; });
  return same(found.gate) && ready ? std::optional(found) : std::nullopt;
}

void take_over(Program& program, Node& node, const Following& after, int replaced) {
  Node& next = program.nodes[after.node];
  const int between = program.views[replaced].buffer, to = program.views[after.result].buffer;
  for (std::vector<int>* list : {&node.writes, &node.makes})
    std::ranges::replace(*list, between, to);
  for (Argument& result : node.results) std::ranges::replace(result.views, replaced, after.result);
  if (after.gate != kNoView) node.reads.push_back(program.views[after.gate].buffer);
  absorb(next);
}

Node input_gradient_of(const Program& program, const Node& backward, int dx) {
  Node images;
  images.arguments = backward.arguments;
  images.results = {backward.results[0]};
  images.reads = {program.views[backward.argument_view(0)].buffer,
                  program.views[backward.argument_view(2)].buffer};
  images.writes = images.makes = {program.views[dx].buffer};
  return images;
}

static void insert_after(Program& program,
                         std::vector<std::pair<size_t, std::vector<Node>>> inserted) {
  std::vector<Node> nodes;
  auto next = inserted.begin();
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    nodes.push_back(std::move(program.nodes[i]));
    if (next == inserted.end() || next->first != i) continue;
    for (Node& node : next->second) nodes.push_back(std::move(node));
    ++next;
  }
  drop_absorbed(nodes);
  program.nodes = std::move(nodes);
}

size_t lower_each(Program& program, const LowerNode& lower) {
  size_t changes = 0;
  Uses uses(program);
  std::vector<std::pair<size_t, std::vector<Node>>> inserted;
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    std::vector<Node> more;
    changes += lower(program, uses, i, more);
    if (!more.empty()) inserted.emplace_back(i, std::move(more));
  }
  insert_after(program, std::move(inserted));
  return changes;
}

}  // namespace broch::passes
