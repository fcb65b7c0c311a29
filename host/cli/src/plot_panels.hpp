// plot_panels.hpp: which curves of runs stand in one panel: those of one unit.
#pragma once
#include <string>
#include <vector>

#include "output.hpp"
#include "plot/picture.hpp"

namespace broch::cli {

struct PlottedRun {
  std::string name;  // differs from those of the others
  Value::Array records;
};

// What a metric counts, as far as its name says it: "(…)" at its end, else its last word, where
// cost is loss, and what behind the last '/' or "rms", "mean" and the like measure. "Loss",
// "Error", "Learning rate".
std::string unit_of(const std::string& metric);

// All metrics of all runs, or those that are wanted, an epoch's last value each; loss and error
// first. Several runs have a colour each and metrics a kind of line, one run a colour for each
// metric. Throws base::Error (usage) for a metric that no run has.
std::vector<plot::Panel> panels_of(const std::vector<PlottedRun>& runs,
                                   const std::vector<std::string>& wanted);

}  // namespace broch::cli
