// dense_convolution.cpp: 2-d convolutions, also transposed ones, and their gradients, with channels
// last and fused with a relu or its derivative.
#include <algorithm>

#include "conv_method.hpp"
#include "conv_weights.hpp"
#include "convolution.hpp"
#include "pixels.hpp"

namespace broch::passes {
namespace {

kernels::ConvStrides strides_of(const View& view) {
  return {view.strides[0], view.strides[1], view.strides[2], view.strides[3]};
}

// A transposed convolution is the input gradient of a convolution, and its own input gradient is
// that convolution.
bool is_transposed(const Node& node, const ConvArguments& at) {
  return flag_argument(node, at.transposed(), false);
}

// `read` is the input of the convolution, or the output of a transposed one.
std::optional<kernels::ConvShape> conv_of(const Program& program, const Node& node, int read,
                                          int weights, const ConvArguments& at) {
  if (!is_image(program, read) || !is_image(program, weights)) return std::nullopt;
  const View &image = program.views[read], &filter = program.views[weights];
  const auto stride = extent_of(node, at.stride), padding = extent_of(node, at.padding());
  const auto dilation = extent_of(node, at.dilation());
  if (!stride || !padding || !dilation || dilation->height != 1 || dilation->width != 1 ||
      integer_argument(node, at.groups(), 0) != 1)
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

// Row by row, images of few channels are copied in nearly all cases. They can be converted
// meanwhile, and the floats need no memory.
bool may_read_pixels(const kernels::ConvShape& shape) {
  constexpr int64_t kMostChannels = 4;
  return shape.channels <= kMostChannels && !kernels::ConvPatches::fits(shape);
}

// Lets the convolution read bytes instead of the floats x that are made from them, if it can.
// Returns what it reads then.
int read_pixels(const Program& program, const Uses& uses, size_t at, int x,
                kernels::ConvShape& shape) {
  if (!may_read_pixels(shape)) return x;
  const auto pixels = pixels_of(program, uses, at, x);
  if (!pixels) return x;
  shape.is_bytes = true;
  shape.scale = pixels->scale;
  shape.x = strides_of(program.views[pixels->view]);
  return pixels->view;
}

bool lower_forward(Program& program, Uses& uses, size_t i) {
  Node& node = program.nodes[i];
  if (!node.is("aten::convolution")) return false;
  const int x = node.argument_view(0), weights = node.argument_view(1),
            bias = node.argument_view(2);
  int y = node.result_view(0);
  const bool transposed = is_transposed(node, kConvolution);
  auto shape = conv_of(program, node, transposed ? y : x, weights, kConvolution);
  if (!shape || !is_together(program, y) || (transposed && !is_together(program, x)) ||
      (bias != kNoView && !is_dense_float(program, bias)))
    return false;
  kernels::ConvEpilogue epilogue;
  if (const auto sum = transposed ? std::nullopt : accumulate(program, uses, i, y)) {
    epilogue.accumulate = true;
    epilogue.relu = sum->relu;
  } else if (const auto after = following(program, uses, i, y); after && after->relu) {
    take_over(program, node, *after, y);
    y = after->result;
    epilogue.relu = true;
  }
  const bool is_read_once =
      program.views[weights].buffer != program.views[x].buffer &&
      (bias == kNoView || program.views[bias].buffer != program.views[x].buffer);
  const int read = transposed || !is_read_once ? x : read_pixels(program, uses, i, x, *shape);
  if (read != x) {
    std::ranges::replace(node.reads, program.views[x].buffer, program.views[read].buffer);
    node.arguments[0].views = {read};
  }
  ConvCall call = conv_call(program, node, *shape, transposed, read, weights, y);
  call.bias = bias;
  call.epilogue = epilogue;
  const std::string name = epilogue.accumulate ? "conv+add" : "conv";
  lower(node, epilogue.relu ? name + "+relu" : name,
        [call](const Binder& binder) { return call.bind(binder); });
  return true;
}

// The arguments and results of aten::convolution_backward.
struct Backward {
  Backward(const Program& program, const Node& node)
      : dy(node.argument_view(0)),
        x(node.argument_view(1)),
        weights(node.argument_view(2)),
        dx(node.result_view(0)),
        d_weights(node.result_view(1)),
        d_bias(node.result_view(2)),
        transposed(is_transposed(node, kConvolutionBackward)),
        shape(conv_of(program, node, transposed ? dy : x, weights, kConvolutionBackward)) {}

  bool can_be_lowered(const Program& program) const {
    if (!shape || !is_together(program, dy)) return false;
    if (dx != kNoView && !is_together(program, dx)) return false;
    if (d_weights == kNoView) return dx != kNoView && d_bias == kNoView;
    if (program.views[d_weights].strides != program.views[weights].strides) return false;
    if (transposed) return is_together(program, x) && d_bias == kNoView;
    return d_bias == kNoView || is_dense_float(program, d_bias);
  }

  int dy, x, weights;
  int dx, d_weights, d_bias;
  bool transposed;
  std::optional<kernels::ConvShape> shape;
};

// A separate node for the gradient of the input.
Node images_node(Program& program, const Uses& uses, size_t i, const Backward& of) {
  int dx = of.dx;
  Node images = input_gradient_of(program, program.nodes[i], dx);
  images.arguments[1].views.clear();  // x, which needs no memory for this
  const auto after = following(program, uses, i, dx);
  const bool gated = after && after->gate != kNoView;
  if (gated) {
    take_over(program, images, *after, dx);
    dx = after->result;
  }
  ConvCall call = conv_call(program, images, *of.shape, !of.transposed, of.dy, of.weights, dx);
  if (gated) call.gate = after->gate;
  lower(images, gated ? "conv_backward+gate" : "conv_backward",
        [call](const Binder& binder) { return call.bind(binder); });
  return images;
}

// The node then only computes the gradients of weights and bias.
void lower_weights(Program& program, const Uses& uses, size_t i, Backward& of) {
  Node& node = program.nodes[i];
  const int output_gradient = of.transposed ? of.x : of.dy;
  int read = of.transposed ? of.dy : of.x;
  if (!of.transposed) {
    read = read_pixels(program, uses, i, read, *of.shape);
    node.arguments[1].views = {read};
  }
  node.reads = {program.views[output_gradient].buffer, program.views[read].buffer};
  node.writes = node.makes = {program.views[of.d_weights].buffer};
  node.results.erase(node.results.begin());
  if (of.d_bias != kNoView) {
    node.writes.push_back(program.views[of.d_bias].buffer);
    node.makes.push_back(program.views[of.d_bias].buffer);
  }
  lower(
      node, "conv_weights",
      weights_gradient(program, node, {*of.shape, read, output_gradient, of.d_weights, of.d_bias}));
}

// Divides the call into two nodes: one for the gradient of the input, one for those of weights and
// bias.
bool lower_backward(Program& program, const Uses& uses, size_t i, std::vector<Node>& more) {
  if (!program.nodes[i].is("aten::convolution_backward")) return false;
  Backward of(program, program.nodes[i]);
  if (!of.can_be_lowered(program)) return false;
  if (of.dx != kNoView) {
    Node images = images_node(program, uses, i, of);
    if (of.d_weights == kNoView) {
      program.nodes[i] = std::move(images);
      return true;
    }
    more.push_back(std::move(images));
  }
  lower_weights(program, uses, i, of);
  return true;
}

}  // namespace

size_t lower_convolutions(Program& program) {
  const size_t changes =
      lower_each(program, [](Program& all, Uses& uses, size_t i, std::vector<Node>& more) {
        return lower_forward(all, uses, i) || lower_backward(all, uses, i, more);
      });
  if (changes > 0) prune(program);  // what made floats of which only the bytes are read now
  return changes;
}

}  // namespace broch::passes
