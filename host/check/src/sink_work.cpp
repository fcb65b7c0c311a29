// sink_work.cpp: the calls to a sink, in their order.
#include "sink_work.hpp"

#include "base/error.hpp"
#include "verdict.hpp"

namespace broch::check {

namespace fs = std::filesystem;

SinkWork::SinkWork(Subject& subject, abi::Instance& instance)
    : folder_("broch-check"), sink_(abi::Sink::make(instance)) {
  const std::vector<std::string>& extensions = subject.component().extensions;
  if (!extensions.empty() && extensions.front().ends_with("://"))
    throw Skipped("sends points to an address");
  path_ = folder_.path() / ("points" + (extensions.empty() ? "" : extensions.front()));
}

void SinkWork::put(const MadePoint& point) {
  runtime::Point made = point.make(++points_);
  const runtime::LentPoint lent(made);
  sink_.put(lent.handle());
}

void SinkWork::write(const MadePoint& point) {
  open();
  for (uint64_t i = 0; i < kPointsOfFile; ++i) put(point);
  close();
}

std::map<std::string, uint64_t> SinkWork::files() const {
  std::map<std::string, uint64_t> files;
  if (!fs::exists(folder_.path())) return files;  // a test has removed it
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_.path()))
    if (fs::is_regular_file(entry.symlink_status()))
      files[entry.path().lexically_relative(folder_.path())] = entry.file_size();
  return files;
}

MadePoint point_for(Subject& subject, const value::Value& options) {
  World world(subject);
  const std::vector<MadePoint> points = usual_points();
  for (const MadePoint& point : points) try {
      const auto made = world.make(entry_of(subject, options));
      SinkWork(subject, *made->instance).write(point);
      return point;
    } catch (const base::Error&) {  // the test "drive" reports it
    }
  return points.front();
}

}  // namespace broch::check
