// probe.cpp: writes down what a training computes: the cost of each step, and the gradients of the
// first one.
#include <broch/broch.hpp>
#include <cstdio>
#include <fstream>

namespace {

struct Options {
  std::string file;

  static constexpr auto schema = broch::options(
      broch::option("file", &Options::file, "Where to write.").min_length(1).is_path());
};

// A line for each step.
class Losses final : public broch::Callback {
 public:
  Losses(const broch::Host& host, const Options& options) : run_(host), file_(options.file) {}

  void setup_graph() override { cost_ = run_.fetch("cost"); }
  void after_run(broch_run run) override {
    if (const auto cost = run_.scalar(run, cost_)) {
      char text[40];
      std::snprintf(text, sizeof text, "%.9g\n", *cost);
      file_ << text << std::flush;
    }
  }

 private:
  broch::Run run_;
  std::ofstream file_;
  uint32_t cost_ = 0;
};

// For each variable a line with its name and the number of its elements, then the elements as
// doubles.
class Gradients final : public broch::GradientProcessor {
 public:
  Gradients(const broch::Host& host, const Options& options)
      : GradientProcessor(host), data_(host), path_(options.file) {}

  void process(broch::Tower& scope, std::vector<broch::Gradient>& gradients) override {
    // The set-up comes before the first step, which overwrites what it wrote.
    if (data_.item(scope.hyper_param("global_step").handle()) > 0) return;
    std::ofstream file(path_, std::ios::binary);
    for (const broch::Gradient& one : gradients) {
      const std::vector<double> values = data_.doubles(one.gradient.handle());
      file << one.name << ' ' << values.size() << '\n';
      file.write(reinterpret_cast<const char*>(values.data()),
                 std::streamsize(values.size() * sizeof(double)));
    }
  }

 private:
  broch::TensorData data_;
  std::string path_;
};

}  // namespace

BROCH_COMPONENTS(broch::component<Losses>("test.losses", "callback", "1.0.0",
                                          "Writes the cost of each step.", Options::schema),
                 broch::component<Gradients>("test.gradients", "gradient_processor", "1.0.0",
                                             "Writes the gradients of the first step.",
                                             Options::schema))
