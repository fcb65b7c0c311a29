// processors.hpp: the gradient processors there are. tensorpack:
// `tfutils/gradproc.py`.
#pragma once
#include <vector>

#include "mapped_operator.hpp"
#include "optimizer/gradient_processor.hpp"
#include "optimizer/name_filter.hpp"

namespace broch::optimizer {

using Processor = std::unique_ptr<GradientProcessor>;

// Gradients that are not there have been dropped before, with a warning: nothing is left to do.
Processor filter_none_grad();

// Scales all gradients by min(1, limit / norm), the norm taken over all of them together; on the
// device, without waiting for it.
Processor global_norm_clip(runtime::Backend& backend, double limit);

// The first filter that takes a variable gives its factor; 0 freezes it.
struct Multiplier {
  NameFilter filter;
  std::string pattern;
  double factor;
};
Processor scale_gradient(runtime::Backend& backend, std::vector<Multiplier> multipliers,
                         bool verbose);

// Gradients of the variables that the filter takes go through the operator.
Processor map_gradient(runtime::Backend& backend, NameFilter filter, const std::string& pattern,
                       OperatorCall call);

// Histogram {variable}-grad and moving average {variable}/rms of the root of the mean square.
Processor summary_gradient(runtime::Backend& backend, NameFilter filter);
// Logs shape, mean and root of the mean square in each run.
Processor print_gradient(runtime::Backend& backend, NameFilter filter);
// Fails the run at the first gradient with an element that is not finite.
Processor check_gradient(runtime::Backend& backend);

// A plugin's.
Processor plugin_processor(const GradientSite& site, abi::Instance& instance);

}  // namespace broch::optimizer
