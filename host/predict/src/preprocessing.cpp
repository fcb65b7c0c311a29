// preprocessing.cpp: finds the steps in a manifest, and chooses those for a bundle.
#include "predict/preprocessing.hpp"

#include <algorithm>

#include "data/flow.hpp"

namespace broch::predict {
namespace {

using manifest::Component;
using value::Value;

const Component* flow_of(const session::Setup& setup) {
  for (const Component* callback : setup.callbacks())
    if (const Component* found = data::dataflow_in(*callback)) return found;
  return setup.input() ? data::dataflow_in(*setup.input()) : nullptr;
}

const Component* inner_flow(const Component& flow) {
  for (const Component& child : flow.children)
    if (const Component* found = data::dataflow_in(child)) return found;
  return nullptr;
}

bool is_step(const Component& flow) { return uses(plain_files().find("each_point"), flow.entry); }

// The dataflows that matter: the steps, outermost first, and the source.
std::vector<const Component*> stages_of(const session::Setup& setup) {
  std::vector<const Component*> stages;
  for (const Component* flow = flow_of(setup); flow && !flow->is_reference();
       flow = inner_flow(*flow))
    if (is_step(*flow) || !inner_flow(*flow)) stages.push_back(flow);
  return stages;
}

// Options with the name of a file, apart from the one that is replaced.
std::vector<std::string> files_of(const session::Setup& setup, const Component& component) {
  std::vector<std::string> files;
  const auto* kind = setup.kinds().find(component.use);
  const Value* properties = kind ? kind->options.find("properties") : nullptr;
  if (!properties) return files;
  for (const value::Member& property : properties->object()) {
    const Value* is_path = property.value.find("x-broch-path");
    const Value* given = component.with().find(property.key);
    if (is_path && is_path->boolean() && property.key != "file" && given &&
        given->is(Value::Kind::string))
      files.push_back(property.key + " " + given->string());
  }
  return files;
}

// What a bundle cannot contain of this component and of those inside it, the next dataflow apart.
void add_missing(const session::Setup& setup, const Component& component,
                 std::vector<std::string>& missing) {
  const std::string what = component.use + " (" + component.pointer + ")";
  if (!component.use.starts_with("broch.")) missing.push_back(what + ", which is in a plugin");
  for (const std::string& file : files_of(setup, component))
    missing.push_back(what + ", which needs the file " + file);
  for (const Component& child : component.children)
    if (!data::dataflow_in(child)) add_missing(setup, child, missing);
}

Value source_for_bundle(const Value& source) {
  Value kept = source;
  if (reads_files(source)) {
    kept.find("with")->remove("file");
    return kept;
  }
  Value with{Value::Object{}};
  if (const Value* names = source.find("with")->find("names")) with.set("names", *names);
  kept.set("with", std::move(with));
  return kept;
}

}  // namespace

Preprocessing preprocessing_of(const session::Setup& setup) {
  Preprocessing found;
  const std::vector<const Component*> stages = stages_of(setup);
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    if (!inner_flow(**stage)) {
      found.source = (*stage)->entry;
      continue;
    }
    Value step = (*stage)->entry;
    step.find("with")->remove("dataflow");
    found.steps.push_back(std::move(step));
  }
  return found;
}

Preprocessing portable(const session::Setup& setup, std::vector<std::string> inputs) {
  Preprocessing kept;
  for (const Component* stage : stages_of(setup))
    if (inner_flow(*stage) || reads_files(stage->entry)) add_missing(setup, *stage, kept.missing);
  if (!kept.missing.empty()) return kept;
  kept = preprocessing_of(setup);
  if (!kept.source.is_null()) kept.source = source_for_bundle(kept.source);
  kept.inputs = std::move(inputs);
  return kept;
}

}  // namespace broch::predict
