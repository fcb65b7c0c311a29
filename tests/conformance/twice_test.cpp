// twice_test.cpp: a tower function that is called several times a step. The host compares what each
// call registers with the first one, so a run that ends well has seen equal calls.
#include <doctest/doctest.h>

#include "conformance/driver.hpp"

using namespace broch::conformance;

TEST_CASE("tower: three calls a step, one of them for inference, register the same each time") {
  for (const char* tower : {"state", "read_after_update", "fed_slice", "captured_constant",
                            "dropout_rate", "host_read", "ragged_batch", "two_costs",
                            "unused_variable", "double_backward", "gradient_penalty", "saliency"}) {
    CAPTURE(tower);
    broch::cli_harness::Json twice = manifest(tower, {"cost"});
    twice["trainer"] = {{"use", "conformance.twice"}};
    twice["steps_per_epoch"] = 4;
    const Result result(twice);
    CHECK(result.steps("cost") == 4);
    CHECK(result.training().checkpoint(4) != result.training().checkpoint(0));
  }
}
