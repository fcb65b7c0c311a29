//! The operators of broch.opset/1, made by sdk/rust/generate.py from sdk/opset/opset-1.txt.
use crate::tensor::*;

/// The schemas of the operators, each with a NUL at its end.
pub(crate) static SCHEMAS: &[&[u8]] = &[
    b"aten::abs(Tensor self) -> Tensor\0",
    b"aten::acos(Tensor self) -> Tensor\0",
    b"aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor\0",
    b"aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)\0",
    b"aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor\0",
    b"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\0",
    b"aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor\0",
    b"aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor\0",
    b"aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor\0",
    b"aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor\0",
    b"aten::all(Tensor self) -> Tensor\0",
    b"aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor\0",
    b"aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor\0",
    b"aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor\0",
    b"aten::any(Tensor self) -> Tensor\0",
    b"aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor\0",
    b"aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\0",
    b"aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\0",
    b"aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor\0",
    b"aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor\0",
    b"aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor\0",
    b"aten::asin(Tensor self) -> Tensor\0",
    b"aten::atan(Tensor self) -> Tensor\0",
    b"aten::atan2(Tensor self, Tensor other) -> Tensor\0",
    b"aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, bool count_include_pad=True) -> Tensor\0",
    b"aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor\0",
    b"aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor\0",
    b"aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor\0",
    b"aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean) -> Tensor\0",
    b"aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=Mean) -> Tensor\0",
    b"aten::bmm(Tensor self, Tensor mat2) -> Tensor\0",
    b"aten::broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)\0",
    b"aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor\0",
    b"aten::cat(Tensor[] tensors, int dim=0) -> Tensor\0",
    b"aten::cdist(Tensor x1, Tensor x2, float p=2, int? compute_mode=None) -> Tensor\0",
    b"aten::ceil(Tensor self) -> Tensor\0",
    b"aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor\0",
    b"aten::clamp_max(Tensor self, Scalar max) -> Tensor\0",
    b"aten::clamp_min(Tensor self, Scalar min) -> Tensor\0",
    b"aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor\0",
    b"aten::complex(Tensor real, Tensor imag) -> Tensor\0",
    b"aten::conj(Tensor(a) self) -> Tensor(a)\0",
    b"aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor\0",
    b"aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)\0",
    b"aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0, SymInt[1] dilation=1, SymInt groups=1) -> Tensor\0",
    b"aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] dilation=1, SymInt groups=1) -> Tensor\0",
    b"aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0, SymInt[1] output_padding=0, SymInt groups=1, SymInt[1] dilation=1) -> Tensor\0",
    b"aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] output_padding=0, SymInt groups=1, SymInt[2] dilation=1) -> Tensor\0",
    b"aten::cos(Tensor self) -> Tensor\0",
    b"aten::cosh(Tensor self) -> Tensor\0",
    b"aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor\0",
    b"aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100, float label_smoothing=0.0) -> Tensor\0",
    b"aten::ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int reduction=Mean, bool zero_infinity=False) -> Tensor\0",
    b"aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor\0",
    b"aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor\0",
    b"aten::detach(Tensor(a) self) -> Tensor(a)\0",
    b"aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor\0",
    b"aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)\0",
    b"aten::div.Scalar(Tensor self, Scalar other) -> Tensor\0",
    b"aten::div.Tensor(Tensor self, Tensor other) -> Tensor\0",
    b"aten::dot(Tensor self, Tensor tensor) -> Tensor\0",
    b"aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor\0",
    b"aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor\0",
    b"aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor\0",
    b"aten::eq.Scalar(Tensor self, Scalar other) -> Tensor\0",
    b"aten::eq.Tensor(Tensor self, Tensor other) -> Tensor\0",
    b"aten::erf(Tensor self) -> Tensor\0",
    b"aten::erfc(Tensor self) -> Tensor\0",
    b"aten::exp(Tensor self) -> Tensor\0",
    b"aten::exp2(Tensor self) -> Tensor\0",
    b"aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)\0",
    b"aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)\0",
    b"aten::expm1(Tensor self) -> Tensor\0",
    b"aten::eye(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\0",
    b"aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)\0",
    b"aten::flip(Tensor self, int[] dims) -> Tensor\0",
    b"aten::floor(Tensor self) -> Tensor\0",
    b"aten::floor_divide(Tensor self, Tensor other) -> Tensor\0",
    b"aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor\0",
    b"aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor\0",
    b"aten::frac(Tensor self) -> Tensor\0",
    b"aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\0",
    b"aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor\0",
    b"aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor\0",
    b"aten::ge.Scalar(Tensor self, Scalar other) -> Tensor\0",
    b"aten::ge.Tensor(Tensor self, Tensor other) -> Tensor\0",
    b"aten::gelu(Tensor self, *, str approximate='none') -> Tensor\0",
    b"aten::glu(Tensor self, int dim=-1) -> Tensor\0",
    b"aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor\0",
    b"aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enabled=True) -> Tensor\0",
    b"aten::gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor\0",
    b"aten::gt.Scalar(Tensor self, Scalar other) -> Tensor\0",
    b"aten::gt.Tensor(Tensor self, Tensor other) -> Tensor\0",
    b"aten::hardsigmoid(Tensor self) -> Tensor\0",
    b"aten::hardswish(Tensor self) -> Tensor\0",
    b"aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor\0",
    b"aten::huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor\0",
    b"aten::imag(Tensor(a) self) -> Tensor(a)\0",
    b"aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor\0",
    b"aten::index_select(Tensor self, int dim, Tensor index) -> Tensor\0",
    b"aten::isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor\0",
    b"aten::isfinite(Tensor self) -> Tensor\0",
    b"aten::isinf(Tensor self) -> Tensor\0",
    b"aten::isnan(Tensor self) -> Tensor\0",
    b"aten::kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool log_target=False) -> Tensor\0",
    b"aten::l1_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor\0",
    b"aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor\0",
    b"aten::le.Scalar(Tensor self, Scalar other) -> Tensor\0",
    b"aten::le.Tensor(Tensor self, Tensor other) -> Tensor\0",
    b"aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor\0",
    b"aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor\0",
    b"aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor\0",
    b"aten::lgamma(Tensor self) -> Tensor\0",
    b"aten::linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor\0",
    b"aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor\0",
    b"aten::linalg_det(Tensor A) -> Tensor\0",
    b"aten::linalg_inv(Tensor A) -> Tensor\0",
    b"aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor\0",
    b"aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor\0",
    b"aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor\0",
    b"aten::linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\0",
    b"aten::log(Tensor self) -> Tensor\0",
    b"aten::log10(Tensor self) -> Tensor\0",
    b"aten::log1p(Tensor self) -> Tensor\0",
    b"aten::log2(Tensor self) -> Tensor\0",
    b"aten::log_sigmoid(Tensor self) -> Tensor\0",
    b"aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor\0",
    b"aten::logaddexp(Tensor self, Tensor other) -> Tensor\0",
    b"aten::logical_and(Tensor self, Tensor other) -> Tensor\0",
    b"aten::logical_not(Tensor self) -> Tensor\0",
    b"aten::logical_or(Tensor self, Tensor other) -> Tensor\0",
    b"aten::logical_xor(Tensor self, Tensor other) -> Tensor\0",
    b"aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor\0",
    b"aten::lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)\0",
    b"aten::lt.Scalar(Tensor self, Scalar other) -> Tensor\0",
    b"aten::lt.Tensor(Tensor self, Tensor other) -> Tensor\0",
    b"aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor\0",
    b"aten::masked_select(Tensor self, Tensor mask) -> Tensor\0",
    b"aten::matmul(Tensor self, Tensor other) -> Tensor\0",
    b"aten::max(Tensor self) -> Tensor\0",
    b"aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)\0",
    b"aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> Tensor\0",
    b"aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor\0",
    b"aten::maximum(Tensor self, Tensor other) -> Tensor\0",
    b"aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor\0",
    b"aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor\0",
    b"aten::min(Tensor self) -> Tensor\0",
    b"aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)\0",
    b"aten::minimum(Tensor self, Tensor other) -> Tensor\0",
    b"aten::mish(Tensor self) -> Tensor\0",
    b"aten::mm(Tensor self, Tensor mat2) -> Tensor\0",
    b"aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)\0",
    b"aten::mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor\0",
    b"aten::mul.Scalar(Tensor self, Scalar other) -> Tensor\0",
    b"aten::mul.Tensor(Tensor self, Tensor other) -> Tensor\0",
    b"aten::multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor\0",
    b"aten::mv(Tensor self, Tensor vec) -> Tensor\0",
    b"aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)\0",
    b"aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)\0",
    b"aten::ne.Scalar(Tensor self, Scalar other) -> Tensor\0",
    b"aten::ne.Tensor(Tensor self, Tensor other) -> Tensor\0",
    b"aten::neg(Tensor self) -> Tensor\0",
    b"aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100) -> Tensor\0",
    b"aten::nonzero(Tensor self) -> Tensor\0",
    b"aten::normal_functional(Tensor self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor\0",
    b"aten::ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\0",
    b"aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor\0",
    b"aten::outer(Tensor self, Tensor vec2) -> Tensor\0",
    b"aten::pad(Tensor self, SymInt[] pad, str mode=\"constant\", float? value=None) -> Tensor\0",
    b"aten::pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor\0",
    b"aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)\0",
    b"aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor\0",
    b"aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor\0",
    b"aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor\0",
    b"aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor\0",
    b"aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor\0",
    b"aten::prelu(Tensor self, Tensor weight) -> Tensor\0",
    b"aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor\0",
    b"aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor\0",
    b"aten::rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\0",
    b"aten::rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor\0",
    b"aten::randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\0",
    b"aten::randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor\0",
    b"aten::real(Tensor(a) self) -> Tensor(a)\0",
    b"aten::reciprocal(Tensor self) -> Tensor\0",
    b"aten::reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor\0",
    b"aten::relu(Tensor self) -> Tensor\0",
    b"aten::relu6(Tensor self) -> Tensor\0",
    b"aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor\0",
    b"aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor\0",
    b"aten::repeat(Tensor self, SymInt[] repeats) -> Tensor\0",
    b"aten::replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor\0",
    b"aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)\0",
    b"aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor\0",
    b"aten::rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor\0",
    b"aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor\0",
    b"aten::round(Tensor self) -> Tensor\0",
    b"aten::rsqrt(Tensor self) -> Tensor\0",
    b"aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor\0",
    b"aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor\0",
    b"aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor\0",
    b"aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor\0",
    b"aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor\0",
    b"aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)\0",
    b"aten::selu(Tensor self) -> Tensor\0",
    b"aten::sigmoid(Tensor self) -> Tensor\0",
    b"aten::sign(Tensor self) -> Tensor\0",
    b"aten::silu(Tensor self) -> Tensor\0",
    b"aten::sin(Tensor self) -> Tensor\0",
    b"aten::sinh(Tensor self) -> Tensor\0",
    b"aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)\0",
    b"aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor\0",
    b"aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor\0",
    b"aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor\0",
    b"aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)\0",
    b"aten::sqrt(Tensor self) -> Tensor\0",
    b"aten::square(Tensor self) -> Tensor\0",
    b"aten::squeeze(Tensor(a) self) -> Tensor(a)\0",
    b"aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)\0",
    b"aten::stack(Tensor[] tensors, int dim=0) -> Tensor\0",
    b"aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor\0",
    b"aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor\0",
    b"aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\0",
    b"aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor\0",
    b"aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor\0",
    b"aten::t(Tensor(a) self) -> Tensor(a)\0",
    b"aten::tan(Tensor self) -> Tensor\0",
    b"aten::tanh(Tensor self) -> Tensor\0",
    b"aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor\0",
    b"aten::tile(Tensor self, SymInt[] dims) -> Tensor\0",
    b"aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)\0",
    b"aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)\0",
    b"aten::trace(Tensor self) -> Tensor\0",
    b"aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)\0",
    b"aten::tril(Tensor self, SymInt diagonal=0) -> Tensor\0",
    b"aten::triu(Tensor self, SymInt diagonal=0) -> Tensor\0",
    b"aten::trunc(Tensor self) -> Tensor\0",
    b"aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)\0",
    b"aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)\0",
    b"aten::upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor\0",
    b"aten::upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor\0",
    b"aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor\0",
    b"aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)\0",
    b"aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)\0",
    b"aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor\0",
    b"aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\0",
    b"aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor\0",
];

/// Above each operator stands its schema, with the defaults of its arguments. To leave out an
/// argument, pass `None`, or [`Scalar::NONE`] in place of a number. Meaning, shapes and errors:
/// <https://docs.pytorch.org/docs/2.11/torch.html>
impl Ops {
    /// `aten::abs(Tensor self) -> Tensor`
    pub fn abs<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(0, &[of_tensor(x)])
    }

    /// `aten::acos(Tensor self) -> Tensor`
    pub fn acos<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(1, &[of_tensor(x)])
    }

    /// `aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor`
    pub fn adaptive_avg_pool2d<'t>(&'t self, x: Tensor<'t>, output_size: &[i64]) -> Tensor<'t> {
        self.call(2, &[of_tensor(x), of_ints(output_size)])
    }

    /// `aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)`
    pub fn adaptive_max_pool2d<'t>(&'t self, x: Tensor<'t>, output_size: &[i64]) -> [Tensor<'t>; 2] {
        self.call_n(3, &[of_tensor(x), of_ints(output_size)])
    }

    /// `aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor`
    pub fn add_scalar<'t>(&'t self, x: Tensor<'t>, other: impl Into<Scalar>, alpha: impl Into<Scalar>) -> Tensor<'t> {
        self.call(4, &[of_tensor(x), other.into().0, alpha.into().0])
    }

    /// `aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`
    pub fn add<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>, alpha: impl Into<Scalar>) -> Tensor<'t> {
        self.call(5, &[of_tensor(x), of_tensor(other), alpha.into().0])
    }

    /// `aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor`
    pub fn addcdiv<'t>(&'t self, x: Tensor<'t>, tensor1: Tensor<'t>, tensor2: Tensor<'t>, value: impl Into<Scalar>) -> Tensor<'t> {
        self.call(6, &[of_tensor(x), of_tensor(tensor1), of_tensor(tensor2), value.into().0])
    }

    /// `aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor`
    pub fn addcmul<'t>(&'t self, x: Tensor<'t>, tensor1: Tensor<'t>, tensor2: Tensor<'t>, value: impl Into<Scalar>) -> Tensor<'t> {
        self.call(7, &[of_tensor(x), of_tensor(tensor1), of_tensor(tensor2), value.into().0])
    }

    /// `aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor`
    pub fn addmm<'t>(&'t self, x: Tensor<'t>, mat1: Tensor<'t>, mat2: Tensor<'t>, beta: impl Into<Scalar>, alpha: impl Into<Scalar>) -> Tensor<'t> {
        self.call(8, &[of_tensor(x), of_tensor(mat1), of_tensor(mat2), beta.into().0, alpha.into().0])
    }

    /// `aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor`
    pub fn addmv<'t>(&'t self, x: Tensor<'t>, mat: Tensor<'t>, vec: Tensor<'t>, beta: impl Into<Scalar>, alpha: impl Into<Scalar>) -> Tensor<'t> {
        self.call(9, &[of_tensor(x), of_tensor(mat), of_tensor(vec), beta.into().0, alpha.into().0])
    }

    /// `aten::all(Tensor self) -> Tensor`
    pub fn all<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(10, &[of_tensor(x)])
    }

    /// `aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor`
    pub fn all_dim<'t>(&'t self, x: Tensor<'t>, dim: i64, keepdim: bool) -> Tensor<'t> {
        self.call(11, &[of_tensor(x), of_i64(dim), of_bool(keepdim)])
    }

    /// `aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor`
    pub fn amax<'t>(&'t self, x: Tensor<'t>, dim: Option<&[i64]>, keepdim: bool) -> Tensor<'t> {
        self.call(12, &[of_tensor(x), of_optional_ints(dim), of_bool(keepdim)])
    }

    /// `aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor`
    pub fn amin<'t>(&'t self, x: Tensor<'t>, dim: Option<&[i64]>, keepdim: bool) -> Tensor<'t> {
        self.call(13, &[of_tensor(x), of_optional_ints(dim), of_bool(keepdim)])
    }

    /// `aten::any(Tensor self) -> Tensor`
    pub fn any<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(14, &[of_tensor(x)])
    }

    /// `aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor`
    pub fn any_dim<'t>(&'t self, x: Tensor<'t>, dim: i64, keepdim: bool) -> Tensor<'t> {
        self.call(15, &[of_tensor(x), of_i64(dim), of_bool(keepdim)])
    }

    /// `aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
    pub fn arange<'t>(&'t self, end: impl Into<Scalar>, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(16, &[end.into().0, of_optional_dtype(dtype), of_none(), of_none(), of_none()])
    }

    /// `aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
    pub fn arange_from<'t>(&'t self, start: impl Into<Scalar>, end: impl Into<Scalar>, step: impl Into<Scalar>, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(17, &[start.into().0, end.into().0, step.into().0, of_optional_dtype(dtype), of_none(), of_none(), of_none()])
    }

    /// `aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor`
    pub fn argmax<'t>(&'t self, x: Tensor<'t>, dim: impl Into<Scalar>, keepdim: bool) -> Tensor<'t> {
        self.call(18, &[of_tensor(x), dim.into().0, of_bool(keepdim)])
    }

    /// `aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor`
    pub fn argmin<'t>(&'t self, x: Tensor<'t>, dim: impl Into<Scalar>, keepdim: bool) -> Tensor<'t> {
        self.call(19, &[of_tensor(x), dim.into().0, of_bool(keepdim)])
    }

    /// `aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor`
    pub fn argsort<'t>(&'t self, x: Tensor<'t>, dim: i64, descending: bool) -> Tensor<'t> {
        self.call(20, &[of_tensor(x), of_i64(dim), of_bool(descending)])
    }

    /// `aten::asin(Tensor self) -> Tensor`
    pub fn asin<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(21, &[of_tensor(x)])
    }

    /// `aten::atan(Tensor self) -> Tensor`
    pub fn atan<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(22, &[of_tensor(x)])
    }

    /// `aten::atan2(Tensor self, Tensor other) -> Tensor`
    pub fn atan2<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(23, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, bool count_include_pad=True) -> Tensor`
    pub fn avg_pool1d<'t>(&'t self, x: Tensor<'t>, kernel_size: &[i64], stride: Option<&[i64]>, padding: Option<&[i64]>, ceil_mode: bool, count_include_pad: bool) -> Tensor<'t> {
        self.call(24, &[of_tensor(x), of_ints(kernel_size), of_optional_ints(stride), of_optional_ints(padding), of_bool(ceil_mode), of_bool(count_include_pad)])
    }

    /// `aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor`
    pub fn avg_pool2d<'t>(&'t self, x: Tensor<'t>, kernel_size: &[i64], stride: Option<&[i64]>, padding: Option<&[i64]>, ceil_mode: bool, count_include_pad: bool, divisor_override: impl Into<Scalar>) -> Tensor<'t> {
        self.call(25, &[of_tensor(x), of_ints(kernel_size), of_optional_ints(stride), of_optional_ints(padding), of_bool(ceil_mode), of_bool(count_include_pad), divisor_override.into().0])
    }

    /// `aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor`
    pub fn baddbmm<'t>(&'t self, x: Tensor<'t>, batch1: Tensor<'t>, batch2: Tensor<'t>, beta: impl Into<Scalar>, alpha: impl Into<Scalar>) -> Tensor<'t> {
        self.call(26, &[of_tensor(x), of_tensor(batch1), of_tensor(batch2), beta.into().0, alpha.into().0])
    }

    /// `aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor`
    pub fn bernoulli<'t>(&'t self, x: Tensor<'t>, p: f64) -> Tensor<'t> {
        self.call(27, &[of_tensor(x), of_f64(p), of_none()])
    }

    /// `aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean) -> Tensor`
    pub fn binary_cross_entropy<'t>(&'t self, x: Tensor<'t>, target: Tensor<'t>, weight: Option<Tensor<'t>>, reduction: i64) -> Tensor<'t> {
        self.call(28, &[of_tensor(x), of_tensor(target), of_optional_tensor(weight), of_i64(reduction)])
    }

    /// `aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=Mean) -> Tensor`
    pub fn binary_cross_entropy_with_logits<'t>(&'t self, x: Tensor<'t>, target: Tensor<'t>, weight: Option<Tensor<'t>>, pos_weight: Option<Tensor<'t>>, reduction: i64) -> Tensor<'t> {
        self.call(29, &[of_tensor(x), of_tensor(target), of_optional_tensor(weight), of_optional_tensor(pos_weight), of_i64(reduction)])
    }

    /// `aten::bmm(Tensor self, Tensor mat2) -> Tensor`
    pub fn bmm<'t>(&'t self, x: Tensor<'t>, mat2: Tensor<'t>) -> Tensor<'t> {
        self.call(30, &[of_tensor(x), of_tensor(mat2)])
    }

    /// `aten::broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)`
    pub fn broadcast_to<'t>(&'t self, x: Tensor<'t>, size: &[i64]) -> Tensor<'t> {
        self.call(31, &[of_tensor(x), of_ints(size)])
    }

    /// `aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor`
    pub fn bucketize<'t>(&'t self, x: Tensor<'t>, boundaries: Tensor<'t>, out_int32: bool, right: bool) -> Tensor<'t> {
        self.call(32, &[of_tensor(x), of_tensor(boundaries), of_bool(out_int32), of_bool(right)])
    }

    /// `aten::cat(Tensor[] tensors, int dim=0) -> Tensor`
    pub fn cat<'t>(&'t self, tensors: &[Tensor<'t>], dim: i64) -> Tensor<'t> {
        let tensors = handles(tensors);
        self.call(33, &[of_tensors(&tensors), of_i64(dim)])
    }

    /// `aten::cdist(Tensor x1, Tensor x2, float p=2, int? compute_mode=None) -> Tensor`
    pub fn cdist<'t>(&'t self, x1: Tensor<'t>, x2: Tensor<'t>, p: f64, compute_mode: impl Into<Scalar>) -> Tensor<'t> {
        self.call(34, &[of_tensor(x1), of_tensor(x2), of_f64(p), compute_mode.into().0])
    }

    /// `aten::ceil(Tensor self) -> Tensor`
    pub fn ceil<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(35, &[of_tensor(x)])
    }

    /// `aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor`
    pub fn clamp<'t>(&'t self, x: Tensor<'t>, min: impl Into<Scalar>, max: impl Into<Scalar>) -> Tensor<'t> {
        self.call(36, &[of_tensor(x), min.into().0, max.into().0])
    }

    /// `aten::clamp_max(Tensor self, Scalar max) -> Tensor`
    pub fn clamp_max<'t>(&'t self, x: Tensor<'t>, max: impl Into<Scalar>) -> Tensor<'t> {
        self.call(37, &[of_tensor(x), max.into().0])
    }

    /// `aten::clamp_min(Tensor self, Scalar min) -> Tensor`
    pub fn clamp_min<'t>(&'t self, x: Tensor<'t>, min: impl Into<Scalar>) -> Tensor<'t> {
        self.call(38, &[of_tensor(x), min.into().0])
    }

    /// `aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor`
    pub fn clone<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(39, &[of_tensor(x), of_none()])
    }

    /// `aten::complex(Tensor real, Tensor imag) -> Tensor`
    pub fn complex<'t>(&'t self, real: Tensor<'t>, imag: Tensor<'t>) -> Tensor<'t> {
        self.call(40, &[of_tensor(real), of_tensor(imag)])
    }

    /// `aten::conj(Tensor(a) self) -> Tensor(a)`
    pub fn conj<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(41, &[of_tensor(x)])
    }

    /// `aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor`
    pub fn constant_pad_nd<'t>(&'t self, x: Tensor<'t>, pad: &[i64], value: impl Into<Scalar>) -> Tensor<'t> {
        self.call(42, &[of_tensor(x), of_ints(pad), value.into().0])
    }

    /// `aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)`
    pub fn contiguous<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(43, &[of_tensor(x), of_none()])
    }

    /// `aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0, SymInt[1] dilation=1, SymInt groups=1) -> Tensor`
    pub fn conv1d<'t>(&'t self, x: Tensor<'t>, weight: Tensor<'t>, bias: Option<Tensor<'t>>, stride: Option<&[i64]>, padding: Option<&[i64]>, dilation: Option<&[i64]>, groups: i64) -> Tensor<'t> {
        self.call(44, &[of_tensor(x), of_tensor(weight), of_optional_tensor(bias), of_optional_ints(stride), of_optional_ints(padding), of_optional_ints(dilation), of_i64(groups)])
    }

    /// `aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] dilation=1, SymInt groups=1) -> Tensor`
    pub fn conv2d<'t>(&'t self, x: Tensor<'t>, weight: Tensor<'t>, bias: Option<Tensor<'t>>, stride: Option<&[i64]>, padding: Option<&[i64]>, dilation: Option<&[i64]>, groups: i64) -> Tensor<'t> {
        self.call(45, &[of_tensor(x), of_tensor(weight), of_optional_tensor(bias), of_optional_ints(stride), of_optional_ints(padding), of_optional_ints(dilation), of_i64(groups)])
    }

    /// `aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0, SymInt[1] output_padding=0, SymInt groups=1, SymInt[1] dilation=1) -> Tensor`
    pub fn conv_transpose1d<'t>(&'t self, x: Tensor<'t>, weight: Tensor<'t>, bias: Option<Tensor<'t>>, stride: Option<&[i64]>, padding: Option<&[i64]>, output_padding: Option<&[i64]>, groups: i64, dilation: Option<&[i64]>) -> Tensor<'t> {
        self.call(46, &[of_tensor(x), of_tensor(weight), of_optional_tensor(bias), of_optional_ints(stride), of_optional_ints(padding), of_optional_ints(output_padding), of_i64(groups), of_optional_ints(dilation)])
    }

    /// `aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] output_padding=0, SymInt groups=1, SymInt[2] dilation=1) -> Tensor`
    pub fn conv_transpose2d<'t>(&'t self, x: Tensor<'t>, weight: Tensor<'t>, bias: Option<Tensor<'t>>, stride: Option<&[i64]>, padding: Option<&[i64]>, output_padding: Option<&[i64]>, groups: i64, dilation: Option<&[i64]>) -> Tensor<'t> {
        self.call(47, &[of_tensor(x), of_tensor(weight), of_optional_tensor(bias), of_optional_ints(stride), of_optional_ints(padding), of_optional_ints(output_padding), of_i64(groups), of_optional_ints(dilation)])
    }

    /// `aten::cos(Tensor self) -> Tensor`
    pub fn cos<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(48, &[of_tensor(x)])
    }

    /// `aten::cosh(Tensor self) -> Tensor`
    pub fn cosh<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(49, &[of_tensor(x)])
    }

    /// `aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor`
    pub fn cosine_similarity<'t>(&'t self, x1: Tensor<'t>, x2: Tensor<'t>, dim: i64, eps: f64) -> Tensor<'t> {
        self.call(50, &[of_tensor(x1), of_tensor(x2), of_i64(dim), of_f64(eps)])
    }

    /// `aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100, float label_smoothing=0.0) -> Tensor`
    pub fn cross_entropy_loss<'t>(&'t self, x: Tensor<'t>, target: Tensor<'t>, weight: Option<Tensor<'t>>, reduction: i64, ignore_index: i64, label_smoothing: f64) -> Tensor<'t> {
        self.call(51, &[of_tensor(x), of_tensor(target), of_optional_tensor(weight), of_i64(reduction), of_i64(ignore_index), of_f64(label_smoothing)])
    }

    /// `aten::ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int reduction=Mean, bool zero_infinity=False) -> Tensor`
    pub fn ctc_loss<'t>(&'t self, log_probs: Tensor<'t>, targets: Tensor<'t>, input_lengths: Tensor<'t>, target_lengths: Tensor<'t>, blank: i64, reduction: i64, zero_infinity: bool) -> Tensor<'t> {
        self.call(52, &[of_tensor(log_probs), of_tensor(targets), of_tensor(input_lengths), of_tensor(target_lengths), of_i64(blank), of_i64(reduction), of_bool(zero_infinity)])
    }

    /// `aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor`
    pub fn cumprod<'t>(&'t self, x: Tensor<'t>, dim: i64, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(53, &[of_tensor(x), of_i64(dim), of_optional_dtype(dtype)])
    }

    /// `aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor`
    pub fn cumsum<'t>(&'t self, x: Tensor<'t>, dim: i64, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(54, &[of_tensor(x), of_i64(dim), of_optional_dtype(dtype)])
    }

    /// `aten::detach(Tensor(a) self) -> Tensor(a)`
    pub fn detach<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(55, &[of_tensor(x)])
    }

    /// `aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor`
    pub fn diag_embed<'t>(&'t self, x: Tensor<'t>, offset: i64, dim1: i64, dim2: i64) -> Tensor<'t> {
        self.call(56, &[of_tensor(x), of_i64(offset), of_i64(dim1), of_i64(dim2)])
    }

    /// `aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)`
    pub fn diagonal<'t>(&'t self, x: Tensor<'t>, offset: i64, dim1: i64, dim2: i64) -> Tensor<'t> {
        self.call(57, &[of_tensor(x), of_i64(offset), of_i64(dim1), of_i64(dim2)])
    }

    /// `aten::div.Scalar(Tensor self, Scalar other) -> Tensor`
    pub fn div_scalar<'t>(&'t self, x: Tensor<'t>, other: impl Into<Scalar>) -> Tensor<'t> {
        self.call(58, &[of_tensor(x), other.into().0])
    }

    /// `aten::div.Tensor(Tensor self, Tensor other) -> Tensor`
    pub fn div<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(59, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::dot(Tensor self, Tensor tensor) -> Tensor`
    pub fn dot<'t>(&'t self, x: Tensor<'t>, tensor: Tensor<'t>) -> Tensor<'t> {
        self.call(60, &[of_tensor(x), of_tensor(tensor)])
    }

    /// `aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor`
    pub fn einsum<'t>(&'t self, equation: &str, tensors: &[Tensor<'t>], path: Option<&[i64]>) -> Tensor<'t> {
        let tensors = handles(tensors);
        self.call(61, &[of_str(equation), of_tensors(&tensors), of_optional_ints(path)])
    }

    /// `aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor`
    pub fn elu<'t>(&'t self, x: Tensor<'t>, alpha: impl Into<Scalar>, scale: impl Into<Scalar>, input_scale: impl Into<Scalar>) -> Tensor<'t> {
        self.call(62, &[of_tensor(x), alpha.into().0, scale.into().0, input_scale.into().0])
    }

    /// `aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor`
    pub fn embedding<'t>(&'t self, weight: Tensor<'t>, indices: Tensor<'t>, padding_idx: i64, scale_grad_by_freq: bool, sparse: bool) -> Tensor<'t> {
        self.call(63, &[of_tensor(weight), of_tensor(indices), of_i64(padding_idx), of_bool(scale_grad_by_freq), of_bool(sparse)])
    }

    /// `aten::eq.Scalar(Tensor self, Scalar other) -> Tensor`
    pub fn eq_scalar<'t>(&'t self, x: Tensor<'t>, other: impl Into<Scalar>) -> Tensor<'t> {
        self.call(64, &[of_tensor(x), other.into().0])
    }

    /// `aten::eq.Tensor(Tensor self, Tensor other) -> Tensor`
    pub fn eq<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(65, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::erf(Tensor self) -> Tensor`
    pub fn erf<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(66, &[of_tensor(x)])
    }

    /// `aten::erfc(Tensor self) -> Tensor`
    pub fn erfc<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(67, &[of_tensor(x)])
    }

    /// `aten::exp(Tensor self) -> Tensor`
    pub fn exp<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(68, &[of_tensor(x)])
    }

    /// `aten::exp2(Tensor self) -> Tensor`
    pub fn exp2<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(69, &[of_tensor(x)])
    }

    /// `aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)`
    pub fn expand<'t>(&'t self, x: Tensor<'t>, size: &[i64], implicit: bool) -> Tensor<'t> {
        self.call(70, &[of_tensor(x), of_ints(size), of_bool(implicit)])
    }

    /// `aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)`
    pub fn expand_as<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(71, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::expm1(Tensor self) -> Tensor`
    pub fn expm1<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(72, &[of_tensor(x)])
    }

    /// `aten::eye(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
    pub fn eye<'t>(&'t self, n: i64, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(73, &[of_i64(n), of_optional_dtype(dtype), of_none(), of_none(), of_none()])
    }

    /// `aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)`
    pub fn flatten<'t>(&'t self, x: Tensor<'t>, start_dim: i64, end_dim: i64) -> Tensor<'t> {
        self.call(74, &[of_tensor(x), of_i64(start_dim), of_i64(end_dim)])
    }

    /// `aten::flip(Tensor self, int[] dims) -> Tensor`
    pub fn flip<'t>(&'t self, x: Tensor<'t>, dims: &[i64]) -> Tensor<'t> {
        self.call(75, &[of_tensor(x), of_ints(dims)])
    }

    /// `aten::floor(Tensor self) -> Tensor`
    pub fn floor<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(76, &[of_tensor(x)])
    }

    /// `aten::floor_divide(Tensor self, Tensor other) -> Tensor`
    pub fn floor_divide<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(77, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor`
    pub fn fmod_scalar<'t>(&'t self, x: Tensor<'t>, other: impl Into<Scalar>) -> Tensor<'t> {
        self.call(78, &[of_tensor(x), other.into().0])
    }

    /// `aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor`
    pub fn fmod<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(79, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::frac(Tensor self) -> Tensor`
    pub fn frac<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(80, &[of_tensor(x)])
    }

    /// `aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
    pub fn full<'t>(&'t self, size: &[i64], fill_value: impl Into<Scalar>, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(81, &[of_ints(size), fill_value.into().0, of_optional_dtype(dtype), of_none(), of_none(), of_none()])
    }

    /// `aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
    pub fn full_like<'t>(&'t self, x: Tensor<'t>, fill_value: impl Into<Scalar>, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(82, &[of_tensor(x), fill_value.into().0, of_optional_dtype(dtype), of_none(), of_none(), of_none(), of_none()])
    }

    /// `aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor`
    pub fn gather<'t>(&'t self, x: Tensor<'t>, dim: i64, index: Tensor<'t>, sparse_grad: bool) -> Tensor<'t> {
        self.call(83, &[of_tensor(x), of_i64(dim), of_tensor(index), of_bool(sparse_grad)])
    }

    /// `aten::ge.Scalar(Tensor self, Scalar other) -> Tensor`
    pub fn ge_scalar<'t>(&'t self, x: Tensor<'t>, other: impl Into<Scalar>) -> Tensor<'t> {
        self.call(84, &[of_tensor(x), other.into().0])
    }

    /// `aten::ge.Tensor(Tensor self, Tensor other) -> Tensor`
    pub fn ge<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(85, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::gelu(Tensor self, *, str approximate='none') -> Tensor`
    pub fn gelu<'t>(&'t self, x: Tensor<'t>, approximate: &str) -> Tensor<'t> {
        self.call(86, &[of_tensor(x), of_str(approximate)])
    }

    /// `aten::glu(Tensor self, int dim=-1) -> Tensor`
    pub fn glu<'t>(&'t self, x: Tensor<'t>, dim: i64) -> Tensor<'t> {
        self.call(87, &[of_tensor(x), of_i64(dim)])
    }

    /// `aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor`
    pub fn grid_sampler_2d<'t>(&'t self, x: Tensor<'t>, grid: Tensor<'t>, interpolation_mode: i64, padding_mode: i64, align_corners: bool) -> Tensor<'t> {
        self.call(88, &[of_tensor(x), of_tensor(grid), of_i64(interpolation_mode), of_i64(padding_mode), of_bool(align_corners)])
    }

    /// `aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enabled=True) -> Tensor`
    pub fn group_norm<'t>(&'t self, x: Tensor<'t>, num_groups: i64, weight: Option<Tensor<'t>>, bias: Option<Tensor<'t>>, eps: f64, cudnn_enabled: bool) -> Tensor<'t> {
        self.call(89, &[of_tensor(x), of_i64(num_groups), of_optional_tensor(weight), of_optional_tensor(bias), of_f64(eps), of_bool(cudnn_enabled)])
    }

    /// `aten::gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor`
    pub fn gru_cell<'t>(&'t self, x: Tensor<'t>, hx: Tensor<'t>, w_ih: Tensor<'t>, w_hh: Tensor<'t>, b_ih: Option<Tensor<'t>>, b_hh: Option<Tensor<'t>>) -> Tensor<'t> {
        self.call(90, &[of_tensor(x), of_tensor(hx), of_tensor(w_ih), of_tensor(w_hh), of_optional_tensor(b_ih), of_optional_tensor(b_hh)])
    }

    /// `aten::gt.Scalar(Tensor self, Scalar other) -> Tensor`
    pub fn gt_scalar<'t>(&'t self, x: Tensor<'t>, other: impl Into<Scalar>) -> Tensor<'t> {
        self.call(91, &[of_tensor(x), other.into().0])
    }

    /// `aten::gt.Tensor(Tensor self, Tensor other) -> Tensor`
    pub fn gt<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(92, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::hardsigmoid(Tensor self) -> Tensor`
    pub fn hardsigmoid<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(93, &[of_tensor(x)])
    }

    /// `aten::hardswish(Tensor self) -> Tensor`
    pub fn hardswish<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(94, &[of_tensor(x)])
    }

    /// `aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor`
    pub fn hardtanh<'t>(&'t self, x: Tensor<'t>, min_val: impl Into<Scalar>, max_val: impl Into<Scalar>) -> Tensor<'t> {
        self.call(95, &[of_tensor(x), min_val.into().0, max_val.into().0])
    }

    /// `aten::huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor`
    pub fn huber_loss<'t>(&'t self, x: Tensor<'t>, target: Tensor<'t>, reduction: i64, delta: f64) -> Tensor<'t> {
        self.call(96, &[of_tensor(x), of_tensor(target), of_i64(reduction), of_f64(delta)])
    }

    /// `aten::imag(Tensor(a) self) -> Tensor(a)`
    pub fn imag<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(97, &[of_tensor(x)])
    }

    /// `aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor`
    pub fn index_add<'t>(&'t self, x: Tensor<'t>, dim: i64, index: Tensor<'t>, source: Tensor<'t>, alpha: impl Into<Scalar>) -> Tensor<'t> {
        self.call(98, &[of_tensor(x), of_i64(dim), of_tensor(index), of_tensor(source), alpha.into().0])
    }

    /// `aten::index_select(Tensor self, int dim, Tensor index) -> Tensor`
    pub fn index_select<'t>(&'t self, x: Tensor<'t>, dim: i64, index: Tensor<'t>) -> Tensor<'t> {
        self.call(99, &[of_tensor(x), of_i64(dim), of_tensor(index)])
    }

    /// `aten::isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor`
    pub fn isclose<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>, rtol: f64, atol: f64, equal_nan: bool) -> Tensor<'t> {
        self.call(100, &[of_tensor(x), of_tensor(other), of_f64(rtol), of_f64(atol), of_bool(equal_nan)])
    }

    /// `aten::isfinite(Tensor self) -> Tensor`
    pub fn isfinite<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(101, &[of_tensor(x)])
    }

    /// `aten::isinf(Tensor self) -> Tensor`
    pub fn isinf<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(102, &[of_tensor(x)])
    }

    /// `aten::isnan(Tensor self) -> Tensor`
    pub fn isnan<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(103, &[of_tensor(x)])
    }

    /// `aten::kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool log_target=False) -> Tensor`
    pub fn kl_div<'t>(&'t self, x: Tensor<'t>, target: Tensor<'t>, reduction: i64, log_target: bool) -> Tensor<'t> {
        self.call(104, &[of_tensor(x), of_tensor(target), of_i64(reduction), of_bool(log_target)])
    }

    /// `aten::l1_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor`
    pub fn l1_loss<'t>(&'t self, x: Tensor<'t>, target: Tensor<'t>, reduction: i64) -> Tensor<'t> {
        self.call(105, &[of_tensor(x), of_tensor(target), of_i64(reduction)])
    }

    /// `aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor`
    pub fn layer_norm<'t>(&'t self, x: Tensor<'t>, normalized_shape: &[i64], weight: Option<Tensor<'t>>, bias: Option<Tensor<'t>>, eps: f64, cudnn_enable: bool) -> Tensor<'t> {
        self.call(106, &[of_tensor(x), of_ints(normalized_shape), of_optional_tensor(weight), of_optional_tensor(bias), of_f64(eps), of_bool(cudnn_enable)])
    }

    /// `aten::le.Scalar(Tensor self, Scalar other) -> Tensor`
    pub fn le_scalar<'t>(&'t self, x: Tensor<'t>, other: impl Into<Scalar>) -> Tensor<'t> {
        self.call(107, &[of_tensor(x), other.into().0])
    }

    /// `aten::le.Tensor(Tensor self, Tensor other) -> Tensor`
    pub fn le<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(108, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor`
    pub fn leaky_relu<'t>(&'t self, x: Tensor<'t>, negative_slope: impl Into<Scalar>) -> Tensor<'t> {
        self.call(109, &[of_tensor(x), negative_slope.into().0])
    }

    /// `aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor`
    pub fn lerp_scalar<'t>(&'t self, x: Tensor<'t>, end: Tensor<'t>, weight: impl Into<Scalar>) -> Tensor<'t> {
        self.call(110, &[of_tensor(x), of_tensor(end), weight.into().0])
    }

    /// `aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor`
    pub fn lerp<'t>(&'t self, x: Tensor<'t>, end: Tensor<'t>, weight: Tensor<'t>) -> Tensor<'t> {
        self.call(111, &[of_tensor(x), of_tensor(end), of_tensor(weight)])
    }

    /// `aten::lgamma(Tensor self) -> Tensor`
    pub fn lgamma<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(112, &[of_tensor(x)])
    }

    /// `aten::linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor`
    pub fn linalg_cholesky<'t>(&'t self, x: Tensor<'t>, upper: bool) -> Tensor<'t> {
        self.call(113, &[of_tensor(x), of_bool(upper)])
    }

    /// `aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor`
    pub fn linalg_cross<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>, dim: i64) -> Tensor<'t> {
        self.call(114, &[of_tensor(x), of_tensor(other), of_i64(dim)])
    }

    /// `aten::linalg_det(Tensor A) -> Tensor`
    pub fn linalg_det<'t>(&'t self, a: Tensor<'t>) -> Tensor<'t> {
        self.call(115, &[of_tensor(a)])
    }

    /// `aten::linalg_inv(Tensor A) -> Tensor`
    pub fn linalg_inv<'t>(&'t self, a: Tensor<'t>) -> Tensor<'t> {
        self.call(116, &[of_tensor(a)])
    }

    /// `aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor`
    pub fn linalg_solve<'t>(&'t self, a: Tensor<'t>, b: Tensor<'t>, left: bool) -> Tensor<'t> {
        self.call(117, &[of_tensor(a), of_tensor(b), of_bool(left)])
    }

    /// `aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor`
    pub fn linalg_vector_norm<'t>(&'t self, x: Tensor<'t>, ord: impl Into<Scalar>, dim: Option<&[i64]>, keepdim: bool, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(118, &[of_tensor(x), ord.into().0, of_optional_ints(dim), of_bool(keepdim), of_optional_dtype(dtype)])
    }

    /// `aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor`
    pub fn linear<'t>(&'t self, x: Tensor<'t>, weight: Tensor<'t>, bias: Option<Tensor<'t>>) -> Tensor<'t> {
        self.call(119, &[of_tensor(x), of_tensor(weight), of_optional_tensor(bias)])
    }

    /// `aten::linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
    pub fn linspace<'t>(&'t self, start: impl Into<Scalar>, end: impl Into<Scalar>, steps: i64, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(120, &[start.into().0, end.into().0, of_i64(steps), of_optional_dtype(dtype), of_none(), of_none(), of_none()])
    }

    /// `aten::log(Tensor self) -> Tensor`
    pub fn log<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(121, &[of_tensor(x)])
    }

    /// `aten::log10(Tensor self) -> Tensor`
    pub fn log10<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(122, &[of_tensor(x)])
    }

    /// `aten::log1p(Tensor self) -> Tensor`
    pub fn log1p<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(123, &[of_tensor(x)])
    }

    /// `aten::log2(Tensor self) -> Tensor`
    pub fn log2<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(124, &[of_tensor(x)])
    }

    /// `aten::log_sigmoid(Tensor self) -> Tensor`
    pub fn log_sigmoid<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(125, &[of_tensor(x)])
    }

    /// `aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor`
    pub fn log_softmax<'t>(&'t self, x: Tensor<'t>, dim: i64, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(126, &[of_tensor(x), of_i64(dim), of_optional_dtype(dtype)])
    }

    /// `aten::logaddexp(Tensor self, Tensor other) -> Tensor`
    pub fn logaddexp<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(127, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::logical_and(Tensor self, Tensor other) -> Tensor`
    pub fn logical_and<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(128, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::logical_not(Tensor self) -> Tensor`
    pub fn logical_not<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(129, &[of_tensor(x)])
    }

    /// `aten::logical_or(Tensor self, Tensor other) -> Tensor`
    pub fn logical_or<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(130, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::logical_xor(Tensor self, Tensor other) -> Tensor`
    pub fn logical_xor<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(131, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor`
    pub fn logsumexp<'t>(&'t self, x: Tensor<'t>, dim: &[i64], keepdim: bool) -> Tensor<'t> {
        self.call(132, &[of_tensor(x), of_ints(dim), of_bool(keepdim)])
    }

    /// `aten::lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)`
    pub fn lstm_cell<'t>(&'t self, x: Tensor<'t>, hx: &[Tensor<'t>], w_ih: Tensor<'t>, w_hh: Tensor<'t>, b_ih: Option<Tensor<'t>>, b_hh: Option<Tensor<'t>>) -> [Tensor<'t>; 2] {
        let hx = handles(hx);
        self.call_n(133, &[of_tensor(x), of_tensors(&hx), of_tensor(w_ih), of_tensor(w_hh), of_optional_tensor(b_ih), of_optional_tensor(b_hh)])
    }

    /// `aten::lt.Scalar(Tensor self, Scalar other) -> Tensor`
    pub fn lt_scalar<'t>(&'t self, x: Tensor<'t>, other: impl Into<Scalar>) -> Tensor<'t> {
        self.call(134, &[of_tensor(x), other.into().0])
    }

    /// `aten::lt.Tensor(Tensor self, Tensor other) -> Tensor`
    pub fn lt<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(135, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor`
    pub fn masked_fill<'t>(&'t self, x: Tensor<'t>, mask: Tensor<'t>, value: impl Into<Scalar>) -> Tensor<'t> {
        self.call(136, &[of_tensor(x), of_tensor(mask), value.into().0])
    }

    /// `aten::masked_select(Tensor self, Tensor mask) -> Tensor`
    pub fn masked_select<'t>(&'t self, x: Tensor<'t>, mask: Tensor<'t>) -> Tensor<'t> {
        self.call(137, &[of_tensor(x), of_tensor(mask)])
    }

    /// `aten::matmul(Tensor self, Tensor other) -> Tensor`
    pub fn matmul<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(138, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::max(Tensor self) -> Tensor`
    pub fn max<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(139, &[of_tensor(x)])
    }

    /// `aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)`
    pub fn max_dim<'t>(&'t self, x: Tensor<'t>, dim: i64, keepdim: bool) -> [Tensor<'t>; 2] {
        self.call_n(140, &[of_tensor(x), of_i64(dim), of_bool(keepdim)])
    }

    /// `aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> Tensor`
    pub fn max_pool1d<'t>(&'t self, x: Tensor<'t>, kernel_size: &[i64], stride: Option<&[i64]>, padding: Option<&[i64]>, dilation: Option<&[i64]>, ceil_mode: bool) -> Tensor<'t> {
        self.call(141, &[of_tensor(x), of_ints(kernel_size), of_optional_ints(stride), of_optional_ints(padding), of_optional_ints(dilation), of_bool(ceil_mode)])
    }

    /// `aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor`
    pub fn max_pool2d<'t>(&'t self, x: Tensor<'t>, kernel_size: &[i64], stride: Option<&[i64]>, padding: Option<&[i64]>, dilation: Option<&[i64]>, ceil_mode: bool) -> Tensor<'t> {
        self.call(142, &[of_tensor(x), of_ints(kernel_size), of_optional_ints(stride), of_optional_ints(padding), of_optional_ints(dilation), of_bool(ceil_mode)])
    }

    /// `aten::maximum(Tensor self, Tensor other) -> Tensor`
    pub fn maximum<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(143, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor`
    pub fn mean<'t>(&'t self, x: Tensor<'t>, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(144, &[of_tensor(x), of_optional_dtype(dtype)])
    }

    /// `aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor`
    pub fn mean_dim<'t>(&'t self, x: Tensor<'t>, dim: Option<&[i64]>, keepdim: bool, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(145, &[of_tensor(x), of_optional_ints(dim), of_bool(keepdim), of_optional_dtype(dtype)])
    }

    /// `aten::min(Tensor self) -> Tensor`
    pub fn min<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(146, &[of_tensor(x)])
    }

    /// `aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)`
    pub fn min_dim<'t>(&'t self, x: Tensor<'t>, dim: i64, keepdim: bool) -> [Tensor<'t>; 2] {
        self.call_n(147, &[of_tensor(x), of_i64(dim), of_bool(keepdim)])
    }

    /// `aten::minimum(Tensor self, Tensor other) -> Tensor`
    pub fn minimum<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(148, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::mish(Tensor self) -> Tensor`
    pub fn mish<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(149, &[of_tensor(x)])
    }

    /// `aten::mm(Tensor self, Tensor mat2) -> Tensor`
    pub fn mm<'t>(&'t self, x: Tensor<'t>, mat2: Tensor<'t>) -> Tensor<'t> {
        self.call(150, &[of_tensor(x), of_tensor(mat2)])
    }

    /// `aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)`
    pub fn movedim<'t>(&'t self, x: Tensor<'t>, source: &[i64], destination: &[i64]) -> Tensor<'t> {
        self.call(151, &[of_tensor(x), of_ints(source), of_ints(destination)])
    }

    /// `aten::mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor`
    pub fn mse_loss<'t>(&'t self, x: Tensor<'t>, target: Tensor<'t>, reduction: i64) -> Tensor<'t> {
        self.call(152, &[of_tensor(x), of_tensor(target), of_i64(reduction)])
    }

    /// `aten::mul.Scalar(Tensor self, Scalar other) -> Tensor`
    pub fn mul_scalar<'t>(&'t self, x: Tensor<'t>, other: impl Into<Scalar>) -> Tensor<'t> {
        self.call(153, &[of_tensor(x), other.into().0])
    }

    /// `aten::mul.Tensor(Tensor self, Tensor other) -> Tensor`
    pub fn mul<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(154, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor`
    pub fn multinomial<'t>(&'t self, x: Tensor<'t>, num_samples: i64, replacement: bool) -> Tensor<'t> {
        self.call(155, &[of_tensor(x), of_i64(num_samples), of_bool(replacement), of_none()])
    }

    /// `aten::mv(Tensor self, Tensor vec) -> Tensor`
    pub fn mv<'t>(&'t self, x: Tensor<'t>, vec: Tensor<'t>) -> Tensor<'t> {
        self.call(156, &[of_tensor(x), of_tensor(vec)])
    }

    /// `aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)`
    pub fn narrow<'t>(&'t self, x: Tensor<'t>, dim: i64, start: i64, length: i64) -> Tensor<'t> {
        self.call(157, &[of_tensor(x), of_i64(dim), of_i64(start), of_i64(length)])
    }

    /// `aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)`
    pub fn native_batch_norm<'t>(&'t self, x: Tensor<'t>, weight: Option<Tensor<'t>>, bias: Option<Tensor<'t>>, running_mean: Option<Tensor<'t>>, running_var: Option<Tensor<'t>>, training: bool, momentum: f64, eps: f64) -> [Tensor<'t>; 3] {
        self.call_n(158, &[of_tensor(x), of_optional_tensor(weight), of_optional_tensor(bias), of_optional_tensor(running_mean), of_optional_tensor(running_var), of_bool(training), of_f64(momentum), of_f64(eps)])
    }

    /// `aten::ne.Scalar(Tensor self, Scalar other) -> Tensor`
    pub fn ne_scalar<'t>(&'t self, x: Tensor<'t>, other: impl Into<Scalar>) -> Tensor<'t> {
        self.call(159, &[of_tensor(x), other.into().0])
    }

    /// `aten::ne.Tensor(Tensor self, Tensor other) -> Tensor`
    pub fn ne<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(160, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::neg(Tensor self) -> Tensor`
    pub fn neg<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(161, &[of_tensor(x)])
    }

    /// `aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100) -> Tensor`
    pub fn nll_loss<'t>(&'t self, x: Tensor<'t>, target: Tensor<'t>, weight: Option<Tensor<'t>>, reduction: i64, ignore_index: i64) -> Tensor<'t> {
        self.call(162, &[of_tensor(x), of_tensor(target), of_optional_tensor(weight), of_i64(reduction), of_i64(ignore_index)])
    }

    /// `aten::nonzero(Tensor self) -> Tensor`
    pub fn nonzero<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(163, &[of_tensor(x)])
    }

    /// `aten::normal_functional(Tensor self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor`
    pub fn normal_like<'t>(&'t self, x: Tensor<'t>, mean: f64, std: f64) -> Tensor<'t> {
        self.call(164, &[of_tensor(x), of_f64(mean), of_f64(std), of_none()])
    }

    /// `aten::ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
    pub fn ones<'t>(&'t self, size: &[i64], dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(165, &[of_ints(size), of_optional_dtype(dtype), of_none(), of_none(), of_none()])
    }

    /// `aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
    pub fn ones_like<'t>(&'t self, x: Tensor<'t>, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(166, &[of_tensor(x), of_optional_dtype(dtype), of_none(), of_none(), of_none(), of_none()])
    }

    /// `aten::outer(Tensor self, Tensor vec2) -> Tensor`
    pub fn outer<'t>(&'t self, x: Tensor<'t>, vec2: Tensor<'t>) -> Tensor<'t> {
        self.call(167, &[of_tensor(x), of_tensor(vec2)])
    }

    /// `aten::pad(Tensor self, SymInt[] pad, str mode="constant", float? value=None) -> Tensor`
    pub fn pad<'t>(&'t self, x: Tensor<'t>, pad: &[i64], mode: &str, value: impl Into<Scalar>) -> Tensor<'t> {
        self.call(168, &[of_tensor(x), of_ints(pad), of_str(mode), value.into().0])
    }

    /// `aten::pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor`
    pub fn pairwise_distance<'t>(&'t self, x1: Tensor<'t>, x2: Tensor<'t>, p: f64, eps: f64, keepdim: bool) -> Tensor<'t> {
        self.call(169, &[of_tensor(x1), of_tensor(x2), of_f64(p), of_f64(eps), of_bool(keepdim)])
    }

    /// `aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)`
    pub fn permute<'t>(&'t self, x: Tensor<'t>, dims: &[i64]) -> Tensor<'t> {
        self.call(170, &[of_tensor(x), of_ints(dims)])
    }

    /// `aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor`
    pub fn pixel_shuffle<'t>(&'t self, x: Tensor<'t>, upscale_factor: i64) -> Tensor<'t> {
        self.call(171, &[of_tensor(x), of_i64(upscale_factor)])
    }

    /// `aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor`
    pub fn pixel_unshuffle<'t>(&'t self, x: Tensor<'t>, downscale_factor: i64) -> Tensor<'t> {
        self.call(172, &[of_tensor(x), of_i64(downscale_factor)])
    }

    /// `aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor`
    pub fn poisson_nll_loss<'t>(&'t self, x: Tensor<'t>, target: Tensor<'t>, log_input: bool, full: bool, eps: f64, reduction: i64) -> Tensor<'t> {
        self.call(173, &[of_tensor(x), of_tensor(target), of_bool(log_input), of_bool(full), of_f64(eps), of_i64(reduction)])
    }

    /// `aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor`
    pub fn pow_scalar<'t>(&'t self, x: Tensor<'t>, exponent: impl Into<Scalar>) -> Tensor<'t> {
        self.call(174, &[of_tensor(x), exponent.into().0])
    }

    /// `aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor`
    pub fn pow<'t>(&'t self, x: Tensor<'t>, exponent: Tensor<'t>) -> Tensor<'t> {
        self.call(175, &[of_tensor(x), of_tensor(exponent)])
    }

    /// `aten::prelu(Tensor self, Tensor weight) -> Tensor`
    pub fn prelu<'t>(&'t self, x: Tensor<'t>, weight: Tensor<'t>) -> Tensor<'t> {
        self.call(176, &[of_tensor(x), of_tensor(weight)])
    }

    /// `aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor`
    pub fn prod<'t>(&'t self, x: Tensor<'t>, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(177, &[of_tensor(x), of_optional_dtype(dtype)])
    }

    /// `aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor`
    pub fn prod_dim<'t>(&'t self, x: Tensor<'t>, dim: i64, keepdim: bool, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(178, &[of_tensor(x), of_i64(dim), of_bool(keepdim), of_optional_dtype(dtype)])
    }

    /// `aten::rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
    pub fn rand<'t>(&'t self, size: &[i64], dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(179, &[of_ints(size), of_optional_dtype(dtype), of_none(), of_none(), of_none()])
    }

    /// `aten::rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
    pub fn rand_like<'t>(&'t self, x: Tensor<'t>, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(180, &[of_tensor(x), of_optional_dtype(dtype), of_none(), of_none(), of_none(), of_none()])
    }

    /// `aten::randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
    pub fn randn<'t>(&'t self, size: &[i64], dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(181, &[of_ints(size), of_optional_dtype(dtype), of_none(), of_none(), of_none()])
    }

    /// `aten::randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
    pub fn randn_like<'t>(&'t self, x: Tensor<'t>, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(182, &[of_tensor(x), of_optional_dtype(dtype), of_none(), of_none(), of_none(), of_none()])
    }

    /// `aten::real(Tensor(a) self) -> Tensor(a)`
    pub fn real<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(183, &[of_tensor(x)])
    }

    /// `aten::reciprocal(Tensor self) -> Tensor`
    pub fn reciprocal<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(184, &[of_tensor(x)])
    }

    /// `aten::reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor`
    pub fn reflection_pad2d<'t>(&'t self, x: Tensor<'t>, padding: &[i64]) -> Tensor<'t> {
        self.call(185, &[of_tensor(x), of_ints(padding)])
    }

    /// `aten::relu(Tensor self) -> Tensor`
    pub fn relu<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(186, &[of_tensor(x)])
    }

    /// `aten::relu6(Tensor self) -> Tensor`
    pub fn relu6<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(187, &[of_tensor(x)])
    }

    /// `aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor`
    pub fn remainder_scalar<'t>(&'t self, x: Tensor<'t>, other: impl Into<Scalar>) -> Tensor<'t> {
        self.call(188, &[of_tensor(x), other.into().0])
    }

    /// `aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor`
    pub fn remainder<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(189, &[of_tensor(x), of_tensor(other)])
    }

    /// `aten::repeat(Tensor self, SymInt[] repeats) -> Tensor`
    pub fn repeat<'t>(&'t self, x: Tensor<'t>, repeats: &[i64]) -> Tensor<'t> {
        self.call(190, &[of_tensor(x), of_ints(repeats)])
    }

    /// `aten::replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor`
    pub fn replication_pad2d<'t>(&'t self, x: Tensor<'t>, padding: &[i64]) -> Tensor<'t> {
        self.call(191, &[of_tensor(x), of_ints(padding)])
    }

    /// `aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)`
    pub fn reshape<'t>(&'t self, x: Tensor<'t>, shape: &[i64]) -> Tensor<'t> {
        self.call(192, &[of_tensor(x), of_ints(shape)])
    }

    /// `aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor`
    pub fn rms_norm<'t>(&'t self, x: Tensor<'t>, normalized_shape: &[i64], weight: Option<Tensor<'t>>, eps: impl Into<Scalar>) -> Tensor<'t> {
        self.call(193, &[of_tensor(x), of_ints(normalized_shape), of_optional_tensor(weight), eps.into().0])
    }

    /// `aten::rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor`
    pub fn rnn_tanh_cell<'t>(&'t self, x: Tensor<'t>, hx: Tensor<'t>, w_ih: Tensor<'t>, w_hh: Tensor<'t>, b_ih: Option<Tensor<'t>>, b_hh: Option<Tensor<'t>>) -> Tensor<'t> {
        self.call(194, &[of_tensor(x), of_tensor(hx), of_tensor(w_ih), of_tensor(w_hh), of_optional_tensor(b_ih), of_optional_tensor(b_hh)])
    }

    /// `aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor`
    pub fn roll<'t>(&'t self, x: Tensor<'t>, shifts: &[i64], dims: Option<&[i64]>) -> Tensor<'t> {
        self.call(195, &[of_tensor(x), of_ints(shifts), of_optional_ints(dims)])
    }

    /// `aten::round(Tensor self) -> Tensor`
    pub fn round<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(196, &[of_tensor(x)])
    }

    /// `aten::rsqrt(Tensor self) -> Tensor`
    pub fn rsqrt<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(197, &[of_tensor(x)])
    }

    /// `aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor`
    pub fn rsub_scalar<'t>(&'t self, x: Tensor<'t>, other: impl Into<Scalar>, alpha: impl Into<Scalar>) -> Tensor<'t> {
        self.call(198, &[of_tensor(x), other.into().0, alpha.into().0])
    }

    /// `aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor`
    pub fn scaled_dot_product_attention<'t>(&'t self, query: Tensor<'t>, key: Tensor<'t>, value: Tensor<'t>, attn_mask: Option<Tensor<'t>>, dropout_p: f64, is_causal: bool, scale: impl Into<Scalar>, enable_gqa: bool) -> Tensor<'t> {
        self.call(199, &[of_tensor(query), of_tensor(key), of_tensor(value), of_optional_tensor(attn_mask), of_f64(dropout_p), of_bool(is_causal), scale.into().0, of_bool(enable_gqa)])
    }

    /// `aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor`
    pub fn scatter<'t>(&'t self, x: Tensor<'t>, dim: i64, index: Tensor<'t>, src: Tensor<'t>) -> Tensor<'t> {
        self.call(200, &[of_tensor(x), of_i64(dim), of_tensor(index), of_tensor(src)])
    }

    /// `aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor`
    pub fn scatter_value<'t>(&'t self, x: Tensor<'t>, dim: i64, index: Tensor<'t>, value: impl Into<Scalar>) -> Tensor<'t> {
        self.call(201, &[of_tensor(x), of_i64(dim), of_tensor(index), value.into().0])
    }

    /// `aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor`
    pub fn scatter_add<'t>(&'t self, x: Tensor<'t>, dim: i64, index: Tensor<'t>, src: Tensor<'t>) -> Tensor<'t> {
        self.call(202, &[of_tensor(x), of_i64(dim), of_tensor(index), of_tensor(src)])
    }

    /// `aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)`
    pub fn select<'t>(&'t self, x: Tensor<'t>, dim: i64, index: i64) -> Tensor<'t> {
        self.call(203, &[of_tensor(x), of_i64(dim), of_i64(index)])
    }

    /// `aten::selu(Tensor self) -> Tensor`
    pub fn selu<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(204, &[of_tensor(x)])
    }

    /// `aten::sigmoid(Tensor self) -> Tensor`
    pub fn sigmoid<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(205, &[of_tensor(x)])
    }

    /// `aten::sign(Tensor self) -> Tensor`
    pub fn sign<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(206, &[of_tensor(x)])
    }

    /// `aten::silu(Tensor self) -> Tensor`
    pub fn silu<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(207, &[of_tensor(x)])
    }

    /// `aten::sin(Tensor self) -> Tensor`
    pub fn sin<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(208, &[of_tensor(x)])
    }

    /// `aten::sinh(Tensor self) -> Tensor`
    pub fn sinh<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(209, &[of_tensor(x)])
    }

    /// `aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)`
    pub fn slice<'t>(&'t self, x: Tensor<'t>, dim: i64, start: impl Into<Scalar>, end: impl Into<Scalar>, step: i64) -> Tensor<'t> {
        self.call(210, &[of_tensor(x), of_i64(dim), start.into().0, end.into().0, of_i64(step)])
    }

    /// `aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor`
    pub fn smooth_l1_loss<'t>(&'t self, x: Tensor<'t>, target: Tensor<'t>, reduction: i64, beta: f64) -> Tensor<'t> {
        self.call(211, &[of_tensor(x), of_tensor(target), of_i64(reduction), of_f64(beta)])
    }

    /// `aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor`
    pub fn softmax<'t>(&'t self, x: Tensor<'t>, dim: i64, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(212, &[of_tensor(x), of_i64(dim), of_optional_dtype(dtype)])
    }

    /// `aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor`
    pub fn softplus<'t>(&'t self, x: Tensor<'t>, beta: impl Into<Scalar>, threshold: impl Into<Scalar>) -> Tensor<'t> {
        self.call(213, &[of_tensor(x), beta.into().0, threshold.into().0])
    }

    /// `aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)`
    pub fn sort<'t>(&'t self, x: Tensor<'t>, dim: i64, descending: bool) -> [Tensor<'t>; 2] {
        self.call_n(214, &[of_tensor(x), of_i64(dim), of_bool(descending)])
    }

    /// `aten::sqrt(Tensor self) -> Tensor`
    pub fn sqrt<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(215, &[of_tensor(x)])
    }

    /// `aten::square(Tensor self) -> Tensor`
    pub fn square<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(216, &[of_tensor(x)])
    }

    /// `aten::squeeze(Tensor(a) self) -> Tensor(a)`
    pub fn squeeze_all<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(217, &[of_tensor(x)])
    }

    /// `aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)`
    pub fn squeeze<'t>(&'t self, x: Tensor<'t>, dim: i64) -> Tensor<'t> {
        self.call(218, &[of_tensor(x), of_i64(dim)])
    }

    /// `aten::stack(Tensor[] tensors, int dim=0) -> Tensor`
    pub fn stack<'t>(&'t self, tensors: &[Tensor<'t>], dim: i64) -> Tensor<'t> {
        let tensors = handles(tensors);
        self.call(219, &[of_tensors(&tensors), of_i64(dim)])
    }

    /// `aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor`
    pub fn std<'t>(&'t self, x: Tensor<'t>, dim: Option<&[i64]>, correction: impl Into<Scalar>, keepdim: bool) -> Tensor<'t> {
        self.call(220, &[of_tensor(x), of_optional_ints(dim), correction.into().0, of_bool(keepdim)])
    }

    /// `aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor`
    pub fn sub_scalar<'t>(&'t self, x: Tensor<'t>, other: impl Into<Scalar>, alpha: impl Into<Scalar>) -> Tensor<'t> {
        self.call(221, &[of_tensor(x), other.into().0, alpha.into().0])
    }

    /// `aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`
    pub fn sub<'t>(&'t self, x: Tensor<'t>, other: Tensor<'t>, alpha: impl Into<Scalar>) -> Tensor<'t> {
        self.call(222, &[of_tensor(x), of_tensor(other), alpha.into().0])
    }

    /// `aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor`
    pub fn sum<'t>(&'t self, x: Tensor<'t>, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(223, &[of_tensor(x), of_optional_dtype(dtype)])
    }

    /// `aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor`
    pub fn sum_dim<'t>(&'t self, x: Tensor<'t>, dim: Option<&[i64]>, keepdim: bool, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(224, &[of_tensor(x), of_optional_ints(dim), of_bool(keepdim), of_optional_dtype(dtype)])
    }

    /// `aten::t(Tensor(a) self) -> Tensor(a)`
    pub fn t<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(225, &[of_tensor(x)])
    }

    /// `aten::tan(Tensor self) -> Tensor`
    pub fn tan<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(226, &[of_tensor(x)])
    }

    /// `aten::tanh(Tensor self) -> Tensor`
    pub fn tanh<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(227, &[of_tensor(x)])
    }

    /// `aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor`
    pub fn threshold<'t>(&'t self, x: Tensor<'t>, threshold: impl Into<Scalar>, value: impl Into<Scalar>) -> Tensor<'t> {
        self.call(228, &[of_tensor(x), threshold.into().0, value.into().0])
    }

    /// `aten::tile(Tensor self, SymInt[] dims) -> Tensor`
    pub fn tile<'t>(&'t self, x: Tensor<'t>, dims: &[i64]) -> Tensor<'t> {
        self.call(229, &[of_tensor(x), of_ints(dims)])
    }

    /// `aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)`
    pub fn to_dtype<'t>(&'t self, x: Tensor<'t>, dtype: Dtype, non_blocking: bool, copy: bool) -> Tensor<'t> {
        self.call(230, &[of_tensor(x), of_dtype(dtype), of_bool(non_blocking), of_bool(copy), of_none()])
    }

    /// `aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)`
    pub fn topk<'t>(&'t self, x: Tensor<'t>, k: i64, dim: i64, largest: bool, sorted: bool) -> [Tensor<'t>; 2] {
        self.call_n(231, &[of_tensor(x), of_i64(k), of_i64(dim), of_bool(largest), of_bool(sorted)])
    }

    /// `aten::trace(Tensor self) -> Tensor`
    pub fn trace<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(232, &[of_tensor(x)])
    }

    /// `aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)`
    pub fn transpose<'t>(&'t self, x: Tensor<'t>, dim0: i64, dim1: i64) -> Tensor<'t> {
        self.call(233, &[of_tensor(x), of_i64(dim0), of_i64(dim1)])
    }

    /// `aten::tril(Tensor self, SymInt diagonal=0) -> Tensor`
    pub fn tril<'t>(&'t self, x: Tensor<'t>, diagonal: i64) -> Tensor<'t> {
        self.call(234, &[of_tensor(x), of_i64(diagonal)])
    }

    /// `aten::triu(Tensor self, SymInt diagonal=0) -> Tensor`
    pub fn triu<'t>(&'t self, x: Tensor<'t>, diagonal: i64) -> Tensor<'t> {
        self.call(235, &[of_tensor(x), of_i64(diagonal)])
    }

    /// `aten::trunc(Tensor self) -> Tensor`
    pub fn trunc<'t>(&'t self, x: Tensor<'t>) -> Tensor<'t> {
        self.call(236, &[of_tensor(x)])
    }

    /// `aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)`
    pub fn unfold<'t>(&'t self, x: Tensor<'t>, dimension: i64, size: i64, step: i64) -> Tensor<'t> {
        self.call(237, &[of_tensor(x), of_i64(dimension), of_i64(size), of_i64(step)])
    }

    /// `aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)`
    pub fn unsqueeze<'t>(&'t self, x: Tensor<'t>, dim: i64) -> Tensor<'t> {
        self.call(238, &[of_tensor(x), of_i64(dim)])
    }

    /// `aten::upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor`
    pub fn upsample_bilinear2d<'t>(&'t self, x: Tensor<'t>, output_size: &[i64], align_corners: bool, scales_h: impl Into<Scalar>, scales_w: impl Into<Scalar>) -> Tensor<'t> {
        self.call(239, &[of_tensor(x), of_ints(output_size), of_bool(align_corners), scales_h.into().0, scales_w.into().0])
    }

    /// `aten::upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor`
    pub fn upsample_nearest2d<'t>(&'t self, x: Tensor<'t>, output_size: &[i64], scales_h: impl Into<Scalar>, scales_w: impl Into<Scalar>) -> Tensor<'t> {
        self.call(240, &[of_tensor(x), of_ints(output_size), scales_h.into().0, scales_w.into().0])
    }

    /// `aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor`
    pub fn var<'t>(&'t self, x: Tensor<'t>, dim: Option<&[i64]>, correction: impl Into<Scalar>, keepdim: bool) -> Tensor<'t> {
        self.call(241, &[of_tensor(x), of_optional_ints(dim), correction.into().0, of_bool(keepdim)])
    }

    /// `aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)`
    pub fn var_mean<'t>(&'t self, x: Tensor<'t>, dim: Option<&[i64]>, correction: impl Into<Scalar>, keepdim: bool) -> [Tensor<'t>; 2] {
        self.call_n(242, &[of_tensor(x), of_optional_ints(dim), correction.into().0, of_bool(keepdim)])
    }

    /// `aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)`
    pub fn view<'t>(&'t self, x: Tensor<'t>, size: &[i64]) -> Tensor<'t> {
        self.call(243, &[of_tensor(x), of_ints(size)])
    }

    /// `aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor`
    pub fn r#where<'t>(&'t self, condition: Tensor<'t>, x: Tensor<'t>, other: Tensor<'t>) -> Tensor<'t> {
        self.call(244, &[of_tensor(condition), of_tensor(x), of_tensor(other)])
    }

    /// `aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
    pub fn zeros<'t>(&'t self, size: &[i64], dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(245, &[of_ints(size), of_optional_dtype(dtype), of_none(), of_none(), of_none()])
    }

    /// `aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
    pub fn zeros_like<'t>(&'t self, x: Tensor<'t>, dtype: Option<Dtype>) -> Tensor<'t> {
        self.call(246, &[of_tensor(x), of_optional_dtype(dtype), of_none(), of_none(), of_none(), of_none()])
    }
}
