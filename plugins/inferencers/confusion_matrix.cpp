// confusion_matrix.cpp: counts of predicted and true classes over a round: precision, recall, F1
// and intersection over union of each class and their averages, and the matrix as a picture.
//
// As in scikit-learn (precision_recall_fscore_support, jaccard_score), an average is over the
// classes that occur as true or predicted ones, and what has nothing to divide by is 0. The macro
// average of iou is the mean IoU of semantic segmentation.
#include "class_counts.hpp"
#include "scored.hpp"

namespace {

using namespace broch::inferencers;

// In the order of the words.
enum class Measure { precision, recall, f1, iou };
enum class Average { macro, micro, weighted };
constexpr const char* kMeasures[] = {"precision", "recall", "f1", "iou"};
constexpr const char* kAverages[] = {"macro", "micro", "weighted"};

struct Options : ScoredOptions {
  std::vector<Measure> metrics;
  std::vector<Average> averages;
  std::optional<std::vector<std::string>> class_names;
  std::optional<std::string> picture;

  static constexpr auto schema = broch::options(
      ScoredOptions::schema,
      broch::option("metrics", &Options::metrics, "What to compute.")
          .one_of("precision", "recall", "f1", "iou")
          .by_default("precision", "recall", "f1"),
      broch::option("averages", &Options::averages,
                    "Over classes: their mean (macro), the metric of all samples together (micro), "
                    "their mean by number of samples (weighted).")
          .one_of("macro", "micro", "weighted")
          .by_default("macro"),
      broch::option("class_names", &Options::class_names,
                    "Names of the classes; the metrics of each class are then reported, too, as "
                    "{prefix}_{metric}_{name}. null: averages only.")
          .min_items(1),
      broch::option("picture", &Options::picture,
                    "Name of the matrix as an image, {prefix}_{picture}; null: none.")
          .min_length(1)
          .by_default("confusion"));
};

class ConfusionMatrix final : public broch::Inferencer {
 public:
  ConfusionMatrix(const broch::Host& host, const Options& options)
      : data_(host), metrics_(host), options_(options) {}

  std::vector<std::string> fetches() override { return {options_.scores, options_.label}; }
  void before_inference() override { counts_ = ClassCounts(bool(options_.picture)); }
  void on_fetches(const broch_tensor* values, uint32_t) override {
    const broch_tensor_info scores = data_.info(values[0]), labels = data_.info(values[1]);
    if (same_shape(scores, labels)) return add_classes(values);
    const Scored samples(data_, options_, values);
    grow(samples.classes());
    for (size_t i = 0; i < samples.size(); ++i)
      if (!samples.is_ignored(i)) counts_.add(samples.label(i), samples.best(i));
  }
  Numbers after_inference() override {
    Numbers numbers;
    for (const Measure measure : options_.metrics) {
      for (const Average average : options_.averages)
        if (const std::optional<double> value = averaged(measure, average))
          numbers.emplace_back(name(measure, kAverages[size_t(average)]), *value);
      for (size_t c = 0; options_.class_names && c < counts_.size(); ++c)
        if (occurs(c)) numbers.emplace_back(name(measure, class_name(c)), of_class(measure, c));
    }
    if (options_.picture && counts_.size() > 0) put_picture();
    return numbers;
  }

 private:
  // Predicted classes in place of scores.
  void add_classes(const broch_tensor* values) {
    const auto predicted = whole_numbers(data_, Fetched(data_, options_.scores, values[0]));
    const auto actual = whole_numbers(data_, Fetched(data_, options_.label, values[1]));
    for (size_t i = 0; i < actual.size(); ++i) {
      if (actual[i] == options_.ignore_index) continue;
      check_class(predicted[i], options_.scores);
      check_class(actual[i], options_.label);
      grow(size_t(std::max(predicted[i], actual[i])) + 1);
      counts_.add(size_t(actual[i]), size_t(predicted[i]));
    }
  }
  void check_class(int64_t c, const std::string& name) const {
    constexpr int64_t kMost = 1 << 20;
    if (c < 0 || c >= kMost)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         name + " has the class " + std::to_string(c) + ", expected 0 to " +
                             std::to_string(kMost - 1) + ", or the value of ignore_index");
  }
  void grow(size_t classes) {
    constexpr size_t kMostInPicture = 4096;
    if (options_.picture && classes > kMostInPicture)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT, "/picture: found " + std::to_string(classes) +
                                                       " classes, expected at most " +
                                                       std::to_string(kMostInPicture) +
                                                       " in a picture; set picture to null");
    if (options_.class_names && classes > options_.class_names->size())
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/class_names: found " + std::to_string(options_.class_names->size()) +
                             " names, expected one for each of " + std::to_string(classes) +
                             " classes");
    counts_.grow(classes);
  }

  std::string name(Measure measure, const std::string& of) const {
    return prefixed(options_.prefix, std::string(kMeasures[size_t(measure)]) + "_" + of);
  }
  const std::string& class_name(size_t c) const { return (*options_.class_names)[c]; }
  bool occurs(size_t c) const { return counts_.predicted(c) + counts_.actual(c) > 0; }

  static double ratio(Measure measure, int64_t right, int64_t predicted, int64_t actual) {
    const int64_t both = predicted + actual;
    switch (measure) {
      case Measure::precision:
        return share(right, predicted);
      case Measure::recall:
        return share(right, actual);
      case Measure::f1:
        return share(2 * right, both);
      case Measure::iou:
        return share(right, both - right);
    }
    return 0;
  }
  static double share(int64_t part, int64_t all) {
    return all > 0 ? double(part) / double(all) : 0;
  }
  double of_class(Measure measure, size_t c) const {
    return ratio(measure, counts_.right(c), counts_.predicted(c), counts_.actual(c));
  }
  // No value: there were no samples.
  std::optional<double> averaged(Measure measure, Average average) const {
    int64_t right = 0, predicted = 0, actual = 0, classes = 0;
    double sum = 0, weighted = 0;
    for (size_t c = 0; c < counts_.size(); ++c) {
      right += counts_.right(c), predicted += counts_.predicted(c), actual += counts_.actual(c);
      classes += occurs(c);
      sum += of_class(measure, c);
      weighted += of_class(measure, c) * double(counts_.actual(c));
    }
    if (actual == 0) return std::nullopt;
    if (average == Average::micro) return ratio(measure, right, predicted, actual);
    return average == Average::macro ? sum / double(classes) : weighted / double(actual);
  }

  // A row for each true class, a column for each predicted one, from white (none of the samples of
  // the row) to dark blue (all of them).
  void put_picture() const {
    constexpr size_t kUsualSide = 320;
    constexpr double kBlue[3] = {8, 48, 107};
    const size_t classes = counts_.size(), cell = std::max<size_t>(1, kUsualSide / classes);
    const size_t side = classes * cell;
    std::vector<uint8_t> pixels;
    pixels.reserve(side * side * 3);
    for (size_t y = 0; y < side; ++y)
      for (size_t x = 0; x < side; ++x) {
        const double filled = share(counts_.count(y / cell, x / cell), counts_.actual(y / cell));
        for (const double blue : kBlue)
          pixels.push_back(uint8_t(std::lround(255 + filled * (blue - 255))));
      }
    std::vector<int64_t> shape = {int64_t(side), int64_t(side), 3};
    metrics_.put_image(prefixed(options_.prefix, *options_.picture), broch::dl_view(pixels, shape));
  }

  broch::TensorData data_;
  broch::Metrics metrics_;
  Options options_;
  ClassCounts counts_{false};
};

}  // namespace

BROCH_INFERENCER(ConfusionMatrix, "broch.inferencer.confusion-matrix", "1.0.0",
                 "Precision, recall, F1 and intersection over union of classes, and the matrix of "
                 "predicted and true classes as a picture.",
                 Options::schema,
                 broch::produces("{prefix?_}{metrics}_{averages}",
                                 "{prefix?_}{metrics}_{class_names}"))
