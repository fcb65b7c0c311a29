// shapes.cpp: views, parts of tensors, indices, and tensors that are made.
#include <algorithm>

#include "call.hpp"

namespace broch::onnx {
namespace {

using graph::Number;

constexpr int64_t kEnd = INT64_MAX;

// The type of the result says all about these.
Names reshaped(Call& c) {
  if (c.dtype(0) != c.result().dtype) c.refuse("elements that are read as those of another type");
  return {c.b.reshape(c.x(0), c.result().shape)};
}
Names expanded(Call& c) { return {c.b.add("Expand", {c.x(0), c.b.sizes(c.result().shape)})}; }

std::string transposed(Call& c, const std::vector<int64_t>& order) {
  return c.b.add("Transpose", {c.x(0)}, {attribute("perm", order)});
}
std::vector<int64_t> places(int64_t rank) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < rank; ++i) order.push_back(i);
  return order;
}
Names transpose(Call& c) {
  const int64_t rank = c.rank(0);
  std::vector<int64_t> order = places(rank);
  if (rank) std::swap(order[size_t(c.axis(1, rank))], order[size_t(c.axis(2, rank))]);
  return {transposed(c, order)};
}
Names t(Call& c) {
  std::vector<int64_t> order = places(c.rank(0));
  std::ranges::reverse(order);
  return {transposed(c, order)};
}
Names movedim(Call& c) {
  const int64_t rank = c.rank(0);
  const std::vector<int64_t> from = c.axes(1, rank), to = c.axes(2, rank);
  std::vector<int64_t> order(size_t(rank), -1), others;
  for (size_t i = 0; i < from.size(); ++i) order[size_t(to[i])] = from[i];
  for (int64_t i = 0; i < rank; ++i)
    if (!std::ranges::count(from, i)) others.push_back(i);
  size_t next = 0;
  for (int64_t& one : order)
    if (one < 0) one = others[next++];
  return {transposed(c, order)};
}

Names select(Call& c) {
  return {c.b.add("Gather", {c.x(0), c.b.size(c.number(2))},
                  {attribute("axis", c.axis(1, c.rank(0)))})};
}
Names slice(Call& c) {
  return {c.b.slice(c.x(0), c.axis(1, c.rank(0)), c.number(2), c.number(3, kEnd), c.integer(4, 1))};
}
Names narrow(Call& c) {
  const Number begin = begin_of_narrow(c);
  return {c.b.slice(c.x(0), c.axis(1, c.rank(0)), begin, sum(begin, c.number(3)))};
}
// The results lie one after the other along an axis.
Names parts(Call& c, size_t axis_argument) {
  const int64_t axis = c.axis(axis_argument, c.rank(0));
  Names results;
  Number begin;
  for (size_t i = 0; i < c.results(); ++i) {
    const Number end = sum(begin, c.result(i).shape[size_t(axis)]);
    results.push_back(c.needs(i) ? c.b.slice(c.x(0), axis, begin, end) : "");
    begin = end;
  }
  return results;
}
Names unbind(Call& c) {
  Names results;
  for (size_t i = 0; i < c.results(); ++i)
    results.push_back(c.b.add("Gather", {c.x(0), c.b.scalar(double(i), BROCH_INT64)},
                              {attribute("axis", c.axis(1, c.rank(0)))}));
  return results;
}
Names flip(Call& c) {
  const std::vector<int64_t> axes = c.axes(1, c.rank(0));
  const std::vector<int64_t> last(axes.size(), -1), first(axes.size(), INT64_MIN),
      steps(axes.size(), -1);
  return {c.b.add("Slice", {c.x(0), c.b.integers(last), c.b.integers(first), c.b.integers(axes),
                            c.b.integers(steps)})};
}
// Once a dimension of this size has been rolled; a shift may go around several times.
std::string place_that_comes_first(Call& c, int64_t shift, const Number& size) {
  if (!size.is_constant()) return c.b.add("Mod", {c.b.integers({-shift}), c.b.sizes({size})});
  const int64_t n = std::max<int64_t>(1, size.value({}));
  return c.b.integers({(n - shift % n) % n});
}
Names roll(Call& c) {
  std::string x = c.x(0);
  const std::vector<int64_t> shifts = c.integers(1), axes = c.axes(2, c.rank(0));
  if (axes.size() != shifts.size()) c.refuse("no dimensions");
  for (size_t i = 0; i < axes.size(); ++i) {
    if (shifts[i] == 0) continue;
    const std::string first = place_that_comes_first(c, shifts[i], c.shape(0)[size_t(axes[i])]);
    const std::string axis = c.b.integers({axes[i]});
    const std::string front = c.b.add("Slice", {x, first, c.b.integers({kEnd}), axis}),
                      back = c.b.add("Slice", {x, c.b.integers({0}), first, axis});
    x = c.b.add("Concat", {front, back}, {attribute("axis", axes[i])});
  }
  return {x};
}

std::string joined(Call& c, const Names& names, int64_t axis) {
  return names.size() == 1 ? names[0] : c.b.add("Concat", names, {attribute("axis", axis)});
}
Names cat(Call& c) {
  const broch_dtype dtype = c.result().dtype;
  Names names;
  for (const int value : c.values(0)) {
    const graph::Type& type = c.b.graph().types[size_t(value)];
    // An old custom: a tensor of shape (0,) fits everywhere.
    if (type.shape == Shape{0} && c.result().shape.size() != 1) continue;
    names.push_back(c.b.cast(c.b.name(value), type.dtype, dtype));
  }
  return {joined(c, names, c.axis(1, int64_t(c.result().shape.size())))};
}
Names stack(Call& c) {
  const int64_t axis = c.axis(1, int64_t(c.result().shape.size()));
  Names names;
  for (const int value : c.values(0)) {
    const broch_dtype dtype = c.b.graph().types[size_t(value)].dtype;
    names.push_back(c.b.unsqueeze(c.b.cast(c.b.name(value), dtype, c.result().dtype), {axis}));
  }
  return {joined(c, names, axis)};
}
Names diff(Call& c) {
  if (c.integer(1, 1) != 1) c.refuse("differences of differences");
  const int64_t axis = c.axis(2, c.rank(0), -1);
  Names names;
  for (const size_t i : {size_t{3}, size_t{0}, size_t{4}})
    if (c.has(i)) names.push_back(c.x(i));
  const std::string x = joined(c, names, axis);
  const std::string later = c.b.slice(x, axis, 1, kEnd), earlier = c.b.slice(x, axis, 0, -1);
  if (c.dtype(0) == BROCH_BOOL) return {c.b.add("Xor", {later, earlier})};
  return {c.b.add("Sub", {later, earlier})};
}
Names repeat(Call& c) {
  const std::vector<Number> times = c.numbers(1);
  Shape shape = c.shape(0);
  Shape count(times.begin(), times.end());
  while (count.size() < shape.size()) count.insert(count.begin(), 1);
  std::string x = c.x(0);
  if (shape.size() < count.size()) {
    shape.insert(shape.begin(), count.size() - shape.size(), Number(1));
    x = c.b.reshape(x, shape);
  }
  return {c.b.add("Tile", {x, c.b.sizes(count)})};
}

// Windows of an image as columns: (N, C, H, W) to (N, C * kernel, windows). The rows of all windows
// are gathered at first, and then the columns of those.
Names im2col(Call& c) {
  const std::vector<int64_t> kernel = c.integers(1, 2, 1), dilation = c.integers(2, 2, 1),
                             padding = c.integers(3, 2, 0), stride = c.integers(4, 2, 1);
  if (c.rank(0) != 4) c.refuse("other than four dimensions");
  std::string x = c.b.add(
      "Pad", {c.x(0), c.b.integers({0, 0, padding[0], padding[1], 0, 0, padding[0], padding[1]})},
      {attribute("mode", "constant")});
  Shape split = {c.shape(0)[0], c.shape(0)[1]};
  for (size_t d = 0; d < 2; ++d) {
    const int64_t size = c.constant(c.shape(0)[2 + d]) + 2 * padding[d];
    const int64_t windows = (size - dilation[d] * (kernel[d] - 1) - 1) / stride[d] + 1;
    std::vector<int64_t> places;
    for (int64_t k = 0; k < kernel[d]; ++k)
      for (int64_t w = 0; w < windows; ++w) places.push_back(k * dilation[d] + w * stride[d]);
    x = c.b.add("Gather", {x, c.b.integers(places)}, {attribute("axis", int64_t(2 + d))});
    split.insert(split.end(), {kernel[d], windows});
  }
  const std::string windows = c.b.add("Transpose", {c.b.reshape(x, split)},
                                      {attribute("perm", std::vector<int64_t>{0, 1, 2, 4, 3, 5})});
  return {c.b.reshape(windows, c.result().shape)};
}

Names pad(Call& c) {
  const bool is_constant = !c.name().ends_with("_pad2d") && !c.name().ends_with("_pad1d");
  const std::vector<Number> ends = c.numbers(1);
  std::string mode = is_constant                                        ? c.text(2)
                     : c.name().find("reflection") != std::string::npos ? "reflect"
                                                                        : "replicate";
  const bool is_pad = c.name() == "aten::pad";
  if (!is_pad && is_constant) mode = "constant";
  if (mode.empty()) mode = "constant";
  const char* const name = mode == "constant"    ? "constant"
                           : mode == "reflect"   ? "reflect"
                           : mode == "replicate" ? "edge"
                                                 : nullptr;
  if (!name) c.refuse("mode " + mode);
  const auto rank = size_t(c.rank(0));
  Shape pads(2 * rank);
  for (size_t i = 0; i + 1 < ends.size(); i += 2) {
    const size_t axis = rank - 1 - i / 2;
    pads[axis] = ends[i];
    pads[rank + axis] = ends[i + 1];
  }
  Names inputs = {c.x(0), c.b.sizes(pads)};
  if (mode == "constant")
    inputs.push_back(c.b.scalar(c.scalar(is_pad ? 3 : 2, 0), c.result().dtype));
  return {c.b.add("Pad", inputs, {attribute("mode", name)})};
}

// ---- indices

Names index_select(Call& c) {
  const std::string index = c.rank(2) == 0 ? c.b.unsqueeze(c.x(2), {0}) : c.x(2);
  return {c.b.add("Gather", {c.x(0), index}, {attribute("axis", c.axis(1, c.rank(0)))})};
}
Names embedding(Call& c) { return {c.b.add("Gather", {c.x(0), c.x(1)})}; }
Names gather(Call& c) {
  return {c.b.add("GatherElements", {c.x(0), c.x(2, BROCH_INT64)},
                  {attribute("axis", c.axis(1, c.rank(0)))})};
}
// What "reduce" says, which some overloads have.
const char* reduction_of(Call& c) {
  const std::string name = c.text(4);
  if (name == "add") return "add";
  if (name == "multiply") return "mul";
  if (!name.empty()) c.refuse("the reduction " + name);
  return "none";
}
Names scatter(Call& c, const char* reduction) {
  std::string source = c.x(3, c.dtype(0));
  if (!c.is_value(3))
    source = c.b.full(c.scalar(3, 0), c.dtype(0), c.shape(2));
  else if (c.shape(3) != c.shape(2))
    c.refuse("a source of another shape than its indices");
  return {c.b.add("ScatterElements", {c.x(0), c.x(2), source},
                  {attribute("axis", c.axis(1, c.rank(0))), attribute("reduction", reduction)})};
}

// x[:, i, j, :]: indices for dimensions that follow each other.
Names index(Call& c) {
  const std::vector<int> values = c.values(1);
  std::vector<int> indices;
  int64_t first = 0;
  bool is_over = false;
  for (size_t d = 0; d < values.size(); ++d) {
    if (values[d] < 0) {
      is_over = !indices.empty();
      continue;
    }
    const graph::Type& type = c.b.graph().types[size_t(values[d])];
    if (type.dtype == BROCH_BOOL || type.dtype == BROCH_UINT8) c.refuse("a mask as index");
    if (is_over) c.refuse("indices with a whole dimension between them");
    if (indices.empty()) first = int64_t(d);
    indices.push_back(values[d]);
  }
  const auto type_of = [&](int value) -> const graph::Type& {
    return c.b.graph().types[size_t(value)];
  };
  if (indices.size() == 1)
    return {c.b.add("Gather", {c.x(0), c.b.name(indices[0])}, {attribute("axis", first)})};
  const int64_t rank = c.rank(0), count = int64_t(indices.size());
  size_t width = 0;
  for (const int value : indices) width = std::max(width, type_of(value).shape.size());
  // The indices' common shape is a part of the result's.
  const Shape& result = c.result().shape;
  const Shape common(result.begin() + first, result.begin() + first + int64_t(width));
  Names columns;
  for (const int value : indices) {
    const std::string index = c.b.cast(c.b.name(value), type_of(value).dtype, BROCH_INT64);
    columns.push_back(c.b.unsqueeze(
        type_of(value).shape == common ? index : c.b.add("Expand", {index, c.b.sizes(common)}),
        {int64_t(width)}));
  }
  const std::string where = joined(c, columns, int64_t(width));
  std::string x = c.x(0);
  if (first > 0) {
    std::vector<int64_t> order;
    for (int64_t i = 0; i < rank; ++i)
      if (i >= first && i < first + count) order.push_back(i);
    for (int64_t i = 0; i < rank; ++i)
      if (i < first || i >= first + count) order.push_back(i);
    x = c.b.add("Transpose", {x}, {attribute("perm", order)});
  }
  std::string y = c.b.add("GatherND", {x, where});
  if (first > 0) {
    // From (indices, before, after) to (before, indices, after).
    std::vector<int64_t> order;
    const auto whole = int64_t(result.size()), n = int64_t(width);
    for (int64_t i = 0; i < first; ++i) order.push_back(n + i);
    for (int64_t i = 0; i < n; ++i) order.push_back(i);
    for (int64_t i = n + first; i < whole; ++i) order.push_back(i);
    y = c.b.add("Transpose", {y}, {attribute("perm", order)});
  }
  return {y};
}

// ---- tensors that are made

Names full(Call& c, double value) { return {c.b.full(value, c.result().dtype, c.result().shape)}; }
// All elements are argument i.
Names filled(Call& c, size_t i) {
  const std::string x = c.x(i, c.result().dtype);
  if (c.result().shape.empty()) return {x};
  return {c.b.add("Expand", {x, c.b.sizes(c.result().shape)})};
}
// From, to and by what; the first may be left out.
Names arange(Call& c) {
  const bool has_start = c.name() != "aten::arange", has_step = c.name().ends_with(".start_step");
  const broch_dtype dtype = c.result().dtype;
  const bool is_integer =
      !c.is_fraction(0) && !(has_start && c.is_fraction(1)) && !(has_step && c.is_fraction(2));
  const broch_dtype made = is_integer ? broch_dtype(BROCH_INT64) : broch_dtype(BROCH_FLOAT64);
  const auto bound = [&](size_t i) {
    return is_integer ? c.b.size(c.number(i)) : c.b.scalar(c.scalar(i, 0), made);
  };
  const std::string range =
      c.b.add("Range", {has_start ? bound(0) : c.b.scalar(0, made), bound(has_start ? 1 : 0),
                        has_step && c.has(2) ? bound(2) : c.b.scalar(1, made)});
  return {c.b.cast(range, made, dtype)};
}
// Of the shape of the result. The numbers are others than those of LibTorch.
Names random(Call& c, const char* op, const Attributes& attributes) {
  return {c.b.add(op, {c.b.full(0, c.result().dtype, c.result().shape)}, attributes)};
}
Names uniform(Call& c) { return random(c, "RandomUniformLike", {}); }
Names normal(Call& c) { return random(c, "RandomNormalLike", {}); }
Names normal_functional(Call& c) {
  return random(c, "RandomNormalLike",
                {attribute("mean", c.scalar(1, 0)), attribute("scale", c.scalar(2, 1))});
}

// The two that follow: ONNX Runtime computes them for some types alone.
broch_dtype made_as(broch_dtype dtype) {
  return runtime::is_floating(dtype) ? dtype : broch_dtype(BROCH_INT64);
}
Names triangle(Call& c, int upper) {
  const broch_dtype dtype = made_as(c.dtype(0));
  const std::string y =
      c.b.add("Trilu", {c.x(0, dtype), c.b.size(c.number(1))}, {attribute("upper", upper)});
  return {c.b.cast(y, dtype, c.result().dtype)};
}
Names eye(Call& c) {
  const broch_dtype dtype = made_as(c.result().dtype);
  const std::string shape_like = c.b.full(0, dtype, c.result().shape);
  return {c.b.cast(c.b.add("EyeLike", {shape_like}), dtype, c.result().dtype)};
}
// From both ends to the middle, as LibTorch does it.
Names linspace(Call& c) {
  const int64_t steps = c.integer(2, 0);
  const double begin = c.scalar(0, 0), end = c.scalar(1, 0);
  const double apart = steps > 1 ? (end - begin) / double(steps - 1) : 0;
  std::vector<double> values;
  for (int64_t i = 0; i < steps; ++i)
    values.push_back(i < steps / 2 || i == 0 ? begin + apart * double(i)
                                             : end - apart * double(steps - 1 - i));
  return {c.b.numbers(values, c.result().dtype)};
}
Names pixels(Call& c, const char* op, const char* attribute_name) {
  Attributes attributes = {attribute(attribute_name, c.integer(1, 1))};
  if (std::string_view(op) == "DepthToSpace") attributes.push_back(attribute("mode", "CRD"));
  return {c.b.add(op, {c.x(0)}, attributes)};
}
Names pixel_unshuffle(Call& c) {
  if (c.rank(0) != 4) c.refuse("other than four dimensions");
  const Shape& x = c.shape(0);
  const Shape& y = c.result().shape;
  const Number factor = c.integer(1, 1);
  const std::string split = c.b.reshape(c.x(0), {x[0], x[1], y[2], factor, y[3], factor});
  const std::string moved =
      c.b.add("Transpose", {split}, {attribute("perm", std::vector<int64_t>{0, 1, 3, 5, 2, 4})});
  return {c.b.reshape(moved, y)};
}

}  // namespace

void add_shapes(Table& table) {
  for (const char* name :
       {"view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "_unsafe_view",
        "_reshape_alias", "view_copy", "squeeze_copy", "unsqueeze_copy", "reshape_as", "view_as"})
    table[name] = reshaped;
  for (const char* name : {"expand", "expand_as", "broadcast_to", "expand_copy"})
    table[name] = expanded;
  table["transpose"] = table["transpose_copy"] = table["swapaxes"] = transpose;
  table["t"] = table["numpy_T"] = t;
  table["permute"] = table["permute_copy"] = [](Call& c) -> Names {
    return {transposed(c, c.axes(1, c.rank(0)))};
  };
  table["movedim"] = movedim;
  table["select"] = table["select_copy"] = select;
  table["slice"] = table["slice_copy"] = slice;
  table["narrow"] = narrow;
  table["chunk"] = table["split"] = table["split_with_sizes"] =
      table["tensor_split"] = [](Call& c) { return parts(c, 2); };
  table["unbind"] = unbind;
  table["flip"] = flip;
  table["roll"] = roll;
  table["cat"] = table["concat"] = cat;
  table["stack"] = stack;
  table["diff"] = diff;
  table["repeat"] = table["tile"] = repeat;
  for (const char* name : {"pad", "constant_pad_nd", "reflection_pad2d", "reflection_pad1d",
                           "replication_pad2d", "replication_pad1d"})
    table[name] = pad;
  table["im2col"] = im2col;
  table["index_select"] = index_select;
  table["embedding"] = embedding;
  table["gather"] = gather;
  table["scatter"] = [](Call& c) { return scatter(c, reduction_of(c)); };
  table["scatter_add"] = [](Call& c) { return scatter(c, "add"); };
  table["index"] = index;
  for (const char* name : {"zeros", "zeros_like", "new_zeros", "empty", "empty_like", "new_empty"})
    table[name] = [](Call& c) { return full(c, 0); };
  for (const char* name : {"ones", "ones_like", "new_ones"})
    table[name] = [](Call& c) { return full(c, 1); };
  table["full"] = table["full_like"] = [](Call& c) { return filled(c, 1); };
  table["new_full"] = [](Call& c) { return filled(c, 2); };
  table["scalar_tensor"] = [](Call& c) { return filled(c, 0); };
  table["zero"] = [](Call& c) { return full(c, 0); };
  table["fill"] = [](Call& c) { return filled(c, 1); };
  table["rand"] = table["rand_like"] = uniform;
  table["randn"] = table["randn_like"] = normal;
  table["normal_functional"] = normal_functional;
  table["arange"] = arange;
  table["linspace"] = linspace;
  table["eye"] = eye;
  table["tril"] = [](Call& c) { return triangle(c, 0); };
  table["triu"] = [](Call& c) { return triangle(c, 1); };
  table["pixel_shuffle"] = [](Call& c) {
    if (c.rank(0) != 4) c.refuse("other than four dimensions");
    return pixels(c, "DepthToSpace", "blocksize");
  };
  table["pixel_unshuffle"] = pixel_unshuffle;
}

}  // namespace broch::onnx
