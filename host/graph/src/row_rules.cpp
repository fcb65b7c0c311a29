// row_rules.cpp: the rules, one for each kind of operator. An operator that is not here may do
// anything with its batch.
#include "row_rules.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace broch::graph {
namespace {

using Kind = Argument::Kind;
using Dim = std::optional<int64_t>;

// A call of an operator: its arguments by the names of the schema, negative dimensions from the
// end. Throws std::out_of_range for arguments and dimensions that are not there, since anybody may
// have written the graph.
class Call {
 public:
  Call(const Graph& graph, const Node& node, const Rows& rows, uint32_t symbol)
      : graph_(graph), node_(node), rows_(rows), symbol_(symbol) {}

  uint32_t symbol() const { return symbol_; }
  const std::vector<Argument>& arguments() const { return node_.arguments; }
  std::string_view schema() const { return graph_.operators[node_.op]; }
  const std::vector<Number>& result() const { return shape_of(node_.results[0]); }
  const std::vector<Number>& shape(size_t i) const { return shape_of(value(i)); }
  int64_t rank(size_t i) const { return int64_t(shape(i).size()); }
  int64_t dim(size_t i) const { return is_value(i) ? rows_[size_t(value(i))] : kNoRows; }
  bool is_value(size_t i) const {
    return i < node_.arguments.size() && node_.arguments[i].kind == Kind::value && value(i) >= 0;
  }
  int value(size_t i) const { return node_.arguments.at(i).values.at(0); }
  const std::vector<int>& values(size_t i) const { return node_.arguments.at(i).values; }
  const std::vector<Number>& shape_of(int value) const {
    return graph_.types.at(size_t(value)).shape;
  }
  int64_t dim_of(int value) const { return rows_.at(size_t(value)); }

  // All tensors among the arguments.
  std::vector<int> tensors() const {
    std::vector<int> tensors;
    for (const Argument& argument : node_.arguments)
      for (const int value : argument.values)
        if (value >= 0) tensors.push_back(value);
    return tensors;
  }
  bool has_rows(size_t from = 0) const {
    for (size_t i = from; i < node_.arguments.size(); ++i)
      for (const int value : node_.arguments[i].values)
        if (value >= 0 && dim_of(value) != kNoRows) return true;
    return false;
  }

  // The argument that the schema calls so; nullptr: there is none, or it has been left out.
  const Argument* named(std::string_view name) const {
    const std::string_view text = schema();
    const size_t begin = text.find('(') + 1;
    size_t place = 0;
    int depth = 0;
    for (size_t i = begin; i < text.size(); ++i) {
      if (text[i] == '(' || text[i] == '[') ++depth;
      if (text[i] == ')' && depth == 0) break;
      if (text[i] == ')' || text[i] == ']') --depth;
      if (depth == 0 && text[i] == '*') --place;  // "*, " separates no argument
      if (depth == 0 && text[i] == ',') ++place;
      const size_t end = i + name.size();
      if (depth == 0 && text.substr(i, name.size()) == name && text[i - 1] == ' ' &&
          end < text.size() && (text[end] == ',' || text[end] == ')' || text[end] == '='))
        return place < node_.arguments.size() ? &node_.arguments[place] : nullptr;
    }
    return nullptr;
  }
  // Dimensions, or one, of a tensor of this rank. Nothing: not given, or not constant.
  std::optional<std::vector<int64_t>> axes(std::string_view name, int64_t rank) const {
    const Argument* const argument = named(name);
    if (!argument || argument->integers.empty()) return std::nullopt;
    std::vector<int64_t> axes;
    for (const Number& number : argument->integers) {
      if (!number.is_constant()) return std::nullopt;
      const int64_t axis = number.value({});
      axes.push_back(axis < 0 ? axis + rank : axis);
    }
    return axes;
  }
  // otherwise: where it is left out; schemas have other defaults.
  Dim axis(std::string_view name, int64_t rank, Dim otherwise = std::nullopt) const {
    const Argument* const argument = named(name);
    if (!argument) return otherwise && *otherwise < 0 ? *otherwise + rank : otherwise;
    const auto found = axes(name, rank);
    return found && found->size() == 1 ? Dim(found->front()) : std::nullopt;
  }
  bool flag(std::string_view name, bool otherwise) const {
    const Argument* const argument = named(name);
    if (!argument || argument->integers.size() != 1) return otherwise;
    return argument->integers[0].is_constant() ? argument->integers[0].value({}) != 0 : otherwise;
  }

 private:
  const Graph& graph_;
  const Node& node_;
  const Rows& rows_;
  const uint32_t symbol_;
};

// The place of dimension d once these have gone.
int64_t without(int64_t d, const std::vector<int64_t>& gone) {
  return d - std::ranges::count_if(gone, [&](int64_t one) { return one < d; });
}

// Element by element, with broadcasting: the examples of all arguments lie in the same place.
Dim pointwise(const Call& c) {
  Dim found;
  const int64_t rank = int64_t(c.result().size());
  for (const int value : c.tensors()) {
    if (c.dim_of(value) == kNoRows) continue;
    const auto& shape = c.shape_of(value);
    const int64_t dim = c.dim_of(value) + rank - int64_t(shape.size());
    if (found && *found != dim) return std::nullopt;
    if (c.result().at(size_t(dim)) != shape.at(size_t(c.dim_of(value)))) return std::nullopt;
    found = dim;
  }
  return found;
}

// The first argument has the examples, the others are weights.
bool only_first(const Call& c) { return c.dim(0) != kNoRows && !c.has_rows(1); }

// Convolutions, pooling and the like: each example, which has all dimensions but the first.
Dim per_example(const Call& c) {
  return only_first(c) && c.dim(0) == 0 && c.result().size() == c.shape(0).size() ? Dim(0)
                                                                                  : std::nullopt;
}

Dim views(const Call& c) {
  const int64_t dim = c.dim(0);
  const auto &from = c.shape(0), &to = c.result();
  // Rows stay rows, also if each becomes several or several become one.
  if (dim == 0) return !to.empty() && counts_rows(to[0], c.symbol()) ? Dim(0) : std::nullopt;
  if (dim < 0 || int64_t(std::min(from.size(), to.size())) <= dim) return std::nullopt;
  return std::equal(from.begin(), from.begin() + dim + 1, to.begin()) ? Dim(dim) : std::nullopt;
}

Dim expanded(const Call& c) {
  const int64_t dim = c.dim(0) + int64_t(c.result().size()) - c.rank(0);
  if (!only_first(c)) return std::nullopt;
  return c.result().at(size_t(dim)) == c.shape(0).at(size_t(c.dim(0))) ? Dim(dim) : std::nullopt;
}

Dim permuted(const Call& c) {
  const auto dims = c.axes("dims", c.rank(0));
  if (!dims) return std::nullopt;
  const auto found = std::ranges::find(*dims, c.dim(0));
  return found == dims->end() ? std::nullopt : Dim(found - dims->begin());
}
Dim transposed(const Call& c) {
  const int64_t dim = c.dim(0);
  const Dim a = c.axis("dim0", c.rank(0)), b = c.axis("dim1", c.rank(0));
  if (!a || !b) return std::nullopt;
  return dim == *a ? *b : dim == *b ? *a : dim;
}

// Along a dimension that is not that of the examples, which stays where it is.
template <int64_t kDefault>
Dim along(const Call& c) {
  const Dim axis = c.axis("dim", c.rank(0), kDefault);
  return only_first(c) && axis && *axis != c.dim(0) ? Dim(c.dim(0)) : std::nullopt;
}
Dim along_dims(const Call& c) {
  const auto axes = c.axes("dims", c.rank(0));
  return only_first(c) && axes && !std::ranges::count(*axes, c.dim(0)) ? Dim(c.dim(0))
                                                                       : std::nullopt;
}
// A slice of everything is no slice.
Dim sliced(const Call& c) {
  if (!only_first(c) || c.result().size() != c.shape(0).size()) return std::nullopt;
  const size_t dim = size_t(c.dim(0));
  return c.result().at(dim) == c.shape(0).at(dim) ? Dim(c.dim(0)) : along<0>(c);
}
// One place along a dimension, which goes.
Dim selected(const Call& c) {
  const Dim axis = c.axis("dim", c.rank(0), 0);
  if (!only_first(c) || !axis || *axis == c.dim(0)) return std::nullopt;
  return without(c.dim(0), {*axis});
}
Dim unsqueezed(const Call& c) {
  const Dim axis = c.axis("dim", c.rank(0) + 1);
  return axis ? Dim(c.dim(0) + (*axis <= c.dim(0))) : std::nullopt;
}
Dim squeezed(const Call& c) {
  auto axes = c.axes("dim", c.rank(0));
  if (!axes || std::ranges::count(*axes, c.dim(0))) return std::nullopt;
  std::erase_if(*axes, [&](int64_t axis) { return c.shape(0).at(size_t(axis)) != Number(1); });
  return without(c.dim(0), *axes);
}
Dim reduced(const Call& c) {
  const auto axes = c.axes("dim", c.rank(0));
  if (!only_first(c) || !axes || std::ranges::count(*axes, c.dim(0))) return std::nullopt;
  return c.flag("keepdim", false) ? c.dim(0) : without(c.dim(0), *axes);
}

// Several tensors one after the other, or above each other.
Dim joined(const Call& c, bool is_new) {
  Dim found;
  int64_t rank = 0;
  for (const int value : c.values(0)) {
    const int64_t dim = c.dim_of(value);
    if (dim == kNoRows || (found && *found != dim)) return std::nullopt;
    found = dim;
    rank = int64_t(c.shape_of(value).size());
  }
  const Dim axis = c.axis("dim", rank + is_new, 0);
  if (!found || !axis) return std::nullopt;
  if (is_new) return *found + (*axis <= *found);
  return *axis == *found ? std::nullopt : found;
}
Dim concatenated(const Call& c) { return joined(c, false); }
Dim stacked(const Call& c) { return joined(c, true); }

// Rows of a table of weights.
Dim looked_up(const Call& c) {
  return c.dim(0) == kNoRows && c.dim(1) != kNoRows ? Dim(c.dim(1)) : std::nullopt;
}

Dim linear(const Call& c) {
  return only_first(c) && c.dim(0) < c.rank(0) - 1 ? Dim(c.dim(0)) : std::nullopt;
}
// A product of matrices at these arguments, of which any number of pairs may lie in front.
Dim product(const Call& c, size_t left, size_t right) {
  const int64_t a = c.dim(left), b = c.dim(right);
  const int64_t columns = c.rank(right) > 1 ? c.rank(left) - 1 : c.rank(left);
  if (b == kNoRows)
    return c.rank(right) <= 2 && a < columns && a != c.rank(left) - 1 ? Dim(a) : std::nullopt;
  if (b >= c.rank(right) - 2) return std::nullopt;
  if (a == kNoRows) return c.rank(left) <= 2 && c.rank(left) > 1 ? Dim(b) : std::nullopt;
  const bool same = a == b && c.rank(left) == c.rank(right) &&
                    c.shape(left).at(size_t(a)) == c.shape(right).at(size_t(b));
  return same ? Dim(a) : std::nullopt;
}
Dim matmul(const Call& c) { return product(c, 0, 1); }
Dim added_product(const Call& c) { return c.dim(0) == kNoRows ? product(c, 1, 2) : std::nullopt; }
Dim attention(const Call& c) {
  const int64_t dim = c.dim(0);
  if (dim == kNoRows || dim >= c.rank(0) - 2) return std::nullopt;
  for (size_t i = 1; i < 3; ++i)
    if (c.dim(i) != dim || c.rank(i) != c.rank(0)) return std::nullopt;
  if (c.named("dropout_p") && c.named("dropout_p")->floats != std::vector<double>{0} &&
      c.named("dropout_p")->kind != Kind::none)
    return std::nullopt;
  return c.dim(3) == kNoRows || (c.dim(3) == dim && c.rank(3) == c.rank(0)) ? Dim(dim)
                                                                            : std::nullopt;
}

Dim layer_norm(const Call& c) {
  const Argument* const shape = c.named("normalized_shape");
  if (!only_first(c) || !shape) return std::nullopt;
  return c.dim(0) < c.rank(0) - int64_t(shape->integers.size()) ? Dim(c.dim(0)) : std::nullopt;
}
// With the statistics of the training.
Dim batch_norm(const Call& c) {
  const bool has_flag = c.schema().find("no_training") == std::string_view::npos;
  return c.flag("training", has_flag) ? std::nullopt : per_example(c);
}
Dim dropout(const Call& c) { return c.flag("train", true) ? std::nullopt : pointwise(c); }
Dim triangular(const Call& c) { return c.dim(0) < c.rank(0) - 2 ? Dim(c.dim(0)) : std::nullopt; }
// The sizes of a padding come from the last dimension on.
Dim padded(const Call& c) {
  const Argument* const sizes = c.named("pad");
  if (!only_first(c) || !sizes) return std::nullopt;
  return int64_t(sizes->integers.size()) / 2 < c.rank(0) - c.dim(0) ? Dim(c.dim(0)) : std::nullopt;
}
// A cell of a recurrent network: its input and its state have the examples.
Dim cell(const Call& c) {
  for (size_t i = 0; i < 2; ++i)
    for (const int value : c.values(i))
      if (c.dim_of(value) != 0) return std::nullopt;
  return c.has_rows(2) ? std::nullopt : Dim(0);
}

using Rule = Dim (*)(const Call&);
using Table = std::unordered_map<std::string_view, Rule>;

void add(Table& table, Rule rule, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) table[name] = rule;
}

// By names without overloads, which differ in the kinds of their arguments alone.
Table table_of_rules() {
  Table table;
  add(table, pointwise, {"abs",         "acos",
                         "add",         "addcdiv",
                         "addcmul",     "asin",
                         "atan",        "atan2",
                         "bitwise_and", "bitwise_not",
                         "bitwise_or",  "ceil",
                         "clamp",       "clamp_max",
                         "clamp_min",   "clone",
                         "complex",     "conj",
                         "contiguous",  "cos",
                         "cosh",        "detach",
                         "div",         "elu",
                         "eq",          "erf",
                         "erfc",        "exp",
                         "exp2",        "expm1",
                         "floor",       "floor_divide",
                         "fmod",        "frac",
                         "full_like",   "ge",
                         "gelu",        "gt",
                         "hardsigmoid", "hardswish",
                         "hardtanh",    "isfinite",
                         "isinf",       "isnan",
                         "le",          "leaky_relu",
                         "lerp",        "log",
                         "log10",       "log1p",
                         "log2",        "log_sigmoid",
                         "logaddexp",   "logical_and",
                         "logical_not", "logical_or",
                         "logical_xor", "lt",
                         "masked_fill", "maximum",
                         "minimum",     "mish",
                         "mul",         "ne",
                         "neg",         "ones_like",
                         "pow",         "reciprocal",
                         "relu",        "relu6",
                         "remainder",   "round",
                         "rsqrt",       "rsub",
                         "selu",        "sigmoid",
                         "sign",        "silu",
                         "sin",         "sinh",
                         "softplus",    "sqrt",
                         "square",      "sub",
                         "tan",         "tanh",
                         "threshold",   "to",
                         "_to_copy",    "trunc",
                         "where",       "zeros_like",
                         "alias",       "lift_fresh_copy"});
  add(table, per_example,
      {"conv1d",
       "conv2d",
       "conv3d",
       "convolution",
       "_convolution",
       "conv_transpose1d",
       "conv_transpose2d",
       "conv_transpose3d",
       "avg_pool1d",
       "avg_pool2d",
       "avg_pool3d",
       "max_pool1d",
       "max_pool2d",
       "max_pool3d",
       "max_pool2d_with_indices",
       "adaptive_avg_pool1d",
       "adaptive_avg_pool2d",
       "_adaptive_avg_pool2d",
       "adaptive_avg_pool3d",
       "adaptive_max_pool2d",
       "upsample_nearest2d",
       "upsample_bilinear2d",
       "upsample_bicubic2d",
       "pixel_shuffle",
       "pixel_unshuffle",
       "reflection_pad2d",
       "replication_pad2d",
       "group_norm",
       "native_group_norm",
       "channel_shuffle"});
  add(table, views, {"view", "reshape", "flatten", "unflatten", "_unsafe_view"});
  add(table, expanded, {"expand", "expand_as", "broadcast_to", "repeat", "tile"});
  add(table, permuted, {"permute"});
  add(table, transposed, {"transpose"});
  add(table, along<-1>,
      {"softmax", "_softmax", "log_softmax", "_log_softmax", "topk", "sort", "argsort", "glu",
       "cumsum", "cumprod"});
  add(table, along<0>, {"split", "split_with_sizes", "chunk", "narrow"});
  add(table, along_dims, {"flip", "roll"});
  add(table, sliced, {"slice"});
  add(table, selected, {"select", "unbind"});
  add(table, unsqueezed, {"unsqueeze"});
  add(table, squeezed, {"squeeze"});
  add(table, reduced,
      {"all", "amax", "amin", "any", "argmax", "argmin", "linalg_vector_norm", "logsumexp", "max",
       "mean", "min", "prod", "std", "sum", "var", "var_mean"});
  add(table, concatenated, {"cat"});
  add(table, stacked, {"stack"});
  add(table, looked_up, {"embedding"});
  add(table, linear, {"linear"});
  add(table, matmul, {"matmul", "mm", "bmm"});
  add(table, added_product, {"addmm", "baddbmm"});
  add(table, attention, {"scaled_dot_product_attention"});
  add(table, layer_norm, {"layer_norm", "native_layer_norm", "rms_norm"});
  add(table, batch_norm,
      {"batch_norm", "native_batch_norm", "cudnn_batch_norm",
       "_native_batch_norm_legit_no_training"});
  add(table, dropout, {"dropout", "native_dropout"});
  add(table, triangular, {"tril", "triu"});
  add(table, padded, {"constant_pad_nd", "pad"});
  add(table, cell, {"lstm_cell", "gru_cell", "rnn_tanh_cell"});
  return table;
}

// "add" of "aten::add.Tensor(…".
std::string_view name_of(std::string_view schema) {
  constexpr std::string_view kNamespace = "aten::";
  if (!schema.starts_with(kNamespace)) return "";
  schema.remove_prefix(kNamespace.size());
  return schema.substr(0, schema.find_first_of(".("));
}

// Of a result that does not follow from inputs: one number everywhere, or no size of a batch.
Dim of_constants(const Call& c, std::string_view name) {
  const auto& shape = c.result();
  const auto counts = [&](const Number& size) { return mentions(size, c.symbol()); };
  if (std::ranges::none_of(shape, counts)) return kNoRows;
  const bool uniform = name == "zeros" || name == "ones" || name == "full" || name == "expand";
  const auto first = std::ranges::find_if(shape, counts);
  if (!uniform || !counts_rows(*first, c.symbol())) return std::nullopt;
  return std::count_if(shape.begin(), shape.end(), counts) == 1 ? Dim(first - shape.begin())
                                                                : std::nullopt;
}

// The argument that gives the size of the result, or, for a slice along the examples, its end.
const Argument* size_argument(const Call& c, std::string_view name) {
  constexpr std::string_view kSized[] = {"broadcast_to", "expand",    "full", "ones", "reshape",
                                         "_unsafe_view", "unflatten", "view", "zeros"};
  if (name == "slice" && c.is_value(0) && c.axis("dim", c.rank(0), 0) == c.dim(0))
    return c.named("end");
  if (!std::ranges::count(kSized, name)) return nullptr;
  for (const std::string_view size : {"size", "sizes", "shape"})
    if (const Argument* const found = c.named(size)) return found;
  return nullptr;
}

// Whether what is computed depends on the number of examples: x * B, say.
bool uses_count(const Call& c, std::string_view name) {
  const Argument* const size = size_argument(c, name);
  return std::ranges::any_of(c.arguments(), [&](const Argument& argument) {
    return &argument != size && std::ranges::any_of(argument.integers, [&](const Number& number) {
      return mentions(number, c.symbol());
    });
  });
}

bool is_random(std::string_view name) {
  return name.starts_with("rand") || name.starts_with("normal") || name.starts_with("bernoulli") ||
         name == "multinomial";
}

}  // namespace

bool mentions(const Number& size, uint32_t symbol) {
  return std::ranges::any_of(size.terms, [&](const Number::Term& term) {
    return std::ranges::count(term.symbols, symbol) != 0;
  });
}

bool counts_rows(const Number& size, uint32_t symbol) {
  return size.terms.size() == 1 && size.terms[0].factor > 0 &&
         std::ranges::count(size.terms[0].symbols, symbol) == 1;
}

std::optional<int64_t> rows_of(const Graph& graph, const Node& node, const Rows& rows,
                               uint32_t symbol) {
  static const Table table = table_of_rules();
  const Call call(graph, node, rows, symbol);
  const std::string_view name = name_of(call.schema());
  if (is_random(name) || node.results.empty() || node.results[0] < 0) return std::nullopt;
  try {
    if (uses_count(call, name)) return std::nullopt;
    if (!call.has_rows()) return of_constants(call, name);
    const auto rule = table.find(name);
    return rule == table.end() ? std::nullopt : rule->second(call);
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
}

}  // namespace broch::graph
