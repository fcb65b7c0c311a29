// layout.cpp: stores images with channels last, which is best for convolutions. An image that other
// calls read is copied back to planes (channels first).
#include <algorithm>
#include <map>

#include "lower.hpp"

namespace broch::passes {
namespace {

// The operands of a call that are images, by argument index; results count from kResult.
constexpr int kResult = 100;
constexpr size_t kFormatOfCopy = 6;  // the argument memory_format of _to_copy
// after_others: an elementwise call keeps the layout of its operands.
enum class Convert { always, after_others };
struct ImageCall {
  const char* name;
  Convert convert;
  std::initializer_list<int> images;
};
const ImageCall kImageCalls[] = {
    {"aten::convolution", Convert::always, {0, kResult}},
    {"aten::convolution_backward", Convert::always, {0, 1, kResult}},
    {"aten::native_batch_norm", Convert::always, {0, kResult}},
    {"aten::native_batch_norm_backward", Convert::always, {0, 1, kResult}},
    {"aten::max_pool2d_with_indices", Convert::always, {0, kResult, kResult + 1}},
    {"aten::max_pool2d_with_indices_backward", Convert::always, {0, 1, 7, kResult}},
    {"aten::relu", Convert::after_others, {0, kResult}},
    {"aten::threshold_backward", Convert::after_others, {0, 1, kResult}},
    {"aten::leaky_relu", Convert::after_others, {0, kResult}},
    {"aten::leaky_relu_backward", Convert::after_others, {0, 1, kResult}},
    {"aten::tanh", Convert::after_others, {0, kResult}},
    {"aten::tanh_backward", Convert::after_others, {0, 1, kResult}},
    {"aten::sigmoid", Convert::after_others, {0, kResult}},
    {"aten::sigmoid_backward", Convert::after_others, {0, 1, kResult}},
    {"aten::hardtanh", Convert::after_others, {0, kResult}},
    {"aten::hardtanh_backward", Convert::after_others, {0, 1, kResult}},
    {"aten::hardswish", Convert::after_others, {0, kResult}},
    {"aten::hardswish_backward", Convert::after_others, {0, 1, kResult}},
    {"aten::hardsigmoid", Convert::after_others, {0, kResult}},
    {"aten::hardsigmoid_backward", Convert::after_others, {0, 1, kResult}},
    {"aten::silu", Convert::after_others, {0, kResult}},
    {"aten::silu_backward", Convert::after_others, {0, 1, kResult}},
    {"aten::gelu", Convert::after_others, {0, kResult}},
    {"aten::gelu_backward", Convert::after_others, {0, 1, kResult}},
    {"aten::add.Tensor", Convert::after_others, {0, 1, kResult}},
    {"aten::add_.Tensor", Convert::after_others, {0, 1, kResult}},
    {"aten::sub.Tensor", Convert::after_others, {0, 1, kResult}},
    {"aten::mul.Tensor", Convert::after_others, {0, 1, kResult}},
    {"aten::mul_.Tensor", Convert::after_others, {0, 1, kResult}},
    {"aten::mul.Scalar", Convert::after_others, {0, kResult}},
    {"aten::_to_copy", Convert::after_others, {0, kResult}},
    {"aten::div.Scalar", Convert::after_others, {0, kResult}},
    // Their results may have other shapes, and are then no images.
    {"aten::mean.dim", Convert::after_others, {0}},
    {"aten::sum.dim_IntList", Convert::after_others, {0}},
};

const ImageCall* image_call(const Node& node) {
  const auto* const found =
      std::ranges::find_if(kImageCalls, [&](const ImageCall& call) { return node.is(call.name); });
  if (found == std::end(kImageCalls)) return nullptr;
  const bool asks_for_layout =
      node.is("aten::_to_copy") && !node.arguments[kFormatOfCopy].value.isNone();
  return asks_for_layout ? nullptr : found;
}

std::vector<int>* views_at(Node& node, int operand) {
  std::vector<Argument>& list = operand >= kResult ? node.results : node.arguments;
  const auto number = static_cast<size_t>(operand >= kResult ? operand - kResult : operand);
  if (number >= list.size() || list[number].views.size() != 1 || list[number].views[0] == kNoView)
    return nullptr;
  return &list[number].views;
}

// Whether the elements are in the same order with channels last: images of one channel or pixel,
// also if they are expanded to more pixels.
bool is_either(const View& view) {
  const std::vector<int64_t>& n = view.sizes;
  if (n.size() != 4) return false;
  const bool one_pixel = (n[2] == 1 || view.strides[2] == 0) && (n[3] == 1 || view.strides[3] == 0);
  return (n[1] == 1 && view.contiguous()) || (one_pixel && view.offset == 0);
}

// Whether the view is images in planes that fill their buffer.
bool is_planes(const Program& program, int number) {
  const View& view = program.views[number];
  const size_t bytes = static_cast<size_t>(view.elements()) * c10::elementSize(view.dtype);
  return view.sizes.size() == 4 && view.contiguous() && view.offset == 0 &&
         bytes == program.buffers[view.buffer].bytes;
}

class Layout {
 public:
  explicit Layout(Program& program)
      : program_(program),
        twin_(program.buffers.size(), -1),
        fresh_(program.buffers.size(), kPlanes) {}

  size_t run() {
    std::vector<Node> nodes;
    std::swap(nodes, program_.nodes);
    size_t changes = 0;
    for (Node& node : nodes) {
      const ImageCall* const call = image_call(node);
      if (call && takes_images(node, *call)) {
        convert(node, *call);
        ++changes;
      } else {
        for (const int buffer : node.reads) back_to_planes(buffer);
        for (const int buffer : node.writes) set_fresh(buffer, kPlanes);
      }
      program_.nodes.push_back(std::move(node));
    }
    for (const uint32_t output : program_.wanted)
      if (program_.outputs[output] != kNoView)
        back_to_planes(program_.views[program_.outputs[output]].buffer);
    return changes;
  }

 private:
  enum Fresh : uint8_t { kPlanes, kTogether, kBoth };

  bool takes_images(Node& node, const ImageCall& call) {
    std::map<int, int> shapes;  // by buffer, the view; in one call a buffer must have one shape
    std::vector<int> kept = others(node, call);
    for (const int operand : call.images) {
      std::vector<int>* const views = views_at(node, operand);
      if (!views && operand != kResult) return false;
      if (!views) continue;
      const int view = (*views)[0], buffer = program_.views[view].buffer;
      if (keeps(call, operand, view)) {
        kept.push_back(view);
        continue;
      }
      if (!is_planes(program_, view) || shapes.emplace(buffer, view).first->second != view)
        return false;
    }
    for (const int view : kept)
      if (shapes.contains(program_.views[view].buffer)) return false;
    const auto is_converted = [&](const auto& shape) { return fresh(shape.first) != kPlanes; };
    return views_at(node, call.images.begin()[0]) != nullptr &&
           (call.convert == Convert::always || std::ranges::any_of(shapes, is_converted));
  }

  // Whether an operand is left as it is: its order is the same in both layouts, or, in an
  // elementwise call, no images fill its buffer.
  bool keeps(const ImageCall& call, int operand, int view) const {
    return is_either(program_.views[view]) || (call.convert == Convert::after_others &&
                                               operand < kResult && !is_planes(program_, view));
  }

  // The other operands of the call, such as weights, which are read in planes.
  std::vector<int> others(const Node& node, const ImageCall& call) const {
    std::vector<int> views;
    for (size_t i = 0; i < node.arguments.size(); ++i)
      if (std::ranges::find(call.images, static_cast<int>(i)) == call.images.end())
        for (const int view : node.arguments[i].views)
          if (view != kNoView) views.push_back(view);
    return views;
  }

  // The first convolution reads planes with few channels as they are.
  bool stays(const Node& node, int operand, const View& view) const {
    constexpr int64_t kFew = 4;
    const bool is_source = (node.is("aten::convolution") && operand == 0) ||
                           (node.is("aten::convolution_backward") && operand == 1);
    return is_source && view.sizes[1] <= kFew;
  }

  void convert(Node& node, const ImageCall& call) {
    for (const int view : others(node, call)) back_to_planes(program_.views[view].buffer);
    std::vector<std::pair<int, int>> replaced;  // buffers: from, to
    for (const int operand : call.images) {
      std::vector<int>* const views = views_at(node, operand);
      if (!views) continue;
      const View planes = program_.views[(*views)[0]];
      if (keeps(call, operand, (*views)[0]) || stays(node, operand, planes)) {
        if (std::ranges::find(node.makes, planes.buffer) == node.makes.end())
          back_to_planes(planes.buffer);
        continue;
      }
      const bool is_result = operand >= kResult;
      forget_other_shape(planes);
      const int together = together_of(planes);
      if (!is_result || std::ranges::find(node.makes, planes.buffer) == node.makes.end())
        to_together((*views)[0], together);
      (*views)[0] = together;
      replaced.emplace_back(planes.buffer, program_.views[together].buffer);
    }
    for (const auto& [from, to] : replaced) {
      const bool writes = std::ranges::find(node.writes, from) != node.writes.end();
      for (std::vector<int>* list : {&node.reads, &node.writes, &node.makes, &node.allocation_of})
        std::ranges::replace(*list, from, to);
      if (writes) set_fresh(from, kTogether);
    }
    for (const int buffer : node.writes) set_fresh(buffer, kPlanes);  // has no effect on twins
  }

  // If the same memory is used as images of another shape, its order with channels last is another
  // one.
  void forget_other_shape(const View& planes) {
    const auto known = planes_view_.find(planes.buffer);
    if (known == planes_view_.end() || known->second == planes) return;
    back_to_planes(planes.buffer);
    set_fresh(planes.buffer, kPlanes);
  }

  // A view of the same images with channels last, in their own buffer.
  int together_of(const View& planes) {
    View view = planes;
    if (twin_[planes.buffer] < 0) {
      twin_[planes.buffer] = static_cast<int>(program_.buffers.size());
      const size_t bytes = program_.buffers[planes.buffer].bytes;
      program_.buffers.emplace_back().bytes = bytes;
    }
    view.buffer = twin_[planes.buffer];
    const std::vector<int64_t>& n = view.sizes;
    if (n[1] != 1 && n[2] * n[3] != 1) view.strides = {n[1] * n[2] * n[3], 1, n[3] * n[1], n[1]};
    planes_view_[planes.buffer] = planes;
    return program_.view_number(view);
  }

  void to_together(int planes, int together) {
    const int buffer = program_.views[planes].buffer;
    if (fresh(buffer) != kPlanes) return;
    copy(planes, together, "channels_together");
    set_fresh(buffer, kBoth);
  }

  void back_to_planes(int buffer) {
    if (fresh(buffer) != kTogether) return;
    const View& planes = planes_view_.at(buffer);
    copy(together_of(View(planes)), program_.view_number(View(planes)), "channels_apart");
    set_fresh(buffer, kBoth);
  }

  void copy(int from, int to, const char* name) {
    Node node;
    node.arguments.push_back({Argument::Kind::tensor, {}, {from}});
    node.results.push_back({Argument::Kind::tensor, {}, {to}});
    node.reads = {program_.views[from].buffer};
    node.writes = node.makes = {program_.views[to].buffer};
    lower(node, name, [from, to](const Binder& binder) {
      return [source = binder.tensor(from), target = binder.tensor(to)] { target.copy_(source); };
    });
    program_.nodes.push_back(std::move(node));
  }

  Fresh fresh(int buffer) const {
    return static_cast<size_t>(buffer) < fresh_.size() ? fresh_[buffer] : kPlanes;
  }
  void set_fresh(int buffer, Fresh value) {
    if (static_cast<size_t>(buffer) < fresh_.size()) fresh_[buffer] = value;
  }

  Program& program_;
  std::vector<int> twin_;  // by buffer, the one with channels last
  std::vector<Fresh> fresh_;
  std::map<int, View> planes_view_;
};

}  // namespace

size_t to_channels_last(Program& program) {
  const bool convolves = std::ranges::any_of(
      program.nodes, [](const Node& node) { return node.is("aten::convolution"); });
  return convolves ? Layout(program).run() : 0;
}

}  // namespace broch::passes
