// watching_processors.cpp: processors that observe gradients and do not change them.
#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "optimizer/backend_calls.hpp"
#include "processors.hpp"

namespace broch::optimizer {
namespace {

using runtime::Tensor;
using runtime::Variable;

// Observes the variables that the filter takes, in the main replica only; several tensors for
// each.
class Watcher : public GradientProcessor {
 public:
  Watcher(runtime::Backend& backend, NameFilter filter)
      : backend_(backend), filter_(std::move(filter)) {}

  std::vector<Variable*> keep(std::vector<Variable*> variables) override {
    for (Variable* variable : variables)
      if (filter_.takes(*variable) && variable->replica.empty()) watched_.push_back(variable);
    return variables;
  }
  size_t watches() const override { return watched_.size() * of_each(); }
  std::vector<Tensor> watch(const GradientList& list) override {
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < list.gradients.size(); ++i)
      if (std::ranges::find(watched_, list.variables[i]) != watched_.end())
        add(list.gradients[i], tensors);
    return tensors;
  }

 protected:
  virtual size_t of_each() const = 0;
  virtual void add(const Tensor& gradient, std::vector<Tensor>& tensors) = 0;

  const std::vector<Variable*>& watched() const { return watched_; }
  Tensor call(runtime::Operator* op, std::initializer_list<runtime::RawValue> args) {
    return optimizer::call(backend_, op, args);
  }
  runtime::Operator* resolve(const char* schema) { return backend_.resolve(schema); }

 private:
  runtime::Backend& backend_;
  NameFilter filter_;
  std::vector<Variable*> watched_;
};

// Computes the root mean square of all elements.
class WatcherOfRms : public Watcher {
 public:
  WatcherOfRms(runtime::Backend& backend, NameFilter filter)
      : Watcher(backend, std::move(filter)),
        square_(resolve("aten::square(Tensor self) -> Tensor")),
        mean_(resolve("aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor")),
        root_(resolve("aten::sqrt(Tensor self) -> Tensor")) {}

 protected:
  Tensor mean_of(const Tensor& tensor) { return call(mean_, {raw(tensor), kNone}); }
  Tensor rms_of(const Tensor& tensor) {
    return call(root_, {raw(mean_of(call(square_, {raw(tensor)})))});
  }

 private:
  runtime::Operator *square_, *mean_, *root_;
};

class SummaryGradient final : public WatcherOfRms {
 public:
  using WatcherOfRms::WatcherOfRms;
  std::string name() const override { return "summary-gradient"; }

  std::vector<Variable*> keep(std::vector<Variable*> variables) override {
    variables = Watcher::keep(std::move(variables));
    for (const Variable* variable : watched())
      names_.push_back({variable->name + "-grad", variable->name + "/rms"});
    return variables;
  }
  std::vector<tower::Moving> averages() const override {
    std::vector<tower::Moving> averages;
    for (const Names& names : names_) averages.push_back({names.average, kDecay, {}});
    return averages;
  }
  void watch(std::span<const Tensor> tensors, const WatchContext& now) override {
    for (size_t i = 0; i < names_.size(); ++i) {
      if (now.averages)
        now.averages->update(now.backend, {names_[i].average, kDecay, tensors[2 * i + 1]});
      if (now.summary) now.summary->add_histogram(now.backend, names_[i].histogram, tensors[2 * i]);
    }
  }

 protected:
  size_t of_each() const override { return 2; }
  void add(const Tensor& gradient, std::vector<Tensor>& tensors) override {
    tensors.push_back(gradient);
    tensors.push_back(rms_of(gradient));
  }

 private:
  static constexpr double kDecay = 0.95;  // the default of add_moving_summary
  struct Names {
    std::string histogram, average;
  };
  std::vector<Names> names_;
};

class PrintGradient final : public WatcherOfRms {
 public:
  using WatcherOfRms::WatcherOfRms;
  std::string name() const override { return "print-gradient"; }

  void watch(std::span<const Tensor> tensors, const WatchContext& now) override {
    for (size_t i = 0; i < watched().size(); ++i) {
      const Variable& variable = *watched()[i];
      base::info("gradient of " + variable.name + ": shape " + to_string(variable.shape) +
                 ", mean " + base::shortest(now.backend.item(tensors[2 * i])) + ", rms " +
                 base::shortest(now.backend.item(tensors[2 * i + 1])));
    }
  }

 protected:
  size_t of_each() const override { return 2; }
  void add(const Tensor& gradient, std::vector<Tensor>& tensors) override {
    tensors.push_back(mean_of(gradient));
    tensors.push_back(rms_of(gradient));
  }
};

class CheckGradient final : public Watcher {
 public:
  explicit CheckGradient(runtime::Backend& backend)
      : Watcher(backend, {}),
        is_finite_(resolve("aten::isfinite(Tensor self) -> Tensor")),
        all_(resolve("aten::all(Tensor self) -> Tensor")) {}
  std::string name() const override { return "check-gradient"; }

  void watch(std::span<const Tensor> tensors, const WatchContext& now) override {
    for (size_t i = 0; i < watched().size(); ++i)
      if (!now.backend.is_null() && now.backend.item(tensors[i]) == 0)
        throw base::Error{base::Exit::numbers,
                          {"CheckGradient/" + watched()[i]->name, "NaN or infinity",
                           "finite numbers in the gradient",
                           "lower the learning rate, or clip the gradients before this check"}};
  }

 protected:
  size_t of_each() const override { return 1; }
  void add(const Tensor& gradient, std::vector<Tensor>& tensors) override {
    tensors.push_back(call(all_, {raw(call(is_finite_, {raw(gradient)}))}));
  }

 private:
  runtime::Operator *is_finite_, *all_;
};

}  // namespace

Processor summary_gradient(runtime::Backend& backend, NameFilter filter) {
  return std::make_unique<SummaryGradient>(backend, std::move(filter));
}

Processor print_gradient(runtime::Backend& backend, NameFilter filter) {
  return std::make_unique<PrintGradient>(backend, std::move(filter));
}

Processor check_gradient(runtime::Backend& backend) {
  return std::make_unique<CheckGradient>(backend);
}

}  // namespace broch::optimizer
