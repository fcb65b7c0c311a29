// instruments.cpp: what sets up a comparison with other implementations of a model, and looks at
// it: weights and data of a formula, an optimizer that keeps the gradients, and witnesses of what
// is published.
#include <broch/broch.hpp>
#include <fstream>

#include "formula.hpp"

namespace {

using broch::zoo_test::Draws;

struct WeightsOptions {
  std::string others;  // file of weights that are not those of the formula: name, count, values

  static constexpr auto schema = broch::options(broch::option("others", &WeightsOptions::others));
};
class Weights final : public broch::SessionInit {
 public:
  Weights(const broch::Host& host, const WeightsOptions& options)
      : variables_(host), options_(options) {}

  void init() override {
    for (const uint32_t kind : {BROCH_VARIABLE_TRAINABLE, BROCH_VARIABLE_MODEL})
      for (const broch_variable variable : variables_.list(kind)) {
        const broch_variable_info info = variables_.info(variable);
        if (info.dtype != BROCH_FLOAT32) continue;
        const std::string name = info.name;
        if (name.find("EMA") != std::string::npos || name.find("/gradient") != std::string::npos)
          continue;
        variables_.assign(variable,
                          broch::zoo_test::weights(name, {info.shape, info.shape + info.rank}));
      }
    std::ifstream file(options_.others);
    size_t count = 0;
    for (std::string name; file >> name >> count;) {
      std::vector<float> values(count);
      for (float& value : values) file >> value;
      variables_.assign(variables_.find(name), values);
    }
  }

 private:
  broch::Variables variables_;
  WeightsOptions options_;
};

// Leaves the variables as they are.
class KeepGradients final : public broch::Optimizer {
 public:
  explicit KeepGradients(const broch::Host& host) : Optimizer(host) {}

  Spec spec() override { return {{}, {{"gradient", 0}}}; }
  void update(broch::Tower&, std::vector<broch::Parameter>& parameters,
              const std::vector<broch::Tensor>&, const broch::Tensor&) override {
    for (broch::Parameter& one : parameters) one.slots[0] = one.gradient;
  }
};

struct PartOptions {
  std::string name;
  std::vector<int64_t> shape;
  std::optional<int64_t> below;  // int64 numbers below it; otherwise float32 from -1 to 1

  static constexpr auto schema = broch::options(broch::option("name", &PartOptions::name),
                                                broch::option("shape", &PartOptions::shape),
                                                broch::option("below", &PartOptions::below));

  uint64_t count() const {
    uint64_t count = 1;
    for (const int64_t size : shape) count *= uint64_t(size);
    return count;
  }
  std::vector<float> numbers() const {
    const Draws draws(name);
    std::vector<float> values(count());
    for (uint64_t i = 0; i < values.size(); ++i) values[i] = float(draws.number(i));
    return values;
  }
};

// One point.
struct DataOptions {
  std::vector<PartOptions> components;
  static constexpr auto schema =
      broch::options(broch::option("components", &DataOptions::components));
};
class Data final : public broch::Indexed {
 public:
  explicit Data(const DataOptions& options) : options_(options) {}

  std::optional<int64_t> size() override { return 1; }
  bool read(const broch::Position& position, const broch::Cancel&,
            broch::PointWriter& point) override {
    if (position.index > 0) return false;
    for (const PartOptions& part : options_.components) {
      if (!part.below) {
        point.add(part.numbers(), part.shape, part.name.c_str());
        continue;
      }
      const Draws draws(part.name);
      std::vector<int64_t> values(part.count());
      for (uint64_t i = 0; i < values.size(); ++i)
        values[i] = int64_t(draws.bits(i) % uint64_t(*part.below));
      point.add(values, part.shape, part.name.c_str());
    }
    return true;
  }

 private:
  DataOptions options_;
};

struct WitnessOptions {
  std::string folder;
  std::vector<std::string> names;
  std::vector<PartOptions> feeds;  // what callbacks feed in each run

  static constexpr auto schema =
      broch::options(broch::option("folder", &WitnessOptions::folder),
                     broch::option("names", &WitnessOptions::names),
                     broch::option("feeds", &WitnessOptions::feeds).may_be_absent());

  // The file has a number in each line.
  void write(const std::string& name, const std::vector<double>& values) const {
    std::ofstream file(folder + "/" + name);
    file.precision(17);
    for (const double value : values) file << value << '\n';
  }
};

class Witness final : public broch::Callback {
 public:
  Witness(const broch::Host& host, const WitnessOptions& options)
      : run_(host), data_(host), options_(options) {}

  void setup_graph() override {
    for (const std::string& name : options_.names) fetches_.push_back(run_.fetch(name));
    for (const PartOptions& part : options_.feeds) feeds_.push_back(run_.feed(part.name));
  }
  uint64_t before_run(broch_run run, uint64_t fetches) override {
    for (size_t i = 0; i < feeds_.size(); ++i) {
      const PartOptions& part = options_.feeds[i];
      run_.set_feed(run, feeds_[i], data_.from_data(part.numbers(), part.shape));
    }
    return fetches;
  }
  void after_run(broch_run run) override {
    for (size_t i = 0; i < fetches_.size(); ++i)
      options_.write("train." + options_.names[i], data_.doubles(*run_.value(run, fetches_[i])));
  }

 private:
  broch::Run run_;
  broch::TensorData data_;
  WitnessOptions options_;
  std::vector<uint32_t> fetches_, feeds_;
};

class InferenceWitness final : public broch::Inferencer {
 public:
  InferenceWitness(const broch::Host& host, const WitnessOptions& options)
      : data_(host), options_(options) {}

  std::vector<std::string> fetches() override { return options_.names; }
  void on_fetches(const broch_tensor* values, uint32_t n) override {
    for (uint32_t i = 0; i < n; ++i)
      options_.write("inference." + options_.names[i], data_.doubles(values[i]));
  }
  std::vector<std::pair<std::string, double>> after_inference() override { return {}; }

 private:
  broch::TensorData data_;
  WitnessOptions options_;
};

}  // namespace

BROCH_COMPONENTS(broch::component<Weights>("zoo.weights", "session_init", "1.0.0",
                                           "Weights of a formula.", WeightsOptions::schema),
                 broch::component<KeepGradients>("zoo.keep-gradients", "optimizer", "1.0.0",
                                                 "Keeps the gradients."),
                 broch::component<Data>("zoo.data", "dataflow", "1.0.0", "Data of a formula.",
                                        DataOptions::schema),
                 broch::component<Witness>("zoo.witness", "callback", "1.0.0",
                                           "Writes down values of a training step.",
                                           WitnessOptions::schema),
                 broch::component<InferenceWitness>("zoo.inference-witness", "inferencer", "1.0.0",
                                                    "Writes down values of inference.",
                                                    WitnessOptions::schema))
