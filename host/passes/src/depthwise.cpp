// depthwise.cpp: convolutions of single channels and their gradients, with channels last and fused
// with a relu or its derivative.
#include "kernels/depthwise.hpp"

#include "convolution.hpp"
#include "kernels/gemm.hpp"
#include "parts.hpp"

namespace broch::passes {
namespace {

using kernels::DepthwisePlan;

std::optional<kernels::DepthwiseShape> depthwise_of(const Program& program, const Node& node, int x,
                                                    int weights, const ConvArguments& at) {
  if (!is_together(program, x) || !is_image(program, weights)) return std::nullopt;
  const View &image = program.views[x], &filter = program.views[weights];
  const auto stride = extent_of(node, at.stride), padding = extent_of(node, at.padding());
  const auto dilation = extent_of(node, at.dilation());
  const int64_t channels = image.sizes[1];
  if (!stride || !padding || !dilation || flag_argument(node, at.transposed(), true) ||
      channels == 1 || integer_argument(node, at.groups(), 0) != channels ||
      filter.sizes[0] != channels || !filter.contiguous() || !image.elements())
    return std::nullopt;
  const kernels::Extent kernel{filter.sizes[2], filter.sizes[3]};
  if (kernel.height * kernel.width > DepthwisePlan::kMostTaps) return std::nullopt;
  return kernels::DepthwiseShape{image.sizes[0], channels, {image.sizes[2], image.sizes[3]},
                                 kernel,         *stride,  *padding,
                                 *dilation};
}

double work_of(const kernels::DepthwiseShape& shape) {
  const kernels::Extent out = shape.out();
  return 2.0 * static_cast<double>(shape.images * shape.channels * out.height * out.width *
                                   shape.kernel.height * shape.kernel.width);
}

// Computes y from x, or with `gradient` dx from dy, with packed weights. Unless they are fixed,
// they are packed in each run.
struct ImagesCall {
  DepthwisePlan plan;
  Parts parts;
  bool gradient;
  int from, weights, to, packed;  // weights: kNoView if they are packed before
  kernels::ConvEpilogue epilogue{};
  int bias = kNoView, gate = kNoView;

  Kernel bind(const Binder& binder) const {
    kernels::ConvEpilogue after = epilogue;
    if (bias != kNoView) after.bias = at_address<float>(binder, bias);
    if (gate != kNoView) after.gate = at_address<float>(binder, gate);
    return [after, plan = plan, parts = parts, gradient = gradient,
            source = at_address<float>(binder, from), filter = address_or_null(binder, weights),
            target = at_address<float>(binder, to), order = at_address<float>(binder, packed)] {
      if (filter) plan.pack(filter, order);
      parts.run([&](int64_t begin, int64_t end, int64_t) {
        gradient ? plan.backward_input(source, order, target, after, {begin, end})
                 : plan.forward(source, order, target, after, {begin, end});
      });
    };
  }
};

ImagesCall images_call(Program& program, Node& node, const kernels::DepthwiseShape& shape,
                       bool gradient, int from, int weights, int to) {
  const DepthwisePlan plan(shape);
  ImagesCall call{plan, {shape.images, work_of(shape)}, gradient, from, weights, to, kNoView};
  if (is_fixed(program, weights)) {
    call.weights = kNoView;
    call.packed = add_prepared(program, "depthwise_pack", weights, plan.packed_size(),
                               [plan](const float* filter, float* to_) { plan.pack(filter, to_); });
    append_new(node.reads, program.views[call.packed].buffer);
  } else {
    call.packed = add_scratch(program, node, plan.packed_size());
  }
  return call;
}

bool lower_forward(Program& program, const Uses& uses, size_t i) {
  Node& node = program.nodes[i];
  if (!node.is("aten::convolution")) return false;
  const int x = node.argument_view(0), weights = node.argument_view(1),
            bias = node.argument_view(2);
  int y = node.result_view(0);
  const auto shape = depthwise_of(program, node, x, weights, kConvolution);
  if (!shape || !is_together(program, y) || (bias != kNoView && !is_dense_float(program, bias)))
    return false;
  const auto after = following(program, uses, i, y);
  const bool relu = after && after->relu;
  if (relu) {
    take_over(program, node, *after, y);
    y = after->result;
  }
  ImagesCall call = images_call(program, node, *shape, false, x, weights, y);
  call.bias = bias;
  call.epilogue.relu = relu;
  lower(node, relu ? "depthwise+relu" : "depthwise",
        [call](const Binder& binder) { return call.bind(binder); });
  return true;
}

Node images_node(Program& program, const Uses& uses, size_t i,
                 const kernels::DepthwiseShape& shape) {
  const Node& node = program.nodes[i];
  const int dy = node.argument_view(0), weights = node.argument_view(2);
  int dx = node.result_view(0);
  Node images = input_gradient_of(program, node, dx);
  const auto after = following(program, uses, i, dx);
  const bool gated = after && after->gate != kNoView;
  if (gated) {
    take_over(program, images, *after, dx);
    dx = after->result;
  }
  ImagesCall call = images_call(program, images, shape, true, dy, weights, dx);
  if (gated) call.gate = after->gate;
  lower(images, gated ? "depthwise_backward+gate" : "depthwise_backward",
        [call](const Binder& binder) { return call.bind(binder); });
  return images;
}

// The node then only computes the gradients of weights and bias.
void lower_weights(Program& program, Node& node, const kernels::DepthwiseShape& shape) {
  const int dy = node.argument_view(0), x = node.argument_view(1);
  const int d_weights = node.result_view(1), d_bias = node.result_view(2);
  constexpr int64_t kChannels = 16;  // one vector
  const Parts parts(shape.channels, work_of(shape), kChannels);
  node.reads = {program.views[dy].buffer, program.views[x].buffer};
  node.writes = node.makes = {program.views[d_weights].buffer};
  node.results.erase(node.results.begin());
  if (d_bias != kNoView) {
    node.writes.push_back(program.views[d_bias].buffer);
    node.makes.push_back(program.views[d_bias].buffer);
  }
  const int64_t channels = shape.channels;
  const int64_t rows = program.views[dy].elements() / channels;
  lower(node, "depthwise_weights", [=, plan = DepthwisePlan(shape)](const Binder& binder) {
    return [=, from = at_address<float>(binder, x), gradient = at_address<float>(binder, dy),
            filter = at_address<float>(binder, d_weights), bias = address_or_null(binder, d_bias)] {
      parts.run([&](int64_t begin, int64_t end, int64_t) {
        plan.backward_weights(from, gradient, begin, end, filter);
      });
      if (bias) kernels::column_sums(gradient, rows, channels, channels, bias, false);
    };
  });
}

bool lower_backward(Program& program, const Uses& uses, size_t i, std::vector<Node>& more) {
  const Node& node = program.nodes[i];
  if (!node.is("aten::convolution_backward")) return false;
  const int dx = node.result_view(0), d_weights = node.result_view(1), d_bias = node.result_view(2);
  const auto shape = depthwise_of(program, node, node.argument_view(1), node.argument_view(2),
                                  kConvolutionBackward);
  if (!shape || !is_together(program, node.argument_view(0)) ||
      (dx != kNoView && !is_together(program, dx)) ||
      !all_dense_or_none(program, {d_weights, d_bias}) ||
      (d_weights == kNoView && (dx == kNoView || d_bias != kNoView)))
    return false;
  if (dx != kNoView) {
    Node images = images_node(program, uses, i, *shape);
    if (d_weights == kNoView) {
      program.nodes[i] = std::move(images);
      return true;
    }
    more.push_back(std::move(images));
  }
  lower_weights(program, program.nodes[i], *shape);
  return true;
}

}  // namespace

size_t lower_depthwise(Program& program) {
  return lower_each(program, [](Program& all, const Uses& uses, size_t i, std::vector<Node>& more) {
    return lower_forward(all, uses, i) || lower_backward(all, uses, i, more);
  });
}

}  // namespace broch::passes
