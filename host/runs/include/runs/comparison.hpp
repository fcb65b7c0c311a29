// comparison.hpp: metrics and settings of several runs side by side.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runs/settings.hpp"

namespace broch::runs {

// Describes the finite values of a metric.
struct Course {
  double last = 0, smallest = 0, largest = 0;
  int64_t smallest_epoch = 0, largest_epoch = 0;
};

struct Compared {
  std::string log_dir, name, state;
  std::map<std::string, Course> courses;  // by metric
  Settings settings;
};

// records: as in stats.json.
std::map<std::string, Course> courses_of(const value::Value::Array& records);
// Throws base::Error (data) if this is no log folder.
Compared read_compared(const std::string& log_dir);
// The metrics that any of the runs has, or those that are wanted. Throws base::Error (usage) if one
// of these is in none of them.
std::vector<std::string> metrics_of(const std::vector<Compared>& runs,
                                    const std::vector<std::string>& wanted);

}  // namespace broch::runs
