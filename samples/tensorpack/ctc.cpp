// ctc.cpp: reads the symbols of recordings without being told where they are. Source: Graves,
// Fernandez, Gomez and Schmidhuber, Connectionist temporal classification, 2006.
#include <algorithm>
#include <broch/layers.hpp>
#include <utility>
#include <vector>

namespace {

using broch::Tensor;

struct Options {
  int64_t units;

  static constexpr auto schema =
      broch::options(broch::option("units", &Options::units, "Units of each of the two layers.")
                         .minimum(1)
                         .by_default(64));
};

constexpr int64_t kFrames = 48, kBands = 12, kSymbols = 10, kLongest = 6, kBlank = 0;

// How many symbols have to be inserted, removed or changed, by the number of right symbols. Inputs:
// the best class of each frame (N, kFrames), the numbers of frames (N), the right symbols (N,
// kLongest) and their numbers (N), all int64. Output: float32 (N).
class EditDistance final : public broch::Kernel {
 public:
  static constexpr const char* kName = "edit-distance";
  static constexpr uint32_t kFlags = BROCH_KERNEL_PURE;
  using Kernel::Kernel;

  void shapes(Types inputs, broch::View<broch_kernel_type> outputs) override {
    outputs[0] = inputs[1];
    outputs[0].dtype = BROCH_FLOAT32;
  }
  void run(const broch_kernel_call&, Tensors inputs, Tensors outputs) override {
    const auto best = broch::view_as<int64_t>(inputs[0]),
               frames = broch::view_as<int64_t>(inputs[1]);
    const auto right = broch::view_as<int64_t>(inputs[2]),
               count = broch::view_as<int64_t>(inputs[3]);
    auto* result = static_cast<float*>(outputs[0].data);
    for (size_t i = 0; i < frames.size(); ++i) {
      const auto length = [](int64_t n, int64_t most) { return std::clamp<int64_t>(n, 0, most); };
      const int64_t* first = best.data() + int64_t(i) * kFrames;
      const int64_t* symbols = right.data() + int64_t(i) * kLongest;
      const std::vector<int64_t> wanted(symbols, symbols + length(count[i], kLongest));
      const int64_t distance = between(read(first, first + length(frames[i], kFrames)), wanted);
      result[i] = float(distance) / float(std::max<size_t>(wanted.size(), 1));
    }
  }

 private:
  // Repetitions and blanks are left out.
  static std::vector<int64_t> read(const int64_t* from, const int64_t* to) {
    std::vector<int64_t> symbols;
    int64_t before = kBlank;
    for (; from != to; before = *from++)
      if (*from != kBlank && *from != before) symbols.push_back(*from);
    return symbols;
  }
  static int64_t between(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
    std::vector<int64_t> row(b.size() + 1);
    for (size_t j = 0; j < row.size(); ++j) row[j] = int64_t(j);
    for (size_t i = 0; i < a.size(); ++i) {
      int64_t diagonal = std::exchange(row[0], int64_t(i) + 1);
      for (size_t j = 0; j < b.size(); ++j) {
        const int64_t changed = diagonal + (a[i] != b[j]);
        diagonal = row[j + 1];
        row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
      }
    }
    return row.back();
  }
};

// Inputs: N recordings (N, 48, 12), their symbols (N, 6), and how many symbols and frames each has.
// Publishes symbol_error, for each recording: how many symbols have to be inserted, removed or
// changed, by the number of symbols.
class Ctc final : public broch::Model {
 public:
  Ctc(const broch::Host& host, const Options& options)
      : Model(host), units_(options.units), edit_distance_(host) {}

  std::vector<broch::Input> inputs() override {
    return {{"sound", BROCH_FLOAT32, {-1, kFrames, kBands}, {"B", "", ""}},
            {"symbols", BROCH_INT64, {-1, kLongest}, {"B", ""}},
            {"length", BROCH_INT64, {-1}, {"B"}},
            {"frames", BROCH_INT64, {-1}, {"B"}}};
  }

  Tensor tower(broch::Tower& t, const std::vector<Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    broch::RecurrentOptions layer;
    layer.units = units_;
    Tensor x = broch::unroll<broch::LstmCell>(t, "lstm1", inputs[0], layer).outputs;
    x = broch::unroll<broch::LstmCell>(t, "lstm2", x, layer).outputs;
    broch::FullyConnectedOptions last;
    last.units = kSymbols + 1;
    const Tensor scores = t.publish("scores", broch::linear(t, "fc", x, last));
    const Tensor best = ops.argmax(scores, 2);
    const Tensor error = t.kernel(edit_distance_, {best, inputs[3], inputs[1], inputs[2]})[0];
    t.moving_summary("train_error", ops.mean(t.publish("symbol_error", error)));
    return t.publish("cost", loss(t, scores, inputs));
  }

 private:
  static Tensor loss(broch::Tower& t, const Tensor& scores, const std::vector<Tensor>& inputs) {
    broch::Ops& ops = t.ops();
    const Tensor logs = ops.transpose(ops.log_softmax(scores, 2), 0, 1);
    constexpr bool kZeroIfImpossible = true;
    return ops.ctc_loss(logs, inputs[1], inputs[3], inputs[2], kBlank, BROCH_REDUCTION_MEAN,
                        kZeroIfImpossible);
  }

  int64_t units_;
  EditDistance edit_distance_;
};

}  // namespace

BROCH_MODEL(Ctc, "examples.ctc", "1.0.0", "Reads symbols of recordings.", Options::schema)
