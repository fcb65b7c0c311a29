// course.hpp: how a metric went over the epochs, as JSON and as cells of a table.
#pragma once
#include <string>
#include <vector>

#include "base/text.hpp"
#include "output.hpp"
#include "runs/comparison.hpp"

namespace broch::cli {

inline Value course_json(const runs::Course& course) {
  return object({{"last", number(course.last)},
                 {"min", number(course.smallest)},
                 {"min_epoch", integer(course.smallest_epoch)},
                 {"max", number(course.largest)},
                 {"max_epoch", integer(course.largest_epoch)}});
}

// Under "min", "at epoch", "max" and "at epoch".
inline std::vector<std::string> extremes(const runs::Course& course) {
  return {base::general(course.smallest, 6), std::to_string(course.smallest_epoch),
          base::general(course.largest, 6), std::to_string(course.largest_epoch)};
}

}  // namespace broch::cli
