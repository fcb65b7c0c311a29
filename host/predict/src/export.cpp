// export.cpp: puts the graphs of a tower, its weights and what stands before it together.
#include "predict/export.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "capture/sequence.hpp"
#include "class_names.hpp"
#include "predict/open.hpp"

namespace broch::predict {
namespace {

// What the bundle says about itself.
bundle::About about(const session::Setup& setup, session::Run& run, const std::string& checkpoint,
                    const Exported& exported, const std::vector<abi::InputSpec>& signature) {
  const manifest::Manifest& manifest = setup.manifest();
  bundle::About about = {{"runtime", run.backend().version()},
                         {"checkpoint", std::filesystem::path(checkpoint).filename().string()}};
  if (!manifest.name.empty()) about["name"] = manifest.name;
  if (manifest.model) about["model"] = manifest.model->use;
  if (const int64_t context = context_of(setup); context > 0)
    about[kContext] = std::to_string(context);
  if (const std::string text = to_text(exported.preprocessing); !text.empty())
    about[bundle::kPreprocessing] = text;
  std::vector<abi::InputSpec> needed;
  for (const abi::InputSpec& input : signature)
    if (std::ranges::count(exported.model.graph.inputs, input.name) > 0) needed.push_back(input);
  if (const auto classes = class_names(setup, signature, needed); !classes.empty())
    about[kClasses] = to_text(classes);
  return about;
}

std::vector<std::string> usual_outputs(const tower::Tower& tower) {
  const std::string usual = capture::usual_output(tower);
  if (usual.empty())
    base::fail(base::Exit::usage, tower.describe(), "no published name that is an output", "one",
               "name outputs: " + base::join(tower.published_names(), ", "));
  return {usual};
}

// Its inputs with these sizes; what may be any counts as one.
double bytes_of_inputs(const tower::Tower& tower, const std::map<std::string, int64_t>& sizes) {
  double all = 0;
  for (const abi::InputSpec& input : tower.signature()) {
    auto bytes = double(runtime::dtype_size(input.dtype));
    for (size_t i = 0; i < input.shape.size(); ++i) {
      const auto fixed = sizes.find(capture::name_of_size(input, i));
      bytes *= input.shape[i] >= 0    ? double(input.shape[i])
               : fixed != sizes.end() ? double(fixed->second)
                                      : 1;
    }
    all += bytes;
  }
  return all;
}

// The tower is computed with these sizes, and what it computes takes some times as much as its
// inputs. A system that runs out of memory may end the process, or another one.
void require_memory(const tower::Tower& tower, const std::map<std::string, int64_t>& sizes) {
  constexpr double kShare = 0.25;
  const std::optional<int64_t> available = base::available_memory();
  const double bytes = bytes_of_inputs(tower, sizes);
  if (sizes.empty() || !available || bytes <= kShare * double(*available)) return;
  const auto gib = [](double number) {
    return base::general(number / double(1 << 30), 3) + " GiB";
  };
  std::vector<std::string> texts;
  for (const auto& [name, size] : sizes) texts.push_back(name + "=" + std::to_string(size));
  base::fail(base::Exit::usage, "--size " + base::join(texts, " "), "inputs of " + gib(bytes),
             "at most " + gib(kShare * double(*available)) + ", a quarter of the free memory",
             "choose smaller sizes, since the model is computed with them");
}

Preprocessing preprocessing_for(const session::Setup& setup, const tower::Tower& tower,
                                bool for_bundle) {
  std::vector<std::string> inputs;
  for (const abi::InputSpec& input : tower.signature()) inputs.push_back(input.name);
  Preprocessing found = portable(setup, std::move(inputs), for_bundle ? bundle::kMostFileBytes : 0);
  for (const std::string& one : found.missing)
    base::warning("the file has no preprocessing, because it cannot contain " + one);
  return found;
}

// No value: the model keeps nothing of its inputs, or it cannot be captured, which is said.
std::optional<bundle::Sequence<bundle::Computation>> sequence_of(
    tower::Tower& tower, const capture::Wish& wish, const std::vector<std::string>& inputs) {
  if (capture::states_of(tower).empty()) return std::nullopt;
  try {
    capture::CapturedSequence found = capture::capture_sequence(tower, wish, inputs);
    return bundle::Sequence<bundle::Computation>{
        {std::move(found.first.graph), std::move(found.first.weights)},
        {std::move(found.later.graph), std::move(found.later.weights)}};
  } catch (const base::Error& error) {
    const std::string reason = error.what();
    base::warning("the file computes all tokens for each new one: its state cannot be exported: " +
                  reason.substr(0, reason.find('\n')));
    return std::nullopt;
  }
}

}  // namespace

Exported export_model(const session::Setup& setup, session::Run& run, const std::string& checkpoint,
                      const ExportWish& wish) {
  tower::Tower& tower = run.predictors(checkpoint).tower("", 0);
  const capture::Wish parts{wish.outputs.empty() ? usual_outputs(tower) : wish.outputs, wish.sizes};
  require_memory(tower, wish.sizes);
  capture::Captured captured = capture::capture(tower, parts);
  Exported exported;
  exported.preprocessing = preprocessing_for(setup, tower, wish.for_bundle);
  bundle::Model& model = exported.model;
  if (wish.for_bundle) model.sequence = sequence_of(tower, parts, captured.graph.inputs);
  model.graph = std::move(captured.graph);
  model.weights = std::move(captured.weights);
  model.about = about(setup, run, checkpoint, exported, tower.signature());
  model.files = exported.preprocessing.files;
  return exported;
}

}  // namespace broch::predict
