// sequential.cpp: a model whose layers, loss and metrics are written in the manifest.
#include "objective/input_option.hpp"
#include "objective/losses.hpp"
#include "objective/metrics.hpp"
#include "table.hpp"

namespace broch::models {
namespace {

enum class Penalty { l2, l1 };
struct RegularizerOption {
  Penalty regularizer;
  double scale;
  std::optional<std::string> variables;
  static constexpr auto schema =
      options(option("regularizer", &RegularizerOption::regularizer,
                     "l2: scale * sum(w^2) / 2; l1: scale * sum(|w|).")
                  .one_of("l2", "l1"),
              option("scale", &RegularizerOption::scale, "The factor.").minimum(0),
              option("variables", &RegularizerOption::variables,
                     "Regular expression that is found in the names of the variables; null: those "
                     "of two or more dimensions with /W or weight in their names."));
};

struct SummaryOption {
  std::string tensor;
  enum class Show { histogram, scalar, image } show;
  static constexpr auto schema = options(
      option("tensor", &SummaryOption::tensor, "Name of an input or of a layer."),
      option("show", &SummaryOption::show,
             "histogram: of all elements; scalar: a tensor without dimensions; image: the first of "
             "(N, C, H, W), with values from 0 to 1.")
          .one_of("histogram", "scalar", "image")
          .by_default("histogram"));
};

struct Options {
  std::vector<InputOption> inputs;
  JsonText layers, loss, metrics;
  std::vector<RegularizerOption> regularizers;
  std::vector<SummaryOption> summaries;
  Names names;
  static constexpr auto schema = options(
      option("inputs", &Options::inputs,
             "The inputs of the model, in the order of the components of a data point. The first "
             "is the input of the first layer, the last one the target of the loss.")
          .min_items(1),
      option("layers", &Options::layers, "The layers, from the first to the last.")
          .schema(kLayersSchema.chars),
      option("loss", &Options::loss,
             "What is minimized: {\"loss\": \"cross_entropy\", ...}, or its name alone. null: the "
             "result of the last layer, which then has no dimensions.")
          .schema(kLossSchema.chars)
          .by_default(nullptr),
      option("metrics", &Options::metrics,
             "Numbers that are published for inferencers and shown in training.")
          .schema(kMetricsSchema.chars)
          .may_be_absent(),
      option("regularizers", &Options::regularizers, "Penalties that are added to the loss.")
          .by_default(),
      option("summaries", &Options::summaries, "Tensors that the monitors show in training.")
          .by_default(),
      option("names", &Options::names,
             "Names of variables: tensorpack: a/W, a/b; torch: a.weight, a.bias, as in files of "
             "PyTorch.")
          .one_of("tensorpack", "torch")
          .by_default("tensorpack"));
};

class Sequential final : public Model {
 public:
  Sequential(const Host& host, const Options& options)
      : Model(host),
        options_(options),
        layers_(read_layers(Config(host), "/layers")),
        loss_(read_loss(Config(host), "/loss")),
        metrics_(read_metrics(Config(host), "/metrics")) {
    require_free_names();
  }

  std::vector<Input> inputs() override {
    std::vector<Input> list;
    for (const InputOption& input : options_.inputs) list.push_back(input.input());
    return list;
  }

  Tensor tower(Tower& t, const std::vector<Tensor>& inputs) override {
    Build build(t, options_.names);
    for (size_t i = 0; i < inputs.size(); ++i) build.add(options_.inputs[i].name, inputs[i]);
    const Tensor output = t.publish("output", build.run(layers_, inputs.front()));
    const Find find = [&build](const std::string& name) { return build.find(name); };
    const Context context{t, find, output, inputs.size() > 1 ? inputs.back() : Tensor()};
    Tensor loss;
    if (loss_) {
      loss = t.publish("loss", value_of(*loss_, context));
    } else if (!t.shape(output).empty()) {
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  "/loss: null, and the last layer gives " + t.type_text(output) +
                      ", expected a loss, or a result without dimensions");
    }
    publish_metrics(metrics_, context, loss);
    const Tensor cost = t.publish("cost", penalised(t, loss ? loss : output));
    for (size_t i = 0; i < options_.summaries.size(); ++i)
      at_option("/summaries/" + std::to_string(i), [&] { show(build, options_.summaries[i]); });
    return cost;
  }

 private:
  // Inputs are published under their names, as are these results.
  void require_free_names() const {
    for (size_t i = 0; i < options_.inputs.size(); ++i) {
      const std::string& name = options_.inputs[i].name;
      if (name == "output" || name == "cost" || (name == "loss" && loss_))
        throw Error(BROCH_E_INVALID_ARGUMENT,
                    "/inputs/" + std::to_string(i) + "/name: '" + name +
                        "', under which a result of the model is published, expected another name");
    }
  }
  Tensor penalised(Tower& t, Tensor cost) const {
    for (size_t i = 0; i < options_.regularizers.size(); ++i) {
      const RegularizerOption& one = options_.regularizers[i];
      const auto penalty =
          one.regularizer == Penalty::l2 ? l2_regularizer(one.scale) : l1_regularizer(one.scale);
      size_t found = 0;
      // The scales of norms are called weight, too.
      const auto counted = [&](const Tensor& x) {
        ++found;
        const bool counts = one.variables || t.shape(x).size() > 1;
        return counts ? penalty(x) : t.ops().zeros({}, BROCH_FLOAT32);
      };
      const std::string pointer = "/regularizers/" + std::to_string(i);
      cost = cost + at_option(pointer, [&] {
               return regularize_cost(t, one.variables.value_or("(/W|weight)"), counted,
                                      "regularizer_" + std::to_string(i));
             });
      if (one.variables && t.is_training() && found == 0)
        refuse_unfound(t, pointer + "/variables", *one.variables);
    }
    return cost;
  }
  [[noreturn]] static void refuse_unfound(const Tower& t, const std::string& pointer,
                                          const std::string& expression) {
    std::string example;
    for (const Tower::Trainable& variable : t.trainables())
      if (example.empty()) example = std::string(", such as ") + variable.name;
    throw Error(BROCH_E_INVALID_ARGUMENT,
                pointer + ": '" + expression +
                    "' is found in no name of a variable that is trained, expected in one" +
                    example);
  }
  static void show(const Build& build, const SummaryOption& summary) {
    Tower& t = build.t;
    const Tensor x = build.find(summary.tensor);
    switch (summary.show) {
      case SummaryOption::Show::histogram:
        return t.summary(summary.tensor, x, BROCH_SHOW_HISTOGRAM);
      case SummaryOption::Show::scalar:
        return t.summary(summary.tensor, x);
      case SummaryOption::Show::image:
        if (t.shape(x).size() != 4) refuse(build.is("it", x), "(N, C, H, W)");
        return t.summary(summary.tensor,
                         t.ops().permute(t.ops().narrow(x, 0, 0, 1), {0, 2, 3, 1}) * Scalar(255),
                         BROCH_SHOW_IMAGE);
    }
  }

  Options options_;
  Layers layers_;
  std::unique_ptr<Loss> loss_;
  std::vector<std::unique_ptr<Metric>> metrics_;
};

}  // namespace
}  // namespace broch::models

BROCH_MODEL(broch::models::Sequential, "broch.model.sequential", "1.0.0",
            "A model whose layers, loss and metrics are written in the manifest.",
            broch::models::Options::schema)
