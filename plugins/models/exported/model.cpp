// model.cpp: trains a program that torch.export.save wrote.
#include <atomic>
#include <broch/broch.hpp>
#include <cstring>

#include "arrays/diagnostic.hpp"
#include "models/exported/archive.hpp"
#include "models/exported/executable.hpp"
#include "models/exported/interface.hpp"
#include "models/exported/tensors.hpp"

namespace exported {
namespace {

namespace models = broch::models;

// Batch norms and dropouts that do in training what they do in inference, as the file says.
size_t count_fixed(const Graph& graph) {
  size_t count = 0;
  for (const Node& node : graph.nodes) {
    const bool has_mode = node.target.find("batch_norm") != std::string::npos ||
                          node.target.find("dropout") != std::string::npos;
    for (const auto& [name, argument] : node.arguments) {
      if (argument.graph) count += count_fixed(*argument.graph);
      count += has_mode && (name == "training" || name == "train") &&
               argument.item.kind == Item::Kind::boolean && argument.item.integer == 0;
    }
  }
  return count;
}

class Exported final : public broch::Model {
 public:
  Exported(const broch::Host& host, const Options& options)
      : Model(host),
        loss_(models::read_loss(broch::Config(host), "/loss")),
        metrics_(models::read_metrics(broch::Config(host), "/metrics")),
        archive_(arrays::about("/file", [&] { return std::make_unique<Archive>(options.file); })),
        program_(archive_->program()),
        executable_(arrays::about(
            "/file", [&] { return std::make_unique<Executable>(host, program_, options.file); })),
        interface_(program_, options, loss_.get()),
        tensors_(host, *archive_, *executable_, options.freeze) {}

  std::vector<broch::Input> inputs() override { return interface_.inputs(); }

  void example(broch::PointWriter& point) override {
    for (const broch::Input& input : interface_.inputs()) {
      const std::vector<int64_t> shape = interface_.example_shape(input);
      const broch_dl_type type = broch::dl_type(input.dtype);
      void* const data = point.allocate(type, shape.data(), shape.size(), input.name.c_str());
      const auto count = size_t(broch::element_count(shape.data(), uint32_t(shape.size())));
      std::memset(data, 0, count * type.bits / 8);
    }
  }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    if (t.is_training() && !was_told_.exchange(true)) tell_fixed();
    std::vector<broch_tensor> values(program_.inputs.size());
    Tensors::Made variables;
    size_t user = 0;
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
      const Input& input = program_.inputs[i];
      if (input.item.kind != Item::Kind::value) continue;
      broch::Tensor value =
          input.kind == Input::Kind::user ? inputs[user++] : tensors_.value(t, i, variables);
      if (executable_->writes_to(i, t.is_training())) value = t.ops().clone(value);
      values[i] = value.handle();
    }
    const std::vector<broch_value> results = executable_->run(t, values);
    if (t.is_training() && t.is_main()) tensors_.update(t, values, results, variables);
    return judged(t, inputs, published(t, results));
  }

 private:
  void tell_fixed() const {
    const size_t count = count_fixed(program_.graph);
    if (count == 0) return;
    host().warning("the program has " + std::to_string(count) +
                   " batch norms or dropouts that do in training what they do in inference, "
                   "expected none; export the network after model.train(), or leave it so if they "
                   "shall stay as they are");
  }

  using Named = std::map<std::string, broch::Tensor>;

  Named published(broch::Tower& t, const std::vector<broch_value>& results) const {
    Named outputs;
    for (const size_t output : interface_.outputs()) {
      if (results[output].tag != BROCH_TAG_TENSOR) continue;
      const std::string name = interface_.published_name(output);
      outputs[name] = t.publish(name, broch::Tensor(&t.ops(), results[output].u.tensor));
    }
    return outputs;
  }

  broch::Tensor judged(broch::Tower& t, const std::vector<broch::Tensor>& inputs,
                       Named tensors) const {
    const auto main = tensors.find(interface_.published_name(interface_.main_output()));
    const broch::Tensor output = main == tensors.end() ? broch::Tensor() : main->second;
    for (size_t i = 0; i < inputs.size(); ++i)
      tensors.emplace(interface_.inputs()[i].name, inputs[i]);
    const models::Find find = [&](const std::string& name) {
      const auto found = tensors.find(name);
      if (found != tensors.end()) return found->second;
      std::string known;
      for (const auto& [one, tensor] : tensors) known += (known.empty() ? "" : ", ") + one;
      throw broch::Error(BROCH_E_NOT_FOUND,
                         "no input or output is called '" + name + "', expected one of " + known);
    };
    const models::Context context{t, find, output,
                                  inputs.empty() ? broch::Tensor() : find(interface_.target())};
    const broch::Tensor cost = loss_ ? models::value_of(*loss_, context) : output;
    models::publish_metrics(metrics_, context, cost);
    // The loss of the program may have this name.
    const bool is_published =
        !loss_ && interface_.published_name(interface_.main_output()) == "cost";
    return is_published ? cost : t.publish("cost", cost);
  }

  std::unique_ptr<models::Loss> loss_;
  std::vector<std::unique_ptr<models::Metric>> metrics_;
  std::unique_ptr<const Archive> archive_;
  const Program& program_;
  std::unique_ptr<const Executable> executable_;
  Interface interface_;
  Tensors tensors_;
  std::atomic<bool> was_told_ = false;
};

}  // namespace
}  // namespace exported

BROCH_MODEL(exported::Exported, "broch.model.exported", "1.0.0",
            "Trains a program that PyTorch's torch.export.save wrote.", exported::Options::schema,
            broch::check_creates())
