// preprocessing.hpp: what samples pass through between a file and the inputs of a model, as the
// manifest of its training says it. Batches, orders and repetitions are no part of it.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/files.hpp"
#include "value/value.hpp"

namespace broch::bundle {
class Bundle;
}
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
  bundle::Files files{};             // of the bundle; source and steps refer to them
};

// An option that is "bundle:NAME" stands for a file of the bundle.
inline constexpr const char* kFileReference = "bundle:";
// Calls found with each string in the value that begins so.
void for_each_reference(value::Value& value,
                        const std::function<void(value::Value& option)>& found);
void for_each_reference(Preprocessing& preprocessing,
                        const std::function<void(value::Value& option)>& found);

// The file to which an option refers; nullptr: it refers to none, or the file is not there.
const std::string* file_of(const Preprocessing& preprocessing, std::string_view option);

// That of the dataflow with which the manifest evaluates the model, which has no random changes as
// a rule; otherwise that of the training.
Preprocessing preprocessing_of(const session::Setup& setup);

// The part of it that a bundle can contain: components that are built in, with the files that they
// need. If one of the steps is not, none is kept, because the others alone would give wrong inputs.
// inputs: all those of the model, in its order. most: bytes of files; 0: there can be none.
Preprocessing portable(const session::Setup& setup, std::vector<std::string> inputs, uint64_t most);

// As a bundle has it: {"source": {"use": …, "with": …}, "steps": […], "inputs": […]}, or
// {"missing": […]}. "" if there is nothing to say.
std::string to_text(const Preprocessing& preprocessing);
// "" gives nothing. files: of the bundle. Throws base::Error (data); place names the bundle.
Preprocessing preprocessing_from(const std::string& text, const std::string& place,
                                 bundle::Files files = {});
// That of a bundle. Throws base::Error (data).
Preprocessing preprocessing_of(const bundle::Bundle& bundle, const std::string& place);
// Whether it is known, and samples pass through something.
bool does_something(const Preprocessing& preprocessing);
// The ids of the transforms, or of the dataflow if it has none, in their order, for people.
std::vector<std::string> transforms_of(const Preprocessing& preprocessing);

// The table of plain_files.json, and what it says of dataflows.
const value::Value& plain_files();
// Whether files of this kind can be read: some need a transform that decodes them.
bool suits(const value::Value& kind, const Preprocessing& preprocessing);
// The endings of all files that can be read.
std::vector<std::string> suitable_endings(const Preprocessing& preprocessing);
// The endings of the files that are meant, the usual one first: text that the dataflow of the
// source reads, what a transform decodes, files such as those that the source reads, or else all
// that need no source.
std::vector<std::string> endings_for(const Preprocessing& preprocessing);
// The ending of a file with this content; text is taken for what goes with the source. "": none.
std::string ending_of(std::string_view content, const Preprocessing& preprocessing);
// Whether the files are read by the same dataflow, with another file.
bool reads_files(const value::Value& source);
// Whether the components of the source say which array of a file is which component.
bool names_arrays(const value::Value& source);
// Whether an entry uses one of the dataflows in this list of the table, which may be nullptr.
bool uses(const value::Value* list, const value::Value& entry);

}  // namespace broch::predict
