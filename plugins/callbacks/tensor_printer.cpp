// tensor_printer.cpp: logs values of every step. tensorpack: `TensorPrinter`.
#include <broch/broch.hpp>
#include <cstdio>

namespace {

struct Options {
  std::vector<std::string> names;
  size_t most;

  static constexpr auto schema =
      broch::options(broch::option("names", &Options::names, "Published names.").min_items(1),
                     broch::option("most", &Options::most,
                                   "Of a larger tensor, only so many first elements are logged.")
                         .minimum(1)
                         .by_default(100));
};

class TensorPrinter final : public broch::Callback {
 public:
  TensorPrinter(const broch::Host& host, const Options& options)
      : host_(host), run_(host), data_(host), names_(options.names), most_(options.most) {}

  void setup_graph() override {
    for (const std::string& name : names_) fetches_.push_back(run_.fetch(name));
  }
  void after_run(broch_run run) override {
    for (size_t i = 0; i < names_.size(); ++i)
      if (const auto value = run_.value(run, fetches_[i]))
        host_.info(names_[i] + ": " + text_of(*value));
  }

 private:
  // "0.5" of a scalar, "(2, 2) [1, 2, 3, 4]" of others, in row-major order.
  std::string text_of(broch_tensor tensor) const {
    const broch_tensor_info info = data_.info(tensor);
    const std::vector<double> values = data_.doubles(tensor);
    if (info.rank == 0) return number(values[0]);
    std::string text = "(";
    for (uint32_t i = 0; i < info.rank; ++i)
      text += (i ? ", " : "") + std::to_string(info.shape[i]);
    text += ") [";
    const size_t shown = std::min(most_, values.size());
    for (size_t i = 0; i < shown; ++i) text += (i ? ", " : "") + number(values[i]);
    return text + (shown < values.size() ? ", …]" : "]");
  }
  static std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
  }

  broch::Host host_;
  broch::Run run_;
  broch::TensorData data_;
  std::vector<std::string> names_;
  std::vector<uint32_t> fetches_;
  size_t most_;
};

}  // namespace

BROCH_CALLBACK(TensorPrinter, "broch.callback.tensor-printer", "1.0.0",
               "Logs values of every step.", Options::schema, broch::produces())
