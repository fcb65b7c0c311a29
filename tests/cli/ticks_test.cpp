// ticks_test.cpp: the texts beside the axes of pictures.
#include "ticks.hpp"

#include <doctest/doctest.h>

#include <set>
#include <utility>

using broch::plot::Axis;
using broch::plot::round_axis;

namespace {

std::vector<std::string> labels_of(const Axis& axis) {
  std::vector<std::string> labels;
  for (const double tick : axis.ticks()) labels.push_back(axis.label(tick));
  return labels;
}

}  // namespace

TEST_CASE("plot: ticks have different labels, however near they are") {
  const std::pair<double, double> ranges[] = {{0, 1},
                                              {2.30258, 2.302592},
                                              {0, 3e-6},
                                              {1e6, 7e6},
                                              {1234500, 1234600},
                                              {-0.4100002, -0.4100001},
                                              {3e-7, 3.000001e-7},
                                              {-2e9, -2e9 + 7}};
  for (const auto& [low, high] : ranges) {
    CAPTURE(low);
    const std::vector<std::string> labels = labels_of(round_axis(low, high, 6));
    CHECK(labels.size() > 2);
    CHECK(std::set<std::string>(labels.begin(), labels.end()).size() == labels.size());
  }
  CHECK(labels_of(round_axis(0, 1, 6)) ==
        std::vector<std::string>{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(labels_of(round_axis(2.30258, 2.302592, 6)).at(1) == "2.302582");
  CHECK(labels_of(round_axis(1e6, 7e6, 6)).front() == "1e+06");
}
