// preprocessing.cpp: finds the steps in a manifest, and chooses those for a bundle.
#include "predict/preprocessing.hpp"

#include <algorithm>

#include "bundle/bundle.hpp"
#include "data/flow.hpp"
#include "packing.hpp"
#include "stages.hpp"

namespace broch::predict {
namespace {

using manifest::Component;
using value::Value;

const Component* flow_of(const session::Setup& setup) {
  for (const Component* callback : setup.callbacks())
    if (const Component* found = data::dataflow_in(*callback)) return found;
  return setup.input() ? data::dataflow_in(*setup.input()) : nullptr;
}

// The entry without the dataflow inside it.
Value step_of(const Component& flow) {
  Value step = flow.entry;
  step.find("with")->remove("dataflow");
  return step;
}

// Which array of a file is which component, for any file.
Value arrays_for_bundle(const Value& components) {
  Value::Array kept;
  bool says_something = false;
  for (Value one : components.array()) {
    one.remove("file");
    says_something |= std::ranges::any_of(
        one.object(), [](const value::Member& member) { return !member.value.is_null(); });
    kept.push_back(std::move(one));
  }
  return says_something ? Value(std::move(kept)) : Value();
}

Value source_for_bundle(const Value& source) {
  Value kept = source;
  if (reads_files(source)) {
    kept.find("with")->remove("file");
    return kept;
  }
  Value with{Value::Object{}};
  if (const Value* names = source.find("with")->find("names")) with.set("names", *names);
  if (names_arrays(source))
    if (Value arrays = arrays_for_bundle(*source.find("with")->find("components"));
        !arrays.is_null())
      with.set("components", std::move(arrays));
  kept.set("with", std::move(with));
  return kept;
}

}  // namespace

Preprocessing preprocessing_of(const session::Setup& setup) {
  Preprocessing found;
  const std::vector<const Component*> stages = stages_of(flow_of(setup));
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    if (inner_flow(**stage))
      found.steps.push_back(step_of(**stage));
    else
      found.source = (*stage)->entry;
  }
  return found;
}

Preprocessing preprocessing_of(const bundle::Bundle& bundle, const std::string& place) {
  const auto text = bundle.about().find(bundle::kPreprocessing);
  if (text == bundle.about().end()) return {};
  return preprocessing_from(text->second, place, bundle.files());
}

Preprocessing portable(const session::Setup& setup, std::vector<std::string> inputs,
                       uint64_t most) {
  Preprocessing kept, lacking;
  Packing packing(setup, most);
  for (const Component* stage : stages_of(flow_of(setup))) {
    const bool is_source = !inner_flow(*stage);
    Value entry = is_source ? source_for_bundle(stage->entry) : step_of(*stage);
    if (!is_source || reads_files(entry)) packing.add(*stage, entry);
    if (is_source)
      kept.source = std::move(entry);
    else
      kept.steps.insert(kept.steps.begin(), std::move(entry));
  }
  lacking.missing = packing.missing();
  kept.files = packing.files();
  for_each_reference(kept, [&](const Value& option) {
    if (!file_of(kept, option.string()))
      lacking.missing.push_back("the text '" + option.string() + "', which would be a file of it");
  });
  if (!lacking.missing.empty()) return lacking;
  kept.inputs = std::move(inputs);
  return kept;
}

}  // namespace broch::predict
