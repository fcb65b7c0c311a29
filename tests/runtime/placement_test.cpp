// placement_test.cpp: which device a variable goes to.
#include "runtime/placement.hpp"

#include <doctest/doctest.h>

using broch::runtime::Device;
using broch::runtime::Placement;

namespace {

constexpr Device cpu(int32_t index) { return {BROCH_DL_CPU, index}; }
constexpr Device cuda(int32_t index) { return {BROCH_DL_CUDA, index}; }

}  // namespace

TEST_CASE(
    "placement: a variable goes to the device with the fewest elements, the first of equals") {
  Placement two({cuda(0), cuda(1)});
  std::vector<int32_t> found;
  for (const int64_t elements : {100, 10, 10, 80, 5})
    found.push_back(two.place(elements, cuda(0)).index);
  CHECK(found == std::vector<int32_t>{0, 1, 1, 1, 0});  // G5
  Placement three({cuda(2), cuda(0), cuda(1)});
  found.clear();
  for (const int64_t elements : {0, 3, 3, 3, 1, 1})
    found.push_back(three.place(elements, cuda(1)).index);
  CHECK(found == std::vector<int32_t>{2, 2, 0, 1, 2, 0});
}

TEST_CASE("placement: without devices to choose from it is the own one, and logical CPUs are one") {
  CHECK(Placement(std::vector<Device>()).place(7, cuda(3)) == cuda(3));
  Placement cpus({cpu(0), cpu(1)});
  CHECK(cpus.place(7, cpu(1)) == cpu(1));
  CHECK(cpus.place(1, cpu(1)) == cpu(1));
  CHECK(Placement({cpu(0)}).place(1, cuda(1)) == cpu(0));
}
