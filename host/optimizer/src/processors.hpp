// processors.hpp: the host's gradient processors. tensorpack: `tfutils/gradproc.py`.
#pragma once
#include <vector>

#include "mapped_operator.hpp"
#include "optimizer/gradient_processor.hpp"
#include "optimizer/name_filter.hpp"
#include "selection.hpp"

namespace broch::optimizer {

using Processor = std::unique_ptr<GradientProcessor>;

// Does nothing: variables without a gradient were removed before, with a warning.
Processor filter_none_grad();

// Multiplies all gradients by min(1, limit / norm), where norm is that of all gradients together.
// Computed on the device, without synchronization.
Processor global_norm_clip(runtime::Backend& backend, double limit);

// Multiplies each selected gradient by min(1, limit / norm), where norm is its own. average: that
// norm divided by the number of elements.
Processor norm_clip(runtime::Backend& backend, Selection selection, double limit, bool average);

// The factor of the first filter that matches a variable applies; 0 freezes the variable.
struct Multiplier {
  NameFilter filter;
  std::string pattern;
  double factor;
};
Processor scale_gradient(runtime::Backend& backend, std::vector<Multiplier> multipliers,
                         bool verbose);

// Applies the operator to the selected gradients.
Processor map_gradient(runtime::Backend& backend, Selection selection, OperatorCall call);

// Adds the histogram {variable}-grad and the moving average {variable}/rms of the root mean
// square.
Processor summary_gradient(runtime::Backend& backend, NameFilter filter);
// Logs shape, mean and root mean square in each step.
Processor print_gradient(runtime::Backend& backend, NameFilter filter);
// Fails at the first gradient with an element that is not finite.
Processor check_gradient(runtime::Backend& backend);

// A processor from a plugin.
Processor plugin_processor(const GradientSite& site, abi::Instance& instance);

}  // namespace broch::optimizer
