// model.cpp: trains a program that torch.export.save wrote.
#include <algorithm>
#include <broch/broch.hpp>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

#include "arrays/diagnostic.hpp"
#include "models/exported/archive.hpp"
#include "models/exported/executable.hpp"
#include "models/exported/loss.hpp"

namespace exported {
namespace {

struct Options {
  std::string file;
  broch::JsonText loss;
  std::vector<std::string> inputs, freeze;

  static constexpr auto schema = broch::options(
      broch::option("file", &Options::file,
                    "A .pt2 file, written by torch.export.save of PyTorch 2.6 to 2.11.")
          .min_length(1)
          .is_path(),
      broch::option(
          "loss", &Options::loss,
          "The name of the output that is the loss; or a loss over an output, with a "
          "further input as the target; null: the output called loss, or the first one if "
          "it is a single number.")
          .schema(LossOptions::kSchema)
          .by_default(nullptr),
      broch::option("inputs", &Options::inputs,
                    "Names of the inputs, in their order; []: those of the arguments of forward.")
          .min_length(1)
          .by_default(),
      broch::option(
          "freeze", &Options::freeze,
          "Parameters that are not trained: regular expressions (ECMAScript), each of which "
          "has to match a whole name.")
          .by_default());
};

// "output" for a single one, "output0" for one of a tuple, and names of dicts as they are.
std::string published_name(const std::string& name) {
  if (name.empty()) return "output";
  std::string text = name[0] >= '0' && name[0] <= '9' ? "output" + name : name;
  std::replace(text.begin(), text.end(), ':', '_');
  return text;
}

bool is_floating(broch_dtype dtype) { return dtype >= BROCH_FLOAT32 && dtype <= BROCH_BFLOAT16; }

class Exported final : public broch::Model {
 public:
  Exported(const broch::Host& host, const Options& options)
      : Model(host),
        archive_(arrays::about("/file", [&] { return std::make_unique<Archive>(options.file); })),
        program_(archive_->program()),
        executable_(arrays::about(
            "/file", [&] { return std::make_unique<Executable>(host, program_, options.file); })),
        loss_(loss_options(options.loss.text)) {
    find_outputs();
    find_loss(options);
    find_inputs(options);
    arrays::about("/file", [&] { find_variables(); });
    find_frozen(options);
  }

  std::vector<broch::Input> inputs() override { return inputs_; }

  void example(broch::PointWriter& point) override {
    for (const broch::Input& input : inputs_) {
      std::vector<int64_t> shape = input.shape;
      int64_t count = 1;
      for (size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] < 0) shape[d] = examples_.at(input.name)[d];
        count *= shape[d];
      }
      const broch_dl_type type = broch::dl_type(input.dtype);
      void* const data = point.allocate(type, shape.data(), shape.size(), input.name.c_str());
      std::memset(data, 0, size_t(count) * type.bits / 8);
    }
  }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    std::vector<broch_tensor> values(program_.inputs.size());
    std::map<std::string, broch::Variable> variables;  // by the name of the first of tied ones
    size_t user = 0;
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
      const Input& input = program_.inputs[i];
      if (input.item.kind != Item::Kind::value) continue;
      broch::Tensor value = input.kind == Input::Kind::user ? inputs[user++]
                            : kept_[i].is_variable          ? variable(t, i, variables).value
                                                            : constant(t, i);
      if (executable_->writes_to(i, t.is_training())) value = t.ops().clone(value);
      values[i] = value.handle();
    }
    const std::vector<broch_value> results = executable_->run(t, values);
    if (t.is_training() && t.is_main()) update(t, values, results, variables);
    return published(t, inputs, results);
  }

 private:
  // What an input of the program that is no input of the model is.
  struct Kept {
    const Stored* stored = nullptr;
    std::vector<std::byte> elements;  // of a constant
    std::string name;
    bool is_variable = false;
    uint32_t flags = 0;
  };

  void find_outputs() {
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      const Output& output = program_.outputs[i];
      if (output.kind == Output::Kind::user || output.kind == Output::Kind::loss)
        users_.push_back(i);
    }
  }
  const TensorMeta* meta_of(const Item& item) const {
    if (item.kind != Item::Kind::value) return nullptr;
    const auto found = program_.graph.tensors.find(program_.graph.values[size_t(item.value)]);
    return found == program_.graph.tensors.end() ? nullptr : &found->second;
  }
  bool is_loss(size_t output) const {
    const TensorMeta* meta = meta_of(program_.outputs[output].item);
    return meta && meta->sizes.empty() && is_floating(meta->dtype);
  }
  std::string names_of_outputs() const {
    std::string text;
    for (const size_t output : users_) {
      const TensorMeta* meta = meta_of(program_.outputs[output].item);
      text += (text.empty() ? "" : ", ") + ("'" + program_.outputs[output].name + "'");
      if (!meta) continue;
      std::vector<int64_t> shape;
      for (const Size& size : meta->sizes) shape.push_back(size.value);
      text += " " + broch::dtype_name(meta->dtype) + " " + broch::shape_text(shape);
    }
    return text.empty() ? "none" : text;
  }
  std::optional<size_t> output_named(const std::string& name) const {
    for (const size_t output : users_)
      if (program_.outputs[output].name == name ||
          published_name(program_.outputs[output].name) == name)
        return output;
    return std::nullopt;
  }

  void find_loss(const Options& options) {
    const auto refuse = [&](const std::string& found, const std::string& next) {
      throw arrays::OptionError(
          BROCH_E_INVALID_ARGUMENT,
          "/loss: found " + found + "; the outputs are " + names_of_outputs() + "; " + next);
    };
    const std::string next =
        "name one of them, or use a loss such as "
        "{\"use\": \"cross-entropy\", \"target\": \"label\"}";
    if (loss_) {
      if (users_.empty()) refuse("a program without outputs", "export a model that returns one");
      const auto named = loss_->output.empty() ? users_[0] : output_named(loss_->output);
      if (!named) refuse("no output '" + loss_->output + "'", "name one of them");
      loss_output_ = *named;
      if (!meta_of(program_.outputs[loss_output_].item))
        refuse("an output that is no tensor", "name another one");
      return;
    }
    const std::string text = options.loss.text;
    if (text.size() > 2 && text[0] == '"') {
      const std::string name = nlohmann::json::parse(text).get<std::string>();
      const auto named = output_named(name);
      if (!named) refuse("no output '" + name + "'", "name one of them");
      if (!is_loss(*named))
        refuse("output '" + name + "', which is no single floating-point number", next);
      loss_output_ = *named;
      return;
    }
    for (const size_t output : users_)
      if (is_loss(output) && (program_.outputs[output].kind == Output::Kind::loss ||
                              program_.outputs[output].name == "loss")) {
        loss_output_ = output;
        return;
      }
    if (users_.empty() || !is_loss(users_[0])) refuse("no output that is a loss", next);
    loss_output_ = users_[0];
  }

  void add_input(const std::string& name, broch_dtype dtype, const std::vector<Size>& sizes) {
    broch::Input input{name, dtype, {}, {}};
    std::vector<int64_t>& example = examples_[name];
    for (const Size& size : sizes) {
      input.shape.push_back(size.value);
      input.dims.push_back(size.value < 0 ? size.symbol : "");
      example.push_back(size.value < 0 ? example_size(size) : size.value);
    }
    inputs_.push_back(std::move(input));
  }
  // The size in the example of the export, in which the program is known to work.
  int64_t example_size(const Size& size) const {
    if (size.hint) return std::max<int64_t>(*size.hint, 1);
    const auto range = program_.ranges.find(size.symbol);
    return range == program_.ranges.end() ? 2 : std::max<int64_t>(range->second.first, 2);
  }

  void find_inputs(const Options& options) {
    for (const Input& input : program_.inputs) {
      if (input.kind != Input::Kind::user || input.item.kind != Item::Kind::value) continue;
      const TensorMeta* meta = meta_of(input.item);
      if (!meta || !meta->dtype)
        throw arrays::OptionError(
            BROCH_E_UNIMPLEMENTED,
            "/file: input '" + input.name + "' is " +
                (meta ? torch_dtype_name(meta->torch_dtype) : "a number") +
                ", expected a tensor of a dtype that Broch has; export the model "
                "with other example inputs");
      const size_t index = inputs_.size();
      if (!options.inputs.empty() && index >= options.inputs.size()) wrong_names(options);
      add_input(options.inputs.empty() ? input.name : options.inputs[index], meta->dtype,
                meta->sizes);
    }
    if (!options.inputs.empty() && options.inputs.size() != inputs_.size()) wrong_names(options);
    if (!loss_) return;
    for (const broch::Input& input : inputs_)
      if (input.name == loss_->target)
        throw arrays::OptionError(
            BROCH_E_INVALID_ARGUMENT,
            "/loss/target: found '" + loss_->target +
                "', which the program itself has as an input, expected another "
                "name; choose one, or rename the input with the option inputs");
    const TensorMeta& output = *meta_of(program_.outputs[loss_output_].item);
    std::vector<Size> sizes = output.sizes;
    if (has_classes(*loss_) && !sizes.empty())
      sizes.erase(loss_->dimension < 0 ? sizes.end() - 1 : sizes.begin() + (sizes.size() > 1));
    add_input(loss_->target, has_classes(*loss_) ? BROCH_INT64 : output.dtype, sizes);
  }
  [[noreturn]] void wrong_names(const Options& options) const {
    std::string names;
    for (const Input& input : program_.inputs)
      if (input.kind == Input::Kind::user && input.item.kind == Item::Kind::value)
        names += (names.empty() ? "" : ", ") + input.name;
    throw arrays::OptionError(BROCH_E_INVALID_ARGUMENT,
                              "/inputs: found " + std::to_string(options.inputs.size()) +
                                  " names, expected one for each of the inputs " + names);
  }

  void find_variables() {
    kept_.resize(program_.inputs.size());
    std::map<std::string, std::string> first;  // of tied parameters, by their memory
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
      const Input& input = program_.inputs[i];
      if (input.kind == Input::Kind::user) continue;
      Kept& kept = kept_[i];
      kept.name = input.name;
      kept.stored = &archive_->stored(input.name);
      const bool is_parameter = input.kind == Input::Kind::parameter;
      const bool is_changed = executable_->writes_to(i, true) || is_output(input.name);
      kept.is_variable =
          is_parameter || is_changed || (input.kind == Input::Kind::buffer && input.persistent);
      const TensorMeta* meta = meta_of(input.item);
      kept.flags = is_parameter && meta && meta->requires_grad ? BROCH_VARIABLE_TRAINABLE
                                                               : BROCH_VARIABLE_MODEL;
      if (is_parameter)
        kept.name = first.try_emplace(kept.stored->memory, input.name).first->second;
      if (!kept.is_variable) kept.elements = archive_->elements(*kept.stored);
    }
  }
  bool is_output(const std::string& buffer) const {
    return std::any_of(program_.outputs.begin(), program_.outputs.end(), [&](const Output& output) {
      return output.kind == Output::Kind::buffer && output.name == buffer;
    });
  }

  void find_frozen(const Options& options) {
    std::vector<bool> trainable;
    for (const Kept& kept : kept_) trainable.push_back(kept.flags & BROCH_VARIABLE_TRAINABLE);
    for (const std::string& pattern : options.freeze) {
      std::regex regex;
      try {
        regex = std::regex(pattern);
      } catch (const std::regex_error& error) {
        throw arrays::OptionError(BROCH_E_INVALID_ARGUMENT, "/freeze: found '" + pattern + "' (" +
                                                                error.what() +
                                                                "), expected a regular expression");
      }
      bool is_used = false;
      for (size_t i = 0; i < kept_.size(); ++i)
        if (trainable[i] && std::regex_match(kept_[i].name, regex)) {
          kept_[i].flags = BROCH_VARIABLE_MODEL;
          is_used = true;
        }
      if (!is_used)
        throw arrays::OptionError(
            BROCH_E_INVALID_ARGUMENT,
            "/freeze: found '" + pattern +
                "', which matches no trainable parameter; broch plan prints their "
                "names");
    }
  }

  static broch_dl_tensor view_of(const Stored& stored, const std::vector<std::byte>& elements,
                                 std::vector<int64_t>& shape) {
    return broch::dl_view(const_cast<std::byte*>(elements.data()), broch::dl_type(stored.dtype),
                          shape.data(), int32_t(shape.size()));
  }
  broch::Variable variable(broch::Tower& t, size_t i,
                           std::map<std::string, broch::Variable>& made) const {
    const Kept& kept = kept_[i];
    const auto found = made.find(kept.name);
    if (found != made.end()) return found->second;
    std::vector<int64_t> shape = kept.stored->shape;
    // One that exists keeps its value, so the file is only read for those that are new.
    std::vector<std::byte> elements;
    if (!exists(t, kept.name)) elements = archive_->elements(*kept.stored);
    const broch_dl_tensor values = view_of(*kept.stored, elements, shape);
    const broch::Variable variable = t.variable(
        kept.name, shape, elements.empty() ? broch::Init::constant(0) : broch::Init::values(values),
        kept.flags, kept.stored->dtype);
    return made.emplace(kept.name, variable).first->second;
  }
  bool exists(const broch::Tower& t, const std::string& name) const {
    const std::string scope = t.info().vs_name;
    broch_variable variable = 0;
    return variables_->find(host().c(), (scope.empty() ? name : scope + "/" + name).c_str(),
                            &variable) >= 0;
  }
  broch::Tensor constant(broch::Tower& t, size_t i) const {
    std::vector<int64_t> shape = kept_[i].stored->shape;
    return t.constant(view_of(*kept_[i].stored, kept_[i].elements, shape));
  }

  // Buffers that the program has written to, and those that it returns new values of.
  void update(broch::Tower& t, const std::vector<broch_tensor>& values,
              const std::vector<broch_value>& results,
              const std::map<std::string, broch::Variable>& variables) const {
    const auto write = [&](const std::string& name, broch_tensor value) {
      const auto found = variables.find(name);
      if (found == variables.end()) return;
      t.update(found->second.handle, t.ops().detach(broch::Tensor(&t.ops(), value)));
    };
    for (size_t i = 0; i < kept_.size(); ++i)
      if (kept_[i].is_variable && executable_->writes_to(i, true)) write(kept_[i].name, values[i]);
    for (size_t i = 0; i < results.size(); ++i)
      if (program_.outputs[i].kind == Output::Kind::buffer && results[i].tag == BROCH_TAG_TENSOR)
        write(program_.outputs[i].name, results[i].u.tensor);
  }

  broch::Tensor published(broch::Tower& t, const std::vector<broch::Tensor>& inputs,
                          const std::vector<broch_value>& results) const {
    broch::Tensor cost;
    for (const size_t output : users_) {
      if (results[output].tag != BROCH_TAG_TENSOR) continue;
      const std::string name = published_name(program_.outputs[output].name);
      const broch::Tensor value =
          t.publish(name, broch::Tensor(&t.ops(), results[output].u.tensor));
      if (output == loss_output_) cost = value;
    }
    if (!loss_) return t.publish("cost", cost);
    const broch::Tensor target = inputs.back();
    if (loss_->use == LossKind::cross_entropy) {
      const broch::Tensor guess = t.ops().argmax(cost, loss_->dimension);
      const broch::Tensor wrong = t.ops().ne(guess, target);
      t.publish("incorrect_vector", t.ops().to_dtype(t.ops().reshape(wrong, {-1}), BROCH_FLOAT32));
    }
    return t.publish("cost", loss_of(t, *loss_, cost, target));
  }

  const broch_host_variables* const variables_ =
      host().require<broch_host_variables>(BROCH_EXT_VARIABLES);
  std::unique_ptr<const Archive> archive_;
  const Program& program_;
  std::unique_ptr<Executable> executable_;
  std::optional<LossOptions> loss_;
  size_t loss_output_ = 0;
  std::vector<size_t> users_;  // the outputs that forward returns
  std::vector<broch::Input> inputs_;
  std::map<std::string, std::vector<int64_t>> examples_;  // shapes, by input
  std::vector<Kept> kept_;                                // by input of the program
};

}  // namespace
}  // namespace exported

BROCH_MODEL(exported::Exported, "broch.model.exported", "1.0.0",
            "Trains a program that PyTorch's torch.export.save wrote.", exported::Options::schema)
