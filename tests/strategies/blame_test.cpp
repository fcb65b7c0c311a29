// blame_test.cpp: an error inside a step names the step and the points of the data that it had.
#include <doctest/doctest.h>

#include "cli_harness/cli_harness.hpp"

using namespace broch::cli_harness;

namespace {

// Row `bad` has a label that the model does not know.
std::string rows(int count, int bad) {
  std::string text;
  for (int row = 0; row < count; ++row) {
    for (int column = 0; column < 64; ++column)
      text += std::to_string((row * 7 + column * 3) % 10 - 5) + ",";
    text += std::to_string(row == bad ? 17 : row % 10) + "\n";
  }
  return text;
}

Json arrays(const std::string& file) {
  return {{"use", "arrays"},
          {"with",
           {{"components",
             {{{"file", file}, {"columns", {0, 64}}, {"name", "x"}},
              {{"file", file},
               {"columns", {64, 1}},
               {"shape", Json::array()},
               {"dtype", "int64"},
               {"name", "label"}}}}}}};
}

Json batches(const Json& dataflow) {
  return {{"use", "batch"}, {"with", {{"batch_size", 4}, {"dataflow", dataflow}}}};
}

Json manifest(const Json& dataflow, int towers) {
  Json devices = Json::array();
  for (int i = 0; i < towers; ++i) devices.push_back("cpu:" + std::to_string(i));
  return {{"broch", 1},
          {"plugins", {NETWORKS}},
          {"model", {{"use", "recorded.mlp"}}},
          {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", 0.1}}}}},
          {"dataflow", dataflow},
          {"trainer", {{"use", "sync-parameter-server"}, {"with", {{"devices", devices}}}}},
          {"max_epoch", 2}};
}

std::string said_of(const Json& manifest) {
  const Folder folder;
  const Training training(folder, "run", manifest);
  CHECK(training.run() == 1);
  return training.talk();
}

void check_has(const std::string& talk, const std::string& part) {
  INFO(talk);
  CHECK_MESSAGE(talk.find(part) != std::string::npos, part);
}

}  // namespace

TEST_CASE("an error in a step names the rows of its batch, eager, recorded and replayed") {
  for (const char* execution : {"eager", "auto"})
    for (const int bad : {2, 46}) {
      CAPTURE(execution);
      CAPTURE(bad);
      const Folder folder;
      Json failing = manifest(batches(arrays(folder.write("rows.csv", rows(80, bad)))), 1);
      failing["runtime"] = {{"execution", execution}};
      const std::string talk = said_of(failing);
      check_has(talk, "arget 17");
      check_has(talk, bad == 2 ? "in step 1 of 20 of epoch 1" : "in step 12 of 20 of epoch 1");
      check_has(talk, "tower 0 had points " +
                          std::string(bad == 2 ? "0, 1, 2, 3" : "44, 45, 46, 47") +
                          " of dataflow 'queue/dataflow/dataflow' (broch.dataflow.arrays)");
    }
}

TEST_CASE("an error in a step names what each tower had") {
  const Folder folder;
  const std::string talk =
      said_of(manifest(batches(arrays(folder.write("rows.csv", rows(80, 46)))), 2));
  check_has(talk, "tower 0 had points 40, 41, 42, 43 of");
  check_has(talk, "tower 1 had points 44, 45, 46, 47 of");
}

TEST_CASE("an error in a step names rows of the files, however they are shuffled and divided") {
  const Folder folder;
  const Json files = arrays(folder.write("rows.csv", rows(80, 46)));
  const Json shuffled = {{"use", "shuffle"}, {"with", {{"dataflow", files}}}};
  const Json half = {{"use", "shard"}, {"with", {{"dataflow", files}, {"rank", 0}, {"world", 2}}}};
  const Json again = {{"use", "repeat"}, {"with", {{"dataflow", files}}}};
  check_has(said_of(manifest(batches(half), 1)), "had points 40, 42, 44, 46 of");
  Json endless = manifest(batches(again), 1);
  endless["steps_per_epoch"] = 20;
  check_has(said_of(endless), "had points 44, 45, 46, 47 of");
  const std::string talk = said_of(manifest(batches(shuffled), 1));
  const size_t begin = talk.find("had points "), end = talk.find(" of dataflow", begin);
  INFO(talk);
  REQUIRE(end != std::string::npos);
  const std::string named = ", " + talk.substr(begin + 11, end - begin - 11) + ",";
  CHECK(count(named, ", ") == 4);
  CHECK(named.find(", 46,") != std::string::npos);
}
