// threads_test.cpp: a system that refuses another thread, as under ulimit -u or in a container:
// commands end, and say what is limited.
#include <doctest/doctest.h>

#include <string_view>

#include "cli/program.hpp"

using namespace broch::cli_test;
namespace fs = std::filesystem;

namespace {

constexpr bool kSanitized = std::string_view(FEW_THREADS).empty();
constexpr int kOutOfSomething = 7;

Outcome with_threads(int most, const Words& arguments) {
  Surroundings surroundings;
  surroundings.environment = {{"LD_PRELOAD", FEW_THREADS}, {"FEW_THREADS", std::to_string(most)}};
  return run(arguments, surroundings);
}

void check_out_of_threads(int most, const Words& arguments, const std::string& place) {
  CAPTURE(most);
  const Outcome outcome = with_threads(most, arguments);
  INFO(outcome.err);
  CHECK(outcome.exit_code == kOutOfSomething);
  CHECK(holds_in_order(outcome.err, {place, "refuses", "ulimit -u"}));
}

const std::string kFlow =
    R"({"use": "fake", "with": {"size": 9, "components": [{"shape": [4, 4, 3]}]}})";

}  // namespace

TEST_CASE("threads: too few for a server end it" * doctest::skip(kSanitized)) {
  const Folder folder;
  const Outcome ui = with_threads(1, {"ui", folder.path().string(), "--port", "0"});
  INFO(ui.err);
  CHECK(ui.exit_code == 5);
  CHECK(holds_in_order(ui.err, {"the threads of the server", "ulimit -u"}));
  const std::string bundle = folder.path() / "digits.bundle";
  REQUIRE(run({"export", trained_digits().string(), "-o", bundle}).exit_code == 0);
  check_out_of_threads(1, {"serve", bundle, "--port", "0", "--threads", "2"},
                       "threads of this process");
}

TEST_CASE("threads: too few to read data leave no file" * doctest::skip(kSanitized)) {
  const Folder folder;
  const fs::path file = folder.path() / "rows.npz";
  for (const int most : {0, 2})
    check_out_of_threads(most, {"data", "convert", kFlow, "--to", file.string(), "--threads", "4"},
                         "threads of this process");
  CHECK(fs::is_empty(folder.path()));
  const std::string map = R"({"use": "map", "with": {"threads": 3, "dataflow": )" + kFlow +
                          R"(, "transforms": [{"use": "flip", "with": {"horiz": true}}]}})";
  check_out_of_threads(1, {"data", "show", map}, "(broch.dataflow.map)");
}

TEST_CASE("threads: LibTorch does not wait for those of a step" * doctest::skip(kSanitized)) {
  const Folder folder;
  const std::string log_dir = "log_dir=" + (folder.path() / "log").string();
  check_out_of_threads(2, digits({"train"}, {"runtime.threads=4", log_dir}), "runtime.threads");
}
