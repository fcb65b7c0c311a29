// shortening.hpp: a run made short, to try it out or to see whether it can learn at all.
#pragma once
#include <cstdint>
#include <string>

#include "manifest/manifest.hpp"
#include "plugins/catalog.hpp"

namespace broch::session {

// 0: not.
struct Shortening {
  // So many steps of one epoch and as many points of each evaluation; every callback with a period
  // in epochs is triggered.
  int64_t fast_dev_run = 0;
  // The first so many points of the data again and again, in their order: without shuffle.
  int64_t overfit = 0;
  int64_t train = 0;  // at most so many steps an epoch, and points each time around
  int64_t eval = 0;   // at most so many points of each evaluation

  bool empty() const { return !fast_dev_run && !overfit && !train && !eval; }
};

// Changes a manifest whose components were resolved; they have to be resolved again. Data of the
// training is the outermost dataflow below "dataflow" or "data"; data of evaluations that of each
// callback. What was changed, in words for one line of the log. Throws base::Error (manifest) where
// there is nothing to take the first points of.
std::string shorten(manifest::Manifest& manifest, const plugins::Catalog& catalog,
                    const Shortening& shortening);

}  // namespace broch::session
