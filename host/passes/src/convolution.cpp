// convolution.cpp: 2-d convolutions, also transposed ones, and their gradients, with channels last
// and fused with a relu or its derivative.
#include "convolution.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "kernels/conv_few.hpp"
#include "kernels/conv_patches.hpp"
#include "kernels/gemm.hpp"
#include "kernels/winograd.hpp"
#include "parts.hpp"
#include "pixels.hpp"

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

double work_of(const kernels::ConvShape& shape) {
  const kernels::Extent out = shape.out();
  return 2.0 * static_cast<double>(shape.images * out.height * out.width * shape.out_channels) *
         static_cast<double>(shape.channels * shape.kernel.height * shape.kernel.width);
}

// For sums over images.
Parts parts_of(const kernels::ConvShape& shape) { return {shape.images, work_of(shape)}; }

using Way = std::variant<kernels::ConvPatches, kernels::ConvFewPlan, kernels::WinogradPlan,
                         kernels::ConvPlan>;

Way way_for(const kernels::ConvShape& shape, bool gradient) {
  using kernels::ConvFewPlan, kernels::ConvPatches, kernels::ConvPlan, kernels::WinogradPlan;
  if (ConvPatches::fits(shape)) return ConvPatches(shape);
  if (gradient ? ConvFewPlan::fits_backward_input(shape) : ConvFewPlan::fits_forward(shape))
    return gradient ? ConvFewPlan::backward_input(shape) : ConvFewPlan::forward(shape);
  if (gradient ? WinogradPlan::fits_backward_input(shape) : WinogradPlan::fits_forward(shape))
    return gradient ? WinogradPlan::backward_input(shape) : WinogradPlan::forward(shape);
  return gradient ? ConvPlan::backward_input(shape) : ConvPlan::forward(shape);
}

// How a result or a gradient of an input is computed: as a product of patches, as products that are
// added, by tiles, or row by row. All but the first need packed weights.
struct Method {
  bool gradient;
  Way way;

  Method(const kernels::ConvShape& shape, bool gradient_)
      : gradient(gradient_), way(way_for(shape, gradient_)) {}

  const kernels::ConvPatches* patches() const { return std::get_if<kernels::ConvPatches>(&way); }
  // Whether run() has to get packed weights; otherwise only run_packed() takes them.
  bool needs_packed() const { return !patches(); }
  bool can_be_packed() const { return !patches() || !gradient; }
  int64_t packed_size() const {
    return std::visit([](const auto& plan) { return plan.packed_size(); }, way);
  }
  int64_t scratch_size() const {
    return std::visit([](const auto& plan) { return plan.scratch_size(); }, way);
  }
  Parts parts_of(const kernels::ConvShape& shape) const {
    const int64_t pieces = std::visit([](const auto& plan) { return plan.pieces(); }, way);
    return {shape.images * pieces, work_of(shape)};
  }
  void pack(const float* weights, float* packed) const {
    std::visit([=](const auto& plan) { plan.pack(weights, packed); }, way);
  }
  void run(const void* source, const float* weights, float* to, const kernels::ConvEpilogue& after,
           const kernels::PieceRange& range, float* scratch) const {
    if (const auto* rows = std::get_if<kernels::ConvPlan>(&way))
      return rows->run(source, weights, to, after, range, scratch);
    const auto* const from = static_cast<const float*>(source);
    if (const auto* tiles = std::get_if<kernels::WinogradPlan>(&way))
      return tiles->run(from, weights, to, after, range, scratch);
    if (const auto* few = std::get_if<kernels::ConvFewPlan>(&way))
      return few->run(from, weights, to, after, range, scratch);
    if (gradient) return patches()->backward_input(from, weights, to, after, range, scratch);
    patches()->forward(from, weights, to, after, range, scratch);
  }
  void run_packed(const void* from, const float* packed, float* to,
                  const kernels::ConvEpilogue& after, const kernels::PieceRange& range,
                  float* scratch) const {
    if (needs_packed()) return run(from, packed, to, after, range, scratch);
    patches()->forward_packed(static_cast<const float*>(from), packed, to, after, range, scratch);
  }
};

// One use of a method. Weights that are packed here are packed in each run.
struct MethodCall {
  Method method;
  Parts parts;
  int from, weights, to, scratch;
  int packed = kNoView;      // memory for packed weights
  bool is_prepared = false;  // `weights` are packed
  kernels::ConvEpilogue epilogue{};
  int bias = kNoView, gate = kNoView;

  Kernel bind(const Binder& binder) const {
    kernels::ConvEpilogue after = epilogue;
    if (bias != kNoView) after.bias = at_address<float>(binder, bias);
    if (gate != kNoView) after.gate = at_address<float>(binder, gate);
    return [after, method = method, parts = parts, is_prepared = is_prepared,
            each = method.scratch_size(), source = at_address<const void>(binder, from),
            filter = at_address<float>(binder, weights), target = at_address<float>(binder, to),
            order = address_or_null(binder, packed), memory = at_address<float>(binder, scratch)] {
      if (order) method.pack(filter, order);
      const float* const read = order ? order : filter;
      parts.run([&](int64_t begin, int64_t end, int64_t part) {
        float* const own = memory + part * each;
        is_prepared ? method.run_packed(source, read, target, after, {begin, end}, own)
                    : method.run(source, read, target, after, {begin, end}, own);
      });
    };
  }
};

// gradient: compute the gradient of the input; otherwise the result.
MethodCall method_call(Program& program, Node& node, const kernels::ConvShape& shape, bool gradient,
                       int from, int weights, int to) {
  const Method method(shape, gradient);
  const Parts parts = method.parts_of(shape);
  MethodCall call{method, parts, from, weights, to, kNoView};
  call.scratch = add_scratch(program, node, method.scratch_size() * parts.count);
  if (call.method.can_be_packed() && is_fixed(program, weights)) {
    call.weights = add_prepared(program, "conv_pack", weights, call.method.packed_size(),
                                [method = call.method](const float* weights_, float* packed) {
                                  method.pack(weights_, packed);
                                });
    call.is_prepared = true;
    append_new(node.reads, program.views[call.weights].buffer);
  } else if (call.method.needs_packed()) {
    call.packed = add_scratch(program, node, call.method.packed_size());
  }
  return call;
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
  MethodCall call = method_call(program, node, *shape, transposed, read, weights, y);
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
  MethodCall call = method_call(program, images, *of.shape, !of.transposed, of.dy, of.weights, dx);
  if (gated) call.gate = after->gate;
  lower(images, gated ? "conv_backward+gate" : "conv_backward",
        [call](const Binder& binder) { return call.bind(binder); });
  return images;
}

// The gradient of the weights as a product. The first part writes it, the others add to it.
std::function<Kernel(const Binder&)> weights_product(Program& program, Node& node,
                                                     const Backward& of, int read,
                                                     int output_gradient) {
  const kernels::ConvPatches patches(*of.shape);
  const Parts parts = parts_of(*of.shape);
  const int64_t size = program.views[of.d_weights].elements(), each = patches.scratch_size();
  const int sums = add_scratch(program, node, size * (parts.count - 1));
  const int scratch = add_scratch(program, node, each * parts.count);
  const kernels::Extent out = of.shape->out();
  const int64_t rows = of.shape->images * out.height * out.width, columns = of.shape->out_channels;
  return [=, d_weights = of.d_weights, d_bias = of.d_bias](const Binder& binder) -> Kernel {
    return [=, from = at_address<float>(binder, read),
            gradient = at_address<float>(binder, output_gradient),
            partial = at_address<float>(binder, sums), memory = at_address<float>(binder, scratch),
            filter = at_address<float>(binder, d_weights), bias = address_or_null(binder, d_bias)] {
      parts.run([&](int64_t begin, int64_t end, int64_t part) {
        patches.backward_weights(from, gradient, {begin, end},
                                 part ? partial + (part - 1) * size : filter, memory + part * each);
      });
      for (int64_t part = 1; part < parts.count; ++part)
        for (int64_t i = 0; i < size; ++i) filter[i] += partial[(part - 1) * size + i];
      if (bias) kernels::column_sums(gradient, rows, columns, columns, bias, false);
    };
  };
}

// Only sums row by row can be over bytes.
template <class Plan>
using ReadBy = std::conditional_t<std::is_same_v<Plan, kernels::ConvWeightsPlan>, void, float>;

// The same as sums that each part computes for its images, and which are added then.
template <class Plan>
std::function<Kernel(const Binder&)> weights_sums(Program& program, Node& node, const Backward& of,
                                                  int read, int output_gradient) {
  const Plan plan(*of.shape);
  const Parts parts = parts_of(*of.shape);
  const int sums = add_scratch(program, node, plan.sums_size() * parts.count);
  const int scratch = add_scratch(program, node, plan.scratch_size() * parts.count);
  return [=, d_weights = of.d_weights, d_bias = of.d_bias](const Binder& binder) -> Kernel {
    return [=, from = at_address<ReadBy<Plan>>(binder, read),
            gradient = at_address<float>(binder, output_gradient),
            partial = at_address<float>(binder, sums), memory = at_address<float>(binder, scratch),
            filter = at_address<float>(binder, d_weights), bias = address_or_null(binder, d_bias)] {
      parts.run([&](int64_t begin, int64_t end, int64_t part) {
        plan.run(from, gradient, {begin, end}, partial + part * plan.sums_size(),
                 memory + part * plan.scratch_size());
      });
      plan.finish(partial, parts.count, filter, bias);
    };
  };
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
  const auto sums = kernels::ConvPatches::fits(*of.shape) ? weights_product
                    : kernels::WinogradWeightsPlan::fits(*of.shape)
                        ? weights_sums<kernels::WinogradWeightsPlan>
                        : weights_sums<kernels::ConvWeightsPlan>;
  lower(node, "conv_weights", sums(program, node, of, read, output_gradient));
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
