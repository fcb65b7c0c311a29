// panels.hpp: chooses the curves of each panel: metrics with the same unit.
#pragma once
#include <string>
#include <vector>

#include "plot/picture.hpp"
#include "value/value.hpp"

namespace broch::runs {

struct PlottedRun {
  std::string name;  // unique among the runs
  value::Value::Array records;
};

// A run is called by its manifest's name or, if several runs share that, by its folder, without the
// start that the paths of all runs have in common. Throws base::Error (data).
std::vector<PlottedRun> read_runs(const std::vector<std::string>& log_dirs);

// What a metric measures, according to its name: the text in "(…)" at its end, otherwise the last
// word after the last '/', where words with one meaning are unified (cost is loss). For example
// "Loss", "Error", "Learning rate".
std::string unit_of(const std::string& metric);

// The panels for all metrics, or for those in wanted; loss and error first. The value for an epoch
// is the last one in it. With several runs, the color tells the run and the dashes tell the
// metric; with one run, each metric has a color. Throws base::Error (usage) if no run has a metric
// in wanted.
std::vector<plot::Panel> panels_of(const std::vector<PlottedRun>& runs,
                                   const std::vector<std::string>& wanted);

// The title as "run", and the points of each curve, in which x is a number of epochs. What is not
// finite becomes null.
value::Value to_value(const plot::Picture& picture);

}  // namespace broch::runs
