// stage_costs.cpp: reads each dataflow of a nest on its own, the innermost first.
#include "data/stage_costs.hpp"

#include <chrono>
#include <map>

#include "base/error.hpp"

namespace broch::data {
namespace {

using manifest::Component;
using Clock = std::chrono::steady_clock;

constexpr int kWarm = 2;  // points before the measured ones

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Reads for some seconds, round after round.
class StageTimer {
 public:
  StageTimer(Flow& flow, double seconds) : flow_(flow), seconds_(seconds) {}

  // Adds the stages inside the component, then itself. Returns the cost of one point.
  double add(const Component& component, int depth, std::vector<StageCost>& stages) {
    std::vector<const Component*> inner;
    gather_inner(component, inner);
    std::map<std::string, double> cost_of;  // by the place in the options of the component
    for (const Component* one : inner) cost_of[one->slot] = add(*one, depth + 1, stages);
    FlowReader reader(flow_, component);
    for (int i = 0; i < kWarm; ++i) read(reader);
    std::map<std::string, uint64_t> before;
    for (const abi::Instance::Child& child : reader.instance().children())
      before[child.pointer] = points_of(child);
    const Clock::time_point start = Clock::now();
    int64_t points = 0;
    double passed = 0;
    do {
      read(reader);
      ++points;
      passed = seconds_since(start);
    } while (passed < seconds_);
    StageCost stage{component.use, depth, points, passed * 1e6 / double(points), 0, 0};
    stage.per_second = double(points) / passed;
    stage.own = stage.per_point;
    for (const abi::Instance::Child& child : reader.instance().children())
      if (const auto cost = cost_of.find(child.pointer); cost != cost_of.end())
        stage.own -=
            cost->second * double(points_of(child) - before[child.pointer]) / double(points);
    stages.push_back(stage);
    return stage.per_point;
  }

 private:
  static void gather_inner(const Component& component, std::vector<const Component*>& inner) {
    for (const Component& child : component.children)
      if (child.role == "dataflow" && !child.is_reference()) inner.push_back(&child);
  }
  static uint64_t points_of(const abi::Instance::Child& child) {
    const abi::Instance* const instance = child.get();
    return instance ? instance->points() : 0;
  }

  void read(FlowReader& reader) {
    if (reader.next(point_)) return;
    reader.rewind();
    if (!reader.next(point_))
      base::fail(base::Exit::data, reader.instance().label(), "a round without points",
                 "at least one point", "broch data show shows what it yields");
  }

  Flow& flow_;
  double seconds_;
  runtime::Point point_;
};

}  // namespace

std::vector<StageCost> measure_stages(Flow& flow, double seconds) {
  std::vector<StageCost> stages;
  StageTimer(flow, seconds).add(flow.component(), 0, stages);
  return stages;
}

}  // namespace broch::data
