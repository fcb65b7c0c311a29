// model_graph_test.cpp: broch.model_graph/1: the model as JSON, and what has no graph.
#include <doctest/doctest.h>

#include "cli_harness/cli_harness.hpp"

namespace {

using broch::cli_harness::Folder;
using broch::cli_harness::Json;
using broch::cli_harness::Training;

struct Drawn {
  int exit_code = 0;
  std::string graph, talk;
};

Drawn drawn(const char* model, Json options, Json row) {
  const Folder folder;
  const std::string trace = folder.path() / "graph";
  options["trace"] = trace;
  const Json manifest{
      {"broch", 1},
      {"plugins", {DRAWN, MODELS}},
      {"model", {{"use", model}}},
      {"dataflow",
       {{"use", "batch"},
        {"with",
         {{"batch_size", 2},
          {"dataflow", {{"use", "arrays"}, {"with", {{"components", std::move(row)}}}}}}}}},
      {"callbacks", {{{"use", "test.drawer"}, {"with", options}}}},
      {"steps_per_epoch", 1},
      {"max_epoch", 1}};
  broch::test::write_file(folder.path() / "rows.csv", "1,2,3\n4,5,6\n");
  const Training training(folder, "run", manifest);
  const int exit_code = training.run();
  return {exit_code, broch::test::read_file(trace), training.talk()};
}

Drawn small(const Json& options = Json::object()) {
  return drawn(
      "test.small", options,
      {{{"file", "rows.csv"}, {"columns", {0, 2}}, {"name", "x"}},
       {{"file", "rows.csv"}, {"columns", {2, 1}}, {"shape", Json::array()}, {"name", "y"}}});
}

// Operators with the shapes of their first results.
std::vector<std::string> steps_of(const Json& graph) {
  std::vector<std::string> steps;
  for (const Json& node : graph["nodes"])
    steps.push_back(node["operator"].get<std::string>() + " " +
                    graph["values"][node["results"][0].get<size_t>()]["shape"].dump());
  return steps;
}

}  // namespace

TEST_CASE("model graph: values, nodes and arguments by name, for batches of any size") {
  const Drawn found = small();
  INFO(found.talk);
  REQUIRE(found.exit_code == 0);
  const Json graph = Json::parse(found.graph);
  CAPTURE(graph.dump(1));
  CHECK(graph["values"][0] == Json{{"name", "x"}, {"dtype", "float32"}, {"shape", {"B", 2}}});
  CHECK(graph["inputs"] == Json{0});
  CHECK(graph["weights"] == Json{1, 2});
  CHECK(graph["values"][1]["name"] == "fc/W");
  CHECK(graph["values"][1]["shape"] == Json{3, 2});
  CHECK(graph["values"][2]["name"] == "fc/b");
  CHECK(steps_of(graph) == std::vector<std::string>{R"(aten::linear ["B",3])",
                                                    R"(aten::relu ["B",3])",
                                                    R"(aten::sum.dim_IntList ["B"])"});
  CHECK(graph["nodes"][0]["inputs"] == Json{0, 1, 2});
  CHECK(graph["nodes"][1]["inputs"] == graph["nodes"][0]["results"]);
  CHECK(graph["nodes"][2]["arguments"] ==
        Json{{"dim", {1}}, {"keepdim", false}, {"dtype", nullptr}});
  CHECK(graph["outputs"] == Json{{{"name", "output"}, {"value", graph["nodes"][2]["results"][0]}}});
}

TEST_CASE("model graph: other outputs need other inputs") {
  const Drawn found = small({{"outputs", {"cost"}}});
  INFO(found.talk);
  REQUIRE(found.exit_code == 0);
  const Json graph = Json::parse(found.graph);
  CHECK(graph["inputs"] == Json{0, 1});
  CHECK(graph["values"][1]["name"] == "y");
  CHECK(steps_of(graph).back() == "aten::mse_loss []");
}

TEST_CASE("model graph: what has none, and when it cannot be asked for") {
  const Drawn reading =
      drawn("test.reading", Json::object(),
            {{{"file", "rows.csv"}, {"columns", {0, 1}}, {"shape", Json::array()}}});
  INFO(reading.talk);
  CHECK(reading.exit_code == 1);
  CHECK(reading.graph.empty());
  CHECK(reading.talk.find("read") != std::string::npos);
  const Drawn unknown = small({{"outputs", {"outptu"}}});
  CHECK(unknown.exit_code == 1);
  CHECK(unknown.talk.find("no output 'outptu', expected one of") != std::string::npos);
  const Drawn late = small({{"late", true}});
  CHECK(late.exit_code == 1);
  CHECK(late.talk.find("called inside a hooked run") != std::string::npos);
}
