// gradient_chain.cpp: applies processors and checks what they did to the gradients.
#include "optimizer/gradient_chain.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"

namespace broch::optimizer {

namespace {

using runtime::Tensor;
using runtime::Variable;

std::string names_of(const GradientProcessors& processors) {
  std::vector<std::string> names;
  for (const auto& processor : processors) names.push_back(processor->name());
  return base::join(names, ", ");
}

class Chain {
 public:
  Chain(runtime::Backend& backend, std::string node, GradientProcessors processors,
        std::vector<Variable*> variables)
      : backend_(backend),
        node_(std::move(node)),
        processors_(std::move(processors)),
        variables_(std::move(variables)),
        kept_(variables_) {
    for (const auto& processor : processors_) {
      kept_ = processor->keep(std::move(kept_));
      watched_ += processor->watches();
    }
  }

  const std::vector<Variable*>& variables() const { return variables_; }
  const std::vector<Variable*>& kept() const { return kept_; }
  size_t watched() const { return watched_; }
  std::vector<tower::Moving> averages() const {
    std::vector<tower::Moving> all;
    for (const auto& processor : processors_)
      for (const tower::Moving& average : processor->averages()) all.push_back(average);
    return all;
  }
  std::string name() const { return node_ + " (" + names_of(processors_) + ")"; }

  std::vector<Tensor> process(std::span<const Tensor> gradients) const {
    std::vector<uint64_t> writes;
    for (const Tensor& gradient : gradients) writes.push_back(backend_.writes_to(gradient));
    GradientList list{variables_, {gradients.begin(), gradients.end()}};
    std::vector<Tensor> watched;
    runtime::Recorder* const recorder = runtime::Recording::current();
    for (const auto& processor : processors_) {
      if (recorder) recorder->attribute(processor->name());
      processor->process(list);
      for (Tensor& tensor : processor->watch(list)) watched.push_back(std::move(tensor));
      check_inputs(gradients, writes, *processor);
    }
    if (recorder) recorder->attribute("");
    check_outputs(list);
    std::ranges::move(watched, std::back_inserter(list.gradients));
    return std::move(list.gradients);
  }

  void watch(std::span<const Tensor> watched, const WatchContext& now) const {
    for (const auto& processor : processors_) {
      if (processor->watches() == 0) continue;
      processor->watch(watched.first(processor->watches()), now);
      watched = watched.subspan(processor->watches());
    }
  }

 private:
  void check_inputs(std::span<const Tensor> gradients, const std::vector<uint64_t>& writes,
                    const GradientProcessor& after) const;
  void check_outputs(const GradientList& list) const;
  [[noreturn]] void refuse(const std::string& who, const std::string& found,
                           const std::string& expected, const std::string& hint) const;

  runtime::Backend& backend_;
  std::string node_;
  GradientProcessors processors_;
  std::vector<Variable*> variables_, kept_;
  size_t watched_ = 0;
};

// Processors must not write to their inputs: these may be memory of a program, whose constants are
// computed once for many steps, and others may read them as well.
void Chain::check_inputs(std::span<const Tensor> gradients, const std::vector<uint64_t>& writes,
                         const GradientProcessor& after) const {
  for (size_t i = 0; i < gradients.size(); ++i)
    if (backend_.writes_to(gradients[i]) != writes[i])
      refuse(after.name(), "it wrote to the gradient of variable '" + variables_[i]->name + "'",
             "a new tensor for each gradient that it changes",
             "use the operator that makes a new tensor");
}

void Chain::check_outputs(const GradientList& list) const {
  if (list.variables != kept_ || list.gradients.size() != kept_.size())
    refuse(
        names_of(processors_),
        base::counted(int64_t(list.gradients.size()), "gradient") + " came out",
        "those of the " + base::counted(int64_t(kept_.size()), "variable") + " that keep answered",
        "drop in process what keep leaves out");
  for (size_t i = 0; i < kept_.size() && !backend_.is_null(); ++i) {
    const runtime::TensorInfo info = backend_.info(list.gradients[i]);
    if (info.dtype == kept_[i]->dtype && info.shape == kept_[i]->shape) continue;
    refuse(names_of(processors_),
           "the gradient of variable '" + kept_[i]->name + "' became " +
               runtime::type_text(info.dtype, info.shape),
           runtime::type_text(kept_[i]->dtype, kept_[i]->shape), "keep its dtype and shape");
  }
}

void Chain::refuse(const std::string& who, const std::string& found, const std::string& expected,
                   const std::string& hint) const {
  throw base::Error{
      base::Exit::training,
      {"gradient processor " + who + " of node '" + node_ + "'", found, expected, hint}};
}

}  // namespace

std::unique_ptr<GradientOperation> make_gradient_chain(tower::RunContext& context,
                                                       abi::Instance& owner, std::string name,
                                                       GradientProcessors processors,
                                                       std::vector<Variable*> variables) {
  const auto chain = std::make_shared<Chain>(*context.backend, std::move(name),
                                             std::move(processors), std::move(variables));
  GradientOperation::Spec spec;
  spec.name = chain->name();
  spec.variables = chain->variables();
  spec.kept = chain->kept();
  spec.function = [chain](std::span<const Tensor> gradients) { return chain->process(gradients); };
  spec.watched = chain->watched();
  if (spec.watched > 0)
    spec.watch = [chain](std::span<const Tensor> watched, const WatchContext& now) {
      chain->watch(watched, now);
    };
  spec.averages = chain->averages();
  return std::make_unique<GradientOperation>(context, owner, std::move(spec));
}

}  // namespace broch::optimizer
