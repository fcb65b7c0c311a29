// class_errors.cpp: the share of wrong answers for each class, in numbers of their own.
#include <broch/broch.hpp>
#include <map>

class ClassErrors final : public broch::Inferencer {
 public:
  explicit ClassErrors(const broch::Host& host)
      : tensors_(host),
        wrong_(broch::Config(host).string("/wrong")),
        label_(broch::Config(host).string("/label")) {}

  std::vector<std::string> fetches() override { return {wrong_, label_}; }
  void before_inference() override { classes_.clear(); }
  void on_fetches(const broch_tensor* values, uint32_t) override {
    const std::vector<double> wrong = tensors_.doubles(values[0]);
    const std::vector<int64_t> label = tensors_.integers(values[1]);
    for (size_t i = 0; i < wrong.size(); ++i) {
      classes_[label[i]].wrong += wrong[i];
      classes_[label[i]].all += 1;
    }
  }
  std::vector<std::pair<std::string, double>> after_inference() override {
    std::vector<std::pair<std::string, double>> shares;
    for (const auto& [label, count] : classes_)
      shares.emplace_back("error_class" + std::to_string(label), count.wrong / count.all);
    return shares;
  }

 private:
  struct Count {
    double wrong = 0, all = 0;
  };
  broch::TensorData tensors_;
  std::string wrong_, label_;
  std::map<int64_t, Count> classes_;
};

BROCH_INFERENCER(ClassErrors, "net.outsider.class-errors", "1.0.0", "Errors of each class.", R"({
  "type": "object",
  "properties": {
    "wrong": {"type": "string", "default": "incorrect_vector"},
    "label": {"type": "string"}
  },
  "required": ["label"], "additionalProperties": false})")
