// conv_method.cpp: results and gradients of images, as a product of patches, as products that are
// added, by tiles, or row by row.
#include "conv_method.hpp"

namespace broch::passes {

double work_of(const kernels::ConvShape& shape) {
  const kernels::Extent out = shape.out();
  return 2.0 * static_cast<double>(shape.images * out.height * out.width * shape.out_channels) *
         static_cast<double>(shape.channels * shape.kernel.height * shape.kernel.width);
}

ConvMethod::Way ConvMethod::way_for(const kernels::ConvShape& shape, bool gradient) {
  using kernels::ConvFewPlan, kernels::ConvPatches, kernels::ConvPlan, kernels::WinogradPlan;
  if (ConvPatches::fits(shape)) return ConvPatches(shape);
  if (gradient ? ConvFewPlan::fits_backward_input(shape) : ConvFewPlan::fits_forward(shape))
    return gradient ? ConvFewPlan::backward_input(shape) : ConvFewPlan::forward(shape);
  if (gradient ? WinogradPlan::fits_backward_input(shape) : WinogradPlan::fits_forward(shape))
    return gradient ? WinogradPlan::backward_input(shape) : WinogradPlan::forward(shape);
  return gradient ? ConvPlan::backward_input(shape) : ConvPlan::forward(shape);
}

ConvMethod::ConvMethod(const kernels::ConvShape& shape, bool gradient)
    : gradient_(gradient), way_(way_for(shape, gradient)) {}

int64_t ConvMethod::packed_size() const {
  return std::visit([](const auto& plan) { return plan.packed_size(); }, way_);
}

int64_t ConvMethod::scratch_size() const {
  return std::visit([](const auto& plan) { return plan.scratch_size(); }, way_);
}

Parts ConvMethod::parts_of(const kernels::ConvShape& shape) const {
  const int64_t pieces = std::visit([](const auto& plan) { return plan.pieces(); }, way_);
  return {shape.images * pieces, work_of(shape)};
}

void ConvMethod::pack(const float* weights, float* packed) const {
  std::visit([=](const auto& plan) { plan.pack(weights, packed); }, way_);
}

void ConvMethod::run(const void* source, const float* weights, float* to,
                     const kernels::ConvEpilogue& after, const kernels::PieceRange& range,
                     float* scratch) const {
  if (const auto* rows = std::get_if<kernels::ConvPlan>(&way_))
    return rows->run(source, weights, to, after, range, scratch);
  const auto* const from = static_cast<const float*>(source);
  if (const auto* tiles = std::get_if<kernels::WinogradPlan>(&way_))
    return tiles->run(from, weights, to, after, range, scratch);
  if (const auto* few = std::get_if<kernels::ConvFewPlan>(&way_))
    return few->run(from, weights, to, after, range, scratch);
  if (gradient_) return patches()->backward_input(from, weights, to, after, range, scratch);
  patches()->forward(from, weights, to, after, range, scratch);
}

void ConvMethod::run_packed(const void* from, const float* packed, float* to,
                            const kernels::ConvEpilogue& after, const kernels::PieceRange& range,
                            float* scratch) const {
  if (needs_packed()) return run(from, packed, to, after, range, scratch);
  patches()->forward_packed(static_cast<const float*>(from), packed, to, after, range, scratch);
}

Kernel ConvCall::bind(const Binder& binder) const {
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

ConvCall conv_call(Program& program, Node& node, const kernels::ConvShape& shape, bool gradient,
                   int from, int weights, int to) {
  const ConvMethod method(shape, gradient);
  const Parts parts = method.parts_of(shape);
  ConvCall call{method, parts, from, weights, to, kNoView};
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

}  // namespace broch::passes
