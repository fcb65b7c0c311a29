// shortening.hpp: shortens a run, to test a manifest or to see whether a model can learn at all.
#pragma once
#include <cstdint>
#include <string>

#include "manifest/manifest.hpp"
#include "plugins/catalog.hpp"

namespace broch::session {

// A value of 0 changes nothing.
struct Shortening {
  // The number of steps of the only epoch, and of points per evaluation. Every callback with a
  // period in epochs is triggered at the end of the epoch.
  int64_t fast_dev_run = 0;
  // Trains on the first points of the data only, again and again in the same order, without
  // shuffle.
  int64_t overfit = 0;
  int64_t train = 0;  // at most this many steps per epoch, and points per pass over the data
  int64_t eval = 0;   // at most this many points per evaluation

  bool empty() const { return !fast_dev_run && !overfit && !train && !eval; }
};

// Changes a manifest whose components were resolved; they must be resolved again afterwards.
// Training data is the outermost dataflow below "dataflow" or "data"; evaluation data is that of
// each callback. Returns one line for the log about what was changed. Throws base::Error (manifest)
// if there is no dataflow whose first points could be taken.
std::string shorten(manifest::Manifest& manifest, const plugins::Catalog& catalog,
                    const Shortening& shortening);

}  // namespace broch::session
