// sequence.cpp: calls a tower as at the beginning, and with what it has kept.
#include "capture/sequence.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::capture {
namespace {

constexpr std::string_view kBefore = "state/", kBehind = "next/";

class SequenceCapture {
 public:
  SequenceCapture(tower::Tower& tower, const Wish& wish, const std::vector<std::string>& inputs)
      : tower_(tower), wish_(wish), inputs_(inputs), states_(states_of(tower)) {
    for (const std::string& state : states_) wish_.outputs.push_back(std::string(kBehind) + state);
    find_places();
  }

  CapturedSequence run() const {
    Wish wish = wish_;
    wish.fixed.erase(places_);
    try {
      return captured(wish);
    } catch (const base::Error&) {  // such as a loop over the places
    }
    wish.fixed[places_] = 1;
    return captured(wish);
  }

 private:
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
    base::fail(base::Exit::training, tower_.describe(), found, expected, "");
  }

  // The name of the size that counts places.
  void find_places() {
    for (const abi::InputSpec& input : tower_.signature()) {
      if (!std::ranges::count(inputs_, input.name)) continue;
      const bool may_vary = input.shape.size() > 1 && input.shape[1] < 0;
      const std::string name = may_vary ? name_of_size(input, 1) : "";
      if (!may_vary || (!places_.empty() && name != places_))
        refuse("input " + base::quoted(input.name) + ", whose dimension 1 does not count places",
               "the same number of places in each input, which may be any");
      places_ = name;
    }
  }

  CapturedSequence captured(const Wish& wish) const {
    CapturedSequence found;
    found.first = capture(tower_, wish);
    if (found.first.graph.inputs != inputs_)
      refuse("next/, for which other inputs are needed", base::join(inputs_, ", "));
    Wish later = wish;
    for (size_t i = 0; i < states_.size(); ++i) later.fed.push_back(kept(found.first.graph, i));
    found.later = capture(tower_, later);
    check(found);
    return found;
  }

  // What the next call is fed.
  abi::InputSpec kept(const graph::Graph& graph, size_t state) const {
    const graph::Type& type = graph.type_of_output(output_of(graph, state));
    abi::InputSpec spec{std::string(kBefore) + states_[state], type.dtype, {}, {}};
    for (const graph::Number& size : type.shape) {
      const bool is_constant = size.is_constant();
      const std::string name = is_constant ? "" : size.text(graph.symbols);
      if (name == places_ || (!is_constant && !std::ranges::count(graph.symbols, name)))
        refuse(spec.name + " " + graph::text_of(type, graph.symbols),
               "a shape that does not depend on the number of places");
      spec.shape.push_back(is_constant ? size.value({}) : -1);
      spec.dims.push_back(name);
    }
    return spec;
  }

  size_t output_of(const graph::Graph& graph, size_t state) const {
    return graph.outputs.size() - states_.size() + state;
  }

  void check(const CapturedSequence& found) const {
    const graph::Graph &first = found.first.graph, &later = found.later.graph;
    for (size_t i = 0; i < states_.size(); ++i) {
      const auto text = [&](const graph::Graph& graph) {
        return graph::text_of(graph.type_of_output(output_of(graph, i)), graph.symbols);
      };
      if (text(first) != text(later))
        refuse("next/" + states_[i] + " " + text(first) + ", and then " + text(later),
               "the same shape in each call");
    }
    for (const graph::Graph* graph : {&first, &later})
      for (size_t s = 0; s < graph->symbols.size(); ++s)
        if (graph->symbols[s] == places_ && graph->least[s] > 1)
          refuse("another computation for one place", "one that is the same");
  }

  tower::Tower& tower_;
  Wish wish_;
  const std::vector<std::string>& inputs_;
  const std::vector<std::string> states_;
  std::string places_;
};

}  // namespace

std::vector<std::string> states_of(const tower::Tower& tower) {
  std::vector<std::string> states;
  for (const std::string& name : tower.published_names()) {
    if (!name.starts_with(kBefore)) continue;
    const std::string state = name.substr(kBefore.size());
    if (tower.publishes(std::string(kBehind) + state)) states.push_back(state);
  }
  return states;
}

CapturedSequence capture_sequence(tower::Tower& tower, const Wish& wish,
                                  const std::vector<std::string>& inputs) {
  return SequenceCapture(tower, wish, inputs).run();
}

}  // namespace broch::capture
