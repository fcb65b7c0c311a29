// sampling.cpp: dataflows with another number of points than the one in them: repeat-point,
// fixed-size, split, weighted-sample, class-balanced.
#include "combinators/class_balanced.hpp"
#include "combinators/fixed_size.hpp"
#include "combinators/repeat_point.hpp"
#include "combinators/split.hpp"
#include "combinators/weighted_sample.hpp"

namespace flows = broch::dataflows;

BROCH_COMPONENTS(
    broch::component<flows::RepeatPoint>("broch.dataflow.repeat-point", "dataflow", "1.0.0",
                                         "Yields each point several times in a row.",
                                         flows::RepeatPointOptions::schema),
    broch::component<flows::FixedSize>(
        "broch.dataflow.fixed-size", "dataflow", "1.0.0",
        "Divides a dataflow into rounds of a fixed size; each continues where the last one ended.",
        flows::FixedSizeOptions::schema),
    broch::component<flows::Split>("broch.dataflow.split", "dataflow", "1.0.0",
                                   "Yields a part of the points of a dataflow, such as those for "
                                   "training or those for validation.",
                                   flows::SplitOptions::schema),
    broch::component<flows::WeightedSample>("broch.dataflow.weighted-sample", "dataflow", "1.0.0",
                                            "Draws points with replacement, by weights.",
                                            flows::WeightedSampleOptions::schema),
    broch::component<flows::ClassBalanced>(
        "broch.dataflow.class-balanced", "dataflow", "1.0.0",
        "Draws points with replacement, all classes equally often.",
        flows::ClassBalancedOptions::schema))
