// executable.cpp: runs the steps of a program inside a tower function.
#include "models/exported/executable.hpp"

#include <utility>

#include "models/exported/compiler.hpp"
#include "models/exported/numbers.hpp"

namespace exported {
namespace {

constexpr size_t kMostProblems = 200;  // in one message

broch_value list_value(uint32_t tag, size_t size, const void* data) {
  broch_value value = broch_none();
  value.tag = tag;
  value.len = uint32_t(size);
  value.u.str = static_cast<const char*>(data);
  return value;
}

// The lists of one call.
struct Lists {
  std::deque<std::vector<int64_t>> integers;
  std::deque<std::vector<double>> doubles;
  std::deque<std::vector<broch_tensor>> tensors;
  std::deque<std::vector<uint8_t>> booleans;
};

}  // namespace

// One run of the steps. Values are tensors, and numbers that sizes are computed with.
class Runner {
 public:
  Runner(const Executable& executable, broch::Tower& tower)
      : operators_(executable.operators_),
        tower_(tower),
        data_(tower.host()),
        is_training_(tower.is_training()),
        is_on_gpu_(tower.info().device.device_type != BROCH_DL_CPU) {}

  std::vector<broch_value> run(const Steps& steps, const std::vector<broch_value>& inputs,
                               const std::vector<Item>& wanted) const {
    std::vector<broch_value> values(steps.graph->values.size(), broch_none());
    for (size_t i = 0; i < steps.graph->inputs.size(); ++i)
      if (steps.graph->inputs[i].kind == Item::Kind::value)
        values[size_t(steps.graph->inputs[i].value)] = inputs[i];
    for (const Step& step : steps.list) {
      try {
        take(step, values);
      } catch (const broch::Cancelled&) {
        throw;
      } catch (const broch::Error& error) {
        throw broch::Error(error.status(), words_of(*step.node) + ": " + error.what());
      }
    }
    std::vector<broch_value> outputs;
    for (const Item& output : wanted) outputs.push_back(value_of(output, values));
    return outputs;
  }
  static broch_value value_of(const Item& item, const std::vector<broch_value>& values) {
    switch (item.kind) {
      case Item::Kind::value:
        return values[size_t(item.value)];
      case Item::Kind::integer:
        return broch_int(item.integer);
      case Item::Kind::floating:
        return broch_double(item.floating);
      case Item::Kind::boolean:
        return broch_bool(item.integer != 0);
      case Item::Kind::none:
        break;
    }
    return broch_none();
  }

 private:
  using Values = std::vector<broch_value>;

  void take(const Step& step, Values& values) const {
    switch (step.kind) {
      case Step::Kind::call:
        return call(step, values);
      case Step::Kind::dropout:
        return is_training_ ? drop_out(step, values) : call(step, values);
      case Step::Kind::number:
        return give(step, {number_function(step.node->target, numbers(step, values))}, values);
      case Step::Kind::size:
        return give(step, {broch_int(tower_.size(tensor(step, values), dimension(step, values)))},
                    values);
      case Step::Kind::elements:
        return give(step, {broch_int(data_.info(tensor(step, values).handle()).element_count)},
                    values);
      case Step::Kind::stride:
        return give(step, {broch_int(stride(step, values))}, values);
      case Step::Kind::same:
        return give(step, {value_of(step.node->arguments[0].second.item, values)}, values);
      case Step::Kind::nothing:
        return;
      case Step::Kind::graph:
        return give(step, run_graph(step, 0, operands(step, values)), values);
      case Step::Kind::choice:
        return give(step, chosen(step, values), values);
    }
  }

  static void give(const Step& step, const Values& results, Values& values) {
    for (size_t i = 0; i < step.node->results.size() && i < results.size(); ++i)
      if (step.node->results[i] >= 0) values[size_t(step.node->results[i])] = results[i];
  }

  broch::Tensor tensor(const Step& step, const Values& values) const {
    return {&tower_.ops(), value_of(step.node->arguments[0].second.item, values).u.tensor};
  }
  static int64_t dimension(const Step& step, const Values& values) {
    return as_integer(value_of(step.node->arguments[1].second.item, values));
  }
  int64_t stride(const Step& step, const Values& values) const {
    const std::vector<int64_t> shape = tower_.shape(tensor(step, values));
    const int64_t rank = int64_t(shape.size()), asked = dimension(step, values);
    int64_t stride = 1;
    for (int64_t d = rank - 1; d > (asked < 0 ? asked + rank : asked); --d)
      stride *= shape[size_t(d)];
    return stride;
  }
  std::vector<Number> numbers(const Step& step, const Values& values) const {
    std::vector<Number> list;
    for (const auto& [name, argument] : step.node->arguments) {
      if (argument.kind == Argument::Kind::item)
        list.push_back(number(value_of(argument.item, values)));
      for (const Item& item : argument.items) list.push_back(number(value_of(item, values)));
    }
    return list;
  }
  static Number number(const broch_value& value) {
    if (value.tag != BROCH_TAG_INT && value.tag != BROCH_TAG_DOUBLE && value.tag != BROCH_TAG_BOOL)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT, "a tensor where a number is needed");
    return value;
  }
  // Both parts are computed where a tensor decides, so that all variables get gradients and the
  // tower can be recorded; those of the other part are zero, as in PyTorch.
  Values chosen(const Step& step, const Values& values) const {
    const broch_value condition = value_of(step.node->arguments[0].second.item, values);
    if (condition.tag != BROCH_TAG_TENSOR)
      return run_graph(step, as_double(number(condition)) != 0 ? 0 : 1, operands(step, values));
    Values results = run_graph(step, 0, operands_of_part(step, 0, condition, values));
    const Values others = run_graph(step, 1, operands_of_part(step, 1, condition, values));
    for (size_t i = 0; i < results.size() && i < others.size(); ++i)
      results[i] = either(step, condition, results[i], others[i]);
    return results;
  }
  // Sizes may follow from a number, so that it cannot depend on the elements of a tensor.
  broch_value either(const Step& step, const broch_value& condition, const broch_value& yes,
                     const broch_value& no) const {
    if (yes.tag == BROCH_TAG_TENSOR && no.tag == BROCH_TAG_TENSOR)
      return broch_of(operators_.call(*step.where, {condition, yes, no}));
    if (yes.tag == no.tag && yes.u.i64 == no.u.i64) return yes;
    throw broch::Error(BROCH_E_UNIMPLEMENTED,
                       "a tensor chooses between two numbers, expected tensors, or equal numbers");
  }

  // Without a way for gradients where the other part is chosen: zero times one that is infinite or
  // NaN would be NaN.
  Values operands_of_part(const Step& step, size_t which, const broch_value& condition,
                          const Values& values) const {
    Values all = operands(step, values);
    if (!is_training_) return all;
    for (broch_value& operand : all) {
      if (operand.tag != BROCH_TAG_TENSOR || !operand.u.tensor) continue;
      if (!is_floating(data_.info(operand.u.tensor).dtype)) continue;
      broch_value first = operand, second = broch_of(operators_.call(*step.detach, {operand}));
      if (which == 1) std::swap(first, second);
      operand = broch_of(operators_.call(*step.where, {condition, first, second}));
    }
    return all;
  }
  static Values operands(const Step& step, const Values& values) {
    Values all;
    for (const Item& operand : step.operands) all.push_back(value_of(operand, values));
    return all;
  }

  Values run_graph(const Step& step, size_t which, const Values& operands) const {
    const Steps& steps = *step.graphs[which];
    const auto no_grad = without_gradients(step);
    return run(steps, operands, steps.graph->outputs);
  }

  std::optional<broch::NoGrad> without_gradients(const Step& step) const {
    if (!step.without_gradients) return std::nullopt;
    const broch::Host& host = tower_.host();
    return std::optional<broch::NoGrad>(std::in_place, host,
                                        host.require<broch_host_autograd>(BROCH_EXT_AUTOGRAD));
  }

  void call(const Step& step, Values& values) const {
    const auto no_grad = without_gradients(step);
    Lists lists;
    Values arguments;
    arguments.reserve(step.sources.size());
    for (const Source& source : step.sources)
      arguments.push_back(source.argument ? argument(step, source, values, lists)
                                          : source.constant);
    const HostOperator* op = step.op;
    if (!is_training_) {
      if (step.training >= 0) arguments[size_t(step.training)] = broch_bool(0);
      if (step.probability >= 0) arguments[size_t(step.probability)] = broch_double(0);
      if (step.in_evaluation) {
        op = step.in_evaluation;
        if (step.mean) arguments.push_back(broch_double(*step.mean));
      }
    }
    if (step.reshape && is_on_gpu_) op = step.reshape;
    Values results(step.node->results.size());
    operators_.call(*op, arguments, results);
    if (step.contiguous) results[0] = broch_of(operators_.call(*step.contiguous, {results[0]}));
    give(step, results, values);
  }

  // As the layer of the SDK does it, so that it draws the same and is recorded as well.
  void drop_out(const Step& step, Values& values) const {
    Lists lists;
    const broch_value x = argument(step, step.sources[0], values, lists);
    const double p = as_double(argument(step, step.sources[1], values, lists));
    if (p == 0) return give(step, {x}, values);
    const broch_value detached = broch_of(operators_.call(*step.detach, {x}));
    const broch_value keep =
        broch_of(operators_.call(*step.bernoulli, {detached, broch_double(1 - p)}));
    const broch_value kept = broch_of(operators_.call(*step.multiply, {x, keep}));
    const double scale = p < 1 ? 1 / (1 - p) : 0;
    give(step, {broch_of(operators_.call(*step.scale, {kept, broch_double(scale)}))}, values);
  }

  broch_value argument(const Step& step, const Source& source, const Values& values,
                       Lists& lists) const {
    const SchemaType& type = *source.type;
    const Argument& argument = *source.argument;
    if (type.is_list) return list(type, argument, values, lists);
    switch (argument.kind) {
      case Argument::Kind::string:
        return list_value(BROCH_TAG_STR, argument.string.size(), argument.string.data());
      case Argument::Kind::dtype: {
        broch_value value = broch_int(argument.item.integer);
        value.tag = BROCH_TAG_DTYPE;
        return value;
      }
      default:
        break;
    }
    const broch_value value = value_of(argument.item, values);
    if (value.tag == BROCH_TAG_NONE) return value;
    if (type.name == "Tensor")
      return value.tag == BROCH_TAG_TENSOR ? value : broch_of(tensor_of(step, value, values));
    if (value.tag == BROCH_TAG_TENSOR) return value;  // the host says what it expected
    if (type.name == "int") return broch_int(as_integer(value));
    if (type.name == "float") return broch_double(as_double(value));
    if (type.name == "bool") return broch_bool(as_double(value) != 0);
    return value;
  }

  broch_value list(const SchemaType& type, const Argument& argument, const Values& values,
                   Lists& lists) const {
    std::vector<Item> items = argument.items;
    if (argument.kind == Argument::Kind::item) {
      if (argument.item.kind == Item::Kind::none) return broch_none();
      items.assign(size_t(std::max<int64_t>(type.count, 1)), argument.item);
    }
    if (type.name == "Tensor") {
      auto& list = lists.tensors.emplace_back();
      for (const Item& item : items) list.push_back(value_of(item, values).u.tensor);
      return list_value(BROCH_TAG_TENSORS, list.size(), list.data());
    }
    if (type.name == "float") {
      auto& list = lists.doubles.emplace_back();
      for (const Item& item : items) list.push_back(as_double(number(value_of(item, values))));
      return list_value(BROCH_TAG_DOUBLES, list.size(), list.data());
    }
    if (type.name == "bool") {
      auto& list = lists.booleans.emplace_back();
      for (const Item& item : items) list.push_back(as_double(number(value_of(item, values))) != 0);
      return list_value(BROCH_TAG_BOOLS, list.size(), list.data());
    }
    auto& list = lists.integers.emplace_back();
    for (const Item& item : items) list.push_back(as_integer(number(value_of(item, values))));
    static const int64_t kNothing = 0;
    return list_value(BROCH_TAG_INTS, list.size(), list.empty() ? &kNothing : list.data());
  }

  // A number in the place of a tensor has the dtype that PyTorch's promotion gives it: it changes
  // that of the other tensors only if it is of a higher kind.
  broch_tensor tensor_of(const Step& step, const broch_value& number, const Values& values) const {
    broch_dtype highest = 0;
    const auto kind = [](broch_dtype dtype) {
      return dtype >= BROCH_COMPLEX64 ? 3 : is_floating(dtype) ? 2 : dtype == BROCH_BOOL ? 0 : 1;
    };
    for (const Source& source : step.sources) {
      if (!source.argument || source.type->name != "Tensor" || source.type->is_list) continue;
      const broch_value value = value_of(source.argument->item, values);
      if (value.tag != BROCH_TAG_TENSOR || !value.u.tensor) continue;
      const broch_dtype dtype = data_.info(value.u.tensor).dtype;
      // Of two tensors of one kind the first counts; the operator promotes the rest.
      if (!highest || kind(dtype) > kind(highest)) highest = dtype;
    }
    const int own = number.tag == BROCH_TAG_DOUBLE ? 2 : number.tag == BROCH_TAG_INT ? 1 : 0;
    if (!highest || own > kind(highest))
      highest = own == 2 ? BROCH_FLOAT32 : own == 1 ? BROCH_INT64 : BROCH_BOOL;
    broch_value dtype = broch_int(highest);
    dtype.tag = BROCH_TAG_DTYPE;
    return operators_.call(*step.scalar_tensor, {number, dtype});
  }

  const HostOperators& operators_;
  broch::Tower& tower_;
  broch::TensorData data_;
  bool is_training_, is_on_gpu_;
};

Executable::Executable(const broch::Host& host, const Program& program, const std::string& place)
    : operators_(host), program_(program) {
  Compiled compiled = compile(operators_, program);
  steps_ = std::move(compiled.steps);
  written_ = std::move(compiled.written);
  written_in_training_ = std::move(compiled.written_in_training);
  const std::vector<std::string>& problems = compiled.problems;
  if (problems.empty()) return;
  std::string text = place + ": " + std::to_string(problems.size()) +
                     (problems.size() == 1 ? " node" : " nodes") + " cannot be computed";
  for (size_t i = 0; i < problems.size() && i < kMostProblems; ++i) text += "\n  " + problems[i];
  if (problems.size() > kMostProblems) text += "\n  …";
  throw broch::Error(BROCH_E_UNIMPLEMENTED, text);
}

Executable::~Executable() = default;

std::vector<broch_value> Executable::run(broch::Tower& tower,
                                         const std::vector<broch_tensor>& inputs) const {
  std::vector<broch_value> values;
  for (const broch_tensor input : inputs) values.push_back(input ? broch_of(input) : broch_none());
  std::vector<Item> outputs;
  for (const Output& output : program_.outputs) outputs.push_back(output.item);
  return Runner(*this, tower).run(*steps_, values, outputs);
}

}  // namespace exported
