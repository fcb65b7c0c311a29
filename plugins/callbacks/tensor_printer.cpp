// tensor_printer.cpp: logs values of every step. tensorpack: `TensorPrinter`.
#include <broch/broch.hpp>
#include <cmath>
#include <cstdio>

namespace {

struct Options {
  std::vector<std::string> names;
  size_t most;
  bool statistics;

  static constexpr auto schema =
      broch::options(broch::option("names", &Options::names, "Published names.").min_items(1),
                     broch::option("most", &Options::most,
                                   "Of a larger tensor, only so many first elements are logged.")
                         .minimum(1)
                         .by_default(100),
                     broch::option("statistics", &Options::statistics,
                                   "Also the mean of a tensor, and the root of its mean square.")
                         .by_default(false));
};

class TensorPrinter final : public broch::Callback {
 public:
  TensorPrinter(const broch::Host& host, const Options& options)
      : host_(host), run_(host), data_(host), options_(options) {}

  void setup_graph() override {
    for (const std::string& name : options_.names) fetches_.push_back(run_.fetch(name));
  }
  void after_run(broch_run run) override {
    for (size_t i = 0; i < fetches_.size(); ++i)
      if (const auto value = run_.value(run, fetches_[i]))
        host_.info(options_.names[i] + ": " + text_of(*value));
  }

 private:
  // "0.5" of a scalar, "(2, 2) [1, 2, 3, 4]" of others, in row-major order; with statistics "(2, 2)
  // mean 2.5, rms 2.73861279 [1, 2, 3, 4]".
  std::string text_of(broch_tensor tensor) const {
    const broch_tensor_info info = data_.info(tensor);
    const std::vector<double> values = data_.doubles(tensor);
    if (info.rank == 0) return number(values[0]);
    std::string text = "(";
    for (uint32_t i = 0; i < info.rank; ++i)
      text += (i ? ", " : "") + std::to_string(info.shape[i]);
    text += ")" + (options_.statistics ? statistics_of(values) : "") + " [";
    const size_t shown = std::min(options_.most, values.size());
    for (size_t i = 0; i < shown; ++i) text += (i ? ", " : "") + number(values[i]);
    return text + (shown < values.size() ? ", …]" : "]");
  }
  static std::string statistics_of(const std::vector<double>& values) {
    double sum = 0, squares = 0;
    for (const double value : values) sum += value, squares += value * value;
    const auto count = double(values.size());
    return " mean " + number(sum / count) + ", rms " + number(std::sqrt(squares / count));
  }
  static std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
  }

  broch::Host host_;
  broch::Run run_;
  broch::TensorData data_;
  Options options_;
  std::vector<uint32_t> fetches_;
};

}  // namespace

BROCH_CALLBACK(TensorPrinter, "broch.callback.tensor-printer", "1.0.0",
               "Logs values of every step.", Options::schema, broch::produces())
