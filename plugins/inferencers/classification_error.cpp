// classification_error.cpp: the number of wrong samples divided by the number of all samples of a
// round, exact even if the last batch is smaller. tensorpack: `ClassificationError`.
#include <broch/broch.hpp>

namespace {

struct Options {
  std::string wrong_tensor_name, summary_name;

  static constexpr auto schema = broch::options(
      broch::option("wrong_tensor_name", &Options::wrong_tensor_name,
                    "Name of a published vector with 1 for each wrong sample and 0 otherwise.")
          .by_default("incorrect_vector"),
      broch::option("summary_name", &Options::summary_name, "Name of the metric.")
          .by_default("validation_error"));
};

class ClassificationError final : public broch::Inferencer {
 public:
  ClassificationError(const broch::Host& host, const Options& options)
      : data_(host),
        wrong_tensor_name_(options.wrong_tensor_name),
        summary_name_(options.summary_name) {}

  std::vector<std::string> fetches() override { return {wrong_tensor_name_}; }
  void before_inference() override { wrong_ = total_ = 0; }
  void on_fetches(const broch_tensor* values, uint32_t) override {
    if (data_.info(values[0]).rank != 1)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         wrong_tensor_name_ + " has rank " +
                             std::to_string(data_.info(values[0]).rank) +
                             ", expected a vector with 1 for each wrong sample and 0 otherwise");
    for (const double wrong : data_.doubles(values[0])) wrong_ += wrong, total_ += 1;
  }
  std::vector<std::pair<std::string, double>> after_inference() override {
    return {{summary_name_, total_ > 0 ? wrong_ / total_ : 0}};
  }

 private:
  broch::TensorData data_;
  std::string wrong_tensor_name_, summary_name_;
  double wrong_ = 0, total_ = 0;
};

}  // namespace

BROCH_INFERENCER(ClassificationError, "broch.inferencer.classification-error", "1.0.0",
                 "Number of wrong samples divided by the number of all samples in a round.",
                 Options::schema, broch::produces("{summary_name}"))
