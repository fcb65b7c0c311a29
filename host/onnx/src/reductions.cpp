// reductions.cpp: sums and the like, orders, losses.
#include <algorithm>

#include "call.hpp"

namespace broch::onnx {
namespace {

using graph::Number;

// One axis or a list of them; none are all.
std::vector<int64_t> axes_of(const Call& c, size_t i) {
  std::vector<int64_t> axes = c.axes(i, c.rank(0));
  if (axes.empty())
    for (int64_t axis = 0; axis < c.rank(0); ++axis) axes.push_back(axis);
  return axes;
}
std::string reduced(Call& c, const char* op, const std::string& x, const std::vector<int64_t>& axes,
                    bool keep) {
  if (c.rank(0) == 0) return x;
  return c.b.add(op, {x, c.b.integers(axes)}, {attribute("keepdims", keep)});
}
Names reduction(Call& c, const char* op) {
  const bool is_whole = !c.name().ends_with("dim") && !c.name().ends_with("dim_IntList") &&
                        !c.name().ends_with("dim_int") && c.name() != "aten::amax" &&
                        c.name() != "aten::amin" && c.name() != "aten::logsumexp";
  const std::string x = c.x(0, c.result().dtype);
  if (is_whole) return {reduced(c, op, x, axes_of(c, 99), false)};
  return {reduced(c, op, x, axes_of(c, 1), c.boolean(2, false))};
}
// On bool: the maximum or minimum of 0 and 1. The result is bool, or uint8 where x is.
Names all_or_any(Call& c, const char* op) {
  const bool is_whole = c.name().find('.') == std::string::npos;
  const std::string x = c.b.cast(c.x(0, BROCH_BOOL), BROCH_BOOL, BROCH_INT32);
  const std::string y =
      reduced(c, op, x, axes_of(c, is_whole ? 99 : 1), !is_whole && c.boolean(2, false));
  return {c.b.cast(y, BROCH_INT32, c.result().dtype)};
}
std::string place(Call& c, const char* op, const std::string& x, int64_t axis, bool keep) {
  return c.b.add(op, {x}, {attribute("axis", axis), attribute("keepdims", keep)});
}
Names extreme_place(Call& c, const char* op) {
  if (!c.has(1)) {
    const std::string whole = place(c, op, c.b.reshape(c.x(0), {Number(-1)}), 0, false);
    return {c.boolean(2, false) ? c.b.reshape(whole, c.result().shape) : whole};
  }
  return {place(c, op, c.x(0), c.axis(1, c.rank(0)), c.boolean(2, false))};
}
Names extreme(Call& c, const char* op, const char* where, const char* of_two) {
  if (c.name().ends_with(".other"))
    return {c.b.add(of_two, {c.x(0, c.result().dtype), c.x(1, c.result().dtype)})};
  if (!c.name().ends_with(".dim")) return reduction(c, op);
  const int64_t axis = c.axis(1, c.rank(0));
  const bool keep = c.boolean(2, false);
  return {c.needs(0) ? reduced(c, op, c.x(0), {axis}, keep) : "",
          c.needs(1) ? place(c, where, c.x(0), axis, keep) : ""};
}

struct Moments {
  std::string variance, mean;
};
// correction: what is subtracted from the number of elements.
Moments moments(Call& c, const std::vector<int64_t>& axes, double correction, bool keep) {
  const std::string x = c.x(0);
  const std::string mean = reduced(c, "ReduceMean", x, axes, true);
  const std::string apart = c.b.add("Sub", {x, mean});
  std::string variance = reduced(c, "ReduceMean", c.b.add("Mul", {apart, apart}), axes, keep);
  if (correction != 0) {
    // n / (n - correction), where n may depend on inputs.
    std::string count = c.b.scalar(1, BROCH_INT64);
    for (const int64_t axis : axes)
      count = c.b.add("Mul", {count, c.b.size(c.shape(0)[size_t(axis)])});
    const broch_dtype dtype = c.dtype(0);
    count = c.b.cast(count, BROCH_INT64, dtype);
    const std::string factor =
        c.b.add("Div", {count, c.b.add("Sub", {count, c.b.scalar(correction, dtype)})});
    variance = c.b.add("Mul", {variance, factor});
  }
  return {variance, keep ? mean : c.b.squeeze(mean, axes)};
}
Moments moments(Call& c) {
  if (!c.name().ends_with(".correction")) c.refuse("this overload");
  return moments(c, axes_of(c, 1), c.scalar(2, 1), c.boolean(3, false));
}

Names softmax(Call& c, const char* op) {
  return {c.b.add(op, {c.x(0, c.result().dtype)}, {attribute("axis", c.axis(1, c.rank(0)))})};
}
Names cumsum(Call& c) {
  const broch_dtype dtype = c.result().dtype;
  return {
      c.b.add("CumSum", {c.x(0, dtype), c.b.scalar(double(c.axis(1, c.rank(0))), BROCH_INT64)})};
}
Names vector_norm(Call& c) {
  const double order = c.scalar(1, 2);
  const char* const op = order == 2 ? "ReduceL2" : order == 1 ? "ReduceL1" : nullptr;
  if (!op) c.refuse("an order other than 1 and 2");
  if (c.rank(0) == 0) return {c.b.add("Abs", {c.x(0, c.result().dtype)})};
  return {reduced(c, op, c.x(0, c.result().dtype), axes_of(c, 2), c.boolean(3, false))};
}

// Values and places of the first k along an axis.
Names top(Call& c, const Number& k, int64_t axis, bool largest) {
  return c.b.add_all("TopK", {c.x(0), c.b.sizes({k})},
                     {attribute("axis", axis), attribute("largest", largest)}, 2);
}
Names topk(Call& c) { return top(c, c.number(1), c.axis(2, c.rank(0), -1), c.boolean(3, true)); }
// TopK prefers the lower place where elements are equal, so it is stable.
Names sort(Call& c) {
  if (c.rank(0) == 0) c.refuse("a single number");
  const size_t first = c.name().ends_with(".stable") ? 2 : 1;
  const int64_t axis = c.axis(first, c.rank(0), -1);
  return top(c, c.shape(0)[size_t(axis)], axis, c.boolean(first + 1, false));
}

// ---- losses

std::string mean_or_sum(Call& c, const std::string& losses, int64_t reduction, int64_t rank) {
  if (reduction == 0 || rank == 0) return losses;
  return c.b.add(reduction == 1 ? "ReduceMean" : "ReduceSum", {losses}, {attribute("keepdims", 0)});
}
int64_t result_rank(const Call& c) { return std::max(c.rank(0), c.rank(1)); }

Names class_loss(Call& c, const char* op) {
  const int64_t reduction = c.integer(3, 1);
  const char* const names[] = {"none", "mean", "sum"};
  if (c.scalar(5, 0) != 0) c.refuse("smooth labels");
  if (c.dtype(1) != BROCH_INT64) c.refuse("probabilities as labels");
  std::string scores = c.x(0), labels = c.x(1);
  if (c.rank(0) == 1) {
    if (reduction == 0) c.refuse("a single example");
    scores = c.b.unsqueeze(scores, {0});
    labels = c.b.unsqueeze(labels, {0});
  }
  return {c.b.add(
      op, {scores, labels, c.x(2)},
      {attribute("ignore_index", c.integer(4, -100)), attribute("reduction", names[reduction])})};
}
Names difference_loss(Call& c, const char* op) {
  const std::string apart = c.b.add("Sub", {c.x(0), c.x(1)});
  const std::string loss =
      std::string_view(op) == "Mul" ? c.b.add("Mul", {apart, apart}) : c.b.add("Abs", {apart});
  return {mean_or_sum(c, loss, c.integer(2, 1), result_rank(c))};
}
// Quadratic up to delta, then linear; scale: what the quadratic part is divided by.
Names bent_loss(Call& c, bool is_huber) {
  const double delta = c.scalar(3, 1);
  const broch_dtype dtype = c.dtype(0);
  const auto constant = [&](double value) { return c.b.scalar(value, dtype); };
  const std::string apart = c.b.add("Abs", {c.b.add("Sub", {c.x(0), c.x(1)})});
  const std::string square =
      c.b.add("Mul", {c.b.add("Mul", {apart, apart}), constant(is_huber ? 0.5 : 0.5 / delta)});
  std::string line = c.b.add("Sub", {apart, constant(delta / 2)});
  if (is_huber) line = c.b.add("Mul", {line, constant(delta)});
  const std::string loss =
      c.b.add("Where", {c.b.add("Less", {apart, constant(delta)}), square, line});
  return {mean_or_sum(c, loss, c.integer(2, 1), result_rank(c))};
}
// With logits: max(x, 0) - x * y + log(1 + exp(-|x|)).
Names bce_with_logits(Call& c) {
  if (c.has(3)) c.refuse("weights of positive examples");
  const std::string x = c.x(0), y = c.x(1, c.dtype(0));
  const std::string rest = c.b.add("Softplus", {c.b.add("Neg", {c.b.add("Abs", {x})})});
  std::string loss =
      c.b.add("Add", {c.b.add("Sub", {c.b.add("Relu", {x}), c.b.add("Mul", {x, y})}), rest});
  if (c.has(2)) loss = c.b.add("Mul", {loss, c.x(2)});
  return {mean_or_sum(c, loss, c.integer(4, 1), result_rank(c))};
}

}  // namespace

void add_reductions(Table& table) {
  table["sum"] = [](Call& c) { return reduction(c, "ReduceSum"); };
  table["mean"] = [](Call& c) { return reduction(c, "ReduceMean"); };
  table["prod"] = [](Call& c) { return reduction(c, "ReduceProd"); };
  table["amax"] = [](Call& c) { return reduction(c, "ReduceMax"); };
  table["amin"] = [](Call& c) { return reduction(c, "ReduceMin"); };
  table["logsumexp"] = [](Call& c) { return reduction(c, "ReduceLogSumExp"); };
  table["all"] = [](Call& c) { return all_or_any(c, "ReduceMin"); };
  table["any"] = [](Call& c) { return all_or_any(c, "ReduceMax"); };
  table["argmax"] = [](Call& c) { return extreme_place(c, "ArgMax"); };
  table["argmin"] = [](Call& c) { return extreme_place(c, "ArgMin"); };
  table["max"] = [](Call& c) { return extreme(c, "ReduceMax", "ArgMax", "Max"); };
  table["min"] = [](Call& c) { return extreme(c, "ReduceMin", "ArgMin", "Min"); };
  table["var"] = [](Call& c) -> Names { return {moments(c).variance}; };
  table["std"] = [](Call& c) -> Names { return {c.b.add("Sqrt", {moments(c).variance})}; };
  table["var_mean"] = [](Call& c) -> Names {
    const Moments both = moments(c);
    return {both.variance, both.mean};
  };
  table["softmax"] = table["_softmax"] = [](Call& c) { return softmax(c, "Softmax"); };
  table["log_softmax"] = table["_log_softmax"] = [](Call& c) { return softmax(c, "LogSoftmax"); };
  table["cumsum"] = cumsum;
  table["linalg_vector_norm"] = vector_norm;
  table["topk"] = topk;
  table["sort"] = sort;
  table["argsort"] = [](Call& c) -> Names { return {sort(c)[1]}; };
  table["cross_entropy_loss"] = [](Call& c) { return class_loss(c, "SoftmaxCrossEntropyLoss"); };
  table["nll_loss"] = table["nll_loss_nd"] =
      table["nll_loss2d"] = [](Call& c) { return class_loss(c, "NegativeLogLikelihoodLoss"); };
  table["mse_loss"] = [](Call& c) { return difference_loss(c, "Mul"); };
  table["l1_loss"] = [](Call& c) { return difference_loss(c, "Abs"); };
  table["huber_loss"] = [](Call& c) { return bent_loss(c, true); };
  table["smooth_l1_loss"] = [](Call& c) { return bent_loss(c, false); };
  table["binary_cross_entropy_with_logits"] = bce_with_logits;
}

}  // namespace broch::onnx
