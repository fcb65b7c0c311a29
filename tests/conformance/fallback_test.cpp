// fallback_test.cpp: towers that cannot be replayed: they stay eager, or are refused, and are never
// computed wrongly.
#include <doctest/doctest.h>

#include <sstream>

#include "conformance/driver.hpp"
#include "recorded/modes.hpp"

using namespace broch::conformance;
using namespace broch::recorded;

TEST_CASE("modes: a tower whose shapes depend on the data stays eager") {
  check_modes(long_manifest("nms", {"kept", "cost"}), eager("aten::nonzero"));
  check_modes(long_manifest("masked_select", {"chosen", "cost"}), eager("aten::masked_select"));
  check_modes(long_manifest("unique", {"distinct", "cost"}), eager("aten::_unique2"));
  check_modes(long_manifest("boolean_index", {"chosen", "cost"}), eager("aten::index"));
}

TEST_CASE("modes: a tower that reads a value on the host stays eager") {
  check_modes(long_manifest("host_read", {"x", "cost"}), eager("item"));
  check_modes(long_manifest("print", {"cost"}), eager("view"));
}

TEST_CASE("modes: why towers stay eager is a warning, once, unless eager steps were asked for") {
  auto manifest = long_manifest("host_read", {"cost"});
  manifest["trainer"] = {{"use", "sync-parameter-server"},
                         {"with", {{"devices", {"cpu:0", "cpu:1"}}}}};
  const auto found = outcomes(manifest, {"auto", "eager"});
  const std::string& log = found.at("auto").log;
  INFO(log);
  REQUIRE(found.at("auto").exit_code == 0);
  std::vector<std::string> told;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    if (broch::cli_harness::count(line, "stays eager: it reads a value")) told.push_back(line);
  REQUIRE(told.size() == 2);
  CHECK(broch::cli_harness::count(told[0], "warning") == 1);
  CHECK(broch::cli_harness::count(told[1], "warning") == 0);
  CHECK(broch::cli_harness::count(log, "hint: compute with operators on inputs") == 1);
  CHECK(broch::cli_harness::count(found.at("eager").log, "stays eager") == 0);
}

TEST_CASE("modes: what a tower prints is printed in every step of a run that records") {
  const auto found = outcomes(long_manifest("print", {"cost"}), {"auto"});
  CHECK(broch::cli_harness::count(found.at("auto").log, "the tower prints") >= kLongSteps);
}

TEST_CASE("modes: a tower that cannot be replayed is an error where recording is asked for") {
  const auto found = outcomes(long_manifest("nms", {"cost"}), {"recorded"});
  CHECK(found.at("recorded").exit_code == 1);
  CHECK(broch::cli_harness::count(found.at("recorded").talk, "aten::nonzero") > 0);
}

TEST_CASE("modes: a tower with values that change behind the host's back stays eager") {
  for (const std::string tower : {"changing_constant", "changing_number", "changing_operator"}) {
    CAPTURE(tower);
    check_modes(long_manifest(tower, {"W", "cost"}), eager(""));
  }
}

TEST_CASE("modes: an audit ends a run whose tower has changed since it was recorded") {
  const auto found = outcomes(long_manifest("late_change", {"W", "cost"}), {"eager", "audit"});
  CHECK(found.at("eager").exit_code == 0);
  INFO(found.at("audit").talk);
  CHECK(found.at("audit").exit_code == 1);
  CHECK(broch::cli_harness::count(found.at("audit").talk, "aten::mul") > 0);
}

TEST_CASE("modes: a write past update and a tensor from nowhere are errors in every mode") {
  check_modes(long_manifest("inplace_variable", {"cost"}), error("a write to variable 'W'"));
  check_modes(long_manifest("inplace_input", {"cost"}), error("a write to input 'x'"));
  check_modes(long_manifest("captured_tensor", {"cost"}), error("constant"));
}
