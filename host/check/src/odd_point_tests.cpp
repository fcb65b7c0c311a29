// odd_point_tests.cpp: a transform or a sink gets data points for which it may have no use.
#include "applied.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "made_options.hpp"
#include "made_points.hpp"
#include "sink_work.hpp"
#include "tests.hpp"
#include "verdict.hpp"
#include "world.hpp"

namespace broch::check {
namespace {

// Gives the point to the component. Returns false if it is refused.
using Take = std::function<bool(const MadePoint& point)>;

std::unique_ptr<Made> make_or_skip(Subject& subject, World& world) {
  try {
    return world.make(entry_of(subject, usual_options(subject)));
  } catch (const base::Error& error) {
    throw Skipped("refuses: " + std::string(error.what()));
  }
}

std::string try_all(Subject& subject, const Take& takes) {
  const std::vector<MadePoint> points = odd_points();
  size_t refused = 0;
  for (const MadePoint& point : points) {
    base::info("the point has " + point.what());  // in the output if the process crashes
    refused += !takes(point);
    try {
      subject.watch().require_answers();
    } catch (const Failed& failed) {
      throw Failed("for a point of " + point.what() + ": " + failed.what());
    }
  }
  return std::to_string(points.size()) + " points, " + std::to_string(refused) + " refused";
}

// Of a transform, one instance gets all points. Of a sink, each point goes to two instances: to one
// as its first point, to the other after a usual point.
std::string test_odd_points(Subject& subject) {
  subject.library();
  World world(subject);
  if (subject.component().role == "transform") {
    const auto made = make_or_skip(subject, world);
    abi::Transform transform = abi::Transform::make(*made->instance);
    return try_all(subject,
                   [&](const MadePoint& point) { return !apply(transform, point, 1).refused; });
  }
  const MadePoint usual = point_for(subject, usual_options(subject));
  const auto writes = [&](const std::vector<MadePoint>& points) {
    const auto made = make_or_skip(subject, world);
    SinkWork work(subject, *made->instance);
    try {
      work.open();
      for (const MadePoint& point : points) work.put(point);
      work.close();
      return true;
    } catch (const base::Error&) {
      return false;
    }
  };
  return try_all(subject, [&](const MadePoint& point) {
    writes({usual, point});
    return writes({point});
  });
}

}  // namespace

std::vector<Test> odd_point_tests() {
  return {
      {"odd-points",
       "takes or refuses data points of every dtype and shape",
       Stage::component,
       &test_odd_points,
       true,
       {"transform", "sink"}},
  };
}

}  // namespace broch::check
