// metric_test.cpp: what check says of metrics that callbacks wait for, and what train does.
#include <doctest/doctest.h>

#include "cli/program.hpp"

using namespace broch::cli_test;

namespace {

// What check warns about when the min-saver of the digits waits for this metric.
Json warnings(const std::string& metric) {
  const Json json =
      json_of(digits({"check"}, {"callbacks[min-saver].with.monitor_stat=" + metric}));
  CHECK(json["ok"] == true);
  return json["warnings"];
}

}  // namespace

TEST_CASE("metrics: check knows what inferencers produce, whatever their options make of it") {
  CHECK(warnings("validation_error") == Json::array());
  CHECK(warnings("validation_cost") == Json::array());
  for (const std::string later : {"test_error", "test_cost"}) {
    const Json found = warnings(later);
    CAPTURE(found.dump());
    REQUIRE(found.size() == 1);
    CHECK(holds_in_order(found[0], {"/callbacks/3 (broch.callback.min-saver) consumes " + later +
                                        " before /callbacks/4",
                                    "produces it: put it after"}));
  }
}

TEST_CASE("metrics: check sees a misspelt name, and says nothing of what a model may show") {
  CHECK(warnings("cost") == Json::array());
  CHECK(warnings("train_error") == Json::array());
  CHECK(warnings("something_else") == Json::array());
  const Json found = warnings("validaton_error");
  REQUIRE(found.size() == 1);
  CHECK(found[0] ==
        "/callbacks/3 (broch.callback.min-saver) waits for the metric 'validaton_error', which no "
        "component sets according to its metadata, did you mean 'validation_error'?");
}

TEST_CASE("metrics: check sees a name that the training would refuse") {
  const Json json = json_of(
      digits({"check"},
             {R"(callbacks[2].with.inferencers[classification-error].with.summary_name="a\nb")"}));
  CHECK(holds(json["warnings"][0],
              "/callbacks/2 (broch.callback.inference-runner): the training "
              "fails when the metric 'a\\nb' is set: expected some UTF-8 "
              "text without control characters"));
}

TEST_CASE("metrics: a training that waits for one that nothing puts ends after an epoch: 3") {
  const Folder folder;
  const Outcome outcome =
      run(digits({"train"}, {"callbacks[min-saver].with.monitor_stat=something_else",
                             "log_dir=" + (folder.path() / "log").string()}));
  CHECK(outcome.exit_code == 3);
  CHECK(holds_in_order(
      outcome.err,
      {"/callbacks/3 (callback 'min-saver'",
       "waits for the metric 'something_else', which nothing is known to set", "validation_error",
       "Start Epoch 1", "Epoch 1 (global_step 40) finished", "/callbacks/3 (callback 'min-saver'",
       "it waits for the metric 'something_else', which nothing sets",
       "validation_cost, validation_error"}));
  CHECK_FALSE(holds(outcome.err, "Start Epoch 2"));
}

TEST_CASE("metrics: costs, hyper-parameters and summaries are known before the first step") {
  for (const std::string metric : {"cost", "learning_rate", "train_error"}) {
    CAPTURE(metric);
    const Folder folder;
    const Outcome outcome =
        run(digits({"train"}, {"callbacks[min-saver].with.monitor_stat=" + metric, "max_epoch=1",
                               "log_dir=" + (folder.path() / "log").string()}));
    CHECK_MESSAGE(outcome.exit_code == 0, outcome.err);
    CHECK_FALSE_MESSAGE(holds(outcome.err, "nothing is known to set"), outcome.err);
  }
}
