// dump_test.cpp: broch program dump: what a tower's calls became.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "cli/program.hpp"

using namespace broch::cli_test;

namespace {

Words dump(const Words& words = {}) { return digits({"program", "dump"}, words); }

const Json& timed() {
  static const Json json = json_of(dump({"--time"}));
  return json;
}

std::vector<std::string> calls_of(const Json& json) {
  std::vector<std::string> calls;
  for (const Json& call : json["executed"]) calls.push_back(call["call"]);
  return calls;
}

// Lines of the recording that are operators, not outputs.
int64_t operators_in(const Json& recording) {
  return std::count_if(recording.begin(), recording.end(),
                       [](const Json& line) { return holds(line.get<std::string>(), "aten::"); });
}

bool has_pass(const Json& json, const std::string& name) {
  return std::any_of(json["passes"].begin(), json["passes"].end(), [&](const Json& pass) {
    return pass.get<std::string>().starts_with(name + " ");
  });
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("dump: the recording has a line for each operator of the network, forward and back") {
  CHECK(timed()["execution"].get<std::string>().starts_with("recorded, verified after "));
  CHECK(timed()["verified"] == true);
  const Json& recording = timed()["recording"];
  CHECK(operators_in(recording) == timed()["operators"]);
  std::string all;
  for (const Json& line : recording) all += line.get<std::string>() + "\n";
  CHECK(count(all, " = aten::convolution(") == 3);
  CHECK(count(all, " = aten::convolution_backward(") == 3);
  CHECK(holds(all, "input0 Float(32 1 8 8)"));
  CHECK(holds(all, "'block3/conv/W' Float(64 4 3 3)") == false);  // width 4: 8 channels
  CHECK(holds(all, "'block3/conv/W' Float(8 4 3 3)"));
  CHECK(holds_in_order(all, {"output ", " 'cost': ", " gradient of 'block3/conv/W': "}));
}

TEST_CASE("dump: fewer calls are executed than were recorded, in less memory") {
  CHECK(timed()["executed"].size() < timed()["operators"].get<size_t>());
  CHECK(has_pass(timed(), "prune"));
  CHECK(timed()["planned_bytes"].get<int64_t>() < timed()["unplanned_bytes"].get<int64_t>());
}

TEST_CASE("dump: --time gives each call a time, and shares that add up") {
  double share = 0;
  for (const Json& call : timed()["executed"]) {
    CHECK(call["microseconds"].get<double>() > 0);
    CHECK(call["microseconds"].get<double>() < 1e6);
    share += call["share"].get<double>();
  }
  CHECK(share == doctest::Approx(1));
}

TEST_CASE("dump: the text says what the JSON says and writes no folder") {
  const Folder folder;
  const std::string log_dir = folder.path() / "log";
  const Outcome outcome = run(dump({"log_dir=" + log_dir, "--time"}));
  CHECK(outcome.exit_code == 0);
  CHECK(holds_in_order(
      outcome.out, {"tower (only): recorded, verified after ", "\nrecording: ", " operators in ",
                    " = aten::convolution(", "\nexecuted: ", " calls, ", " us; passes: ", "prune ",
                    "memory: ", " bytes for ", "\nus ", "share ", "call\n", " % ", "\noutput "}));
  CHECK_FALSE(std::filesystem::exists(log_dir));
}

TEST_CASE("dump: --dot is one picture with a box for each operator") {
  const Outcome outcome = run(dump({"--dot"}));
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.starts_with("digraph program {\n"));
  CHECK(outcome.out.ends_with("}\n"));
  CHECK(count(outcome.out, "[label=\"aten::") == timed()["operators"].get<size_t>());
  CHECK(holds(outcome.out, "label=\"input0\""));
  CHECK_FALSE(holds(outcome.out, "recording:"));
}

TEST_CASE("dump: --trace is a file of complete events, one a call, one after the other") {
  const Folder folder;
  const std::string file = folder.path() / "trace.json";
  const Json dumped = json_of(dump({"--trace", file}));
  const Json events = Json::parse(read_file(file))["traceEvents"];
  const std::vector<std::string> calls = calls_of(dumped);
  REQUIRE(events.size() == calls.size());
  double end = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    CHECK(events[i]["ph"] == "X");
    CHECK(events[i]["args"]["call"] == calls[i]);
    CHECK(holds(calls[i], events[i]["name"].get<std::string>() + "("));
    CHECK(events[i]["ts"].get<double>() == doctest::Approx(end));
    CHECK(events[i]["dur"].get<double>() > 0);
    end = events[i]["ts"].get<double>() + events[i]["dur"].get<double>();
  }
}

TEST_CASE("dump: a tower that stays eager says why") {
  const Outcome outcome = run(dump({"runtime.execution=eager"}));
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "tower (only): eager: runtime.execution\n");
}

TEST_CASE("dump: of a tower that stays eager there is no picture and no trace") {
  const Folder folder;
  const std::string file = folder.path() / "trace.json";
  for (const Words& words : {Words{"--dot"}, Words{"--trace", file}}) {
    Words all = words;
    all.push_back("runtime.execution=eager");
    const Outcome outcome = run(dump(all));
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out == "");
    CHECK(holds_in_order(outcome.err, {words[0], "eager: runtime.execution"}));
  }
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("dump: a trace that cannot be written is an error before the first step") {
  const Folder folder;
  const std::string file = folder.path() / "missing/trace.json";
  const Outcome outcome = run(dump({"--trace", file, "runtime.execution=eager"}));
  CHECK(outcome.exit_code == 5);
  CHECK(holds(outcome.err, file));
  CHECK_FALSE(holds(outcome.err, "eager"));
}

TEST_CASE("dump: a picture and JSON at once are refused") {
  CHECK(run(dump({"--dot", "--json"})).exit_code == 2);
}

TEST_CASE("dump: gradient processors follow the tower") {
  const std::string clip =
      R"(gradient_processors=[{"use":"global-norm-clip","with":{"global_norm":5}}])";
  const Json update = json_of(dump({clip}))["updates"][0];
  CHECK(update["verified"] == true);
  CHECK(holds(update["recording"].dump(), "aten::linalg_vector_norm("));
  CHECK(calls_of(update).back().find("scale(") != std::string::npos);
  const Outcome outcome = run(dump({clip}));
  CHECK(holds_in_order(outcome.out, {"tower (only): recorded", "output ", "operation '",
                                     "(global-norm-clip)", ": recorded, verified", "scale("}));
}

TEST_CASE("dump: a tower is chosen by its index, and an unknown one names those there are") {
  CHECK(json_of(dump({"--tower", "0"}))["operators"] == timed()["operators"]);
  const Outcome outcome = run(dump({"--tower", "tower7"}));
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out == "");
  CHECK(holds_in_order(outcome.err, {"broch program dump", "'tower7'", "a training tower: 0"}));
}

TEST_CASE("dump: passes that the manifest leaves out are not done") {
  const Json without = json_of(dump({"runtime.disabled_passes=[\"prune\", \"views\", \"fold\"]"}));
  CHECK_FALSE(has_pass(without, "prune"));
  CHECK_FALSE(has_pass(without, "views"));
  CHECK(without["operators"] == timed()["operators"]);
  CHECK(without["executed"].size() > timed()["executed"].size());
  CHECK(without["verified"] == true);
}

TEST_CASE("dump: an unknown pass in the manifest is an error that names the passes there are") {
  const Outcome outcome = run(dump({"runtime.disabled_passes=[\"prnue\"]"}));
  CHECK(outcome.exit_code == 3);
  CHECK(holds_in_order(outcome.err, {"/runtime/disabled_passes", "'prnue'", "views", "prune",
                                     "fold", "did you mean 'prune'?"}));
}
