// ops.hpp: broch.opset/1 as C++ methods; made by sdk/opset/generate.py from sdk/opset/opset-1.txt.
// Meaning, shapes and errors of an operator: https://docs.pytorch.org/docs/2.11/torch.html
#pragma once
#include <array>
#include <initializer_list>
#include <vector>

#include "../opset.h"
#include "host.hpp"
#include "tensor.hpp"

namespace broch {
inline namespace v0 {

// A list of sizes or dimensions: {2, 2}, or a vector. {}: the operator's default, or no dimensions.
class Ints {
 public:
  Ints() = default;
  // NOLINTBEGIN(google-explicit-constructor): arguments are written as plain lists
  Ints(std::initializer_list<int64_t> values) : values_(values), given_(true) {}
  Ints(std::vector<int64_t> values) : values_(std::move(values)), given_(true) {}
  // NOLINTEND(google-explicit-constructor)
  const int64_t* data() const { return !given_ ? nullptr : values_.empty() ? &kNothing : values_.data(); }
  uint32_t size() const { return uint32_t(values_.size()); }

 private:
  static constexpr int64_t kNothing = 0;
  std::vector<int64_t> values_;
  bool given_ = false;
};

// A number argument: an int stays an int, so that integer tensors stay integer. {}: not given.
class Scalar {
 public:
  Scalar() : value_(broch_none()) {}
  // NOLINTBEGIN(google-explicit-constructor): arguments are written as plain numbers
  Scalar(int value) : value_(broch_int(value)) {}
  Scalar(int64_t value) : value_(broch_int(value)) {}
  Scalar(double value) : value_(broch_double(value)) {}
  // NOLINTEND(google-explicit-constructor)
  broch_value value() const { return value_; }

 private:
  broch_value value_;
};

// The operators, for one instance. Failures throw Error.
class Ops {
 public:
  explicit Ops(const Host& host) : host_(host) { host.check(broch_opset_init(&opset_, host.c())); }

  Tensor abs(const Tensor& x) {
    return wrap(broch_op_abs(&opset_, x.handle()));
  }
  Tensor acos(const Tensor& x) {
    return wrap(broch_op_acos(&opset_, x.handle()));
  }
  Tensor adaptive_avg_pool2d(const Tensor& x, Ints output_size) {
    return wrap(broch_op_adaptive_avg_pool2d(&opset_, x.handle(), output_size.data(), output_size.size()));
  }
  std::array<Tensor, 2> adaptive_max_pool2d(const Tensor& x, Ints output_size) {
    broch_tensor results[2];
    broch_op_adaptive_max_pool2d(&opset_, x.handle(), output_size.data(), output_size.size(), results);
    return wrap<2>(results);
  }
  Tensor add_scalar(const Tensor& x, Scalar other, Scalar alpha = 1) {
    return wrap(broch_op_add_scalar(&opset_, x.handle(), other.value(), alpha.value()));
  }
  Tensor add(const Tensor& x, Scalar other, Scalar alpha = 1) { return add_scalar(x, other, alpha); }
  Tensor add(const Tensor& x, const Tensor& other, Scalar alpha = 1) {
    return wrap(broch_op_add(&opset_, x.handle(), other.handle(), alpha.value()));
  }
  Tensor addcdiv(const Tensor& x, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1) {
    return wrap(broch_op_addcdiv(&opset_, x.handle(), tensor1.handle(), tensor2.handle(), value.value()));
  }
  Tensor addcmul(const Tensor& x, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1) {
    return wrap(broch_op_addcmul(&opset_, x.handle(), tensor1.handle(), tensor2.handle(), value.value()));
  }
  Tensor addmm(const Tensor& x, const Tensor& mat1, const Tensor& mat2, Scalar beta = 1, Scalar alpha = 1) {
    return wrap(broch_op_addmm(&opset_, x.handle(), mat1.handle(), mat2.handle(), beta.value(), alpha.value()));
  }
  Tensor addmv(const Tensor& x, const Tensor& mat, const Tensor& vec, Scalar beta = 1, Scalar alpha = 1) {
    return wrap(broch_op_addmv(&opset_, x.handle(), mat.handle(), vec.handle(), beta.value(), alpha.value()));
  }
  Tensor all(const Tensor& x) {
    return wrap(broch_op_all(&opset_, x.handle()));
  }
  Tensor all_dim(const Tensor& x, int64_t dim, bool keepdim = false) {
    return wrap(broch_op_all_dim(&opset_, x.handle(), dim, keepdim));
  }
  Tensor amax(const Tensor& x, Ints dim = {}, bool keepdim = false) {
    return wrap(broch_op_amax(&opset_, x.handle(), dim.data(), dim.size(), keepdim));
  }
  Tensor amin(const Tensor& x, Ints dim = {}, bool keepdim = false) {
    return wrap(broch_op_amin(&opset_, x.handle(), dim.data(), dim.size(), keepdim));
  }
  Tensor any(const Tensor& x) {
    return wrap(broch_op_any(&opset_, x.handle()));
  }
  Tensor any_dim(const Tensor& x, int64_t dim, bool keepdim = false) {
    return wrap(broch_op_any_dim(&opset_, x.handle(), dim, keepdim));
  }
  Tensor arange(Scalar end, broch_dtype dtype = 0) {
    return wrap(broch_op_arange(&opset_, end.value(), dtype));
  }
  Tensor arange_from(Scalar start, Scalar end, Scalar step = 1, broch_dtype dtype = 0) {
    return wrap(broch_op_arange_from(&opset_, start.value(), end.value(), step.value(), dtype));
  }
  Tensor argmax(const Tensor& x, Scalar dim = {}, bool keepdim = false) {
    return wrap(broch_op_argmax(&opset_, x.handle(), dim.value(), keepdim));
  }
  Tensor argmin(const Tensor& x, Scalar dim = {}, bool keepdim = false) {
    return wrap(broch_op_argmin(&opset_, x.handle(), dim.value(), keepdim));
  }
  Tensor argsort(const Tensor& x, int64_t dim = -1, bool descending = false) {
    return wrap(broch_op_argsort(&opset_, x.handle(), dim, descending));
  }
  Tensor asin(const Tensor& x) {
    return wrap(broch_op_asin(&opset_, x.handle()));
  }
  Tensor atan(const Tensor& x) {
    return wrap(broch_op_atan(&opset_, x.handle()));
  }
  Tensor atan2(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_atan2(&opset_, x.handle(), other.handle()));
  }
  Tensor avg_pool1d(const Tensor& x, Ints kernel_size, Ints stride = {}, Ints padding = {0}, bool ceil_mode = false, bool count_include_pad = true) {
    return wrap(broch_op_avg_pool1d(&opset_, x.handle(), kernel_size.data(), kernel_size.size(), stride.data(), stride.size(), padding.data(), padding.size(), ceil_mode, count_include_pad));
  }
  Tensor avg_pool2d(const Tensor& x, Ints kernel_size, Ints stride = {}, Ints padding = {0}, bool ceil_mode = false, bool count_include_pad = true, Scalar divisor_override = {}) {
    return wrap(broch_op_avg_pool2d(&opset_, x.handle(), kernel_size.data(), kernel_size.size(), stride.data(), stride.size(), padding.data(), padding.size(), ceil_mode, count_include_pad, divisor_override.value()));
  }
  Tensor baddbmm(const Tensor& x, const Tensor& batch1, const Tensor& batch2, Scalar beta = 1, Scalar alpha = 1) {
    return wrap(broch_op_baddbmm(&opset_, x.handle(), batch1.handle(), batch2.handle(), beta.value(), alpha.value()));
  }
  Tensor bernoulli(const Tensor& x, double p) {
    return wrap(broch_op_bernoulli(&opset_, x.handle(), p));
  }
  Tensor binary_cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight = {}, int64_t reduction = BROCH_REDUCTION_MEAN) {
    return wrap(broch_op_binary_cross_entropy(&opset_, x.handle(), target.handle(), weight.handle(), reduction));
  }
  Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target, const Tensor& weight = {}, const Tensor& pos_weight = {}, int64_t reduction = BROCH_REDUCTION_MEAN) {
    return wrap(broch_op_binary_cross_entropy_with_logits(&opset_, x.handle(), target.handle(), weight.handle(), pos_weight.handle(), reduction));
  }
  Tensor bmm(const Tensor& x, const Tensor& mat2) {
    return wrap(broch_op_bmm(&opset_, x.handle(), mat2.handle()));
  }
  Tensor broadcast_to(const Tensor& x, Ints size) {
    return wrap(broch_op_broadcast_to(&opset_, x.handle(), size.data(), size.size()));
  }
  Tensor bucketize(const Tensor& x, const Tensor& boundaries, bool out_int32 = false, bool right = false) {
    return wrap(broch_op_bucketize(&opset_, x.handle(), boundaries.handle(), out_int32, right));
  }
  Tensor cat(const std::vector<Tensor>& tensors, int64_t dim = 0) {
    return wrap(broch_op_cat(&opset_, handles(tensors).data(), uint32_t(tensors.size()), dim));
  }
  Tensor cdist(const Tensor& x1, const Tensor& x2, double p = 2, Scalar compute_mode = {}) {
    return wrap(broch_op_cdist(&opset_, x1.handle(), x2.handle(), p, compute_mode.value()));
  }
  Tensor ceil(const Tensor& x) {
    return wrap(broch_op_ceil(&opset_, x.handle()));
  }
  Tensor clamp(const Tensor& x, Scalar min = {}, Scalar max = {}) {
    return wrap(broch_op_clamp(&opset_, x.handle(), min.value(), max.value()));
  }
  Tensor clamp_max(const Tensor& x, Scalar max) {
    return wrap(broch_op_clamp_max(&opset_, x.handle(), max.value()));
  }
  Tensor clamp_min(const Tensor& x, Scalar min) {
    return wrap(broch_op_clamp_min(&opset_, x.handle(), min.value()));
  }
  Tensor clone(const Tensor& x) {
    return wrap(broch_op_clone(&opset_, x.handle()));
  }
  Tensor complex(const Tensor& real, const Tensor& imag) {
    return wrap(broch_op_complex(&opset_, real.handle(), imag.handle()));
  }
  Tensor conj(const Tensor& x) {
    return wrap(broch_op_conj(&opset_, x.handle()));
  }
  Tensor constant_pad_nd(const Tensor& x, Ints pad, Scalar value = 0) {
    return wrap(broch_op_constant_pad_nd(&opset_, x.handle(), pad.data(), pad.size(), value.value()));
  }
  Tensor contiguous(const Tensor& x) {
    return wrap(broch_op_contiguous(&opset_, x.handle()));
  }
  Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Ints stride = {1}, Ints padding = {0}, Ints dilation = {1}, int64_t groups = 1) {
    return wrap(broch_op_conv1d(&opset_, x.handle(), weight.handle(), bias.handle(), stride.data(), stride.size(), padding.data(), padding.size(), dilation.data(), dilation.size(), groups));
  }
  Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Ints stride = {1}, Ints padding = {0}, Ints dilation = {1}, int64_t groups = 1) {
    return wrap(broch_op_conv2d(&opset_, x.handle(), weight.handle(), bias.handle(), stride.data(), stride.size(), padding.data(), padding.size(), dilation.data(), dilation.size(), groups));
  }
  Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Ints stride = {1}, Ints padding = {0}, Ints output_padding = {0}, int64_t groups = 1, Ints dilation = {1}) {
    return wrap(broch_op_conv_transpose1d(&opset_, x.handle(), weight.handle(), bias.handle(), stride.data(), stride.size(), padding.data(), padding.size(), output_padding.data(), output_padding.size(), groups, dilation.data(), dilation.size()));
  }
  Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Ints stride = {1}, Ints padding = {0}, Ints output_padding = {0}, int64_t groups = 1, Ints dilation = {1}) {
    return wrap(broch_op_conv_transpose2d(&opset_, x.handle(), weight.handle(), bias.handle(), stride.data(), stride.size(), padding.data(), padding.size(), output_padding.data(), output_padding.size(), groups, dilation.data(), dilation.size()));
  }
  Tensor cos(const Tensor& x) {
    return wrap(broch_op_cos(&opset_, x.handle()));
  }
  Tensor cosh(const Tensor& x) {
    return wrap(broch_op_cosh(&opset_, x.handle()));
  }
  Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim = 1, double eps = 1e-08) {
    return wrap(broch_op_cosine_similarity(&opset_, x1.handle(), x2.handle(), dim, eps));
  }
  Tensor cross_entropy_loss(const Tensor& x, const Tensor& target, const Tensor& weight = {}, int64_t reduction = BROCH_REDUCTION_MEAN, int64_t ignore_index = -100, double label_smoothing = 0.0) {
    return wrap(broch_op_cross_entropy_loss(&opset_, x.handle(), target.handle(), weight.handle(), reduction, ignore_index, label_smoothing));
  }
  Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths, const Tensor& target_lengths, int64_t blank = 0, int64_t reduction = BROCH_REDUCTION_MEAN, bool zero_infinity = false) {
    return wrap(broch_op_ctc_loss(&opset_, log_probs.handle(), targets.handle(), input_lengths.handle(), target_lengths.handle(), blank, reduction, zero_infinity));
  }
  Tensor cumprod(const Tensor& x, int64_t dim, broch_dtype dtype = 0) {
    return wrap(broch_op_cumprod(&opset_, x.handle(), dim, dtype));
  }
  Tensor cumsum(const Tensor& x, int64_t dim, broch_dtype dtype = 0) {
    return wrap(broch_op_cumsum(&opset_, x.handle(), dim, dtype));
  }
  Tensor detach(const Tensor& x) {
    return wrap(broch_op_detach(&opset_, x.handle()));
  }
  Tensor diag_embed(const Tensor& x, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1) {
    return wrap(broch_op_diag_embed(&opset_, x.handle(), offset, dim1, dim2));
  }
  Tensor diagonal(const Tensor& x, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) {
    return wrap(broch_op_diagonal(&opset_, x.handle(), offset, dim1, dim2));
  }
  Tensor div_scalar(const Tensor& x, Scalar other) {
    return wrap(broch_op_div_scalar(&opset_, x.handle(), other.value()));
  }
  Tensor div(const Tensor& x, Scalar other) { return div_scalar(x, other); }
  Tensor div(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_div(&opset_, x.handle(), other.handle()));
  }
  Tensor dot(const Tensor& x, const Tensor& tensor) {
    return wrap(broch_op_dot(&opset_, x.handle(), tensor.handle()));
  }
  Tensor einsum(const char* equation, const std::vector<Tensor>& tensors, Ints path = {}) {
    return wrap(broch_op_einsum(&opset_, equation, handles(tensors).data(), uint32_t(tensors.size()), path.data(), path.size()));
  }
  Tensor elu(const Tensor& x, Scalar alpha = 1, Scalar scale = 1, Scalar input_scale = 1) {
    return wrap(broch_op_elu(&opset_, x.handle(), alpha.value(), scale.value(), input_scale.value()));
  }
  Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding_idx = -1, bool scale_grad_by_freq = false, bool sparse = false) {
    return wrap(broch_op_embedding(&opset_, weight.handle(), indices.handle(), padding_idx, scale_grad_by_freq, sparse));
  }
  Tensor eq_scalar(const Tensor& x, Scalar other) {
    return wrap(broch_op_eq_scalar(&opset_, x.handle(), other.value()));
  }
  Tensor eq(const Tensor& x, Scalar other) { return eq_scalar(x, other); }
  Tensor eq(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_eq(&opset_, x.handle(), other.handle()));
  }
  Tensor erf(const Tensor& x) {
    return wrap(broch_op_erf(&opset_, x.handle()));
  }
  Tensor erfc(const Tensor& x) {
    return wrap(broch_op_erfc(&opset_, x.handle()));
  }
  Tensor exp(const Tensor& x) {
    return wrap(broch_op_exp(&opset_, x.handle()));
  }
  Tensor exp2(const Tensor& x) {
    return wrap(broch_op_exp2(&opset_, x.handle()));
  }
  Tensor expand(const Tensor& x, Ints size, bool implicit = false) {
    return wrap(broch_op_expand(&opset_, x.handle(), size.data(), size.size(), implicit));
  }
  Tensor expand_as(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_expand_as(&opset_, x.handle(), other.handle()));
  }
  Tensor expm1(const Tensor& x) {
    return wrap(broch_op_expm1(&opset_, x.handle()));
  }
  Tensor eye(int64_t n, broch_dtype dtype = 0) {
    return wrap(broch_op_eye(&opset_, n, dtype));
  }
  Tensor flatten(const Tensor& x, int64_t start_dim = 0, int64_t end_dim = -1) {
    return wrap(broch_op_flatten(&opset_, x.handle(), start_dim, end_dim));
  }
  Tensor flip(const Tensor& x, Ints dims) {
    return wrap(broch_op_flip(&opset_, x.handle(), dims.data(), dims.size()));
  }
  Tensor floor(const Tensor& x) {
    return wrap(broch_op_floor(&opset_, x.handle()));
  }
  Tensor floor_divide(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_floor_divide(&opset_, x.handle(), other.handle()));
  }
  Tensor fmod_scalar(const Tensor& x, Scalar other) {
    return wrap(broch_op_fmod_scalar(&opset_, x.handle(), other.value()));
  }
  Tensor fmod(const Tensor& x, Scalar other) { return fmod_scalar(x, other); }
  Tensor fmod(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_fmod(&opset_, x.handle(), other.handle()));
  }
  Tensor frac(const Tensor& x) {
    return wrap(broch_op_frac(&opset_, x.handle()));
  }
  Tensor full(Ints size, Scalar fill_value, broch_dtype dtype = 0) {
    return wrap(broch_op_full(&opset_, size.data(), size.size(), fill_value.value(), dtype));
  }
  Tensor full_like(const Tensor& x, Scalar fill_value, broch_dtype dtype = 0) {
    return wrap(broch_op_full_like(&opset_, x.handle(), fill_value.value(), dtype));
  }
  Tensor gather(const Tensor& x, int64_t dim, const Tensor& index, bool sparse_grad = false) {
    return wrap(broch_op_gather(&opset_, x.handle(), dim, index.handle(), sparse_grad));
  }
  Tensor ge_scalar(const Tensor& x, Scalar other) {
    return wrap(broch_op_ge_scalar(&opset_, x.handle(), other.value()));
  }
  Tensor ge(const Tensor& x, Scalar other) { return ge_scalar(x, other); }
  Tensor ge(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_ge(&opset_, x.handle(), other.handle()));
  }
  Tensor gelu(const Tensor& x, const char* approximate = "none") {
    return wrap(broch_op_gelu(&opset_, x.handle(), approximate));
  }
  Tensor glu(const Tensor& x, int64_t dim = -1) {
    return wrap(broch_op_glu(&opset_, x.handle(), dim));
  }
  Tensor grid_sampler_2d(const Tensor& x, const Tensor& grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners) {
    return wrap(broch_op_grid_sampler_2d(&opset_, x.handle(), grid.handle(), interpolation_mode, padding_mode, align_corners));
  }
  Tensor group_norm(const Tensor& x, int64_t num_groups, const Tensor& weight = {}, const Tensor& bias = {}, double eps = 1e-05, bool cudnn_enabled = true) {
    return wrap(broch_op_group_norm(&opset_, x.handle(), num_groups, weight.handle(), bias.handle(), eps, cudnn_enabled));
  }
  Tensor gru_cell(const Tensor& x, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih = {}, const Tensor& b_hh = {}) {
    return wrap(broch_op_gru_cell(&opset_, x.handle(), hx.handle(), w_ih.handle(), w_hh.handle(), b_ih.handle(), b_hh.handle()));
  }
  Tensor gt_scalar(const Tensor& x, Scalar other) {
    return wrap(broch_op_gt_scalar(&opset_, x.handle(), other.value()));
  }
  Tensor gt(const Tensor& x, Scalar other) { return gt_scalar(x, other); }
  Tensor gt(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_gt(&opset_, x.handle(), other.handle()));
  }
  Tensor hardsigmoid(const Tensor& x) {
    return wrap(broch_op_hardsigmoid(&opset_, x.handle()));
  }
  Tensor hardswish(const Tensor& x) {
    return wrap(broch_op_hardswish(&opset_, x.handle()));
  }
  Tensor hardtanh(const Tensor& x, Scalar min_val = -1, Scalar max_val = 1) {
    return wrap(broch_op_hardtanh(&opset_, x.handle(), min_val.value(), max_val.value()));
  }
  Tensor huber_loss(const Tensor& x, const Tensor& target, int64_t reduction = BROCH_REDUCTION_MEAN, double delta = 1.0) {
    return wrap(broch_op_huber_loss(&opset_, x.handle(), target.handle(), reduction, delta));
  }
  Tensor imag(const Tensor& x) {
    return wrap(broch_op_imag(&opset_, x.handle()));
  }
  Tensor index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha = 1) {
    return wrap(broch_op_index_add(&opset_, x.handle(), dim, index.handle(), source.handle(), alpha.value()));
  }
  Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index) {
    return wrap(broch_op_index_select(&opset_, x.handle(), dim, index.handle()));
  }
  Tensor isclose(const Tensor& x, const Tensor& other, double rtol = 1e-05, double atol = 1e-08, bool equal_nan = false) {
    return wrap(broch_op_isclose(&opset_, x.handle(), other.handle(), rtol, atol, equal_nan));
  }
  Tensor isfinite(const Tensor& x) {
    return wrap(broch_op_isfinite(&opset_, x.handle()));
  }
  Tensor isinf(const Tensor& x) {
    return wrap(broch_op_isinf(&opset_, x.handle()));
  }
  Tensor isnan(const Tensor& x) {
    return wrap(broch_op_isnan(&opset_, x.handle()));
  }
  Tensor kl_div(const Tensor& x, const Tensor& target, int64_t reduction = BROCH_REDUCTION_MEAN, bool log_target = false) {
    return wrap(broch_op_kl_div(&opset_, x.handle(), target.handle(), reduction, log_target));
  }
  Tensor l1_loss(const Tensor& x, const Tensor& target, int64_t reduction = BROCH_REDUCTION_MEAN) {
    return wrap(broch_op_l1_loss(&opset_, x.handle(), target.handle(), reduction));
  }
  Tensor layer_norm(const Tensor& x, Ints normalized_shape, const Tensor& weight = {}, const Tensor& bias = {}, double eps = 1e-05, bool cudnn_enable = true) {
    return wrap(broch_op_layer_norm(&opset_, x.handle(), normalized_shape.data(), normalized_shape.size(), weight.handle(), bias.handle(), eps, cudnn_enable));
  }
  Tensor le_scalar(const Tensor& x, Scalar other) {
    return wrap(broch_op_le_scalar(&opset_, x.handle(), other.value()));
  }
  Tensor le(const Tensor& x, Scalar other) { return le_scalar(x, other); }
  Tensor le(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_le(&opset_, x.handle(), other.handle()));
  }
  Tensor leaky_relu(const Tensor& x, Scalar negative_slope = 0.01) {
    return wrap(broch_op_leaky_relu(&opset_, x.handle(), negative_slope.value()));
  }
  Tensor lerp_scalar(const Tensor& x, const Tensor& end, Scalar weight) {
    return wrap(broch_op_lerp_scalar(&opset_, x.handle(), end.handle(), weight.value()));
  }
  Tensor lerp(const Tensor& x, const Tensor& end, Scalar weight) { return lerp_scalar(x, end, weight); }
  Tensor lerp(const Tensor& x, const Tensor& end, const Tensor& weight) {
    return wrap(broch_op_lerp(&opset_, x.handle(), end.handle(), weight.handle()));
  }
  Tensor lgamma(const Tensor& x) {
    return wrap(broch_op_lgamma(&opset_, x.handle()));
  }
  Tensor linalg_cholesky(const Tensor& x, bool upper = false) {
    return wrap(broch_op_linalg_cholesky(&opset_, x.handle(), upper));
  }
  Tensor linalg_cross(const Tensor& x, const Tensor& other, int64_t dim = -1) {
    return wrap(broch_op_linalg_cross(&opset_, x.handle(), other.handle(), dim));
  }
  Tensor linalg_det(const Tensor& A) {
    return wrap(broch_op_linalg_det(&opset_, A.handle()));
  }
  Tensor linalg_inv(const Tensor& A) {
    return wrap(broch_op_linalg_inv(&opset_, A.handle()));
  }
  Tensor linalg_solve(const Tensor& A, const Tensor& B, bool left = true) {
    return wrap(broch_op_linalg_solve(&opset_, A.handle(), B.handle(), left));
  }
  Tensor linalg_vector_norm(const Tensor& x, Scalar ord = 2, Ints dim = {}, bool keepdim = false, broch_dtype dtype = 0) {
    return wrap(broch_op_linalg_vector_norm(&opset_, x.handle(), ord.value(), dim.data(), dim.size(), keepdim, dtype));
  }
  Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {}) {
    return wrap(broch_op_linear(&opset_, x.handle(), weight.handle(), bias.handle()));
  }
  Tensor linspace(Scalar start, Scalar end, int64_t steps, broch_dtype dtype = 0) {
    return wrap(broch_op_linspace(&opset_, start.value(), end.value(), steps, dtype));
  }
  Tensor log(const Tensor& x) {
    return wrap(broch_op_log(&opset_, x.handle()));
  }
  Tensor log10(const Tensor& x) {
    return wrap(broch_op_log10(&opset_, x.handle()));
  }
  Tensor log1p(const Tensor& x) {
    return wrap(broch_op_log1p(&opset_, x.handle()));
  }
  Tensor log2(const Tensor& x) {
    return wrap(broch_op_log2(&opset_, x.handle()));
  }
  Tensor log_sigmoid(const Tensor& x) {
    return wrap(broch_op_log_sigmoid(&opset_, x.handle()));
  }
  Tensor log_softmax(const Tensor& x, int64_t dim, broch_dtype dtype = 0) {
    return wrap(broch_op_log_softmax(&opset_, x.handle(), dim, dtype));
  }
  Tensor logaddexp(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_logaddexp(&opset_, x.handle(), other.handle()));
  }
  Tensor logical_and(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_logical_and(&opset_, x.handle(), other.handle()));
  }
  Tensor logical_not(const Tensor& x) {
    return wrap(broch_op_logical_not(&opset_, x.handle()));
  }
  Tensor logical_or(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_logical_or(&opset_, x.handle(), other.handle()));
  }
  Tensor logical_xor(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_logical_xor(&opset_, x.handle(), other.handle()));
  }
  Tensor logsumexp(const Tensor& x, Ints dim, bool keepdim = false) {
    return wrap(broch_op_logsumexp(&opset_, x.handle(), dim.data(), dim.size(), keepdim));
  }
  std::array<Tensor, 2> lstm_cell(const Tensor& x, const std::vector<Tensor>& hx, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih = {}, const Tensor& b_hh = {}) {
    broch_tensor results[2];
    broch_op_lstm_cell(&opset_, x.handle(), handles(hx).data(), uint32_t(hx.size()), w_ih.handle(), w_hh.handle(), b_ih.handle(), b_hh.handle(), results);
    return wrap<2>(results);
  }
  Tensor lt_scalar(const Tensor& x, Scalar other) {
    return wrap(broch_op_lt_scalar(&opset_, x.handle(), other.value()));
  }
  Tensor lt(const Tensor& x, Scalar other) { return lt_scalar(x, other); }
  Tensor lt(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_lt(&opset_, x.handle(), other.handle()));
  }
  Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value) {
    return wrap(broch_op_masked_fill(&opset_, x.handle(), mask.handle(), value.value()));
  }
  Tensor masked_select(const Tensor& x, const Tensor& mask) {
    return wrap(broch_op_masked_select(&opset_, x.handle(), mask.handle()));
  }
  Tensor matmul(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_matmul(&opset_, x.handle(), other.handle()));
  }
  Tensor max(const Tensor& x) {
    return wrap(broch_op_max(&opset_, x.handle()));
  }
  std::array<Tensor, 2> max_dim(const Tensor& x, int64_t dim, bool keepdim = false) {
    broch_tensor results[2];
    broch_op_max_dim(&opset_, x.handle(), dim, keepdim, results);
    return wrap<2>(results);
  }
  Tensor max_pool1d(const Tensor& x, Ints kernel_size, Ints stride = {}, Ints padding = {0}, Ints dilation = {1}, bool ceil_mode = false) {
    return wrap(broch_op_max_pool1d(&opset_, x.handle(), kernel_size.data(), kernel_size.size(), stride.data(), stride.size(), padding.data(), padding.size(), dilation.data(), dilation.size(), ceil_mode));
  }
  Tensor max_pool2d(const Tensor& x, Ints kernel_size, Ints stride = {}, Ints padding = {0}, Ints dilation = {1}, bool ceil_mode = false) {
    return wrap(broch_op_max_pool2d(&opset_, x.handle(), kernel_size.data(), kernel_size.size(), stride.data(), stride.size(), padding.data(), padding.size(), dilation.data(), dilation.size(), ceil_mode));
  }
  Tensor maximum(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_maximum(&opset_, x.handle(), other.handle()));
  }
  Tensor mean(const Tensor& x, broch_dtype dtype = 0) {
    return wrap(broch_op_mean(&opset_, x.handle(), dtype));
  }
  Tensor mean_dim(const Tensor& x, Ints dim, bool keepdim = false, broch_dtype dtype = 0) {
    return wrap(broch_op_mean_dim(&opset_, x.handle(), dim.data(), dim.size(), keepdim, dtype));
  }
  Tensor min(const Tensor& x) {
    return wrap(broch_op_min(&opset_, x.handle()));
  }
  std::array<Tensor, 2> min_dim(const Tensor& x, int64_t dim, bool keepdim = false) {
    broch_tensor results[2];
    broch_op_min_dim(&opset_, x.handle(), dim, keepdim, results);
    return wrap<2>(results);
  }
  Tensor minimum(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_minimum(&opset_, x.handle(), other.handle()));
  }
  Tensor mish(const Tensor& x) {
    return wrap(broch_op_mish(&opset_, x.handle()));
  }
  Tensor mm(const Tensor& x, const Tensor& mat2) {
    return wrap(broch_op_mm(&opset_, x.handle(), mat2.handle()));
  }
  Tensor movedim(const Tensor& x, Ints source, Ints destination) {
    return wrap(broch_op_movedim(&opset_, x.handle(), source.data(), source.size(), destination.data(), destination.size()));
  }
  Tensor mse_loss(const Tensor& x, const Tensor& target, int64_t reduction = BROCH_REDUCTION_MEAN) {
    return wrap(broch_op_mse_loss(&opset_, x.handle(), target.handle(), reduction));
  }
  Tensor mul_scalar(const Tensor& x, Scalar other) {
    return wrap(broch_op_mul_scalar(&opset_, x.handle(), other.value()));
  }
  Tensor mul(const Tensor& x, Scalar other) { return mul_scalar(x, other); }
  Tensor mul(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_mul(&opset_, x.handle(), other.handle()));
  }
  Tensor multinomial(const Tensor& x, int64_t num_samples, bool replacement = false) {
    return wrap(broch_op_multinomial(&opset_, x.handle(), num_samples, replacement));
  }
  Tensor mv(const Tensor& x, const Tensor& vec) {
    return wrap(broch_op_mv(&opset_, x.handle(), vec.handle()));
  }
  Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length) {
    return wrap(broch_op_narrow(&opset_, x.handle(), dim, start, length));
  }
  std::array<Tensor, 3> native_batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean, const Tensor& running_var, bool training, double momentum, double eps) {
    broch_tensor results[3];
    broch_op_native_batch_norm(&opset_, x.handle(), weight.handle(), bias.handle(), running_mean.handle(), running_var.handle(), training, momentum, eps, results);
    return wrap<3>(results);
  }
  Tensor ne_scalar(const Tensor& x, Scalar other) {
    return wrap(broch_op_ne_scalar(&opset_, x.handle(), other.value()));
  }
  Tensor ne(const Tensor& x, Scalar other) { return ne_scalar(x, other); }
  Tensor ne(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_ne(&opset_, x.handle(), other.handle()));
  }
  Tensor neg(const Tensor& x) {
    return wrap(broch_op_neg(&opset_, x.handle()));
  }
  Tensor nll_loss(const Tensor& x, const Tensor& target, const Tensor& weight = {}, int64_t reduction = BROCH_REDUCTION_MEAN, int64_t ignore_index = -100) {
    return wrap(broch_op_nll_loss(&opset_, x.handle(), target.handle(), weight.handle(), reduction, ignore_index));
  }
  Tensor nonzero(const Tensor& x) {
    return wrap(broch_op_nonzero(&opset_, x.handle()));
  }
  Tensor normal_like(const Tensor& x, double mean = 0, double std = 1) {
    return wrap(broch_op_normal_like(&opset_, x.handle(), mean, std));
  }
  Tensor ones(Ints size, broch_dtype dtype = 0) {
    return wrap(broch_op_ones(&opset_, size.data(), size.size(), dtype));
  }
  Tensor ones_like(const Tensor& x, broch_dtype dtype = 0) {
    return wrap(broch_op_ones_like(&opset_, x.handle(), dtype));
  }
  Tensor outer(const Tensor& x, const Tensor& vec2) {
    return wrap(broch_op_outer(&opset_, x.handle(), vec2.handle()));
  }
  Tensor pad(const Tensor& x, Ints pad, const char* mode = "constant", Scalar value = {}) {
    return wrap(broch_op_pad(&opset_, x.handle(), pad.data(), pad.size(), mode, value.value()));
  }
  Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p = 2, double eps = 1e-06, bool keepdim = false) {
    return wrap(broch_op_pairwise_distance(&opset_, x1.handle(), x2.handle(), p, eps, keepdim));
  }
  Tensor permute(const Tensor& x, Ints dims) {
    return wrap(broch_op_permute(&opset_, x.handle(), dims.data(), dims.size()));
  }
  Tensor pixel_shuffle(const Tensor& x, int64_t upscale_factor) {
    return wrap(broch_op_pixel_shuffle(&opset_, x.handle(), upscale_factor));
  }
  Tensor pixel_unshuffle(const Tensor& x, int64_t downscale_factor) {
    return wrap(broch_op_pixel_unshuffle(&opset_, x.handle(), downscale_factor));
  }
  Tensor poisson_nll_loss(const Tensor& x, const Tensor& target, bool log_input, bool full, double eps, int64_t reduction) {
    return wrap(broch_op_poisson_nll_loss(&opset_, x.handle(), target.handle(), log_input, full, eps, reduction));
  }
  Tensor pow_scalar(const Tensor& x, Scalar exponent) {
    return wrap(broch_op_pow_scalar(&opset_, x.handle(), exponent.value()));
  }
  Tensor pow(const Tensor& x, Scalar exponent) { return pow_scalar(x, exponent); }
  Tensor pow(const Tensor& x, const Tensor& exponent) {
    return wrap(broch_op_pow(&opset_, x.handle(), exponent.handle()));
  }
  Tensor prelu(const Tensor& x, const Tensor& weight) {
    return wrap(broch_op_prelu(&opset_, x.handle(), weight.handle()));
  }
  Tensor prod(const Tensor& x, broch_dtype dtype = 0) {
    return wrap(broch_op_prod(&opset_, x.handle(), dtype));
  }
  Tensor prod_dim(const Tensor& x, int64_t dim, bool keepdim = false, broch_dtype dtype = 0) {
    return wrap(broch_op_prod_dim(&opset_, x.handle(), dim, keepdim, dtype));
  }
  Tensor rand(Ints size, broch_dtype dtype = 0) {
    return wrap(broch_op_rand(&opset_, size.data(), size.size(), dtype));
  }
  Tensor rand_like(const Tensor& x, broch_dtype dtype = 0) {
    return wrap(broch_op_rand_like(&opset_, x.handle(), dtype));
  }
  Tensor randn(Ints size, broch_dtype dtype = 0) {
    return wrap(broch_op_randn(&opset_, size.data(), size.size(), dtype));
  }
  Tensor randn_like(const Tensor& x, broch_dtype dtype = 0) {
    return wrap(broch_op_randn_like(&opset_, x.handle(), dtype));
  }
  Tensor real(const Tensor& x) {
    return wrap(broch_op_real(&opset_, x.handle()));
  }
  Tensor reciprocal(const Tensor& x) {
    return wrap(broch_op_reciprocal(&opset_, x.handle()));
  }
  Tensor reflection_pad2d(const Tensor& x, Ints padding) {
    return wrap(broch_op_reflection_pad2d(&opset_, x.handle(), padding.data(), padding.size()));
  }
  Tensor relu(const Tensor& x) {
    return wrap(broch_op_relu(&opset_, x.handle()));
  }
  Tensor relu6(const Tensor& x) {
    return wrap(broch_op_relu6(&opset_, x.handle()));
  }
  Tensor remainder_scalar(const Tensor& x, Scalar other) {
    return wrap(broch_op_remainder_scalar(&opset_, x.handle(), other.value()));
  }
  Tensor remainder(const Tensor& x, Scalar other) { return remainder_scalar(x, other); }
  Tensor remainder(const Tensor& x, const Tensor& other) {
    return wrap(broch_op_remainder(&opset_, x.handle(), other.handle()));
  }
  Tensor repeat(const Tensor& x, Ints repeats) {
    return wrap(broch_op_repeat(&opset_, x.handle(), repeats.data(), repeats.size()));
  }
  Tensor replication_pad2d(const Tensor& x, Ints padding) {
    return wrap(broch_op_replication_pad2d(&opset_, x.handle(), padding.data(), padding.size()));
  }
  Tensor reshape(const Tensor& x, Ints shape) {
    return wrap(broch_op_reshape(&opset_, x.handle(), shape.data(), shape.size()));
  }
  Tensor rms_norm(const Tensor& x, Ints normalized_shape, const Tensor& weight = {}, Scalar eps = {}) {
    return wrap(broch_op_rms_norm(&opset_, x.handle(), normalized_shape.data(), normalized_shape.size(), weight.handle(), eps.value()));
  }
  Tensor rnn_tanh_cell(const Tensor& x, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih = {}, const Tensor& b_hh = {}) {
    return wrap(broch_op_rnn_tanh_cell(&opset_, x.handle(), hx.handle(), w_ih.handle(), w_hh.handle(), b_ih.handle(), b_hh.handle()));
  }
  Tensor roll(const Tensor& x, Ints shifts, Ints dims = {}) {
    return wrap(broch_op_roll(&opset_, x.handle(), shifts.data(), shifts.size(), dims.data(), dims.size()));
  }
  Tensor round(const Tensor& x) {
    return wrap(broch_op_round(&opset_, x.handle()));
  }
  Tensor rsqrt(const Tensor& x) {
    return wrap(broch_op_rsqrt(&opset_, x.handle()));
  }
  Tensor rsub_scalar(const Tensor& x, Scalar other, Scalar alpha = 1) {
    return wrap(broch_op_rsub_scalar(&opset_, x.handle(), other.value(), alpha.value()));
  }
  Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& attn_mask = {}, double dropout_p = 0.0, bool is_causal = false, Scalar scale = {}, bool enable_gqa = false) {
    return wrap(broch_op_scaled_dot_product_attention(&opset_, query.handle(), key.handle(), value.handle(), attn_mask.handle(), dropout_p, is_causal, scale.value(), enable_gqa));
  }
  Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
    return wrap(broch_op_scatter(&opset_, x.handle(), dim, index.handle(), src.handle()));
  }
  Tensor scatter_value(const Tensor& x, int64_t dim, const Tensor& index, Scalar value) {
    return wrap(broch_op_scatter_value(&opset_, x.handle(), dim, index.handle(), value.value()));
  }
  Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
    return wrap(broch_op_scatter_add(&opset_, x.handle(), dim, index.handle(), src.handle()));
  }
  Tensor select(const Tensor& x, int64_t dim, int64_t index) {
    return wrap(broch_op_select(&opset_, x.handle(), dim, index));
  }
  Tensor selu(const Tensor& x) {
    return wrap(broch_op_selu(&opset_, x.handle()));
  }
  Tensor sigmoid(const Tensor& x) {
    return wrap(broch_op_sigmoid(&opset_, x.handle()));
  }
  Tensor sign(const Tensor& x) {
    return wrap(broch_op_sign(&opset_, x.handle()));
  }
  Tensor silu(const Tensor& x) {
    return wrap(broch_op_silu(&opset_, x.handle()));
  }
  Tensor sin(const Tensor& x) {
    return wrap(broch_op_sin(&opset_, x.handle()));
  }
  Tensor sinh(const Tensor& x) {
    return wrap(broch_op_sinh(&opset_, x.handle()));
  }
  Tensor slice(const Tensor& x, int64_t dim = 0, Scalar start = {}, Scalar end = {}, int64_t step = 1) {
    return wrap(broch_op_slice(&opset_, x.handle(), dim, start.value(), end.value(), step));
  }
  Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, int64_t reduction = BROCH_REDUCTION_MEAN, double beta = 1.0) {
    return wrap(broch_op_smooth_l1_loss(&opset_, x.handle(), target.handle(), reduction, beta));
  }
  Tensor softmax(const Tensor& x, int64_t dim, broch_dtype dtype = 0) {
    return wrap(broch_op_softmax(&opset_, x.handle(), dim, dtype));
  }
  Tensor softplus(const Tensor& x, Scalar beta = 1, Scalar threshold = 20) {
    return wrap(broch_op_softplus(&opset_, x.handle(), beta.value(), threshold.value()));
  }
  std::array<Tensor, 2> sort(const Tensor& x, int64_t dim = -1, bool descending = false) {
    broch_tensor results[2];
    broch_op_sort(&opset_, x.handle(), dim, descending, results);
    return wrap<2>(results);
  }
  Tensor sqrt(const Tensor& x) {
    return wrap(broch_op_sqrt(&opset_, x.handle()));
  }
  Tensor square(const Tensor& x) {
    return wrap(broch_op_square(&opset_, x.handle()));
  }
  Tensor squeeze_all(const Tensor& x) {
    return wrap(broch_op_squeeze_all(&opset_, x.handle()));
  }
  Tensor squeeze(const Tensor& x, int64_t dim) {
    return wrap(broch_op_squeeze(&opset_, x.handle(), dim));
  }
  Tensor stack(const std::vector<Tensor>& tensors, int64_t dim = 0) {
    return wrap(broch_op_stack(&opset_, handles(tensors).data(), uint32_t(tensors.size()), dim));
  }
  Tensor std(const Tensor& x, Ints dim = {}, Scalar correction = {}, bool keepdim = false) {
    return wrap(broch_op_std(&opset_, x.handle(), dim.data(), dim.size(), correction.value(), keepdim));
  }
  Tensor sub_scalar(const Tensor& x, Scalar other, Scalar alpha = 1) {
    return wrap(broch_op_sub_scalar(&opset_, x.handle(), other.value(), alpha.value()));
  }
  Tensor sub(const Tensor& x, Scalar other, Scalar alpha = 1) { return sub_scalar(x, other, alpha); }
  Tensor sub(const Tensor& x, const Tensor& other, Scalar alpha = 1) {
    return wrap(broch_op_sub(&opset_, x.handle(), other.handle(), alpha.value()));
  }
  Tensor sum(const Tensor& x, broch_dtype dtype = 0) {
    return wrap(broch_op_sum(&opset_, x.handle(), dtype));
  }
  Tensor sum_dim(const Tensor& x, Ints dim, bool keepdim = false, broch_dtype dtype = 0) {
    return wrap(broch_op_sum_dim(&opset_, x.handle(), dim.data(), dim.size(), keepdim, dtype));
  }
  Tensor t(const Tensor& x) {
    return wrap(broch_op_t(&opset_, x.handle()));
  }
  Tensor tan(const Tensor& x) {
    return wrap(broch_op_tan(&opset_, x.handle()));
  }
  Tensor tanh(const Tensor& x) {
    return wrap(broch_op_tanh(&opset_, x.handle()));
  }
  Tensor threshold(const Tensor& x, Scalar threshold, Scalar value) {
    return wrap(broch_op_threshold(&opset_, x.handle(), threshold.value(), value.value()));
  }
  Tensor tile(const Tensor& x, Ints dims) {
    return wrap(broch_op_tile(&opset_, x.handle(), dims.data(), dims.size()));
  }
  Tensor to_dtype(const Tensor& x, broch_dtype dtype, bool non_blocking = false, bool copy = false) {
    return wrap(broch_op_to_dtype(&opset_, x.handle(), dtype, non_blocking, copy));
  }
  std::array<Tensor, 2> topk(const Tensor& x, int64_t k, int64_t dim = -1, bool largest = true, bool sorted = true) {
    broch_tensor results[2];
    broch_op_topk(&opset_, x.handle(), k, dim, largest, sorted, results);
    return wrap<2>(results);
  }
  Tensor trace(const Tensor& x) {
    return wrap(broch_op_trace(&opset_, x.handle()));
  }
  Tensor transpose(const Tensor& x, int64_t dim0, int64_t dim1) {
    return wrap(broch_op_transpose(&opset_, x.handle(), dim0, dim1));
  }
  Tensor tril(const Tensor& x, int64_t diagonal = 0) {
    return wrap(broch_op_tril(&opset_, x.handle(), diagonal));
  }
  Tensor triu(const Tensor& x, int64_t diagonal = 0) {
    return wrap(broch_op_triu(&opset_, x.handle(), diagonal));
  }
  Tensor trunc(const Tensor& x) {
    return wrap(broch_op_trunc(&opset_, x.handle()));
  }
  Tensor unfold(const Tensor& x, int64_t dimension, int64_t size, int64_t step) {
    return wrap(broch_op_unfold(&opset_, x.handle(), dimension, size, step));
  }
  Tensor unsqueeze(const Tensor& x, int64_t dim) {
    return wrap(broch_op_unsqueeze(&opset_, x.handle(), dim));
  }
  Tensor upsample_bilinear2d(const Tensor& x, Ints output_size, bool align_corners, Scalar scales_h = {}, Scalar scales_w = {}) {
    return wrap(broch_op_upsample_bilinear2d(&opset_, x.handle(), output_size.data(), output_size.size(), align_corners, scales_h.value(), scales_w.value()));
  }
  Tensor upsample_nearest2d(const Tensor& x, Ints output_size, Scalar scales_h = {}, Scalar scales_w = {}) {
    return wrap(broch_op_upsample_nearest2d(&opset_, x.handle(), output_size.data(), output_size.size(), scales_h.value(), scales_w.value()));
  }
  Tensor var(const Tensor& x, Ints dim = {}, Scalar correction = {}, bool keepdim = false) {
    return wrap(broch_op_var(&opset_, x.handle(), dim.data(), dim.size(), correction.value(), keepdim));
  }
  std::array<Tensor, 2> var_mean(const Tensor& x, Ints dim = {}, Scalar correction = {}, bool keepdim = false) {
    broch_tensor results[2];
    broch_op_var_mean(&opset_, x.handle(), dim.data(), dim.size(), correction.value(), keepdim, results);
    return wrap<2>(results);
  }
  Tensor view(const Tensor& x, Ints size) {
    return wrap(broch_op_view(&opset_, x.handle(), size.data(), size.size()));
  }
  Tensor where(const Tensor& condition, const Tensor& x, const Tensor& other) {
    return wrap(broch_op_where(&opset_, condition.handle(), x.handle(), other.handle()));
  }
  Tensor zeros(Ints size, broch_dtype dtype = 0) {
    return wrap(broch_op_zeros(&opset_, size.data(), size.size(), dtype));
  }
  Tensor zeros_like(const Tensor& x, broch_dtype dtype = 0) {
    return wrap(broch_op_zeros_like(&opset_, x.handle(), dtype));
  }

 private:
  Tensor wrap(broch_tensor handle) {
    host_.check(broch_opset_status(&opset_));
    return Tensor(this, handle);
  }
  template <size_t N>
  std::array<Tensor, N> wrap(const broch_tensor (&handles)[N]) {
    host_.check(broch_opset_status(&opset_));
    std::array<Tensor, N> tensors;
    for (size_t i = 0; i < N; ++i) tensors[i] = Tensor(this, handles[i]);
    return tensors;
  }
  static std::vector<broch_tensor> handles(const std::vector<Tensor>& tensors) {
    std::vector<broch_tensor> list;
    for (const Tensor& tensor : tensors) list.push_back(tensor.handle());
    return list;
  }

  Host host_;
  broch_opset opset_;
};

inline Tensor operator+(const Tensor& a, const Tensor& b) { return a.ops().add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return a.ops().sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return a.ops().mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return a.ops().div(a, b); }
inline Tensor operator+(const Tensor& a, Scalar b) { return a.ops().add_scalar(a, b); }
inline Tensor operator-(const Tensor& a, Scalar b) { return a.ops().sub_scalar(a, b); }
inline Tensor operator*(const Tensor& a, Scalar b) { return a.ops().mul_scalar(a, b); }
inline Tensor operator/(const Tensor& a, Scalar b) { return a.ops().div_scalar(a, b); }
inline Tensor operator*(Scalar a, const Tensor& b) { return b.ops().mul_scalar(b, a); }
inline Tensor operator+(Scalar a, const Tensor& b) { return b.ops().add_scalar(b, a); }
inline Tensor operator-(Scalar a, const Tensor& b) { return b.ops().rsub_scalar(b, a); }
inline Tensor operator-(const Tensor& a) { return a.ops().neg(a); }

}  // namespace v0
}  // namespace broch
