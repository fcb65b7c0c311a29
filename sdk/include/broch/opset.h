/* opset.h: broch.opset/1 as C functions; made by sdk/opset/generate.py from sdk/opset/opset-1.txt.
 *
 * A broch_opset belongs to one instance; initialize it once, in create. Errors are remembered, so
 * that a tower function reads like arithmetic: after the first failure every function returns 0 at
 * once, and the tower function ends with
 *   return broch_opset_status(&self->ops);
 * which also clears the error. Lists are passed as pointer and count. To leave out an argument, pass
 * 0 for an optional tensor or dtype, NULL for an optional list, and broch_none() for any other
 * optional argument. Layout, device, memory format and generator are always the defaults of the
 * operator on the device of the tower.
 *
 * Meaning, shapes and errors of the operators: https://docs.pytorch.org/docs/2.11/torch.html. The
 * comment above each function is the schema of the operator, with its defaults. An argument
 * `reduction` is one of BROCH_REDUCTION_…; Mean in a schema is BROCH_REDUCTION_MEAN. */
#ifndef BROCH_OPSET_H
#define BROCH_OPSET_H

#include <string.h>

#include "ext/ops.h"

#define BROCH_OPSET_1_COUNT 247

/* The values of `reduction` in loss functions. The numbers are those of ATen (at::Reduction), and
 * differ from BROCH_REDUCE_… in value.h. */
enum { BROCH_REDUCTION_NONE = 0, BROCH_REDUCTION_MEAN = 1, BROCH_REDUCTION_SUM = 2 };

typedef struct broch_opset {
  const broch_host* host;
  const broch_host_ops* table;
  broch_status status; /* of the first failure since the last broch_opset_status */
  broch_op resolved[BROCH_OPSET_1_COUNT];
} broch_opset;

/* Call it in create. UNIMPLEMENTED: the host has no broch.ops/1. [main] */
static inline broch_status broch_opset_init(broch_opset* ops, const broch_host* host) {
  memset(ops, 0, sizeof *ops);
  ops->host = host;
  ops->table = (const broch_host_ops*)host->get_extension(host, BROCH_EXT_OPS);
  if (ops->table == NULL)
    return host->fail(host, BROCH_E_UNIMPLEMENTED, "this host has no " BROCH_EXT_OPS);
  return BROCH_OK;
}

/* Returns the first failure since the last call of this function, or BROCH_OK, and clears it.
 * host->last_error has the message. [step] */
static inline broch_status broch_opset_status(broch_opset* ops) {
  broch_status status = ops->status;
  ops->status = BROCH_OK;
  if (status < 0) return ops->host->fail(ops->host, status, ops->host->last_error(ops->host));
  return status;
}

static inline broch_value broch_none(void) {
  broch_value v;
  memset(&v, 0, sizeof v);
  return v;
}
static inline broch_value broch_of(broch_tensor tensor) {
  broch_value v = broch_none();
  v.tag = BROCH_TAG_TENSOR;
  v.u.tensor = tensor;
  return v;
}
static inline broch_value broch_of_optional(broch_tensor tensor) {
  return tensor != 0 ? broch_of(tensor) : broch_none();
}
static inline broch_value broch_int(int64_t value) {
  broch_value v = broch_none();
  v.tag = BROCH_TAG_INT;
  v.u.i64 = value;
  return v;
}
static inline broch_value broch_double(double value) {
  broch_value v = broch_none();
  v.tag = BROCH_TAG_DOUBLE;
  v.u.f64 = value;
  return v;
}
static inline broch_value broch_bool(int value) {
  broch_value v = broch_int(value != 0);
  v.tag = BROCH_TAG_BOOL;
  return v;
}
static inline broch_value broch_str(const char* text) {
  broch_value v = broch_none();
  v.tag = BROCH_TAG_STR;
  v.len = (uint32_t)strlen(text);
  v.u.str = text;
  return v;
}
static inline broch_value broch_dtype_or_none(broch_dtype dtype) {
  broch_value v = broch_int(dtype);
  if (dtype == 0) return broch_none();
  v.tag = BROCH_TAG_DTYPE;
  return v;
}
static inline broch_value broch_ints(const int64_t* values, uint32_t count) {
  broch_value v = broch_none();
  v.tag = BROCH_TAG_INTS;
  v.len = count;
  v.u.i64s = values;
  return v;
}
static inline broch_value broch_ints_or_none(const int64_t* values, uint32_t count) {
  return values != NULL ? broch_ints(values, count) : broch_none();
}
static inline broch_value broch_tensors(const broch_tensor* tensors, uint32_t count) {
  broch_value v = broch_none();
  v.tag = BROCH_TAG_TENSORS;
  v.len = count;
  v.u.tensors = tensors;
  return v;
}

/* The schemas of the operators, by their index in broch_opset.resolved. */
static inline const char* broch_opset_schema(uint32_t index) {
  static const char* const schemas[BROCH_OPSET_1_COUNT] = {
      "aten::abs(Tensor self) -> Tensor",
      "aten::acos(Tensor self) -> Tensor",
      "aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor",
      "aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)",
      "aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
      "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
      "aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
      "aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
      "aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
      "aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
      "aten::all(Tensor self) -> Tensor",
      "aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
      "aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
      "aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
      "aten::any(Tensor self) -> Tensor",
      "aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
      "aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      "aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      "aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
      "aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
      "aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor",
      "aten::asin(Tensor self) -> Tensor",
      "aten::atan(Tensor self) -> Tensor",
      "aten::atan2(Tensor self, Tensor other) -> Tensor",
      "aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, bool count_include_pad=True) -> Tensor",
      "aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
      "aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
      "aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor",
      "aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean) -> Tensor",
      "aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=Mean) -> Tensor",
      "aten::bmm(Tensor self, Tensor mat2) -> Tensor",
      "aten::broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)",
      "aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
      "aten::cat(Tensor[] tensors, int dim=0) -> Tensor",
      "aten::cdist(Tensor x1, Tensor x2, float p=2, int? compute_mode=None) -> Tensor",
      "aten::ceil(Tensor self) -> Tensor",
      "aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
      "aten::clamp_max(Tensor self, Scalar max) -> Tensor",
      "aten::clamp_min(Tensor self, Scalar min) -> Tensor",
      "aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
      "aten::complex(Tensor real, Tensor imag) -> Tensor",
      "aten::conj(Tensor(a) self) -> Tensor(a)",
      "aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor",
      "aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)",
      "aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0, SymInt[1] dilation=1, SymInt groups=1) -> Tensor",
      "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] dilation=1, SymInt groups=1) -> Tensor",
      "aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0, SymInt[1] output_padding=0, SymInt groups=1, SymInt[1] dilation=1) -> Tensor",
      "aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] output_padding=0, SymInt groups=1, SymInt[2] dilation=1) -> Tensor",
      "aten::cos(Tensor self) -> Tensor",
      "aten::cosh(Tensor self) -> Tensor",
      "aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor",
      "aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100, float label_smoothing=0.0) -> Tensor",
      "aten::ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int reduction=Mean, bool zero_infinity=False) -> Tensor",
      "aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
      "aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
      "aten::detach(Tensor(a) self) -> Tensor(a)",
      "aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
      "aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)",
      "aten::div.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::div.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::dot(Tensor self, Tensor tensor) -> Tensor",
      "aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor",
      "aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
      "aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
      "aten::eq.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::eq.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::erf(Tensor self) -> Tensor",
      "aten::erfc(Tensor self) -> Tensor",
      "aten::exp(Tensor self) -> Tensor",
      "aten::exp2(Tensor self) -> Tensor",
      "aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)",
      "aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)",
      "aten::expm1(Tensor self) -> Tensor",
      "aten::eye(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      "aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)",
      "aten::flip(Tensor self, int[] dims) -> Tensor",
      "aten::floor(Tensor self) -> Tensor",
      "aten::floor_divide(Tensor self, Tensor other) -> Tensor",
      "aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::frac(Tensor self) -> Tensor",
      "aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      "aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
      "aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
      "aten::ge.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::ge.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::gelu(Tensor self, *, str approximate='none') -> Tensor",
      "aten::glu(Tensor self, int dim=-1) -> Tensor",
      "aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
      "aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enabled=True) -> Tensor",
      "aten::gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
      "aten::gt.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::gt.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::hardsigmoid(Tensor self) -> Tensor",
      "aten::hardswish(Tensor self) -> Tensor",
      "aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
      "aten::huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor",
      "aten::imag(Tensor(a) self) -> Tensor(a)",
      "aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
      "aten::index_select(Tensor self, int dim, Tensor index) -> Tensor",
      "aten::isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor",
      "aten::isfinite(Tensor self) -> Tensor",
      "aten::isinf(Tensor self) -> Tensor",
      "aten::isnan(Tensor self) -> Tensor",
      "aten::kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool log_target=False) -> Tensor",
      "aten::l1_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor",
      "aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor",
      "aten::le.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::le.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
      "aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
      "aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
      "aten::lgamma(Tensor self) -> Tensor",
      "aten::linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor",
      "aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor",
      "aten::linalg_det(Tensor A) -> Tensor",
      "aten::linalg_inv(Tensor A) -> Tensor",
      "aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor",
      "aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
      "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
      "aten::linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      "aten::log(Tensor self) -> Tensor",
      "aten::log10(Tensor self) -> Tensor",
      "aten::log1p(Tensor self) -> Tensor",
      "aten::log2(Tensor self) -> Tensor",
      "aten::log_sigmoid(Tensor self) -> Tensor",
      "aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
      "aten::logaddexp(Tensor self, Tensor other) -> Tensor",
      "aten::logical_and(Tensor self, Tensor other) -> Tensor",
      "aten::logical_not(Tensor self) -> Tensor",
      "aten::logical_or(Tensor self, Tensor other) -> Tensor",
      "aten::logical_xor(Tensor self, Tensor other) -> Tensor",
      "aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
      "aten::lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)",
      "aten::lt.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::lt.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor",
      "aten::masked_select(Tensor self, Tensor mask) -> Tensor",
      "aten::matmul(Tensor self, Tensor other) -> Tensor",
      "aten::max(Tensor self) -> Tensor",
      "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
      "aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> Tensor",
      "aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor",
      "aten::maximum(Tensor self, Tensor other) -> Tensor",
      "aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor",
      "aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
      "aten::min(Tensor self) -> Tensor",
      "aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
      "aten::minimum(Tensor self, Tensor other) -> Tensor",
      "aten::mish(Tensor self) -> Tensor",
      "aten::mm(Tensor self, Tensor mat2) -> Tensor",
      "aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)",
      "aten::mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor",
      "aten::mul.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor",
      "aten::mv(Tensor self, Tensor vec) -> Tensor",
      "aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)",
      "aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
      "aten::ne.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::ne.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::neg(Tensor self) -> Tensor",
      "aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100) -> Tensor",
      "aten::nonzero(Tensor self) -> Tensor",
      "aten::normal_functional(Tensor self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor",
      "aten::ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      "aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
      "aten::outer(Tensor self, Tensor vec2) -> Tensor",
      "aten::pad(Tensor self, SymInt[] pad, str mode=\"constant\", float? value=None) -> Tensor",
      "aten::pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor",
      "aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)",
      "aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor",
      "aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor",
      "aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor",
      "aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",
      "aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor",
      "aten::prelu(Tensor self, Tensor weight) -> Tensor",
      "aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor",
      "aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
      "aten::rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      "aten::rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
      "aten::randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      "aten::randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
      "aten::real(Tensor(a) self) -> Tensor(a)",
      "aten::reciprocal(Tensor self) -> Tensor",
      "aten::reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor",
      "aten::relu(Tensor self) -> Tensor",
      "aten::relu6(Tensor self) -> Tensor",
      "aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::repeat(Tensor self, SymInt[] repeats) -> Tensor",
      "aten::replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor",
      "aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)",
      "aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
      "aten::rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
      "aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor",
      "aten::round(Tensor self) -> Tensor",
      "aten::rsqrt(Tensor self) -> Tensor",
      "aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
      "aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
      "aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
      "aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
      "aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
      "aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)",
      "aten::selu(Tensor self) -> Tensor",
      "aten::sigmoid(Tensor self) -> Tensor",
      "aten::sign(Tensor self) -> Tensor",
      "aten::silu(Tensor self) -> Tensor",
      "aten::sin(Tensor self) -> Tensor",
      "aten::sinh(Tensor self) -> Tensor",
      "aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)",
      "aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor",
      "aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
      "aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",
      "aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
      "aten::sqrt(Tensor self) -> Tensor",
      "aten::square(Tensor self) -> Tensor",
      "aten::squeeze(Tensor(a) self) -> Tensor(a)",
      "aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)",
      "aten::stack(Tensor[] tensors, int dim=0) -> Tensor",
      "aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
      "aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
      "aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
      "aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
      "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
      "aten::t(Tensor(a) self) -> Tensor(a)",
      "aten::tan(Tensor self) -> Tensor",
      "aten::tanh(Tensor self) -> Tensor",
      "aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor",
      "aten::tile(Tensor self, SymInt[] dims) -> Tensor",
      "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
      "aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)",
      "aten::trace(Tensor self) -> Tensor",
      "aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
      "aten::tril(Tensor self, SymInt diagonal=0) -> Tensor",
      "aten::triu(Tensor self, SymInt diagonal=0) -> Tensor",
      "aten::trunc(Tensor self) -> Tensor",
      "aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)",
      "aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)",
      "aten::upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
      "aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
      "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
      "aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor",
      "aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      "aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
  };
  return schemas[index];
}

/* Calls an operator. If a required tensor is 0, the host returns an error that names it. */
static inline void broch_opset_call_n(broch_opset* ops, uint32_t index, const broch_value* arguments,
                                      uint32_t count, broch_tensor* results, uint32_t n) {
  broch_value values[3];
  uint32_t i;
  for (i = 0; i < n; ++i) results[i] = 0;
  if (ops->status == BROCH_OK && ops->resolved[index] == 0)
    ops->status =
        ops->table->resolve(ops->host, broch_opset_schema(index), &ops->resolved[index]);
  if (ops->status == BROCH_OK)
    ops->status =
        ops->table->call(ops->host, ops->resolved[index], arguments, count, values, n);
  if (ops->status == BROCH_OK)
    for (i = 0; i < n; ++i) results[i] = values[i].u.tensor;
}

static inline broch_tensor broch_opset_call(broch_opset* ops, uint32_t index,
                                            const broch_value* arguments, uint32_t count) {
  broch_tensor result;
  broch_opset_call_n(ops, index, arguments, count, &result, 1);
  return result;
}

/* aten::abs(Tensor self) -> Tensor */
static inline broch_tensor broch_op_abs(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 0, arguments, 1);
}

/* aten::acos(Tensor self) -> Tensor */
static inline broch_tensor broch_op_acos(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 1, arguments, 1);
}

/* aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor */
static inline broch_tensor broch_op_adaptive_avg_pool2d(broch_opset* ops, broch_tensor x, const int64_t* output_size, uint32_t output_size_count) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(output_size, output_size_count)};
  return broch_opset_call(ops, 2, arguments, 2);
}

/* aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor) */
static inline void broch_op_adaptive_max_pool2d(broch_opset* ops, broch_tensor x, const int64_t* output_size, uint32_t output_size_count, broch_tensor results[2] /* out */) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(output_size, output_size_count)};
  broch_opset_call_n(ops, 3, arguments, 2, results, 2);
}

/* aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor */
static inline broch_tensor broch_op_add_scalar(broch_opset* ops, broch_tensor x, broch_value other, broch_value alpha) {
  const broch_value arguments[] = {
      broch_of(x),
      other,
      alpha};
  return broch_opset_call(ops, 4, arguments, 3);
}

/* aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor */
static inline broch_tensor broch_op_add(broch_opset* ops, broch_tensor x, broch_tensor other, broch_value alpha) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other),
      alpha};
  return broch_opset_call(ops, 5, arguments, 3);
}

/* aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor */
static inline broch_tensor broch_op_addcdiv(broch_opset* ops, broch_tensor x, broch_tensor tensor1, broch_tensor tensor2, broch_value value) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(tensor1),
      broch_of(tensor2),
      value};
  return broch_opset_call(ops, 6, arguments, 4);
}

/* aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor */
static inline broch_tensor broch_op_addcmul(broch_opset* ops, broch_tensor x, broch_tensor tensor1, broch_tensor tensor2, broch_value value) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(tensor1),
      broch_of(tensor2),
      value};
  return broch_opset_call(ops, 7, arguments, 4);
}

/* aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor */
static inline broch_tensor broch_op_addmm(broch_opset* ops, broch_tensor x, broch_tensor mat1, broch_tensor mat2, broch_value beta, broch_value alpha) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(mat1),
      broch_of(mat2),
      beta,
      alpha};
  return broch_opset_call(ops, 8, arguments, 5);
}

/* aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor */
static inline broch_tensor broch_op_addmv(broch_opset* ops, broch_tensor x, broch_tensor mat, broch_tensor vec, broch_value beta, broch_value alpha) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(mat),
      broch_of(vec),
      beta,
      alpha};
  return broch_opset_call(ops, 9, arguments, 5);
}

/* aten::all(Tensor self) -> Tensor */
static inline broch_tensor broch_op_all(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 10, arguments, 1);
}

/* aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor */
static inline broch_tensor broch_op_all_dim(broch_opset* ops, broch_tensor x, int64_t dim, int keepdim) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_bool(keepdim)};
  return broch_opset_call(ops, 11, arguments, 3);
}

/* aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor */
static inline broch_tensor broch_op_amax(broch_opset* ops, broch_tensor x, const int64_t* dim, uint32_t dim_count, int keepdim) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints_or_none(dim, dim_count),
      broch_bool(keepdim)};
  return broch_opset_call(ops, 12, arguments, 3);
}

/* aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor */
static inline broch_tensor broch_op_amin(broch_opset* ops, broch_tensor x, const int64_t* dim, uint32_t dim_count, int keepdim) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints_or_none(dim, dim_count),
      broch_bool(keepdim)};
  return broch_opset_call(ops, 13, arguments, 3);
}

/* aten::any(Tensor self) -> Tensor */
static inline broch_tensor broch_op_any(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 14, arguments, 1);
}

/* aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor */
static inline broch_tensor broch_op_any_dim(broch_opset* ops, broch_tensor x, int64_t dim, int keepdim) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_bool(keepdim)};
  return broch_opset_call(ops, 15, arguments, 3);
}

/* aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline broch_tensor broch_op_arange(broch_opset* ops, broch_value end, broch_dtype dtype) {
  const broch_value arguments[] = {
      end,
      broch_dtype_or_none(dtype),
      broch_none(),
      broch_none(),
      broch_none()};
  return broch_opset_call(ops, 16, arguments, 5);
}

/* aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline broch_tensor broch_op_arange_from(broch_opset* ops, broch_value start, broch_value end, broch_value step, broch_dtype dtype) {
  const broch_value arguments[] = {
      start,
      end,
      step,
      broch_dtype_or_none(dtype),
      broch_none(),
      broch_none(),
      broch_none()};
  return broch_opset_call(ops, 17, arguments, 7);
}

/* aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor */
static inline broch_tensor broch_op_argmax(broch_opset* ops, broch_tensor x, broch_value dim, int keepdim) {
  const broch_value arguments[] = {
      broch_of(x),
      dim,
      broch_bool(keepdim)};
  return broch_opset_call(ops, 18, arguments, 3);
}

/* aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor */
static inline broch_tensor broch_op_argmin(broch_opset* ops, broch_tensor x, broch_value dim, int keepdim) {
  const broch_value arguments[] = {
      broch_of(x),
      dim,
      broch_bool(keepdim)};
  return broch_opset_call(ops, 19, arguments, 3);
}

/* aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor */
static inline broch_tensor broch_op_argsort(broch_opset* ops, broch_tensor x, int64_t dim, int descending) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_bool(descending)};
  return broch_opset_call(ops, 20, arguments, 3);
}

/* aten::asin(Tensor self) -> Tensor */
static inline broch_tensor broch_op_asin(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 21, arguments, 1);
}

/* aten::atan(Tensor self) -> Tensor */
static inline broch_tensor broch_op_atan(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 22, arguments, 1);
}

/* aten::atan2(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_atan2(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 23, arguments, 2);
}

/* aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, bool count_include_pad=True) -> Tensor */
static inline broch_tensor broch_op_avg_pool1d(broch_opset* ops, broch_tensor x, const int64_t* kernel_size, uint32_t kernel_size_count, const int64_t* stride, uint32_t stride_count, const int64_t* padding, uint32_t padding_count, int ceil_mode, int count_include_pad) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(kernel_size, kernel_size_count),
      broch_ints_or_none(stride, stride_count),
      broch_ints_or_none(padding, padding_count),
      broch_bool(ceil_mode),
      broch_bool(count_include_pad)};
  return broch_opset_call(ops, 24, arguments, 6);
}

/* aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor */
static inline broch_tensor broch_op_avg_pool2d(broch_opset* ops, broch_tensor x, const int64_t* kernel_size, uint32_t kernel_size_count, const int64_t* stride, uint32_t stride_count, const int64_t* padding, uint32_t padding_count, int ceil_mode, int count_include_pad, broch_value divisor_override) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(kernel_size, kernel_size_count),
      broch_ints_or_none(stride, stride_count),
      broch_ints_or_none(padding, padding_count),
      broch_bool(ceil_mode),
      broch_bool(count_include_pad),
      divisor_override};
  return broch_opset_call(ops, 25, arguments, 7);
}

/* aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor */
static inline broch_tensor broch_op_baddbmm(broch_opset* ops, broch_tensor x, broch_tensor batch1, broch_tensor batch2, broch_value beta, broch_value alpha) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(batch1),
      broch_of(batch2),
      beta,
      alpha};
  return broch_opset_call(ops, 26, arguments, 5);
}

/* aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor */
static inline broch_tensor broch_op_bernoulli(broch_opset* ops, broch_tensor x, double p) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_double(p),
      broch_none()};
  return broch_opset_call(ops, 27, arguments, 3);
}

/* aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean) -> Tensor */
static inline broch_tensor broch_op_binary_cross_entropy(broch_opset* ops, broch_tensor x, broch_tensor target, broch_tensor weight, int64_t reduction) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(target),
      broch_of_optional(weight),
      broch_int(reduction)};
  return broch_opset_call(ops, 28, arguments, 4);
}

/* aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=Mean) -> Tensor */
static inline broch_tensor broch_op_binary_cross_entropy_with_logits(broch_opset* ops, broch_tensor x, broch_tensor target, broch_tensor weight, broch_tensor pos_weight, int64_t reduction) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(target),
      broch_of_optional(weight),
      broch_of_optional(pos_weight),
      broch_int(reduction)};
  return broch_opset_call(ops, 29, arguments, 5);
}

/* aten::bmm(Tensor self, Tensor mat2) -> Tensor */
static inline broch_tensor broch_op_bmm(broch_opset* ops, broch_tensor x, broch_tensor mat2) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(mat2)};
  return broch_opset_call(ops, 30, arguments, 2);
}

/* aten::broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a) */
static inline broch_tensor broch_op_broadcast_to(broch_opset* ops, broch_tensor x, const int64_t* size, uint32_t size_count) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(size, size_count)};
  return broch_opset_call(ops, 31, arguments, 2);
}

/* aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor */
static inline broch_tensor broch_op_bucketize(broch_opset* ops, broch_tensor x, broch_tensor boundaries, int out_int32, int right) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(boundaries),
      broch_bool(out_int32),
      broch_bool(right)};
  return broch_opset_call(ops, 32, arguments, 4);
}

/* aten::cat(Tensor[] tensors, int dim=0) -> Tensor */
static inline broch_tensor broch_op_cat(broch_opset* ops, const broch_tensor* tensors, uint32_t tensors_count, int64_t dim) {
  const broch_value arguments[] = {
      broch_tensors(tensors, tensors_count),
      broch_int(dim)};
  return broch_opset_call(ops, 33, arguments, 2);
}

/* aten::cdist(Tensor x1, Tensor x2, float p=2, int? compute_mode=None) -> Tensor */
static inline broch_tensor broch_op_cdist(broch_opset* ops, broch_tensor x1, broch_tensor x2, double p, broch_value compute_mode) {
  const broch_value arguments[] = {
      broch_of(x1),
      broch_of(x2),
      broch_double(p),
      compute_mode};
  return broch_opset_call(ops, 34, arguments, 4);
}

/* aten::ceil(Tensor self) -> Tensor */
static inline broch_tensor broch_op_ceil(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 35, arguments, 1);
}

/* aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor */
static inline broch_tensor broch_op_clamp(broch_opset* ops, broch_tensor x, broch_value min, broch_value max) {
  const broch_value arguments[] = {
      broch_of(x),
      min,
      max};
  return broch_opset_call(ops, 36, arguments, 3);
}

/* aten::clamp_max(Tensor self, Scalar max) -> Tensor */
static inline broch_tensor broch_op_clamp_max(broch_opset* ops, broch_tensor x, broch_value max) {
  const broch_value arguments[] = {
      broch_of(x),
      max};
  return broch_opset_call(ops, 37, arguments, 2);
}

/* aten::clamp_min(Tensor self, Scalar min) -> Tensor */
static inline broch_tensor broch_op_clamp_min(broch_opset* ops, broch_tensor x, broch_value min) {
  const broch_value arguments[] = {
      broch_of(x),
      min};
  return broch_opset_call(ops, 38, arguments, 2);
}

/* aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor */
static inline broch_tensor broch_op_clone(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_none()};
  return broch_opset_call(ops, 39, arguments, 2);
}

/* aten::complex(Tensor real, Tensor imag) -> Tensor */
static inline broch_tensor broch_op_complex(broch_opset* ops, broch_tensor real, broch_tensor imag) {
  const broch_value arguments[] = {
      broch_of(real),
      broch_of(imag)};
  return broch_opset_call(ops, 40, arguments, 2);
}

/* aten::conj(Tensor(a) self) -> Tensor(a) */
static inline broch_tensor broch_op_conj(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 41, arguments, 1);
}

/* aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor */
static inline broch_tensor broch_op_constant_pad_nd(broch_opset* ops, broch_tensor x, const int64_t* pad, uint32_t pad_count, broch_value value) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(pad, pad_count),
      value};
  return broch_opset_call(ops, 42, arguments, 3);
}

/* aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a) */
static inline broch_tensor broch_op_contiguous(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_none()};
  return broch_opset_call(ops, 43, arguments, 2);
}

/* aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0, SymInt[1] dilation=1, SymInt groups=1) -> Tensor */
static inline broch_tensor broch_op_conv1d(broch_opset* ops, broch_tensor x, broch_tensor weight, broch_tensor bias, const int64_t* stride, uint32_t stride_count, const int64_t* padding, uint32_t padding_count, const int64_t* dilation, uint32_t dilation_count, int64_t groups) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(weight),
      broch_of_optional(bias),
      broch_ints_or_none(stride, stride_count),
      broch_ints_or_none(padding, padding_count),
      broch_ints_or_none(dilation, dilation_count),
      broch_int(groups)};
  return broch_opset_call(ops, 44, arguments, 7);
}

/* aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] dilation=1, SymInt groups=1) -> Tensor */
static inline broch_tensor broch_op_conv2d(broch_opset* ops, broch_tensor x, broch_tensor weight, broch_tensor bias, const int64_t* stride, uint32_t stride_count, const int64_t* padding, uint32_t padding_count, const int64_t* dilation, uint32_t dilation_count, int64_t groups) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(weight),
      broch_of_optional(bias),
      broch_ints_or_none(stride, stride_count),
      broch_ints_or_none(padding, padding_count),
      broch_ints_or_none(dilation, dilation_count),
      broch_int(groups)};
  return broch_opset_call(ops, 45, arguments, 7);
}

/* aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0, SymInt[1] output_padding=0, SymInt groups=1, SymInt[1] dilation=1) -> Tensor */
static inline broch_tensor broch_op_conv_transpose1d(broch_opset* ops, broch_tensor x, broch_tensor weight, broch_tensor bias, const int64_t* stride, uint32_t stride_count, const int64_t* padding, uint32_t padding_count, const int64_t* output_padding, uint32_t output_padding_count, int64_t groups, const int64_t* dilation, uint32_t dilation_count) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(weight),
      broch_of_optional(bias),
      broch_ints_or_none(stride, stride_count),
      broch_ints_or_none(padding, padding_count),
      broch_ints_or_none(output_padding, output_padding_count),
      broch_int(groups),
      broch_ints_or_none(dilation, dilation_count)};
  return broch_opset_call(ops, 46, arguments, 8);
}

/* aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] output_padding=0, SymInt groups=1, SymInt[2] dilation=1) -> Tensor */
static inline broch_tensor broch_op_conv_transpose2d(broch_opset* ops, broch_tensor x, broch_tensor weight, broch_tensor bias, const int64_t* stride, uint32_t stride_count, const int64_t* padding, uint32_t padding_count, const int64_t* output_padding, uint32_t output_padding_count, int64_t groups, const int64_t* dilation, uint32_t dilation_count) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(weight),
      broch_of_optional(bias),
      broch_ints_or_none(stride, stride_count),
      broch_ints_or_none(padding, padding_count),
      broch_ints_or_none(output_padding, output_padding_count),
      broch_int(groups),
      broch_ints_or_none(dilation, dilation_count)};
  return broch_opset_call(ops, 47, arguments, 8);
}

/* aten::cos(Tensor self) -> Tensor */
static inline broch_tensor broch_op_cos(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 48, arguments, 1);
}

/* aten::cosh(Tensor self) -> Tensor */
static inline broch_tensor broch_op_cosh(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 49, arguments, 1);
}

/* aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor */
static inline broch_tensor broch_op_cosine_similarity(broch_opset* ops, broch_tensor x1, broch_tensor x2, int64_t dim, double eps) {
  const broch_value arguments[] = {
      broch_of(x1),
      broch_of(x2),
      broch_int(dim),
      broch_double(eps)};
  return broch_opset_call(ops, 50, arguments, 4);
}

/* aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100, float label_smoothing=0.0) -> Tensor */
static inline broch_tensor broch_op_cross_entropy_loss(broch_opset* ops, broch_tensor x, broch_tensor target, broch_tensor weight, int64_t reduction, int64_t ignore_index, double label_smoothing) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(target),
      broch_of_optional(weight),
      broch_int(reduction),
      broch_int(ignore_index),
      broch_double(label_smoothing)};
  return broch_opset_call(ops, 51, arguments, 6);
}

/* aten::ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int reduction=Mean, bool zero_infinity=False) -> Tensor */
static inline broch_tensor broch_op_ctc_loss(broch_opset* ops, broch_tensor log_probs, broch_tensor targets, broch_tensor input_lengths, broch_tensor target_lengths, int64_t blank, int64_t reduction, int zero_infinity) {
  const broch_value arguments[] = {
      broch_of(log_probs),
      broch_of(targets),
      broch_of(input_lengths),
      broch_of(target_lengths),
      broch_int(blank),
      broch_int(reduction),
      broch_bool(zero_infinity)};
  return broch_opset_call(ops, 52, arguments, 7);
}

/* aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor */
static inline broch_tensor broch_op_cumprod(broch_opset* ops, broch_tensor x, int64_t dim, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_dtype_or_none(dtype)};
  return broch_opset_call(ops, 53, arguments, 3);
}

/* aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor */
static inline broch_tensor broch_op_cumsum(broch_opset* ops, broch_tensor x, int64_t dim, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_dtype_or_none(dtype)};
  return broch_opset_call(ops, 54, arguments, 3);
}

/* aten::detach(Tensor(a) self) -> Tensor(a) */
static inline broch_tensor broch_op_detach(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 55, arguments, 1);
}

/* aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor */
static inline broch_tensor broch_op_diag_embed(broch_opset* ops, broch_tensor x, int64_t offset, int64_t dim1, int64_t dim2) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(offset),
      broch_int(dim1),
      broch_int(dim2)};
  return broch_opset_call(ops, 56, arguments, 4);
}

/* aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a) */
static inline broch_tensor broch_op_diagonal(broch_opset* ops, broch_tensor x, int64_t offset, int64_t dim1, int64_t dim2) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(offset),
      broch_int(dim1),
      broch_int(dim2)};
  return broch_opset_call(ops, 57, arguments, 4);
}

/* aten::div.Scalar(Tensor self, Scalar other) -> Tensor */
static inline broch_tensor broch_op_div_scalar(broch_opset* ops, broch_tensor x, broch_value other) {
  const broch_value arguments[] = {
      broch_of(x),
      other};
  return broch_opset_call(ops, 58, arguments, 2);
}

/* aten::div.Tensor(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_div(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 59, arguments, 2);
}

/* aten::dot(Tensor self, Tensor tensor) -> Tensor */
static inline broch_tensor broch_op_dot(broch_opset* ops, broch_tensor x, broch_tensor tensor) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(tensor)};
  return broch_opset_call(ops, 60, arguments, 2);
}

/* aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor */
static inline broch_tensor broch_op_einsum(broch_opset* ops, const char* equation, const broch_tensor* tensors, uint32_t tensors_count, const int64_t* path, uint32_t path_count) {
  const broch_value arguments[] = {
      broch_str(equation),
      broch_tensors(tensors, tensors_count),
      broch_ints_or_none(path, path_count)};
  return broch_opset_call(ops, 61, arguments, 3);
}

/* aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor */
static inline broch_tensor broch_op_elu(broch_opset* ops, broch_tensor x, broch_value alpha, broch_value scale, broch_value input_scale) {
  const broch_value arguments[] = {
      broch_of(x),
      alpha,
      scale,
      input_scale};
  return broch_opset_call(ops, 62, arguments, 4);
}

/* aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor */
static inline broch_tensor broch_op_embedding(broch_opset* ops, broch_tensor weight, broch_tensor indices, int64_t padding_idx, int scale_grad_by_freq, int sparse) {
  const broch_value arguments[] = {
      broch_of(weight),
      broch_of(indices),
      broch_int(padding_idx),
      broch_bool(scale_grad_by_freq),
      broch_bool(sparse)};
  return broch_opset_call(ops, 63, arguments, 5);
}

/* aten::eq.Scalar(Tensor self, Scalar other) -> Tensor */
static inline broch_tensor broch_op_eq_scalar(broch_opset* ops, broch_tensor x, broch_value other) {
  const broch_value arguments[] = {
      broch_of(x),
      other};
  return broch_opset_call(ops, 64, arguments, 2);
}

/* aten::eq.Tensor(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_eq(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 65, arguments, 2);
}

/* aten::erf(Tensor self) -> Tensor */
static inline broch_tensor broch_op_erf(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 66, arguments, 1);
}

/* aten::erfc(Tensor self) -> Tensor */
static inline broch_tensor broch_op_erfc(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 67, arguments, 1);
}

/* aten::exp(Tensor self) -> Tensor */
static inline broch_tensor broch_op_exp(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 68, arguments, 1);
}

/* aten::exp2(Tensor self) -> Tensor */
static inline broch_tensor broch_op_exp2(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 69, arguments, 1);
}

/* aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a) */
static inline broch_tensor broch_op_expand(broch_opset* ops, broch_tensor x, const int64_t* size, uint32_t size_count, int implicit) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(size, size_count),
      broch_bool(implicit)};
  return broch_opset_call(ops, 70, arguments, 3);
}

/* aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a) */
static inline broch_tensor broch_op_expand_as(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 71, arguments, 2);
}

/* aten::expm1(Tensor self) -> Tensor */
static inline broch_tensor broch_op_expm1(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 72, arguments, 1);
}

/* aten::eye(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline broch_tensor broch_op_eye(broch_opset* ops, int64_t n, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_int(n),
      broch_dtype_or_none(dtype),
      broch_none(),
      broch_none(),
      broch_none()};
  return broch_opset_call(ops, 73, arguments, 5);
}

/* aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a) */
static inline broch_tensor broch_op_flatten(broch_opset* ops, broch_tensor x, int64_t start_dim, int64_t end_dim) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(start_dim),
      broch_int(end_dim)};
  return broch_opset_call(ops, 74, arguments, 3);
}

/* aten::flip(Tensor self, int[] dims) -> Tensor */
static inline broch_tensor broch_op_flip(broch_opset* ops, broch_tensor x, const int64_t* dims, uint32_t dims_count) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(dims, dims_count)};
  return broch_opset_call(ops, 75, arguments, 2);
}

/* aten::floor(Tensor self) -> Tensor */
static inline broch_tensor broch_op_floor(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 76, arguments, 1);
}

/* aten::floor_divide(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_floor_divide(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 77, arguments, 2);
}

/* aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor */
static inline broch_tensor broch_op_fmod_scalar(broch_opset* ops, broch_tensor x, broch_value other) {
  const broch_value arguments[] = {
      broch_of(x),
      other};
  return broch_opset_call(ops, 78, arguments, 2);
}

/* aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_fmod(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 79, arguments, 2);
}

/* aten::frac(Tensor self) -> Tensor */
static inline broch_tensor broch_op_frac(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 80, arguments, 1);
}

/* aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline broch_tensor broch_op_full(broch_opset* ops, const int64_t* size, uint32_t size_count, broch_value fill_value, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_ints(size, size_count),
      fill_value,
      broch_dtype_or_none(dtype),
      broch_none(),
      broch_none(),
      broch_none()};
  return broch_opset_call(ops, 81, arguments, 6);
}

/* aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline broch_tensor broch_op_full_like(broch_opset* ops, broch_tensor x, broch_value fill_value, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_of(x),
      fill_value,
      broch_dtype_or_none(dtype),
      broch_none(),
      broch_none(),
      broch_none(),
      broch_none()};
  return broch_opset_call(ops, 82, arguments, 7);
}

/* aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor */
static inline broch_tensor broch_op_gather(broch_opset* ops, broch_tensor x, int64_t dim, broch_tensor index, int sparse_grad) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_of(index),
      broch_bool(sparse_grad)};
  return broch_opset_call(ops, 83, arguments, 4);
}

/* aten::ge.Scalar(Tensor self, Scalar other) -> Tensor */
static inline broch_tensor broch_op_ge_scalar(broch_opset* ops, broch_tensor x, broch_value other) {
  const broch_value arguments[] = {
      broch_of(x),
      other};
  return broch_opset_call(ops, 84, arguments, 2);
}

/* aten::ge.Tensor(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_ge(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 85, arguments, 2);
}

/* aten::gelu(Tensor self, *, str approximate='none') -> Tensor */
static inline broch_tensor broch_op_gelu(broch_opset* ops, broch_tensor x, const char* approximate) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_str(approximate)};
  return broch_opset_call(ops, 86, arguments, 2);
}

/* aten::glu(Tensor self, int dim=-1) -> Tensor */
static inline broch_tensor broch_op_glu(broch_opset* ops, broch_tensor x, int64_t dim) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim)};
  return broch_opset_call(ops, 87, arguments, 2);
}

/* aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor */
static inline broch_tensor broch_op_grid_sampler_2d(broch_opset* ops, broch_tensor x, broch_tensor grid, int64_t interpolation_mode, int64_t padding_mode, int align_corners) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(grid),
      broch_int(interpolation_mode),
      broch_int(padding_mode),
      broch_bool(align_corners)};
  return broch_opset_call(ops, 88, arguments, 5);
}

/* aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enabled=True) -> Tensor */
static inline broch_tensor broch_op_group_norm(broch_opset* ops, broch_tensor x, int64_t num_groups, broch_tensor weight, broch_tensor bias, double eps, int cudnn_enabled) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(num_groups),
      broch_of_optional(weight),
      broch_of_optional(bias),
      broch_double(eps),
      broch_bool(cudnn_enabled)};
  return broch_opset_call(ops, 89, arguments, 6);
}

/* aten::gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor */
static inline broch_tensor broch_op_gru_cell(broch_opset* ops, broch_tensor x, broch_tensor hx, broch_tensor w_ih, broch_tensor w_hh, broch_tensor b_ih, broch_tensor b_hh) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(hx),
      broch_of(w_ih),
      broch_of(w_hh),
      broch_of_optional(b_ih),
      broch_of_optional(b_hh)};
  return broch_opset_call(ops, 90, arguments, 6);
}

/* aten::gt.Scalar(Tensor self, Scalar other) -> Tensor */
static inline broch_tensor broch_op_gt_scalar(broch_opset* ops, broch_tensor x, broch_value other) {
  const broch_value arguments[] = {
      broch_of(x),
      other};
  return broch_opset_call(ops, 91, arguments, 2);
}

/* aten::gt.Tensor(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_gt(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 92, arguments, 2);
}

/* aten::hardsigmoid(Tensor self) -> Tensor */
static inline broch_tensor broch_op_hardsigmoid(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 93, arguments, 1);
}

/* aten::hardswish(Tensor self) -> Tensor */
static inline broch_tensor broch_op_hardswish(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 94, arguments, 1);
}

/* aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor */
static inline broch_tensor broch_op_hardtanh(broch_opset* ops, broch_tensor x, broch_value min_val, broch_value max_val) {
  const broch_value arguments[] = {
      broch_of(x),
      min_val,
      max_val};
  return broch_opset_call(ops, 95, arguments, 3);
}

/* aten::huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor */
static inline broch_tensor broch_op_huber_loss(broch_opset* ops, broch_tensor x, broch_tensor target, int64_t reduction, double delta) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(target),
      broch_int(reduction),
      broch_double(delta)};
  return broch_opset_call(ops, 96, arguments, 4);
}

/* aten::imag(Tensor(a) self) -> Tensor(a) */
static inline broch_tensor broch_op_imag(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 97, arguments, 1);
}

/* aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor */
static inline broch_tensor broch_op_index_add(broch_opset* ops, broch_tensor x, int64_t dim, broch_tensor index, broch_tensor source, broch_value alpha) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_of(index),
      broch_of(source),
      alpha};
  return broch_opset_call(ops, 98, arguments, 5);
}

/* aten::index_select(Tensor self, int dim, Tensor index) -> Tensor */
static inline broch_tensor broch_op_index_select(broch_opset* ops, broch_tensor x, int64_t dim, broch_tensor index) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_of(index)};
  return broch_opset_call(ops, 99, arguments, 3);
}

/* aten::isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor */
static inline broch_tensor broch_op_isclose(broch_opset* ops, broch_tensor x, broch_tensor other, double rtol, double atol, int equal_nan) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other),
      broch_double(rtol),
      broch_double(atol),
      broch_bool(equal_nan)};
  return broch_opset_call(ops, 100, arguments, 5);
}

/* aten::isfinite(Tensor self) -> Tensor */
static inline broch_tensor broch_op_isfinite(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 101, arguments, 1);
}

/* aten::isinf(Tensor self) -> Tensor */
static inline broch_tensor broch_op_isinf(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 102, arguments, 1);
}

/* aten::isnan(Tensor self) -> Tensor */
static inline broch_tensor broch_op_isnan(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 103, arguments, 1);
}

/* aten::kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool log_target=False) -> Tensor */
static inline broch_tensor broch_op_kl_div(broch_opset* ops, broch_tensor x, broch_tensor target, int64_t reduction, int log_target) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(target),
      broch_int(reduction),
      broch_bool(log_target)};
  return broch_opset_call(ops, 104, arguments, 4);
}

/* aten::l1_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor */
static inline broch_tensor broch_op_l1_loss(broch_opset* ops, broch_tensor x, broch_tensor target, int64_t reduction) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(target),
      broch_int(reduction)};
  return broch_opset_call(ops, 105, arguments, 3);
}

/* aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor */
static inline broch_tensor broch_op_layer_norm(broch_opset* ops, broch_tensor x, const int64_t* normalized_shape, uint32_t normalized_shape_count, broch_tensor weight, broch_tensor bias, double eps, int cudnn_enable) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(normalized_shape, normalized_shape_count),
      broch_of_optional(weight),
      broch_of_optional(bias),
      broch_double(eps),
      broch_bool(cudnn_enable)};
  return broch_opset_call(ops, 106, arguments, 6);
}

/* aten::le.Scalar(Tensor self, Scalar other) -> Tensor */
static inline broch_tensor broch_op_le_scalar(broch_opset* ops, broch_tensor x, broch_value other) {
  const broch_value arguments[] = {
      broch_of(x),
      other};
  return broch_opset_call(ops, 107, arguments, 2);
}

/* aten::le.Tensor(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_le(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 108, arguments, 2);
}

/* aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor */
static inline broch_tensor broch_op_leaky_relu(broch_opset* ops, broch_tensor x, broch_value negative_slope) {
  const broch_value arguments[] = {
      broch_of(x),
      negative_slope};
  return broch_opset_call(ops, 109, arguments, 2);
}

/* aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor */
static inline broch_tensor broch_op_lerp_scalar(broch_opset* ops, broch_tensor x, broch_tensor end, broch_value weight) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(end),
      weight};
  return broch_opset_call(ops, 110, arguments, 3);
}

/* aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor */
static inline broch_tensor broch_op_lerp(broch_opset* ops, broch_tensor x, broch_tensor end, broch_tensor weight) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(end),
      broch_of(weight)};
  return broch_opset_call(ops, 111, arguments, 3);
}

/* aten::lgamma(Tensor self) -> Tensor */
static inline broch_tensor broch_op_lgamma(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 112, arguments, 1);
}

/* aten::linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor */
static inline broch_tensor broch_op_linalg_cholesky(broch_opset* ops, broch_tensor x, int upper) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_bool(upper)};
  return broch_opset_call(ops, 113, arguments, 2);
}

/* aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor */
static inline broch_tensor broch_op_linalg_cross(broch_opset* ops, broch_tensor x, broch_tensor other, int64_t dim) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other),
      broch_int(dim)};
  return broch_opset_call(ops, 114, arguments, 3);
}

/* aten::linalg_det(Tensor A) -> Tensor */
static inline broch_tensor broch_op_linalg_det(broch_opset* ops, broch_tensor A) {
  const broch_value arguments[] = {
      broch_of(A)};
  return broch_opset_call(ops, 115, arguments, 1);
}

/* aten::linalg_inv(Tensor A) -> Tensor */
static inline broch_tensor broch_op_linalg_inv(broch_opset* ops, broch_tensor A) {
  const broch_value arguments[] = {
      broch_of(A)};
  return broch_opset_call(ops, 116, arguments, 1);
}

/* aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor */
static inline broch_tensor broch_op_linalg_solve(broch_opset* ops, broch_tensor A, broch_tensor B, int left) {
  const broch_value arguments[] = {
      broch_of(A),
      broch_of(B),
      broch_bool(left)};
  return broch_opset_call(ops, 117, arguments, 3);
}

/* aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor */
static inline broch_tensor broch_op_linalg_vector_norm(broch_opset* ops, broch_tensor x, broch_value ord, const int64_t* dim, uint32_t dim_count, int keepdim, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_of(x),
      ord,
      broch_ints_or_none(dim, dim_count),
      broch_bool(keepdim),
      broch_dtype_or_none(dtype)};
  return broch_opset_call(ops, 118, arguments, 5);
}

/* aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor */
static inline broch_tensor broch_op_linear(broch_opset* ops, broch_tensor x, broch_tensor weight, broch_tensor bias) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(weight),
      broch_of_optional(bias)};
  return broch_opset_call(ops, 119, arguments, 3);
}

/* aten::linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline broch_tensor broch_op_linspace(broch_opset* ops, broch_value start, broch_value end, int64_t steps, broch_dtype dtype) {
  const broch_value arguments[] = {
      start,
      end,
      broch_int(steps),
      broch_dtype_or_none(dtype),
      broch_none(),
      broch_none(),
      broch_none()};
  return broch_opset_call(ops, 120, arguments, 7);
}

/* aten::log(Tensor self) -> Tensor */
static inline broch_tensor broch_op_log(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 121, arguments, 1);
}

/* aten::log10(Tensor self) -> Tensor */
static inline broch_tensor broch_op_log10(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 122, arguments, 1);
}

/* aten::log1p(Tensor self) -> Tensor */
static inline broch_tensor broch_op_log1p(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 123, arguments, 1);
}

/* aten::log2(Tensor self) -> Tensor */
static inline broch_tensor broch_op_log2(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 124, arguments, 1);
}

/* aten::log_sigmoid(Tensor self) -> Tensor */
static inline broch_tensor broch_op_log_sigmoid(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 125, arguments, 1);
}

/* aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor */
static inline broch_tensor broch_op_log_softmax(broch_opset* ops, broch_tensor x, int64_t dim, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_dtype_or_none(dtype)};
  return broch_opset_call(ops, 126, arguments, 3);
}

/* aten::logaddexp(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_logaddexp(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 127, arguments, 2);
}

/* aten::logical_and(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_logical_and(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 128, arguments, 2);
}

/* aten::logical_not(Tensor self) -> Tensor */
static inline broch_tensor broch_op_logical_not(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 129, arguments, 1);
}

/* aten::logical_or(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_logical_or(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 130, arguments, 2);
}

/* aten::logical_xor(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_logical_xor(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 131, arguments, 2);
}

/* aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor */
static inline broch_tensor broch_op_logsumexp(broch_opset* ops, broch_tensor x, const int64_t* dim, uint32_t dim_count, int keepdim) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(dim, dim_count),
      broch_bool(keepdim)};
  return broch_opset_call(ops, 132, arguments, 3);
}

/* aten::lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor) */
static inline void broch_op_lstm_cell(broch_opset* ops, broch_tensor x, const broch_tensor* hx, uint32_t hx_count, broch_tensor w_ih, broch_tensor w_hh, broch_tensor b_ih, broch_tensor b_hh, broch_tensor results[2] /* out */) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_tensors(hx, hx_count),
      broch_of(w_ih),
      broch_of(w_hh),
      broch_of_optional(b_ih),
      broch_of_optional(b_hh)};
  broch_opset_call_n(ops, 133, arguments, 6, results, 2);
}

/* aten::lt.Scalar(Tensor self, Scalar other) -> Tensor */
static inline broch_tensor broch_op_lt_scalar(broch_opset* ops, broch_tensor x, broch_value other) {
  const broch_value arguments[] = {
      broch_of(x),
      other};
  return broch_opset_call(ops, 134, arguments, 2);
}

/* aten::lt.Tensor(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_lt(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 135, arguments, 2);
}

/* aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor */
static inline broch_tensor broch_op_masked_fill(broch_opset* ops, broch_tensor x, broch_tensor mask, broch_value value) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(mask),
      value};
  return broch_opset_call(ops, 136, arguments, 3);
}

/* aten::masked_select(Tensor self, Tensor mask) -> Tensor */
static inline broch_tensor broch_op_masked_select(broch_opset* ops, broch_tensor x, broch_tensor mask) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(mask)};
  return broch_opset_call(ops, 137, arguments, 2);
}

/* aten::matmul(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_matmul(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 138, arguments, 2);
}

/* aten::max(Tensor self) -> Tensor */
static inline broch_tensor broch_op_max(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 139, arguments, 1);
}

/* aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices) */
static inline void broch_op_max_dim(broch_opset* ops, broch_tensor x, int64_t dim, int keepdim, broch_tensor results[2] /* out */) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_bool(keepdim)};
  broch_opset_call_n(ops, 140, arguments, 3, results, 2);
}

/* aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> Tensor */
static inline broch_tensor broch_op_max_pool1d(broch_opset* ops, broch_tensor x, const int64_t* kernel_size, uint32_t kernel_size_count, const int64_t* stride, uint32_t stride_count, const int64_t* padding, uint32_t padding_count, const int64_t* dilation, uint32_t dilation_count, int ceil_mode) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(kernel_size, kernel_size_count),
      broch_ints_or_none(stride, stride_count),
      broch_ints_or_none(padding, padding_count),
      broch_ints_or_none(dilation, dilation_count),
      broch_bool(ceil_mode)};
  return broch_opset_call(ops, 141, arguments, 6);
}

/* aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor */
static inline broch_tensor broch_op_max_pool2d(broch_opset* ops, broch_tensor x, const int64_t* kernel_size, uint32_t kernel_size_count, const int64_t* stride, uint32_t stride_count, const int64_t* padding, uint32_t padding_count, const int64_t* dilation, uint32_t dilation_count, int ceil_mode) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(kernel_size, kernel_size_count),
      broch_ints_or_none(stride, stride_count),
      broch_ints_or_none(padding, padding_count),
      broch_ints_or_none(dilation, dilation_count),
      broch_bool(ceil_mode)};
  return broch_opset_call(ops, 142, arguments, 6);
}

/* aten::maximum(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_maximum(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 143, arguments, 2);
}

/* aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor */
static inline broch_tensor broch_op_mean(broch_opset* ops, broch_tensor x, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_dtype_or_none(dtype)};
  return broch_opset_call(ops, 144, arguments, 2);
}

/* aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor */
static inline broch_tensor broch_op_mean_dim(broch_opset* ops, broch_tensor x, const int64_t* dim, uint32_t dim_count, int keepdim, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints_or_none(dim, dim_count),
      broch_bool(keepdim),
      broch_dtype_or_none(dtype)};
  return broch_opset_call(ops, 145, arguments, 4);
}

/* aten::min(Tensor self) -> Tensor */
static inline broch_tensor broch_op_min(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 146, arguments, 1);
}

/* aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices) */
static inline void broch_op_min_dim(broch_opset* ops, broch_tensor x, int64_t dim, int keepdim, broch_tensor results[2] /* out */) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_bool(keepdim)};
  broch_opset_call_n(ops, 147, arguments, 3, results, 2);
}

/* aten::minimum(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_minimum(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 148, arguments, 2);
}

/* aten::mish(Tensor self) -> Tensor */
static inline broch_tensor broch_op_mish(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 149, arguments, 1);
}

/* aten::mm(Tensor self, Tensor mat2) -> Tensor */
static inline broch_tensor broch_op_mm(broch_opset* ops, broch_tensor x, broch_tensor mat2) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(mat2)};
  return broch_opset_call(ops, 150, arguments, 2);
}

/* aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a) */
static inline broch_tensor broch_op_movedim(broch_opset* ops, broch_tensor x, const int64_t* source, uint32_t source_count, const int64_t* destination, uint32_t destination_count) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(source, source_count),
      broch_ints(destination, destination_count)};
  return broch_opset_call(ops, 151, arguments, 3);
}

/* aten::mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor */
static inline broch_tensor broch_op_mse_loss(broch_opset* ops, broch_tensor x, broch_tensor target, int64_t reduction) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(target),
      broch_int(reduction)};
  return broch_opset_call(ops, 152, arguments, 3);
}

/* aten::mul.Scalar(Tensor self, Scalar other) -> Tensor */
static inline broch_tensor broch_op_mul_scalar(broch_opset* ops, broch_tensor x, broch_value other) {
  const broch_value arguments[] = {
      broch_of(x),
      other};
  return broch_opset_call(ops, 153, arguments, 2);
}

/* aten::mul.Tensor(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_mul(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 154, arguments, 2);
}

/* aten::multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor */
static inline broch_tensor broch_op_multinomial(broch_opset* ops, broch_tensor x, int64_t num_samples, int replacement) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(num_samples),
      broch_bool(replacement),
      broch_none()};
  return broch_opset_call(ops, 155, arguments, 4);
}

/* aten::mv(Tensor self, Tensor vec) -> Tensor */
static inline broch_tensor broch_op_mv(broch_opset* ops, broch_tensor x, broch_tensor vec) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(vec)};
  return broch_opset_call(ops, 156, arguments, 2);
}

/* aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a) */
static inline broch_tensor broch_op_narrow(broch_opset* ops, broch_tensor x, int64_t dim, int64_t start, int64_t length) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_int(start),
      broch_int(length)};
  return broch_opset_call(ops, 157, arguments, 4);
}

/* aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor) */
static inline void broch_op_native_batch_norm(broch_opset* ops, broch_tensor x, broch_tensor weight, broch_tensor bias, broch_tensor running_mean, broch_tensor running_var, int training, double momentum, double eps, broch_tensor results[3] /* out */) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of_optional(weight),
      broch_of_optional(bias),
      broch_of_optional(running_mean),
      broch_of_optional(running_var),
      broch_bool(training),
      broch_double(momentum),
      broch_double(eps)};
  broch_opset_call_n(ops, 158, arguments, 8, results, 3);
}

/* aten::ne.Scalar(Tensor self, Scalar other) -> Tensor */
static inline broch_tensor broch_op_ne_scalar(broch_opset* ops, broch_tensor x, broch_value other) {
  const broch_value arguments[] = {
      broch_of(x),
      other};
  return broch_opset_call(ops, 159, arguments, 2);
}

/* aten::ne.Tensor(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_ne(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 160, arguments, 2);
}

/* aten::neg(Tensor self) -> Tensor */
static inline broch_tensor broch_op_neg(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 161, arguments, 1);
}

/* aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100) -> Tensor */
static inline broch_tensor broch_op_nll_loss(broch_opset* ops, broch_tensor x, broch_tensor target, broch_tensor weight, int64_t reduction, int64_t ignore_index) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(target),
      broch_of_optional(weight),
      broch_int(reduction),
      broch_int(ignore_index)};
  return broch_opset_call(ops, 162, arguments, 5);
}

/* aten::nonzero(Tensor self) -> Tensor */
static inline broch_tensor broch_op_nonzero(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 163, arguments, 1);
}

/* aten::normal_functional(Tensor self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor */
static inline broch_tensor broch_op_normal_like(broch_opset* ops, broch_tensor x, double mean, double std) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_double(mean),
      broch_double(std),
      broch_none()};
  return broch_opset_call(ops, 164, arguments, 4);
}

/* aten::ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline broch_tensor broch_op_ones(broch_opset* ops, const int64_t* size, uint32_t size_count, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_ints(size, size_count),
      broch_dtype_or_none(dtype),
      broch_none(),
      broch_none(),
      broch_none()};
  return broch_opset_call(ops, 165, arguments, 5);
}

/* aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline broch_tensor broch_op_ones_like(broch_opset* ops, broch_tensor x, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_dtype_or_none(dtype),
      broch_none(),
      broch_none(),
      broch_none(),
      broch_none()};
  return broch_opset_call(ops, 166, arguments, 6);
}

/* aten::outer(Tensor self, Tensor vec2) -> Tensor */
static inline broch_tensor broch_op_outer(broch_opset* ops, broch_tensor x, broch_tensor vec2) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(vec2)};
  return broch_opset_call(ops, 167, arguments, 2);
}

/* aten::pad(Tensor self, SymInt[] pad, str mode="constant", float? value=None) -> Tensor */
static inline broch_tensor broch_op_pad(broch_opset* ops, broch_tensor x, const int64_t* pad, uint32_t pad_count, const char* mode, broch_value value) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(pad, pad_count),
      broch_str(mode),
      value};
  return broch_opset_call(ops, 168, arguments, 4);
}

/* aten::pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor */
static inline broch_tensor broch_op_pairwise_distance(broch_opset* ops, broch_tensor x1, broch_tensor x2, double p, double eps, int keepdim) {
  const broch_value arguments[] = {
      broch_of(x1),
      broch_of(x2),
      broch_double(p),
      broch_double(eps),
      broch_bool(keepdim)};
  return broch_opset_call(ops, 169, arguments, 5);
}

/* aten::permute(Tensor(a) self, int[] dims) -> Tensor(a) */
static inline broch_tensor broch_op_permute(broch_opset* ops, broch_tensor x, const int64_t* dims, uint32_t dims_count) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(dims, dims_count)};
  return broch_opset_call(ops, 170, arguments, 2);
}

/* aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor */
static inline broch_tensor broch_op_pixel_shuffle(broch_opset* ops, broch_tensor x, int64_t upscale_factor) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(upscale_factor)};
  return broch_opset_call(ops, 171, arguments, 2);
}

/* aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor */
static inline broch_tensor broch_op_pixel_unshuffle(broch_opset* ops, broch_tensor x, int64_t downscale_factor) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(downscale_factor)};
  return broch_opset_call(ops, 172, arguments, 2);
}

/* aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor */
static inline broch_tensor broch_op_poisson_nll_loss(broch_opset* ops, broch_tensor x, broch_tensor target, int log_input, int full, double eps, int64_t reduction) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(target),
      broch_bool(log_input),
      broch_bool(full),
      broch_double(eps),
      broch_int(reduction)};
  return broch_opset_call(ops, 173, arguments, 6);
}

/* aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor */
static inline broch_tensor broch_op_pow_scalar(broch_opset* ops, broch_tensor x, broch_value exponent) {
  const broch_value arguments[] = {
      broch_of(x),
      exponent};
  return broch_opset_call(ops, 174, arguments, 2);
}

/* aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor */
static inline broch_tensor broch_op_pow(broch_opset* ops, broch_tensor x, broch_tensor exponent) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(exponent)};
  return broch_opset_call(ops, 175, arguments, 2);
}

/* aten::prelu(Tensor self, Tensor weight) -> Tensor */
static inline broch_tensor broch_op_prelu(broch_opset* ops, broch_tensor x, broch_tensor weight) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(weight)};
  return broch_opset_call(ops, 176, arguments, 2);
}

/* aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor */
static inline broch_tensor broch_op_prod(broch_opset* ops, broch_tensor x, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_dtype_or_none(dtype)};
  return broch_opset_call(ops, 177, arguments, 2);
}

/* aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor */
static inline broch_tensor broch_op_prod_dim(broch_opset* ops, broch_tensor x, int64_t dim, int keepdim, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_bool(keepdim),
      broch_dtype_or_none(dtype)};
  return broch_opset_call(ops, 178, arguments, 4);
}

/* aten::rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline broch_tensor broch_op_rand(broch_opset* ops, const int64_t* size, uint32_t size_count, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_ints(size, size_count),
      broch_dtype_or_none(dtype),
      broch_none(),
      broch_none(),
      broch_none()};
  return broch_opset_call(ops, 179, arguments, 5);
}

/* aten::rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline broch_tensor broch_op_rand_like(broch_opset* ops, broch_tensor x, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_dtype_or_none(dtype),
      broch_none(),
      broch_none(),
      broch_none(),
      broch_none()};
  return broch_opset_call(ops, 180, arguments, 6);
}

/* aten::randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline broch_tensor broch_op_randn(broch_opset* ops, const int64_t* size, uint32_t size_count, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_ints(size, size_count),
      broch_dtype_or_none(dtype),
      broch_none(),
      broch_none(),
      broch_none()};
  return broch_opset_call(ops, 181, arguments, 5);
}

/* aten::randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline broch_tensor broch_op_randn_like(broch_opset* ops, broch_tensor x, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_dtype_or_none(dtype),
      broch_none(),
      broch_none(),
      broch_none(),
      broch_none()};
  return broch_opset_call(ops, 182, arguments, 6);
}

/* aten::real(Tensor(a) self) -> Tensor(a) */
static inline broch_tensor broch_op_real(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 183, arguments, 1);
}

/* aten::reciprocal(Tensor self) -> Tensor */
static inline broch_tensor broch_op_reciprocal(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 184, arguments, 1);
}

/* aten::reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor */
static inline broch_tensor broch_op_reflection_pad2d(broch_opset* ops, broch_tensor x, const int64_t* padding, uint32_t padding_count) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(padding, padding_count)};
  return broch_opset_call(ops, 185, arguments, 2);
}

/* aten::relu(Tensor self) -> Tensor */
static inline broch_tensor broch_op_relu(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 186, arguments, 1);
}

/* aten::relu6(Tensor self) -> Tensor */
static inline broch_tensor broch_op_relu6(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 187, arguments, 1);
}

/* aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor */
static inline broch_tensor broch_op_remainder_scalar(broch_opset* ops, broch_tensor x, broch_value other) {
  const broch_value arguments[] = {
      broch_of(x),
      other};
  return broch_opset_call(ops, 188, arguments, 2);
}

/* aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_remainder(broch_opset* ops, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 189, arguments, 2);
}

/* aten::repeat(Tensor self, SymInt[] repeats) -> Tensor */
static inline broch_tensor broch_op_repeat(broch_opset* ops, broch_tensor x, const int64_t* repeats, uint32_t repeats_count) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(repeats, repeats_count)};
  return broch_opset_call(ops, 190, arguments, 2);
}

/* aten::replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor */
static inline broch_tensor broch_op_replication_pad2d(broch_opset* ops, broch_tensor x, const int64_t* padding, uint32_t padding_count) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(padding, padding_count)};
  return broch_opset_call(ops, 191, arguments, 2);
}

/* aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a) */
static inline broch_tensor broch_op_reshape(broch_opset* ops, broch_tensor x, const int64_t* shape, uint32_t shape_count) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(shape, shape_count)};
  return broch_opset_call(ops, 192, arguments, 2);
}

/* aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor */
static inline broch_tensor broch_op_rms_norm(broch_opset* ops, broch_tensor x, const int64_t* normalized_shape, uint32_t normalized_shape_count, broch_tensor weight, broch_value eps) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(normalized_shape, normalized_shape_count),
      broch_of_optional(weight),
      eps};
  return broch_opset_call(ops, 193, arguments, 4);
}

/* aten::rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor */
static inline broch_tensor broch_op_rnn_tanh_cell(broch_opset* ops, broch_tensor x, broch_tensor hx, broch_tensor w_ih, broch_tensor w_hh, broch_tensor b_ih, broch_tensor b_hh) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(hx),
      broch_of(w_ih),
      broch_of(w_hh),
      broch_of_optional(b_ih),
      broch_of_optional(b_hh)};
  return broch_opset_call(ops, 194, arguments, 6);
}

/* aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor */
static inline broch_tensor broch_op_roll(broch_opset* ops, broch_tensor x, const int64_t* shifts, uint32_t shifts_count, const int64_t* dims, uint32_t dims_count) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(shifts, shifts_count),
      broch_ints_or_none(dims, dims_count)};
  return broch_opset_call(ops, 195, arguments, 3);
}

/* aten::round(Tensor self) -> Tensor */
static inline broch_tensor broch_op_round(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 196, arguments, 1);
}

/* aten::rsqrt(Tensor self) -> Tensor */
static inline broch_tensor broch_op_rsqrt(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 197, arguments, 1);
}

/* aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor */
static inline broch_tensor broch_op_rsub_scalar(broch_opset* ops, broch_tensor x, broch_value other, broch_value alpha) {
  const broch_value arguments[] = {
      broch_of(x),
      other,
      alpha};
  return broch_opset_call(ops, 198, arguments, 3);
}

/* aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor */
static inline broch_tensor broch_op_scaled_dot_product_attention(broch_opset* ops, broch_tensor query, broch_tensor key, broch_tensor value, broch_tensor attn_mask, double dropout_p, int is_causal, broch_value scale, int enable_gqa) {
  const broch_value arguments[] = {
      broch_of(query),
      broch_of(key),
      broch_of(value),
      broch_of_optional(attn_mask),
      broch_double(dropout_p),
      broch_bool(is_causal),
      scale,
      broch_bool(enable_gqa)};
  return broch_opset_call(ops, 199, arguments, 8);
}

/* aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor */
static inline broch_tensor broch_op_scatter(broch_opset* ops, broch_tensor x, int64_t dim, broch_tensor index, broch_tensor src) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_of(index),
      broch_of(src)};
  return broch_opset_call(ops, 200, arguments, 4);
}

/* aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor */
static inline broch_tensor broch_op_scatter_value(broch_opset* ops, broch_tensor x, int64_t dim, broch_tensor index, broch_value value) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_of(index),
      value};
  return broch_opset_call(ops, 201, arguments, 4);
}

/* aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor */
static inline broch_tensor broch_op_scatter_add(broch_opset* ops, broch_tensor x, int64_t dim, broch_tensor index, broch_tensor src) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_of(index),
      broch_of(src)};
  return broch_opset_call(ops, 202, arguments, 4);
}

/* aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a) */
static inline broch_tensor broch_op_select(broch_opset* ops, broch_tensor x, int64_t dim, int64_t index) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_int(index)};
  return broch_opset_call(ops, 203, arguments, 3);
}

/* aten::selu(Tensor self) -> Tensor */
static inline broch_tensor broch_op_selu(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 204, arguments, 1);
}

/* aten::sigmoid(Tensor self) -> Tensor */
static inline broch_tensor broch_op_sigmoid(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 205, arguments, 1);
}

/* aten::sign(Tensor self) -> Tensor */
static inline broch_tensor broch_op_sign(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 206, arguments, 1);
}

/* aten::silu(Tensor self) -> Tensor */
static inline broch_tensor broch_op_silu(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 207, arguments, 1);
}

/* aten::sin(Tensor self) -> Tensor */
static inline broch_tensor broch_op_sin(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 208, arguments, 1);
}

/* aten::sinh(Tensor self) -> Tensor */
static inline broch_tensor broch_op_sinh(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 209, arguments, 1);
}

/* aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a) */
static inline broch_tensor broch_op_slice(broch_opset* ops, broch_tensor x, int64_t dim, broch_value start, broch_value end, int64_t step) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      start,
      end,
      broch_int(step)};
  return broch_opset_call(ops, 210, arguments, 5);
}

/* aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor */
static inline broch_tensor broch_op_smooth_l1_loss(broch_opset* ops, broch_tensor x, broch_tensor target, int64_t reduction, double beta) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(target),
      broch_int(reduction),
      broch_double(beta)};
  return broch_opset_call(ops, 211, arguments, 4);
}

/* aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor */
static inline broch_tensor broch_op_softmax(broch_opset* ops, broch_tensor x, int64_t dim, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_dtype_or_none(dtype)};
  return broch_opset_call(ops, 212, arguments, 3);
}

/* aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor */
static inline broch_tensor broch_op_softplus(broch_opset* ops, broch_tensor x, broch_value beta, broch_value threshold) {
  const broch_value arguments[] = {
      broch_of(x),
      beta,
      threshold};
  return broch_opset_call(ops, 213, arguments, 3);
}

/* aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices) */
static inline void broch_op_sort(broch_opset* ops, broch_tensor x, int64_t dim, int descending, broch_tensor results[2] /* out */) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim),
      broch_bool(descending)};
  broch_opset_call_n(ops, 214, arguments, 3, results, 2);
}

/* aten::sqrt(Tensor self) -> Tensor */
static inline broch_tensor broch_op_sqrt(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 215, arguments, 1);
}

/* aten::square(Tensor self) -> Tensor */
static inline broch_tensor broch_op_square(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 216, arguments, 1);
}

/* aten::squeeze(Tensor(a) self) -> Tensor(a) */
static inline broch_tensor broch_op_squeeze_all(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 217, arguments, 1);
}

/* aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a) */
static inline broch_tensor broch_op_squeeze(broch_opset* ops, broch_tensor x, int64_t dim) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim)};
  return broch_opset_call(ops, 218, arguments, 2);
}

/* aten::stack(Tensor[] tensors, int dim=0) -> Tensor */
static inline broch_tensor broch_op_stack(broch_opset* ops, const broch_tensor* tensors, uint32_t tensors_count, int64_t dim) {
  const broch_value arguments[] = {
      broch_tensors(tensors, tensors_count),
      broch_int(dim)};
  return broch_opset_call(ops, 219, arguments, 2);
}

/* aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor */
static inline broch_tensor broch_op_std(broch_opset* ops, broch_tensor x, const int64_t* dim, uint32_t dim_count, broch_value correction, int keepdim) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints_or_none(dim, dim_count),
      correction,
      broch_bool(keepdim)};
  return broch_opset_call(ops, 220, arguments, 4);
}

/* aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor */
static inline broch_tensor broch_op_sub_scalar(broch_opset* ops, broch_tensor x, broch_value other, broch_value alpha) {
  const broch_value arguments[] = {
      broch_of(x),
      other,
      alpha};
  return broch_opset_call(ops, 221, arguments, 3);
}

/* aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor */
static inline broch_tensor broch_op_sub(broch_opset* ops, broch_tensor x, broch_tensor other, broch_value alpha) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_of(other),
      alpha};
  return broch_opset_call(ops, 222, arguments, 3);
}

/* aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor */
static inline broch_tensor broch_op_sum(broch_opset* ops, broch_tensor x, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_dtype_or_none(dtype)};
  return broch_opset_call(ops, 223, arguments, 2);
}

/* aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor */
static inline broch_tensor broch_op_sum_dim(broch_opset* ops, broch_tensor x, const int64_t* dim, uint32_t dim_count, int keepdim, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints_or_none(dim, dim_count),
      broch_bool(keepdim),
      broch_dtype_or_none(dtype)};
  return broch_opset_call(ops, 224, arguments, 4);
}

/* aten::t(Tensor(a) self) -> Tensor(a) */
static inline broch_tensor broch_op_t(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 225, arguments, 1);
}

/* aten::tan(Tensor self) -> Tensor */
static inline broch_tensor broch_op_tan(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 226, arguments, 1);
}

/* aten::tanh(Tensor self) -> Tensor */
static inline broch_tensor broch_op_tanh(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 227, arguments, 1);
}

/* aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor */
static inline broch_tensor broch_op_threshold(broch_opset* ops, broch_tensor x, broch_value threshold, broch_value value) {
  const broch_value arguments[] = {
      broch_of(x),
      threshold,
      value};
  return broch_opset_call(ops, 228, arguments, 3);
}

/* aten::tile(Tensor self, SymInt[] dims) -> Tensor */
static inline broch_tensor broch_op_tile(broch_opset* ops, broch_tensor x, const int64_t* dims, uint32_t dims_count) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(dims, dims_count)};
  return broch_opset_call(ops, 229, arguments, 2);
}

/* aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a) */
static inline broch_tensor broch_op_to_dtype(broch_opset* ops, broch_tensor x, broch_dtype dtype, int non_blocking, int copy) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_dtype_or_none(dtype),
      broch_bool(non_blocking),
      broch_bool(copy),
      broch_none()};
  return broch_opset_call(ops, 230, arguments, 5);
}

/* aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices) */
static inline void broch_op_topk(broch_opset* ops, broch_tensor x, int64_t k, int64_t dim, int largest, int sorted, broch_tensor results[2] /* out */) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(k),
      broch_int(dim),
      broch_bool(largest),
      broch_bool(sorted)};
  broch_opset_call_n(ops, 231, arguments, 5, results, 2);
}

/* aten::trace(Tensor self) -> Tensor */
static inline broch_tensor broch_op_trace(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 232, arguments, 1);
}

/* aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a) */
static inline broch_tensor broch_op_transpose(broch_opset* ops, broch_tensor x, int64_t dim0, int64_t dim1) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim0),
      broch_int(dim1)};
  return broch_opset_call(ops, 233, arguments, 3);
}

/* aten::tril(Tensor self, SymInt diagonal=0) -> Tensor */
static inline broch_tensor broch_op_tril(broch_opset* ops, broch_tensor x, int64_t diagonal) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(diagonal)};
  return broch_opset_call(ops, 234, arguments, 2);
}

/* aten::triu(Tensor self, SymInt diagonal=0) -> Tensor */
static inline broch_tensor broch_op_triu(broch_opset* ops, broch_tensor x, int64_t diagonal) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(diagonal)};
  return broch_opset_call(ops, 235, arguments, 2);
}

/* aten::trunc(Tensor self) -> Tensor */
static inline broch_tensor broch_op_trunc(broch_opset* ops, broch_tensor x) {
  const broch_value arguments[] = {
      broch_of(x)};
  return broch_opset_call(ops, 236, arguments, 1);
}

/* aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a) */
static inline broch_tensor broch_op_unfold(broch_opset* ops, broch_tensor x, int64_t dimension, int64_t size, int64_t step) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dimension),
      broch_int(size),
      broch_int(step)};
  return broch_opset_call(ops, 237, arguments, 4);
}

/* aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a) */
static inline broch_tensor broch_op_unsqueeze(broch_opset* ops, broch_tensor x, int64_t dim) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_int(dim)};
  return broch_opset_call(ops, 238, arguments, 2);
}

/* aten::upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline broch_tensor broch_op_upsample_bilinear2d(broch_opset* ops, broch_tensor x, const int64_t* output_size, uint32_t output_size_count, int align_corners, broch_value scales_h, broch_value scales_w) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(output_size, output_size_count),
      broch_bool(align_corners),
      scales_h,
      scales_w};
  return broch_opset_call(ops, 239, arguments, 5);
}

/* aten::upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor */
static inline broch_tensor broch_op_upsample_nearest2d(broch_opset* ops, broch_tensor x, const int64_t* output_size, uint32_t output_size_count, broch_value scales_h, broch_value scales_w) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(output_size, output_size_count),
      scales_h,
      scales_w};
  return broch_opset_call(ops, 240, arguments, 4);
}

/* aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor */
static inline broch_tensor broch_op_var(broch_opset* ops, broch_tensor x, const int64_t* dim, uint32_t dim_count, broch_value correction, int keepdim) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints_or_none(dim, dim_count),
      correction,
      broch_bool(keepdim)};
  return broch_opset_call(ops, 241, arguments, 4);
}

/* aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor) */
static inline void broch_op_var_mean(broch_opset* ops, broch_tensor x, const int64_t* dim, uint32_t dim_count, broch_value correction, int keepdim, broch_tensor results[2] /* out */) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints_or_none(dim, dim_count),
      correction,
      broch_bool(keepdim)};
  broch_opset_call_n(ops, 242, arguments, 4, results, 2);
}

/* aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a) */
static inline broch_tensor broch_op_view(broch_opset* ops, broch_tensor x, const int64_t* size, uint32_t size_count) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_ints(size, size_count)};
  return broch_opset_call(ops, 243, arguments, 2);
}

/* aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor */
static inline broch_tensor broch_op_where(broch_opset* ops, broch_tensor condition, broch_tensor x, broch_tensor other) {
  const broch_value arguments[] = {
      broch_of(condition),
      broch_of(x),
      broch_of(other)};
  return broch_opset_call(ops, 244, arguments, 3);
}

/* aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor */
static inline broch_tensor broch_op_zeros(broch_opset* ops, const int64_t* size, uint32_t size_count, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_ints(size, size_count),
      broch_dtype_or_none(dtype),
      broch_none(),
      broch_none(),
      broch_none()};
  return broch_opset_call(ops, 245, arguments, 5);
}

/* aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor */
static inline broch_tensor broch_op_zeros_like(broch_opset* ops, broch_tensor x, broch_dtype dtype) {
  const broch_value arguments[] = {
      broch_of(x),
      broch_dtype_or_none(dtype),
      broch_none(),
      broch_none(),
      broch_none(),
      broch_none()};
  return broch_opset_call(ops, 246, arguments, 6);
}

#endif
