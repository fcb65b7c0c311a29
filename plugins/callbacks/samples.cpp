// samples.cpp: shows what the model makes of a few samples of a dataset, on each trigger.
#include <fstream>
#include <sstream>

#include "archive/lines.hpp"
#include "samples/shown.hpp"

namespace {

using broch::samples::Rows;

enum class As { images, texts, sounds, numbers };

struct Output {
  std::string name;
  As as;
  bool channels_last;
  double scale, rate;
  std::optional<std::string> vocabulary;

  static constexpr auto schema = broch::options(
      broch::option("name", &Output::name, "A published name of the model, or an input of it.")
          .min_length(1),
      broch::option("as", &Output::as,
                    "images; texts, of tokens (N, T) or scores (N, T, vocabulary); sounds "
                    "(N, frames) or (N, frames, channels); numbers, the first ones of each sample.")
          .one_of("images", "texts", "sounds", "numbers"),
      broch::option("channels_last", &Output::channels_last,
                    "Of images: (N, height, width, channels); false: (N, channels, height, width).")
          .by_default(false),
      broch::option("scale", &Output::scale,
                    "Of images: pixels are the value times this, clipped to 0 to 255.")
          .by_default(255),
      broch::option("rate", &Output::rate, "Of sounds: frames per second.")
          .above(0)
          .by_default(16000),
      broch::option("vocabulary", &Output::vocabulary,
                    "Of texts: a file with the word of each token, one per line; null: tokens are "
                    "bytes.")
          .is_path());
};

struct Options {
  broch::ChildDataFlow dataflow;
  std::vector<Output> outputs;
  size_t count;
  std::string prefix;
  uint32_t device;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &Options::dataflow,
                    "The data; the first samples of its first data points are shown."),
      broch::option("outputs", &Options::outputs, "What is shown, and how.").min_items(1),
      broch::option("count", &Options::count, "Number of samples.").minimum(1).by_default(8),
      broch::option("prefix", &Options::prefix, "Stands before the names, {prefix}/{name}.")
          .min_length(1)
          .by_default("samples"),
      broch::option("device", &Options::device, "Index into predict_devices.").by_default(0));
};

// The words of this output, without what an editor added; none: its tokens are bytes.
std::vector<std::string> vocabulary_of(const Output& output, size_t place) {
  if (!output.vocabulary) return {};
  std::ostringstream text;
  text << std::ifstream(*output.vocabulary).rdbuf();
  std::vector<std::string> words = broch::archive::lines_in(text.view());
  if (words.empty())
    throw broch::Error(BROCH_E_NOT_FOUND,
                       "/outputs/" + std::to_string(place) + "/vocabulary: found no word in " +
                           *output.vocabulary + ", expected a file with one in each line");
  return words;
}

class Samples final : public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  Samples(const broch::Host& host, const Options& options)
      : host_(host), data_(host), scopes_(host), options_(options) {
    for (const Output& output : options_.outputs)
      vocabularies_.push_back(vocabulary_of(output, vocabularies_.size()));
  }

  void setup_graph() override {
    metrics_.emplace(host_);
    std::vector<std::string> inputs, outputs;
    for (const broch_input_spec& input : broch::model_inputs(host_))
      inputs.emplace_back(input.name);
    for (const Output& output : options_.outputs) outputs.push_back(output.name);
    inputs_ = uint32_t(inputs.size());
    options_.dataflow.reset_state();
    predictor_.emplace(host_, inputs, outputs,
                       broch::Predictor::Options{"InferenceTower", options_.device});
  }
  void before_train() override {
    if (cursor_.empty()) return;
    try {
      options_.dataflow.open(cursor_);
    } catch (const broch::Error& error) {
      host_.warning(
          "the samples begin again with those of the first trigger, since the data cannot go on "
          "after the last one of the checkpoint: " +
          std::string(error.what()));
    }
  }
  void trigger() override {
    const std::vector<Rows> all = computed();
    for (size_t i = 0; i < all.size(); ++i)
      if (!all[i].samples.empty()) show(options_.outputs[i], vocabularies_[i], all[i]);
  }

  // Where the last trigger was in the data, so that the next one shows the samples of another
  // round, as if the run had not been interrupted.
  std::string save_state() override { return cursor_; }
  void load_state(uint32_t, const std::string& bytes) override { cursor_ = bytes; }

 private:
  // The first samples of each output.
  std::vector<Rows> computed() {
    const broch::Cancel cancel = broch::Cancel::of_run(host_);
    std::vector<Rows> all(options_.outputs.size());
    broch::Point point(host_);
    std::string last;
    options_.dataflow.open("");
    for (size_t before = SIZE_MAX;
         all[0].samples.size() < options_.count && all[0].samples.size() != before;) {
      before = all[0].samples.size();
      point.clear();
      if (!options_.dataflow.next(cancel, point)) break;
      last = point.cursor();
      const broch::Scope scope = scopes_.open();
      const std::vector<broch_tensor> outputs = predictor_->call(point.tensors(inputs_));
      for (size_t i = 0; i < outputs.size(); ++i) add(outputs[i], all[i]);
    }
    cursor_ = last;
    return all;
  }
  void add(broch_tensor output, Rows& rows) const {
    const broch_tensor_info info = data_.info(output);
    // A single number is one sample.
    const int64_t count = info.rank == 0 ? 1 : info.shape[0];
    const std::vector<int64_t> shape(info.shape + (info.rank > 0 ? 1 : 0), info.shape + info.rank);
    if (!rows.samples.empty() && shape != rows.shape) return;  // of texts of another length
    rows.shape = shape;
    const std::vector<float> values = data_.floats(output);
    const auto size = ptrdiff_t(rows.size());
    for (int64_t i = 0; i < count && rows.samples.size() < options_.count; ++i)
      rows.samples.emplace_back(values.begin() + i * size, values.begin() + (i + 1) * size);
  }

  void show(const Output& output, const std::vector<std::string>& vocabulary,
            const Rows& rows) const {
    const std::string tag = options_.prefix + "/" + output.name;
    if (output.as == As::images)
      return put_pictures(*metrics_, tag, rows, output.channels_last, output.scale);
    if (output.as == As::sounds) return put_sounds(*metrics_, tag, rows, output.rate);
    std::string text;
    for (const std::vector<float>& sample : rows.samples)
      if (output.as == As::texts)
        text.append("- `").append(words_of(output.name, rows, sample, vocabulary)).append("`\n");
      else
        text.append("- ").append(broch::samples::numbers_of(sample)).append("\n");
    metrics_->put_summary(
        {{tag.c_str(), BROCH_SUMMARY_TEXT, 0, 0, nullptr, text.data(), text.size()}});
  }

  broch::Host host_;
  broch::TensorData data_;
  broch::Scopes scopes_;
  Options options_;
  std::vector<std::vector<std::string>> vocabularies_;
  std::optional<broch::Metrics> metrics_;
  std::optional<broch::Predictor> predictor_;
  uint32_t inputs_ = 0;
  std::string cursor_;  // of the last point that was shown; "": there is none
};

}  // namespace

BROCH_CALLBACK(Samples, "broch.callback.samples", "1.0.0",
               "Shows what the model makes of a few samples: pictures, texts, sounds, numbers.",
               Options::schema, broch::produces())
