// interface.cpp: what goes into a program and what comes out of it.
#include "models/exported/interface.hpp"

#include <algorithm>

#include "arrays/diagnostic.hpp"

namespace exported {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& text) {
  throw arrays::OptionError(BROCH_E_INVALID_ARGUMENT, option + ": found " + text);
}

bool is_tensor_of_user(const Input& input) {
  return input.kind == Input::Kind::user && input.item.kind == Item::Kind::value;
}

// Under which an example size is kept. A symbol is one size in all inputs; sizes that are computed
// of symbols have nothing in common.
std::string key_of(const std::string& input, size_t dimension, const std::string& symbol) {
  return symbol.empty() ? input + "[" + std::to_string(dimension) + "]" : symbol;
}

}  // namespace

const TensorMeta* meta_of(const Program& program, const Item& item) {
  if (item.kind != Item::Kind::value) return nullptr;
  const auto found = program.graph.tensors.find(program.graph.values[size_t(item.value)]);
  return found == program.graph.tensors.end() ? nullptr : &found->second;
}

Interface::Interface(const Program& program, const Options& options,
                     const broch::models::Loss* loss)
    : program_(program) {
  for (size_t i = 0; i < program_.outputs.size(); ++i) {
    const Output& output = program_.outputs[i];
    if (output.kind == Output::Kind::user || output.kind == Output::Kind::loss)
      outputs_.push_back(i);
  }
  find_main_output(options, loss);
  add_program_inputs(options);
  add_targets(options);
  if (loss && options.targets.empty()) add_target_of(*loss);
  if (target_.empty() && !inputs_.empty()) target_ = inputs_.back().name;
  require_free_cost(loss != nullptr);
}

// What is minimized is published as "cost", beside the inputs and outputs.
void Interface::require_free_cost(bool has_loss) const {
  if (has_input("cost"))
    refuse("/inputs",
           "an input 'cost', but what is minimized is published under this name; name the inputs "
           "in another way");
  const auto output = output_named("cost");
  if (!output || (!has_loss && *output == main_output_)) return;
  refuse(has_loss ? "/loss" : "/loss_output",
         "an output 'cost' that is not minimized, but what is minimized is published under this "
         "name; export the program with another name of the output" +
             std::string(is_number(*output) ? ", or minimize it: without a loss, and with the "
                                              "loss_output \"cost\""
                                            : ""));
}

// ---- outputs

std::string Interface::published_name(size_t output) const {
  std::string text = program_.outputs[output].name;
  if (text.empty()) return "output";
  if (text[0] >= '0' && text[0] <= '9') text = "output" + text;
  std::replace(text.begin(), text.end(), ':', '_');
  return text;
}

const TensorMeta* Interface::meta_of(size_t output) const {
  return exported::meta_of(program_, program_.outputs[output].item);
}

bool Interface::is_number(size_t output) const {
  const TensorMeta* meta = meta_of(output);
  return meta && meta->sizes.empty() && is_floating(meta->dtype);
}

std::string Interface::names_of_outputs() const {
  std::string text;
  for (const size_t output : outputs_) {
    const TensorMeta* meta = meta_of(output);
    text += (text.empty() ? "" : ", ") + ("'" + published_name(output) + "'");
    if (!meta) continue;
    std::vector<int64_t> shape;
    for (const Size& size : meta->sizes) shape.push_back(size.value);
    text += " " + broch::dtype_name(meta->dtype) + " " + broch::shape_text(shape);
  }
  return text.empty() ? "none" : text;
}

std::optional<size_t> Interface::output_named(const std::string& name) const {
  for (const size_t output : outputs_)
    if (published_name(output) == name) return output;
  return std::nullopt;
}

size_t Interface::require_output(const std::string& option, const std::string& name) const {
  if (const auto found = output_named(name)) return *found;
  refuse(option, "no output " + arrays::quoted(name) + "; the outputs are " + names_of_outputs() +
                     "; name one of them");
}

void Interface::find_main_output(const Options& options, bool has_loss) {
  if (outputs_.empty())
    refuse("/file",
           "a program without outputs, expected one that returns a tensor; export it "
           "again");
  main_output_ = outputs_[0];
  if (has_loss) return;
  const std::string next =
      "; name one of them as loss_output, or use a loss such as {\"loss\": \"cross_entropy\"}";
  if (options.loss_output) {
    main_output_ = require_output("/loss_output", *options.loss_output);
    if (!is_number(main_output_))
      refuse("/loss_output", "output " + arrays::quoted(*options.loss_output) +
                                 ", which is no single floating-point number; the outputs are " +
                                 names_of_outputs() + next);
    return;
  }
  for (const size_t output : outputs_)
    if (is_number(output) && (program_.outputs[output].kind == Output::Kind::loss ||
                              program_.outputs[output].name == "loss")) {
      main_output_ = output;
      return;
    }
  if (!is_number(main_output_))
    refuse("/loss", "no output that is a loss; the outputs are " + names_of_outputs() + next);
}

// ---- inputs

std::vector<int64_t> Interface::example_shape(const broch::Input& input) const {
  std::vector<int64_t> shape = input.shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] >= 0) continue;
    const auto found =
        examples_.find(key_of(input.name, d, d < input.dims.size() ? input.dims[d] : ""));
    shape[d] = found == examples_.end() ? 2 : found->second;
  }
  return shape;
}

bool Interface::has_input(const std::string& name) const {
  return std::any_of(inputs_.begin(), inputs_.end(),
                     [&](const broch::Input& input) { return input.name == name; });
}

void Interface::add_input(const std::string& name, broch_dtype dtype,
                          const std::vector<Size>& sizes) {
  broch::Input input{name, dtype, {}, {}};
  for (const Size& size : sizes) {
    input.shape.push_back(size.value);
    input.dims.push_back(size.value < 0 ? size.symbol : "");
    if (size.value >= 0) continue;
    const auto range = program_.ranges.find(size.symbol);
    const int64_t least = range == program_.ranges.end() ? 2 : range->second.first;
    examples_.try_emplace(
        key_of(name, input.shape.size() - 1, size.symbol),
        size.hint ? std::max<int64_t>(*size.hint, 1) : std::max<int64_t>(least, 2));
  }
  inputs_.push_back(std::move(input));
}

void Interface::add_program_inputs(const Options& options) {
  std::string names;
  size_t count = 0;
  for (const Input& input : program_.inputs) {
    if (!is_tensor_of_user(input)) continue;
    names += (names.empty() ? "" : ", ") + input.name;
    const TensorMeta* meta = exported::meta_of(program_, input.item);
    if (!meta || !meta->dtype)
      throw arrays::OptionError(
          BROCH_E_UNIMPLEMENTED,
          "/file: input '" + input.name + "' is " +
              (meta ? torch_dtype_name(meta->torch_dtype) : "a number") +
              ", expected a tensor of a dtype that Broch has; export the model with other example "
              "inputs");
    const bool is_named = count < options.inputs.size();
    add_input(is_named ? options.inputs[count] : input.name, meta->dtype, meta->sizes);
    ++count;
  }
  if (!options.inputs.empty() && options.inputs.size() != count)
    refuse("/inputs", std::to_string(options.inputs.size()) +
                          " names, expected one for each of the inputs " + names);
}

void Interface::add_targets(const Options& options) {
  for (size_t i = 0; i < options.targets.size(); ++i) {
    broch::Input target = options.targets[i].input();
    if (has_input(target.name))
      refuse("/targets/" + std::to_string(i) + "/name",
             arrays::quoted(target.name) +
                 ", which is an input already, expected another name; choose one, "
                 "or rename the input with the option inputs");
    // The batch is that of the program.
    if (!options.targets[i].dims && !target.dims.empty() && !inputs_.empty() &&
        !inputs_[0].dims.empty() && !inputs_[0].dims[0].empty())
      target.dims[0] = inputs_[0].dims[0];
    inputs_.push_back(std::move(target));
  }
}

void Interface::add_target_of(const broch::models::Loss& loss) {
  if (!loss.needs_target() || (loss.target && has_input(*loss.target))) return;
  const auto form = loss.target_form();
  if (!form)
    refuse("/loss",
           "a loss whose target does not follow from the output, expected targets; describe them, "
           "such as {\"name\": \"target\", \"shape\": [-1, 10], \"dtype\": \"int64\"}");
  const size_t output = loss.input ? require_output("/loss/input", *loss.input) : main_output_;
  const TensorMeta* meta = meta_of(output);
  if (!meta)
    refuse("/loss/input", "an output that is no tensor; the outputs are " + names_of_outputs() +
                              "; name another one");
  std::vector<Size> sizes = meta->sizes;
  if (form->is_class) {
    const int64_t rank = int64_t(sizes.size());
    const int64_t dim = form->class_dim < 0 ? form->class_dim + rank : form->class_dim;
    if (dim < 0 || dim >= rank)
      refuse("/loss/class_dim", std::to_string(form->class_dim) + "; the outputs are " +
                                    names_of_outputs() + "; name one of the dimensions");
    sizes.erase(sizes.begin() + dim);
  }
  const std::string name = loss.target.value_or(form->is_class ? "label" : "target");
  target_ = name;
  if (has_input(name)) return;  // the program has it
  add_input(name, form->is_class ? BROCH_INT64 : meta->dtype, sizes);
}

}  // namespace exported
