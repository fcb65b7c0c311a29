// sequence.cpp: what the graphs of a sequence have in common.
#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "format.hpp"

namespace broch::bundle {
namespace {

class SequenceCheck {
 public:
  SequenceCheck(const graph::Graph& model, const Sequence<graph::Graph>& sequence,
                const std::string& place)
      : model_(model), first_(sequence.first), later_(sequence.later), place_(place) {}

  void run() const {
    if (first_.inputs != model_.inputs) fail("other inputs than those of the model");
    const size_t own = model_.outputs.size();
    if (first_.outputs.size() <= own || later_.outputs.size() != first_.outputs.size())
      fail("no next/NAME");
    for (size_t i = 0; i < first_.outputs.size(); ++i) {
      const std::string& name = first_.outputs[i].name;
      if (later_.outputs[i].name != name || (i < own && model_.outputs[i].name != name))
        fail("output " + base::quoted(name) + " in another place");
      if (i >= own && !name.starts_with(kBehind)) fail("output " + base::quoted(name));
    }
    for (size_t i = 0; i < later_.inputs.size(); ++i) check_input(i);
  }

 private:
  [[noreturn]] void fail(const std::string& found) const {
    refuse(place_ + ": graphs of a sequence", found,
           "the inputs and outputs of the model, and what it keeps");
  }

  void check_input(size_t i) const {
    const std::string& name = later_.inputs[i];
    if (std::ranges::count(model_.inputs, name)) return;
    if (!name.starts_with(kBefore)) fail("input " + base::quoted(name));
    const std::string kept = kBehind + name.substr(std::string_view(kBefore).size());
    const auto found = std::ranges::find(first_.outputs, kept, &graph::Output::name);
    if (found == first_.outputs.end()) fail("input " + base::quoted(name));
    const graph::Type& type = later_.type_of_input(i);
    const graph::Type& given = first_.type_of_output(size_t(found - first_.outputs.begin()));
    if (type.dtype != given.dtype || type.shape.size() != given.shape.size())
      fail("input " + base::quoted(name) + " of another dtype or number of dimensions");
  }

  const graph::Graph &model_, &first_, &later_;
  const std::string& place_;
};

}  // namespace

void refuse(const std::string& place, const std::string& found, const std::string& expected) {
  base::fail(base::Exit::data, place, found, expected, "write it again with broch export");
}

void check_sequence(const graph::Graph& model, const Sequence<graph::Graph>& sequence,
                    const std::string& place) {
  SequenceCheck(model, sequence, place).run();
}

}  // namespace broch::bundle
