// simple_moving_average.cpp: the mean of a value over windows of steps. tensorpack:
// `SimpleMovingAverage`.
//
// A window ends after a step, when global_step is a multiple of its size. If steps have several
// hooked runs, the last ones count. The values of a window that a checkpoint cuts are saved with
// it.
#include <broch/broch.hpp>
#include <cstdlib>
#include <numeric>
#include <sstream>

#include "../options/saved_state.hpp"

namespace {

struct Options {
  std::vector<std::string> tensors;
  int64_t window_size;

  static constexpr auto schema = broch::options(
      broch::option("tensors", &Options::tensors, "Published scalars.").min_items(1),
      broch::option("window_size", &Options::window_size, "Number of hooked runs.").minimum(1));
};

class SimpleMovingAverage final : public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  SimpleMovingAverage(const broch::Host& host, const Options& options)
      : run_(host), metrics_(host), size_(options.window_size) {
    for (const std::string& name : options.tensors) windows_.push_back({name, 0, {}});
  }

  void setup_graph() override {
    for (Window& window : windows_) window.fetch = run_.fetch(window.name);
  }
  void after_run(broch_run run) override {
    for (Window& window : windows_)
      if (const auto value = run_.scalar(run, window.fetch)) add(*value, window.values);
  }
  void trigger_step() override {
    if (run_.progress().global_step % size_ != 0) return;
    for (Window& window : windows_) {
      if (window.values.empty()) continue;
      const double sum = std::accumulate(window.values.begin(), window.values.end(), 0.0);
      metrics_.put_scalar(window.name + "/SMA", sum / double(window.values.size()));
      window.values.clear();
    }
  }

  std::string save_state() override {
    std::string text;
    for (const Window& window : windows_) {
      text += std::to_string(window.values.size());
      for (const double value : window.values) text += " " + broch::number_text(value);
      text += '\n';
    }
    return text;
  }
  void load_state(uint32_t, const std::string& bytes) override {
    std::istringstream text(bytes);
    for (Window& window : windows_) {
      size_t count = 0;
      text >> count;
      for (std::string number; count > 0 && text >> number; --count)
        window.values.push_back(std::strtod(number.c_str(), nullptr));
      if (!text || count > 0) refuse(bytes);
    }
    if (std::string more; text >> more) refuse(bytes);
  }

 private:
  void add(double value, std::vector<double>& values) const {
    while (values.size() >= size_t(size_)) values.erase(values.begin());
    values.push_back(value);
  }
  [[noreturn]] void refuse(const std::string& bytes) const {
    broch::saved::refuse(broch::saved::quoted(bytes),
                         "the values of " + std::to_string(windows_.size()) + " tensors");
  }

  struct Window {
    std::string name;
    uint32_t fetch;
    std::vector<double> values;  // since the last window ended, at most size_ of them
  };
  broch::Run run_;
  broch::Metrics metrics_;
  int64_t size_;
  std::vector<Window> windows_;
};

}  // namespace

BROCH_CALLBACK(SimpleMovingAverage, "broch.callback.simple-moving-average", "1.0.0",
               "Reports the mean of values over windows of steps, as NAME/SMA.", Options::schema,
               broch::produces("{tensors}/SMA"))
