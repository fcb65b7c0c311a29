// comparison.cpp: reads runs, and finds where they differ.
#include "runs/comparison.hpp"

#include <set>

#include "log_folder/run_record.hpp"
#include "runs/run_folder.hpp"

namespace broch::runs {
namespace {

using Courses = std::map<std::string, Course>;

void add(Courses& courses, const std::string& name, double value, int64_t epoch) {
  const auto [place, is_new] = courses.try_emplace(name, Course{value, value, value, epoch, epoch});
  Course& course = place->second;
  course.last = value;
  if (value < course.smallest) course.smallest = value, course.smallest_epoch = epoch;
  if (value > course.largest) course.largest = value, course.largest_epoch = epoch;
}

}  // namespace

std::map<std::string, Course> courses_of(const Value::Array& records) {
  Courses courses;
  for (const Value& record : records)
    for (const value::Member& member : record.object())
      if (!is_counter(member.key) && member.value.is_number())
        add(courses, member.key, member.value.number(), record.find("epoch_num")->integer());
  return courses;
}

Compared read_compared(const std::string& log_dir) {
  require_run(log_dir);
  return {log_dir, name_of_run(log_dir), log_folder::state_of_run(log_dir),
          courses_of(records_so_far(log_dir)), settings_of(manifest_of_run(log_dir))};
}

std::vector<std::string> metrics_of(const std::vector<Compared>& runs,
                                    const std::vector<std::string>& wanted) {
  std::set<std::string> there;
  for (const Compared& run : runs)
    for (const auto& [name, course] : run.courses) there.insert(name);
  return chosen_metrics("broch run compare", there, wanted);
}

}  // namespace broch::runs
