// convolution.hpp: what the passes for convolutions share.
#pragma once
#include "kernels/conv.hpp"
#include "lower.hpp"

namespace broch::passes {

// The indices of a convolution's arguments, from its stride on.
struct ConvArguments {
  size_t stride;
  size_t padding() const { return stride + 1; }
  size_t dilation() const { return stride + 2; }
  size_t transposed() const { return stride + 3; }
  size_t groups() const { return stride + 5; }
};
constexpr ConvArguments kConvolution{3}, kConvolutionBackward{4};

std::optional<kernels::Extent> extent_of(const Node& node, size_t argument);

// Whether the view is float32 images or weights.
bool is_image(const Program& program, int view);

// Whether the channels are last, or so few that both layouts are the same.
bool is_together(const Program& program, int view);

// A call after a convolution that can be fused with it: a relu or its derivative.
struct Following {
  size_t node = 0;
  bool relu = false;
  int gate = kNoView;
  int result = kNoView;
};
std::optional<Following> following(const Program& program, const Uses& uses, size_t at, int result);

// Makes `node` write the result of the following call instead of `replaced`, and absorbs that call.
void take_over(Program& program, Node& node, const Following& after, int replaced);

// A node for the gradient of the input alone: its first result and what it needs.
Node input_gradient_of(const Program& program, const Node& backward, int dx);

// Lowers node i, if it can: returns whether it did. uses: kept up to date. more: nodes that come
// after it.
using LowerNode =
    std::function<bool(Program& program, Uses& uses, size_t i, std::vector<Node>& more)>;
// Calls it for every node. Returns the number of nodes that were lowered.
size_t lower_each(Program& program, const LowerNode& lower);

}  // namespace broch::passes
