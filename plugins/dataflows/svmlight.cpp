// svmlight.cpp: one data point per line of a file of sparse rows, as scikit-learn's
// `load_svmlight_file` reads it.
#include "files/svmlight.hpp"

#include <algorithm>
#include <broch/broch.hpp>
#include <cmath>

#include "files/content.hpp"

namespace {

enum class Label { float32, int64 };

struct Options {
  std::string file;
  std::optional<int64_t> features;
  uint64_t first_index;
  Label label;
  bool sparse;
  std::optional<std::vector<std::string>> names;

  static constexpr auto schema = broch::options(
      broch::option("file", &Options::file, "A text file with lines LABEL INDEX:VALUE ….")
          .min_length(1)
          .is_path(),
      broch::option("features", &Options::features,
                    "Number of features; null: derived from the largest index in the file. Set it "
                    "if training and test data are different files.")
          .minimum(1),
      broch::option("first_index", &Options::first_index, "The index of the first feature.")
          .maximum(1)
          .by_default(1),
      broch::option("label", &Options::label, "The dtype of the label.")
          .one_of("float32", "int64")
          .by_default("int64"),
      broch::option(
          "sparse", &Options::sparse,
          "true: yield the indices (int64, counted from 0) and values (float32) of the features in "
          "the file; their number differs from point to point. false: yield all features.")
          .by_default(false),
      broch::option("names", &Options::names,
                    "Names of the components: features (with sparse: indices, values) and label; "
                    "null: they are matched with the model's inputs by order."));
};

class SvmLight final : public broch::Indexed {
 public:
  explicit SvmLight(const Options& options) : options_(options) {
    const size_t components = options.sparse ? 3 : 2;
    if (options.names && options.names->size() != components)
      throw broch::Error(
          BROCH_E_INVALID_ARGUMENT,
          "/names: found " + std::to_string(options.names->size()) + " names, expected " +
              std::to_string(components) +
              (options.sparse ? ": of indices, values and label" : ": of features and label") +
              "; correct the list");
  }

  void reset_state() override {
    rows_ = files::parse_svmlight(files::Content(options_.file).bytes(), options_.first_index,
                                  options_.file);
    if (options_.features && rows_.features > uint64_t(*options_.features))
      throw broch::Error(BROCH_E_DATA_LOSS,
                         options_.file + ": found " + std::to_string(rows_.features) +
                             " features, expected at most " + std::to_string(*options_.features) +
                             "; correct the option features");
    features_ = options_.features.value_or(int64_t(std::max<uint64_t>(rows_.features, 1)));
    for (uint64_t i = 0; options_.label == Label::int64 && i < rows_.rows(); ++i)
      if (rows_.labels[i] != std::trunc(rows_.labels[i]) || std::fabs(rows_.labels[i]) > 0x1p53)
        throw broch::Error(BROCH_E_DATA_LOSS, options_.file + ": row " + std::to_string(i) +
                                                  ": found the label " +
                                                  std::to_string(rows_.labels[i]) +
                                                  ", expected a whole number; set label to "
                                                  "\"float32\"");
  }

  std::optional<int64_t> size() override { return int64_t(rows_.rows()); }

  bool read(const broch::Position& position, const broch::Cancel&,
            broch::PointWriter& point) override {
    if (position.index >= rows_.rows()) return false;
    const uint64_t begin = rows_.begins[position.index];
    const uint64_t count = rows_.begins[position.index + 1] - begin;
    size_t component = 0;
    if (options_.sparse) {
      int64_t* const indices = point.allocate<int64_t>({int64_t(count)}, name(component++));
      std::copy_n(rows_.indices.data() + begin, count, indices);
      float* const values = point.allocate<float>({int64_t(count)}, name(component++));
      std::copy_n(rows_.values.data() + begin, count, values);
    } else {
      float* const values = point.allocate<float>({features_}, name(component++));
      std::fill_n(values, features_, 0.0F);
      for (uint64_t i = begin; i < begin + count; ++i) values[rows_.indices[i]] = rows_.values[i];
    }
    const double label = rows_.labels[position.index];
    if (options_.label == Label::int64)
      *point.allocate<int64_t>({}, name(component)) = int64_t(label);
    else
      *point.allocate<float>({}, name(component)) = float(label);
    return true;
  }

 private:
  const char* name(size_t i) const {
    return options_.names ? (*options_.names)[i].c_str() : nullptr;
  }

  Options options_;
  files::SparseRows rows_;
  int64_t features_ = 0;
};

}  // namespace

BROCH_DATAFLOW(SvmLight, "broch.dataflow.svmlight", "1.0.0",
               "Yields one data point per line of a file of sparse rows (SVMlight, LIBSVM).",
               Options::schema)
