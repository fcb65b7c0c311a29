// passing.cpp: dataflows that pass the points of one dataflow on: select, print, cache.
#include "combinators/cache.hpp"
#include "combinators/print.hpp"
#include "combinators/select.hpp"

namespace flows = broch::dataflows;

BROCH_COMPONENTS(
    broch::component<flows::Select>(
        "broch.dataflow.select", "dataflow", "1.0.0",
        "Keeps some components of each point, in another order or under other names.",
        flows::SelectOptions::schema),
    broch::component<flows::Print>(
        "broch.dataflow.print", "dataflow", "1.0.0",
        "Writes the shapes, dtypes and value ranges of the first points to the log.",
        flows::PrintOptions::schema),
    broch::component<flows::Cache>(
        "broch.dataflow.cache", "dataflow", "1.0.0",
        "Stores the points of a dataflow in memory or in a file, and yields them in every round.",
        flows::CacheOptions::schema))
