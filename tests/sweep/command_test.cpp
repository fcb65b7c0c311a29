// command_test.cpp: parameters that a program chooses.
#include <doctest/doctest.h>

#include <csignal>

#include "sweeping.hpp"

using namespace broch::sweep_test;

namespace {

// A sweep whose parameters command.py chooses; its log is in log().
class Commanded : public Sweeping {
 public:
  using Sweeping::Sweeping;

  void choose(const std::string& mistake = "", const Json& members = Json::object(),
              double timeout = 30) {
    Json all = {
        {"method",
         {{"command", {SWEEP_PYTHON, SWEEP_COMMAND, log_file(), mistake}}, {"timeout", timeout}}},
        {"parallel", 2}};
    for (const auto& [key, value] : members.items()) all[key] = value;
    write(all);
  }
  std::string log() const { return read_file(log_file()); }
  void forget() const { std::filesystem::remove(log_file()); }

 private:
  std::string log_file() const { return path() / "log"; }
};

}  // namespace

TEST_CASE("sweep: a program chooses the parameters, and hears of every value") {
  Commanded sweep;
  sweep.choose();
  const Json json = sweep.json();
  REQUIRE(json["trials"].size() == 3);
  CHECK(json["trials"][0]["id"] == "t3");
  CHECK(json["trials"][0]["value"] == 0.25);
  const std::string log = sweep.log();
  CHECK(holds_in_order(log, {R"({"start":1,"metric":"score","goal":"min","parameters":{"vars.x")",
                             R"("trials":0})", R"({"ask":1})", R"({"ask":2})"}));
  CHECK(holds_in_order(
      log, {R"({"report":"t3","epoch":1,"value":1.0})", R"({"report":"t3","epoch":4,"value":0.25})",
            R"({"tell":"t3","state":"finished","value":0.25})"}));
  CHECK(log.find(R"({"ask":4})") != log.npos);  // before or after t3 has ended
  CHECK(log.ends_with("end\n"));
  // Once it is done, another start tells it what is known, and trains nothing.
  sweep.forget();
  CHECK(sweep.json()["trials"] == json["trials"]);
  CHECK(holds_in_order(sweep.log(),
                       {R"("trials":3})", R"({"known":"t1","parameters":{"vars.x":1},)",
                        R"("state":"finished","value":4.25,"values":[[1,5.0],)", R"({"ask":4})"}));
}

TEST_CASE("sweep: a program ends trials early, waits, and is limited in number") {
  Commanded stops(0.05);
  stops.choose("stop");
  const Json stopped = trial_of(stops.json(), 1);
  CHECK(stopped["state"] == "pruned");
  const int epochs = stopped["epochs"].get<int>();
  CHECK(epochs < kEpochs);
  CHECK(stopped["value"] == 4 + 1.0 / epochs);
  CHECK(stops.steps("1") < kSteps * kEpochs);
  CHECK(holds(stops.log(), R"({"tell":"t1","state":"pruned","value":)"));

  Commanded at_once;
  at_once.choose("stop at once");
  CHECK(trial_of(at_once.json(), 1)["state"] == "pruned");
  CHECK(at_once.steps("1") == 0);

  Commanded waits;
  waits.choose("wait");
  CHECK(waits.json()["trials"].size() == 3);
  CHECK(holds_in_order(waits.log(), {R"({"ask":2})", R"({"tell":"t1")", R"({"ask":2})"}));

  Commanded late;
  late.choose("wait late");
  CHECK(late.json()["trials"].size() == 3);
  CHECK(holds_in_order(late.log(), {R"({"ask":2})", R"({"tell":"t1")", R"({"ask":2})"}));

  Commanded limited;
  limited.choose(
      "", {{"method",
            {{"command", {SWEEP_PYTHON, SWEEP_COMMAND, limited.path() / "log"}}, {"trials", 2}}}});
  CHECK(limited.json()["trials"].size() == 2);
  CHECK_FALSE(holds(limited.log(), R"({"ask":3})"));
}

TEST_CASE("sweep: when the program dies, the trials save their state, and nothing is lost") {
  Commanded sweep(0.03);
  sweep.choose("die", {{"parallel", 3}});
  const Outcome died = sweep.run();
  INFO(died.err);
  CHECK(died.exit_code == 5);
  CHECK(holds(died.err, "it ended with exit code 3, expected {\"done\": true}"));
  CHECK(sweep.record()["trials"][0]["state"] == "interrupted");
  sweep.choose("", {{"parallel", 3}});
  const Json json = sweep.json();
  CHECK(json["trials"].size() == 3);
  for (const char* x : {"1", "3", "5"}) CHECK(sweep.steps(x) == kSteps * kEpochs);
}

TEST_CASE("sweep: killed, it tells the program of the trials that it goes on with") {
  Commanded sweep(0.03);
  sweep.choose();
  Start start(sweep.command());
  REQUIRE(Start::wait_for(sweep.events("3"), "trigger_step 8"));
  start.signal(SIGKILL);
  CHECK(start.finish().exit_code == 128 + SIGKILL);
  sweep.forget();
  CHECK(sweep.json()["trials"].size() == 3);
  CHECK(holds_in_order(sweep.log(), {R"("trials":2})", R"({"known":"t3")", R"("state":"running")",
                                     R"({"tell":"t3","state":"finished","value":0.25})"}));
  for (const char* x : {"1", "3", "5"}) CHECK(sweep.steps(x) == kSteps * kEpochs);
}

TEST_CASE("sweep: what the program says is checked") {
  struct Mistake {
    std::string what, found;
    double timeout = 30;
  };
  const Mistake mistakes[] = {
      {"silent", "no answer after 5 seconds", 5},
      {"long", "line 1: more than 1048576 bytes"},
      {"say:hello", "line 2:1:1"},
      {"say:[]", "line 2: a list of 0, expected an object with trial"},
      {"wait always", "{\"wait\": true} while no trial runs"},
      {"say:{\"trial\": 1.5}", "a trial called 1.5"},
      {"say:{\"trial\": \"t1\", \"parameters\": {}}", "a second trial \"t1\""},
      {"say:{\"trial\": 2}", "a trial without parameters"},
      {"say:{\"trial\": 2, \"parameters\": {\"vars.y\": 1}}", "parameter 'vars.y'"},
      {"say:{\"trial\": 2, \"parameters\": {\"vars.x\": 2}}", "vars.x=2, expected one of 1, 3, 5"},
      {"say:{\"stop\": 9}", "{\"stop\": 9}, expected the id of a trial"},
      {"say:{\"done\": true}\n{\"done\": true}", "an answer, expected a question before it"},
  };
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.what);
    Commanded sweep(0.02);
    sweep.choose(mistake.what, Json::object(), mistake.timeout);
    const Outcome outcome = sweep.run();
    INFO(outcome.err);
    CHECK(outcome.exit_code == 5);
    CHECK(holds(outcome.err, mistake.found));
  }
  Commanded missing;
  missing.choose("", {{"method", {{"command", {"no-such-program"}}}}});
  const Outcome outcome = missing.run();
  CHECK(outcome.exit_code == 5);
  CHECK(holds(outcome.err, "'no-such-program': it could not be started"));
}
