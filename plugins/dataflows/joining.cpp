// joining.cpp: dataflows around several others: zip, concat, mix, choose.
#include "combinators/choose.hpp"
#include "combinators/concat.hpp"
#include "combinators/mix.hpp"
#include "combinators/zip.hpp"

namespace flows = broch::dataflows;

BROCH_COMPONENTS(
    broch::component<flows::Zip>("broch.dataflow.zip", "dataflow", "1.0.0",
                                 "Joins one point of each of several dataflows to one point.",
                                 flows::ZipOptions::schema),
    broch::component<flows::Concat>("broch.dataflow.concat", "dataflow", "1.0.0",
                                    "Yields the points of several dataflows, one after the other.",
                                    flows::ConcatOptions::schema),
    broch::component<flows::Mix>("broch.dataflow.mix", "dataflow", "1.0.0",
                                 "Alternates between several dataflows, in given proportions.",
                                 flows::MixOptions::schema),
    broch::component<flows::Choose>("broch.dataflow.choose", "dataflow", "1.0.0",
                                    "Yields each point from a randomly chosen dataflow.",
                                    flows::ChooseOptions::schema))
