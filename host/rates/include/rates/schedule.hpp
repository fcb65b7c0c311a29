// schedule.hpp: what callbacks will do to the hyper-parameters of a run, found out without
// training.
#pragma once
#include <string>
#include <vector>

#include "plot/picture.hpp"
#include "session/setup.hpp"

namespace broch::rates {

struct Schedule {
  struct Curve {
    std::string name;  // of the hyper-parameter
    // The value that a step has, by the number of epochs before it; a step is a part of an epoch.
    // The last point is the end of the last step.
    std::vector<double> epochs, values;
  };
  std::vector<Curve> curves;
  // Places of callbacks that wait for metrics. Without a training these have no values, so what
  // such a callback will do is missing in the curves.
  std::vector<std::string> waiting;
};

// Builds a run, without a log folder, and calls its callbacks that set a hyper-parameter according
// to their metadata, as a training from its beginning does, but without its steps. Throws
// base::Error.
Schedule rehearse(const session::Setup& setup);

// title: that of the picture.
plot::Picture picture_of(const Schedule& schedule, const std::string& title);

}  // namespace broch::rates
