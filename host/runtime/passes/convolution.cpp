// convolution.cpp: 2-d convolutions and their gradients with channels together, with a relu or its
// derivative on the way out.
#include <algorithm>

#include "kernels/conv.hpp"
#include "lower.hpp"

namespace broch::runtime {
namespace {

std::optional<kernels::Extent> extent_of(const Node& node, size_t argument) {
  const std::vector<int64_t> numbers = integers_argument(node, argument);
  if (numbers.size() != 2) return std::nullopt;
  return kernels::Extent{numbers[0], numbers[1]};
}

kernels::ConvStrides strides_of(const View& view) {
  return {view.strides[0], view.strides[1], view.strides[2], view.strides[3]};
}

bool is_image(const Program& program, int view) {
  return view != kNoView && program.views[view].sizes.size() == 4 &&
         program.views[view].dtype == at::kFloat && !program.views[view].conjugate &&
         !program.views[view].negative;
}

// first: of stride, padding, dilation, transposed, output_padding, groups.
std::optional<kernels::ConvShape> conv_of(const Program& program, const Node& node, int x,
                                          int weights, size_t first) {
  if (!is_image(program, x) || !is_image(program, weights)) return std::nullopt;
  const View &image = program.views[x], &filter = program.views[weights];
  const auto stride = extent_of(node, first), padding = extent_of(node, first + 1);
  const auto dilation = extent_of(node, first + 2);
  if (!stride || !padding || !dilation || dilation->height != 1 || dilation->width != 1 ||
      flag_argument(node, first + 3, true) || integer_argument(node, first + 5, 0) != 1)
    return std::nullopt;
  kernels::ConvShape shape;
  shape.images = image.sizes[0];
  shape.channels = image.sizes[1];
  shape.out_channels = filter.sizes[0];
  shape.image = {image.sizes[2], image.sizes[3]};
  shape.kernel = {filter.sizes[2], filter.sizes[3]};
  shape.stride = *stride;
  shape.padding = *padding;
  shape.x = strides_of(image);
  shape.weights = strides_of(filter);
  return image.elements() && filter.elements() ? std::optional(shape) : std::nullopt;
}

// Channels together, or so few that both layouts are one.
bool is_together(const Program& program, int number) {
  if (!is_image(program, number)) return false;
  const View& view = program.views[number];
  return is_channels_last(view) ||
         (view.contiguous() && (view.sizes[1] == 1 || view.sizes[2] * view.sizes[3] == 1));
}

double work_of(const kernels::ConvShape& shape) {
  const kernels::Extent out = shape.out();
  return 2.0 * static_cast<double>(shape.images * out.height * out.width * shape.out_channels) *
         static_cast<double>(shape.channels * shape.kernel.height * shape.kernel.width);
}

Parts parts_of(const kernels::ConvShape& shape) { return {shape.images, work_of(shape)}; }

// One run of a plan: pack, then parts.
struct PlanCall {
  kernels::ConvPlan plan;
  Parts parts;
  int from, weights, to, packed, scratch;
  kernels::ConvEpilogue epilogue;
  int bias = kNoView, gate = kNoView;

  Kernel bind(const Binder& binder) const {
    kernels::ConvEpilogue after = epilogue;
    if (bias != kNoView) after.bias = at_address<float>(binder, bias);
    if (gate != kNoView) after.gate = at_address<float>(binder, gate);
    return [after, plan = plan, parts = parts, each = plan.scratch_size(),
            source = at_address<float>(binder, from), filter = at_address<float>(binder, weights),
            target = at_address<float>(binder, to), order = at_address<float>(binder, packed),
            memory = at_address<float>(binder, scratch)] {
      plan.pack(filter, order);
      parts.run([&](int64_t begin, int64_t end, int64_t part) {
        plan.run(source, order, target, after, {begin, end}, memory + part * each);
      });
    };
  }
};

PlanCall plan_call(Program& program, Node& node, kernels::ConvPlan plan,
                   const kernels::ConvShape& shape, int from, int weights, int to) {
  const Parts parts = parts_of(shape);
  const int packed = add_scratch(program, node, plan.packed_size());
  const int scratch = add_scratch(program, node, plan.scratch_size() * parts.count);
  return {std::move(plan), parts, from, weights, to, packed, scratch, {}, kNoView, kNoView};
}

// What comes after node and may be done on its way out.
struct Following {
  size_t node = 0;
  bool relu = false;
  int gate = kNoView;
  int result = kNoView;
};

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
  const bool ready = std::ranges::none_of(writers, [&](size_t writer) { return writer > at; });
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

bool lower_forward(Program& program, const Uses& uses, size_t i) {
  Node& node = program.nodes[i];
  if (!node.is("aten::convolution")) return false;
  const int x = node.argument_view(0), weights = node.argument_view(1),
            bias = node.argument_view(2);
  int y = node.result_view(0);
  const auto shape = conv_of(program, node, x, weights, 3);
  if (!shape || !is_together(program, y) || (bias != kNoView && !is_dense_float(program, bias)))
    return false;
  const auto after = following(program, uses, i, y);
  if (after && after->relu) {
    take_over(program, node, *after, y);
    y = after->result;
  }
  PlanCall call =
      plan_call(program, node, kernels::ConvPlan::forward(*shape), *shape, x, weights, y);
  call.bias = bias;
  call.epilogue.relu = after && after->relu;
  lower(node, call.epilogue.relu ? "conv+relu" : "conv",
        [call](const Binder& binder) { return call.bind(binder); });
  return true;
}

// The gradient of the images in one node, those of weights and bias in another.
bool lower_backward(Program& program, const Uses& uses, size_t i, std::vector<Node>& more) {
  Node& node = program.nodes[i];
  if (!node.is("aten::convolution_backward")) return false;
  const int dy = node.argument_view(0), x = node.argument_view(1), weights = node.argument_view(2);
  int dx = node.result_view(0);
  const int d_weights = node.result_view(1), d_bias = node.result_view(2);
  const auto shape = conv_of(program, node, x, weights, 4);
  if (!shape || !is_together(program, dy) || (dx != kNoView && !is_together(program, dx)) ||
      d_weights == kNoView || program.views[d_weights].strides != program.views[weights].strides ||
      (d_bias != kNoView && !is_dense_float(program, d_bias)))
    return false;
  if (dx != kNoView) {
    Node images;
    images.arguments = node.arguments;
    images.results = {node.results[0]};
    images.reads = {program.views[dy].buffer, program.views[weights].buffer};
    images.writes = images.makes = {program.views[dx].buffer};
    const auto after = following(program, uses, i, dx);
    const bool gated = after && after->gate != kNoView;
    if (gated) {
      take_over(program, images, *after, dx);
      dx = after->result;
    }
    PlanCall call = plan_call(program, images, kernels::ConvPlan::backward_input(*shape), *shape,
                              dy, weights, dx);
    if (gated) call.gate = after->gate;
    lower(images, gated ? "conv_backward+gate" : "conv_backward",
          [call](const Binder& binder) { return call.bind(binder); });
    more.push_back(std::move(images));
  }
  const kernels::ConvWeightsPlan plan(*shape);
  const Parts parts = parts_of(*shape);
  node.reads = {program.views[dy].buffer, program.views[x].buffer};
  node.writes = node.makes = {program.views[d_weights].buffer};
  node.results.erase(node.results.begin());
  if (d_bias != kNoView) {
    node.writes.push_back(program.views[d_bias].buffer);
    node.makes.push_back(program.views[d_bias].buffer);
  }
  const int sums = add_scratch(program, node, plan.sums_size() * parts.count);
  const int scratch = add_scratch(program, node, plan.scratch_size() * parts.count);
  lower(node, "conv_weights", [=](const Binder& binder) {
    return [=, upstream = at_address<float>(binder, dy), image = at_address<float>(binder, x),
            partial = at_address<float>(binder, sums), memory = at_address<float>(binder, scratch),
            filter = at_address<float>(binder, d_weights),
            bias = d_bias == kNoView ? nullptr : at_address<float>(binder, d_bias)] {
      parts.run([&](int64_t begin, int64_t end, int64_t part) {
        plan.run(image, upstream, {begin, end}, partial + part * plan.sums_size(),
                 memory + part * plan.scratch_size());
      });
      plan.finish(partial, parts.count, filter, bias);
    };
  });
  return true;
}

}  // namespace

size_t lower_convolutions(Program& program) {
  size_t changes = 0;
  const Uses uses(program);
  std::vector<std::pair<size_t, std::vector<Node>>> inserted;
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    std::vector<Node> more;
    changes += lower_forward(program, uses, i) || lower_backward(program, uses, i, more);
    if (!more.empty()) inserted.emplace_back(i, std::move(more));
  }
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
  return changes;
}

}  // namespace broch::runtime
