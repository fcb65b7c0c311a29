// deadline_test.cpp: calls that do not come back.
#include "abi/deadline.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "in_child.hpp"

using namespace broch;
using broch::test::Death;
using broch::test::in_child;

namespace {

abi::InstanceSpec slow() {
  abi::InstanceSpec spec;
  spec.name = "slow";
  spec.component_id = "org.example.slow";
  spec.file = "/plugins/slow.so";
  return spec;
}

}  // namespace

TEST_CASE("deadline: a call that hangs ends the program with exit code 4 and its names") {
  const Death death = in_child([] {
    const abi::Deadline late(slow(), "destroy", 3600);
    const abi::Deadline deadline(slow(), "create", 0.05);
    std::this_thread::sleep_for(std::chrono::seconds(20));
  });
  CHECK(death.exit == 4);
  CHECK(death.text ==
        "broch: 'slow' (org.example.slow): create did not end within 0.05 second, file "
        "/plugins/slow.so\n");
}

TEST_CASE("deadline: a call that comes back in time leaves no trace") {
  const Death death = in_child([] {
    for (int i = 0; i < 3; ++i) abi::Deadline(slow(), "create", 0.05);
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
  });
  CHECK(death.exit == 0);
  CHECK(death.text == "");
}
