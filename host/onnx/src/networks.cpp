// networks.cpp: products, convolutions, pooling, norms, attention, recurrent cells, resizing.
#include <algorithm>
#include <array>
#include <cmath>

#include "call.hpp"

namespace broch::onnx {
namespace {

using graph::Number;

// The axes of the last dimensions exchanged.
std::string last_exchanged(Builder& b, const std::string& x, int64_t rank) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < rank; ++i) order.push_back(i);
  std::swap(order[size_t(rank - 1)], order[size_t(rank - 2)]);
  return b.add("Transpose", {x}, {attribute("perm", order)});
}

// ---- products

std::string linear(Call& c, const std::string& x, int64_t rank, const std::string& weight,
                   const std::string& bias) {
  if (rank == 2) return c.b.add("Gemm", {x, weight, bias}, {attribute("transB", 1)});
  const std::string y = c.b.add("MatMul", {x, last_exchanged(c.b, weight, 2)});
  return bias.empty() ? y : c.b.add("Add", {y, bias});
}
Names linear(Call& c) {
  if (c.rank(1) != 2) c.refuse("a weight that is no matrix");
  return {linear(c, c.x(0), c.rank(0), c.x(1), c.x(2))};
}
Names matmul(Call& c) { return {c.b.add("MatMul", {c.x(0), c.x(1)})}; }
std::string scaled(Call& c, const std::string& x, double factor) {
  return factor == 1 ? x : c.b.add("Mul", {x, c.b.scalar(factor, c.result().dtype)});
}
Names addmm(Call& c) {
  const double beta = c.scalar(3, 1), alpha = c.scalar(4, 1);
  const std::string product = scaled(c, c.b.add("MatMul", {c.x(1), c.x(2)}), alpha);
  return {beta == 0 ? product : c.b.add("Add", {product, scaled(c, c.x(0), beta)})};
}
Names einsum(Call& c) {
  std::string equation = c.text(0);
  std::erase(equation, ' ');
  Names inputs;
  for (const int value : c.values(1)) inputs.push_back(c.b.name(value));
  return {c.b.add("Einsum", inputs, {attribute("equation", equation.c_str())})};
}

// ---- convolutions and pooling

std::vector<int64_t> twice(const std::vector<int64_t>& padding) {
  std::vector<int64_t> both = padding;
  both.insert(both.end(), padding.begin(), padding.end());
  return both;
}
// "same": as many results as elements. ONNX Runtime has its own "same" without dilation alone.
std::vector<int64_t> pads(Call& c, size_t padding, const std::vector<int64_t>& dilations) {
  const size_t n = dilations.size();
  if (c.text(padding) != "same") return twice(c.integers(padding, n, 0));
  std::vector<int64_t> ends(2 * n);
  for (size_t d = 0; d < n; ++d) {
    const int64_t total = dilations[d] * (c.constant(c.shape(1)[2 + d]) - 1);
    ends[d] = total / 2;
    ends[n + d] = total - total / 2;
  }
  return ends;
}
// Without a batch: with one of 1 around the operator.
template <class Make>
std::string batched(Call& c, size_t dims, Make make) {
  if (c.rank(0) == int64_t(dims) + 2) return make(c.x(0));
  return c.b.squeeze(make(c.b.unsqueeze(c.x(0), {0})), {0});
}
Names convolution(Call& c, bool transposed, size_t padding, size_t dilation, size_t groups,
                  size_t output_padding) {
  const size_t n = size_t(c.rank(1)) - 2;
  const std::vector<int64_t> dilations = c.integers(dilation, n, 1);
  Attributes attributes = {
      attribute("strides", c.integers(3, n, 1)), attribute("dilations", dilations),
      attribute("group", c.integer(groups, 1)), attribute("pads", pads(c, padding, dilations))};
  if (transposed)
    attributes.push_back(attribute("output_padding", c.integers(output_padding, n, 0)));
  return {batched(c, n, [&](const std::string& x) {
    return c.b.add(transposed ? "ConvTranspose" : "Conv", {x, c.x(1), c.x(2)}, attributes);
  })};
}
Names conv(Call& c) { return convolution(c, false, 4, 5, 6, 0); }
Names conv_transpose(Call& c) { return convolution(c, true, 4, 7, 6, 5); }
Names any_convolution(Call& c) { return convolution(c, c.boolean(6, false), 4, 5, 8, 7); }

size_t dims_of_name(const std::string& name) {
  for (const char digit : {'1', '2', '3'})
    if (name.find(std::string(1, digit) + "d") != std::string::npos) return size_t(digit - '0');
  return 2;
}
std::vector<int64_t> strides_of_pool(Call& c, size_t n) {
  return c.integers(c.integers(2).empty() ? 1 : 2, n, 1);
}
Attributes window(Call& c, size_t n, const std::vector<int64_t>& padding) {
  return {attribute("kernel_shape", c.integers(1, n, 1)),
          attribute("strides", strides_of_pool(c, n)), attribute("pads", twice(padding))};
}
// Where ceil_mode makes room for a window that begins behind the image, among the padding, operator
// set 18 has it, and LibTorch does not.
std::string without_windows_behind(Call& c, std::string y, const std::vector<int64_t>& padding,
                                   const std::vector<int64_t>& dilations) {
  const size_t n = padding.size();
  const std::vector<int64_t> kernel = c.integers(1, n, 1), strides = strides_of_pool(c, n);
  const Shape& shape = c.result().shape;
  for (size_t d = 0; d < n; ++d)
    if (strides[d] + padding[d] > dilations[d] * (kernel[d] - 1) + 1)
      y = c.b.slice(y, int64_t(2 + d), 0, shape[shape.size() - n + d]);
  return y;
}
Names max_pool(Call& c) {
  const size_t n = dims_of_name(c.name());
  if (c.results() > 1 && c.needs(1)) c.refuse("the places of the maxima");
  const std::vector<int64_t> padding = c.integers(3, n, 0), dilations = c.integers(4, n, 1);
  const bool reaches_out = c.boolean(5, false);
  Attributes attributes = window(c, n, padding);
  attributes.push_back(attribute("dilations", dilations));
  attributes.push_back(attribute("ceil_mode", reaches_out));
  Names results = {batched(c, n, [&](const std::string& x) {
    const std::string y = c.b.add("MaxPool", {x}, attributes);
    return reaches_out ? without_windows_behind(c, y, padding, dilations) : y;
  })};
  results.resize(c.results());
  return results;
}
// Means over an image with zeros around it: so many at both ends of each of its dimensions.
std::string mean_with_zeros(Call& c, const std::string& x, const std::vector<int64_t>& zeros,
                            const Attributes& attributes) {
  std::vector<int64_t> ends = {0, 0};
  ends.insert(ends.end(), zeros.begin(), zeros.end());
  const std::string wide =
      c.b.add("Pad", {x, c.b.integers(twice(ends))}, {attribute("mode", "constant")});
  return c.b.add("AveragePool", {wide}, attributes);
}
Names avg_pool(Call& c) {
  const size_t n = dims_of_name(c.name());
  if (c.has(6)) c.refuse("a divisor");
  const bool reaches_out = c.boolean(4, false), counts = c.boolean(5, true);
  std::vector<int64_t> padding = c.integers(3, n, 0), zeros(n, 0);
  // What a window has behind the padding counts for some programs, as the padding does; in LibTorch
  // it does not.
  if (reaches_out && counts) std::swap(padding, zeros);
  Attributes attributes = window(c, n, padding);
  attributes.push_back(attribute("ceil_mode", reaches_out));
  attributes.push_back(attribute("count_include_pad", counts && !reaches_out));
  const bool has_zeros = std::ranges::any_of(zeros, [](int64_t size) { return size != 0; });
  return {batched(c, n, [&](const std::string& x) {
    const std::string y = has_zeros ? mean_with_zeros(c, x, zeros, attributes)
                                    : c.b.add("AveragePool", {x}, attributes);
    if (!reaches_out) return y;
    return without_windows_behind(c, y, has_zeros ? zeros : padding, std::vector<int64_t>(n, 1));
  })};
}

// Pools of nearly equal sizes: element i of the result is over those from floor(i * in / out) to
// ceil((i + 1) * in / out).
std::string mean_matrix(Call& c, int64_t in, int64_t out) {
  std::vector<float> matrix(size_t(in * out));
  for (int64_t i = 0; i < out; ++i) {
    const int64_t begin = i * in / out, end = ((i + 1) * in + out - 1) / out;
    for (int64_t k = begin; k < end; ++k) matrix[size_t(k * out + i)] = 1 / float(end - begin);
  }
  return c.b.floats(matrix, {in, out});
}
Names adaptive_pool(Call& c, bool is_mean) {
  const size_t n = dims_of_name(c.name());
  const Shape& x = c.shape(0);
  const Shape& y = c.result().shape;
  const size_t first = x.size() - n;
  if (!is_mean && c.results() > 1 && c.needs(1)) c.refuse("the places of the maxima");
  bool is_one = true, is_even = true;
  for (size_t d = first; d < x.size(); ++d) {
    is_one &= y[d] == Number(1);
    is_even &= x[d].is_constant() && y[d].is_constant() && y[d].value({}) > 0 &&
               x[d].value({}) % y[d].value({}) == 0;
  }
  std::vector<int64_t> axes, sizes;
  for (size_t d = first; d < x.size(); ++d) axes.push_back(int64_t(d));
  Names results(c.results());
  if (is_one) {
    results[0] = c.b.add(is_mean ? "ReduceMean" : "ReduceMax", {c.x(0), c.b.integers(axes)});
    return results;
  }
  if (is_even) {
    for (size_t d = first; d < x.size(); ++d) sizes.push_back(x[d].value({}) / y[d].value({}));
    results[0] = batched(c, n, [&](const std::string& input) {
      return c.b.add(is_mean ? "AveragePool" : "MaxPool", {input},
                     {attribute("kernel_shape", sizes), attribute("strides", sizes)});
    });
    return results;
  }
  if (!is_mean || n > 2 || c.dtype(0) != BROCH_FLOAT32) c.refuse("windows of several sizes");
  const auto rank = int64_t(x.size());
  std::string result = c.x(0);
  for (size_t d = x.size(); d-- > first;) {
    const std::string matrix = mean_matrix(c, c.constant(x[d]), c.constant(y[d]));
    const bool is_last = d + 1 == x.size();
    if (!is_last) result = last_exchanged(c.b, result, rank);
    result = c.b.add("MatMul", {result, matrix});
    if (!is_last) result = last_exchanged(c.b, result, rank);
  }
  results[0] = result;
  return results;
}

// ---- norms

// A tensor of the number of channels, or one with this value everywhere.
std::string of_channels(Call& c, size_t i, const Number& channels, double otherwise) {
  return c.has(i) ? c.x(i) : c.b.full(otherwise, c.dtype(0), {channels});
}
// (C,) as (C, 1, 1), for a tensor of this rank.
std::string beside(Call& c, const std::string& x, int64_t rank) {
  std::vector<int64_t> axes;
  for (int64_t i = 1; i < rank - 1; ++i) axes.push_back(i);
  return axes.empty() ? x : c.b.unsqueeze(x, axes);
}
Names batch_norm(Call& c, bool training, double eps) {
  const Number channels = c.shape(0)[1];
  const std::string scale = of_channels(c, 1, channels, 1), shift = of_channels(c, 2, channels, 0);
  Names results(c.results());
  for (size_t i = 1; i < c.results(); ++i)
    if (c.needs(i)) c.refuse("statistics as results");
  if (!training && c.has(3)) {
    results[0] = c.b.add("BatchNormalization", {c.x(0), scale, shift, c.x(3), c.x(4)},
                         {attribute("epsilon", eps)});
    return results;
  }
  std::vector<int64_t> axes = {0};
  for (int64_t i = 2; i < c.rank(0); ++i) axes.push_back(i);
  const std::string mean = c.b.add("ReduceMean", {c.x(0), c.b.integers(axes)});
  const std::string apart = c.b.add("Sub", {c.x(0), mean});
  const std::string variance =
      c.b.add("ReduceMean", {c.b.add("Mul", {apart, apart}), c.b.integers(axes)});
  const std::string deviation =
      c.b.add("Sqrt", {c.b.add("Add", {variance, c.b.scalar(eps, c.dtype(0))})});
  const std::string normal = c.b.add("Div", {apart, deviation});
  results[0] = c.b.add(
      "Add", {c.b.add("Mul", {normal, beside(c, scale, c.rank(0))}), beside(c, shift, c.rank(0))});
  return results;
}

Names layer_norm(Call& c) {
  const std::vector<Number> shape = c.numbers(1);
  std::string scale = c.x(2);
  if (scale.empty()) scale = c.b.full(1, c.dtype(0), shape);
  Names results(c.results());
  for (size_t i = 1; i < c.results(); ++i)
    if (c.needs(i)) c.refuse("statistics as results");
  results[0] =
      c.b.add("LayerNormalization", {c.x(0), scale, c.x(3)},
              {attribute("axis", -int64_t(shape.size())), attribute("epsilon", c.scalar(4, 1e-5))});
  return results;
}
Names rms_norm(Call& c) {
  std::vector<int64_t> axes;
  for (size_t i = c.numbers(1).size(); i > 0; --i) axes.push_back(-int64_t(i));
  const std::string x = c.x(0);
  const std::string square = c.b.add("ReduceMean", {c.b.add("Mul", {x, x}), c.b.integers(axes)});
  const double eps = c.scalar(3, c.dtype(0) == BROCH_FLOAT64 ? 0x1p-52 : 0x1p-23);
  const std::string root = c.b.add("Sqrt", {c.b.add("Add", {square, c.b.scalar(eps, c.dtype(0))})});
  const std::string y = c.b.add("Div", {x, root});
  return {c.has(2) ? c.b.add("Mul", {y, c.x(2)}) : y};
}
// Each group of an example is one channel of InstanceNormalization.
std::string group_norm(Call& c, int64_t groups, double eps, size_t weight, size_t bias) {
  const Shape& shape = c.shape(0);
  const int64_t per_group = c.constant(shape[1]) / groups;
  std::vector<int64_t> inner = {0, groups, -1};
  if (shape.size() == 2) inner[2] = per_group;
  std::string x = c.b.add("Reshape", {c.x(0), c.b.integers(inner)});
  x = c.b.add("InstanceNormalization",
              {x, c.b.full(1, c.dtype(0), {groups}), c.b.full(0, c.dtype(0), {groups})},
              {attribute("epsilon", eps)});
  x = c.b.reshape(x, shape);
  if (c.has(weight)) x = c.b.add("Mul", {x, beside(c, c.x(weight), c.rank(0))});
  if (c.has(bias)) x = c.b.add("Add", {x, beside(c, c.x(bias), c.rank(0))});
  return x;
}
Names instance_norm(Call& c) {
  if (!c.boolean(5, true)) return batch_norm(c, false, c.scalar(7, 1e-5));
  const Number channels = c.shape(0)[1];
  return {c.b.add("InstanceNormalization",
                  {c.x(0), of_channels(c, 1, channels, 1), of_channels(c, 2, channels, 0)},
                  {attribute("epsilon", c.scalar(7, 1e-5))})};
}

// ---- attention

// Heads of keys and values that several heads of queries share, each repeated.
std::string repeated(Call& c, size_t i) {
  const Shape& x = c.shape(i);
  const Shape& query = c.shape(0);
  const size_t heads = x.size() - 3;
  const int64_t times = c.constant(query[heads]) / c.constant(x[heads]);
  if (times == 1) return c.x(i);
  Shape wide = x, result = x;
  wide.insert(wide.begin() + int64_t(heads) + 1, Number(times));
  result[heads] = query[heads];
  const std::string one = c.b.unsqueeze(c.x(i), {int64_t(heads) + 1});
  return c.b.reshape(c.b.add("Expand", {one, c.b.sizes(wide)}), result);
}
Names attention(Call& c) {
  const broch_dtype dtype = c.dtype(0);
  const int64_t rank = c.rank(0);
  if (c.scalar(4, 0) != 0) c.refuse("dropout, which is for training");
  const bool shares = c.boolean(7, false);
  const std::string key = shares ? repeated(c, 1) : c.x(1);
  const std::string value = shares ? repeated(c, 2) : c.x(2);
  const double width = double(c.constant(c.shape(0).back()));
  const double scale = c.scalar(6, 1 / std::sqrt(width));
  const std::string query = c.b.add("Mul", {c.x(0), c.b.scalar(scale, dtype)});
  std::string scores = c.b.add("MatMul", {query, last_exchanged(c.b, key, rank)});
  std::string mask, hidden;
  if (c.boolean(5, false)) {
    const Shape square = {c.shape(0)[size_t(rank - 2)], c.shape(1)[size_t(rank - 2)]};
    mask = c.b.cast(c.b.add("Trilu", {c.b.full(1, BROCH_INT64, square)}, {attribute("upper", 0)}),
                    BROCH_INT64, BROCH_BOOL);
  } else if (c.has(3) && c.dtype(3) == BROCH_BOOL) {
    mask = c.x(3);
  } else if (c.has(3)) {
    const std::string added = c.x(3, dtype);
    scores = c.b.add("Add", {scores, added});
    hidden = c.b.add("Equal", {added, c.b.scalar(-INFINITY, dtype)});
  }
  if (!mask.empty()) scores = c.b.add("Where", {mask, scores, c.b.scalar(-INFINITY, dtype)});
  std::string weights = c.b.add("Softmax", {scores}, {attribute("axis", -1)});
  // A row that is masked as a whole gives zeros, not NaN.
  if (c.has(3) && !mask.empty()) weights = c.b.add("Where", {mask, weights, c.b.scalar(0, dtype)});
  if (!hidden.empty()) weights = c.b.add("Where", {hidden, c.b.scalar(0, dtype), weights});
  return {c.b.add("MatMul", {weights, value})};
}

// The direction of a weight times its length g, of each slice along a dimension; -1: of the whole.
Names weight_norm(Call& c) {
  const int64_t rank = c.rank(0), kept = c.integer(2, 0) == -1 ? -1 : c.axis(2, rank);
  std::vector<int64_t> others;
  for (int64_t d = 0; d < rank; ++d)
    if (d != kept) others.push_back(d);
  const std::string length = others.empty() ? c.b.add("Abs", {c.x(0)})
                                            : c.b.add("ReduceL2", {c.x(0), c.b.integers(others)});
  return {c.b.add("Mul", {c.x(0), c.b.add("Div", {c.x(1), length})})};
}

// ---- recurrent cells; input, state, weights and biases for both

Names split(Call& c, const std::string& x, int n) {
  return c.b.add_all("Split", {x}, {attribute("axis", -1), attribute("num_outputs", n)}, size_t(n));
}
Names lstm_cell(Call& c) {
  const std::vector<int> state = c.values(1);
  const int64_t rank = c.rank(0);
  const std::string sum = c.b.add("Add", {linear(c, c.x(0), rank, c.x(2), c.x(4)),
                                          linear(c, c.b.name(state[0]), rank, c.x(3), c.x(5))});
  const Names gates = split(c, sum, 4);  // input, forget, cell, output
  const std::string kept = c.b.add("Mul", {c.b.add("Sigmoid", {gates[1]}), c.b.name(state[1])});
  const std::string added =
      c.b.add("Mul", {c.b.add("Sigmoid", {gates[0]}), c.b.add("Tanh", {gates[2]})});
  const std::string cell = c.b.add("Add", {kept, added});
  return {c.b.add("Mul", {c.b.add("Sigmoid", {gates[3]}), c.b.add("Tanh", {cell})}), cell};
}
Names gru_cell(Call& c) {
  const int64_t rank = c.rank(0);
  const Names x = split(c, linear(c, c.x(0), rank, c.x(2), c.x(4)), 3);
  const Names h = split(c, linear(c, c.x(1), rank, c.x(3), c.x(5)), 3);  // reset, update, new
  const std::string reset = c.b.add("Sigmoid", {c.b.add("Add", {x[0], h[0]})});
  const std::string update = c.b.add("Sigmoid", {c.b.add("Add", {x[1], h[1]})});
  const std::string fresh =
      c.b.add("Tanh", {c.b.add("Add", {x[2], c.b.add("Mul", {reset, h[2]})})});
  const std::string change = c.b.add("Sub", {c.x(1), fresh});
  return {c.b.add("Add", {fresh, c.b.add("Mul", {update, change})})};
}
Names rnn_cell(Call& c, const char* function) {
  const int64_t rank = c.rank(0);
  return {c.b.add(function, {c.b.add("Add", {linear(c, c.x(0), rank, c.x(2), c.x(4)),
                                             linear(c, c.x(1), rank, c.x(3), c.x(5))})})};
}

// ---- resizing

// By how much the image grows along each of its dimensions; none: the sizes of the result say it.
std::vector<double> given_factors(Call& c, size_t first) {
  if (c.name().ends_with(".vec")) return c.fractions(first);
  std::vector<double> factors;
  for (size_t d = 0; int64_t(d) + 2 < c.rank(0); ++d)
    if (c.has(first + d)) factors.push_back(c.scalar(first + d, 0));
  return factors;
}
// The same for all dimensions, if sizes alone would give another image: 7 pixels times 1.5 are 10.
// "": they would not.
std::string factors(Call& c, size_t first) {
  const Shape& x = c.shape(0);
  const Shape& y = c.result().shape;
  const std::vector<double> given = given_factors(c, first);
  if (given.size() + 2 != x.size()) return "";
  std::vector<float> all(x.size(), 1);
  bool differs = false;
  for (size_t d = 2; d < x.size(); ++d) {
    if (!x[d].is_constant() || !y[d].is_constant()) return "";
    all[d] = float(given[d - 2]);
    const float size = float(x[d].value({})) * all[d], whole = float(y[d].value({}));
    if (std::floor(size) != whole) return "";
    differs |= size != whole;
  }
  return differs ? c.b.floats(all, {int64_t(all.size())}) : "";
}
// first: the place of the factors among the arguments.
Names resize(Call& c, const char* mode, bool align_corners, size_t first) {
  Attributes attributes = {attribute("mode", mode)};
  const bool is_nearest = std::string_view(mode) == "nearest";
  attributes.push_back(attribute("coordinate_transformation_mode", is_nearest      ? "asymmetric"
                                                                   : align_corners ? "align_corners"
                                                                                   : "half_pixel"));
  if (is_nearest) attributes.push_back(attribute("nearest_mode", "floor"));
  if (std::string_view(mode) == "cubic") attributes.push_back(attribute("cubic_coeff_a", -0.75));
  const std::string scales = align_corners ? "" : factors(c, first);
  const std::string sizes = scales.empty() ? c.b.sizes(c.result().shape) : "";
  return {c.b.add("Resize", {c.x(0), "", scales, sizes}, attributes)};
}

Names grid_sample(Call& c) {
  static constexpr std::array kModes = {"bilinear", "nearest", "bicubic"};
  static constexpr std::array kPaddings = {"zeros", "border", "reflection"};
  if (c.rank(0) != 4) c.refuse("other than four dimensions");
  return {c.b.add("GridSample", {c.x(0), c.x(1)},
                  {attribute("mode", kModes.at(size_t(c.integer(2, 0)))),
                   attribute("padding_mode", kPaddings.at(size_t(c.integer(3, 0)))),
                   attribute("align_corners", int64_t(c.boolean(4, false)))})};
}

}  // namespace

void add_networks(Table& table) {
  table["linear"] = linear;
  for (const char* name : {"matmul", "mm", "bmm", "mv", "dot"}) table[name] = matmul;
  for (const char* name : {"addmm", "baddbmm", "addmv"}) table[name] = addmm;
  table["einsum"] = einsum;
  for (const char* name : {"conv1d", "conv2d", "conv3d"}) table[name] = conv;
  for (const char* name : {"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"})
    table[name] = conv_transpose;
  table["convolution"] = any_convolution;
  for (const char* name : {"max_pool1d", "max_pool2d", "max_pool3d", "max_pool2d_with_indices"})
    table[name] = max_pool;
  for (const char* name : {"avg_pool1d", "avg_pool2d", "avg_pool3d"}) table[name] = avg_pool;
  for (const char* name : {"adaptive_avg_pool1d", "adaptive_avg_pool2d", "_adaptive_avg_pool2d",
                           "adaptive_avg_pool3d", "_adaptive_avg_pool3d"})
    table[name] = [](Call& c) { return adaptive_pool(c, true); };
  for (const char* name : {"adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"})
    table[name] = [](Call& c) { return adaptive_pool(c, false); };
  table["batch_norm"] = table["native_batch_norm"] = [](Call& c) {
    return batch_norm(c, c.boolean(5, false), c.scalar(7, 1e-5));
  };
  table["cudnn_batch_norm"] = table["batch_norm"];
  table["_native_batch_norm_legit_no_training"] = [](Call& c) {
    return batch_norm(c, false, c.scalar(6, 1e-5));
  };
  table["layer_norm"] = table["native_layer_norm"] = layer_norm;
  table["rms_norm"] = rms_norm;
  table["group_norm"] = [](Call& c) -> Names {
    return {group_norm(c, c.integer(1, 1), c.scalar(4, 1e-5), 2, 3)};
  };
  table["native_group_norm"] = [](Call& c) -> Names {
    return {group_norm(c, c.integer(6, 1), c.scalar(7, 1e-5), 1, 2), "", ""};
  };
  table["instance_norm"] = instance_norm;
  table["_weight_norm"] = weight_norm;
  table["scaled_dot_product_attention"] = attention;
  table["grid_sampler"] = table["grid_sampler_2d"] = grid_sample;
  table["lstm_cell"] = lstm_cell;
  table["gru_cell"] = gru_cell;
  table["rnn_tanh_cell"] = [](Call& c) { return rnn_cell(c, "Tanh"); };
  table["rnn_relu_cell"] = [](Call& c) { return rnn_cell(c, "Relu"); };
  table["upsample_nearest2d"] = [](Call& c) { return resize(c, "nearest", false, 2); };
  table["upsample_nearest1d"] = table["upsample_nearest2d"];
  table["upsample_bilinear2d"] = [](Call& c) {
    return resize(c, "linear", c.boolean(2, false), 3);
  };
  table["upsample_bicubic2d"] = [](Call& c) { return resize(c, "cubic", c.boolean(2, false), 3); };
}

}  // namespace broch::onnx
