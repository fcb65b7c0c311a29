// preprocessing.hpp: what samples pass through between a file and the inputs of a model, as the
// manifest of its training says it. Batches, orders and repetitions are no part of it.
#pragma once
#include <string>
#include <vector>

#include "value/value.hpp"

namespace broch::session {
class Setup;
}

namespace broch::predict {

struct Preprocessing {
  // The entry of the dataflow that reads the files; null: not known. In a bundle, the file that it
  // reads is left out.
  value::Value source;
  std::vector<value::Value> steps;   // entries of dataflows around it, in the order of a sample
  std::vector<std::string> inputs;   // in the order of the components, unless these have names
  std::vector<std::string> missing;  // what a bundle cannot contain; then the rest is empty
};

// That of the dataflow with which the manifest evaluates the model, which has no random changes as
// a rule; otherwise that of the training.
Preprocessing preprocessing_of(const session::Setup& setup);

// The part of it that a bundle can contain: components that are built in and need no file. If one
// of the steps is not, none is kept, because the others alone would give wrong inputs. inputs: all
// those of the model, in its order.
Preprocessing portable(const session::Setup& setup, std::vector<std::string> inputs);

// As a bundle has it: {"source": {"use": …, "with": …}, "steps": […], "inputs": […]}, or
// {"missing": […]}. "" if there is nothing to say.
std::string to_text(const Preprocessing& preprocessing);
// "" gives nothing. Throws base::Error (data); place names the bundle.
Preprocessing preprocessing_from(const std::string& text, const std::string& place);
// The ids of the transforms, or of the dataflow if it has none, in their order, for people.
std::vector<std::string> transforms_of(const Preprocessing& preprocessing);

// The table of plain_files.json, and what it says of dataflows.
const value::Value& plain_files();
// Whether the files are read by the same dataflow, with another file.
bool reads_files(const value::Value& source);
// Whether an entry uses one of the dataflows in this list of the table, which may be nullptr.
bool uses(const value::Value* list, const value::Value& entry);

}  // namespace broch::predict
