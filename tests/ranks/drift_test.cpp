// drift_test.cpp: ranks stay alike, whatever a component of rank 0 alone sets, or all of them end.
#include "trainings.hpp"

using namespace broch::ranks_test;

namespace {

Json with_setter(const char* what, const char* when, const char* run_on) {
  Json two = manifest("allreduce", sharded(batches(points())));
  two["max_epoch"] = 2;
  two["plugins"].push_back(SETTER);
  const Json setter = {
      {"use", "test.setter"}, {"run_on", run_on}, {"with", {{"what", what}, {"when", when}}}};
  two["callbacks"].insert(two["callbacks"].begin(), setter);
  return two;
}

Saved saved_by(const Json& manifest, const std::vector<std::string>& started = ranks(2)) {
  const Outcome outcome = outcomes(manifest, {"auto"}, started).at("auto");
  INFO(outcome.talk);
  REQUIRE(outcome.exit_code == 0);
  REQUIRE(outcome.saved.contains("fc1/W"));
  return outcome.saved;
}

// Whether a callback of rank 0 alone leaves what one leaves that runs on both.
void check_as_on_both(const char* what, const char* when,
                      const std::function<void(Json&)>& change = {},
                      const std::vector<std::string>& started = ranks(2)) {
  INFO(what, " in ", when);
  Json alone = with_setter(what, when, "chief"), both = with_setter(what, when, "all");
  if (change) change(alone), change(both);
  CHECK(saved_by(alone, started) == saved_by(both, started));
}

struct Ended {
  int exit_code;
  std::string talk;
};

Ended end_of(const char* what, const char* when, const char* run_on) {
  const Folder folder;
  const Training training(folder, "run", with_setter(what, when, run_on));
  const int code = training.run(ranks(2));
  return {code, training.talk()};
}

void check_says(const Ended& ended, int code, const std::vector<std::string>& parts) {
  INFO(ended.talk);
  CHECK(ended.exit_code == code);
  for (const std::string& part : parts)
    CHECK_MESSAGE(ended.talk.find(part) != std::string::npos, part);
}

// Has statistics of batch norm, and dropout.
void use_convnet(Json& manifest) {
  manifest["model"]["use"] = "recorded.convnet";
  Json& data = manifest["dataflow"]["with"]["dataflow"]["with"]["dataflow"];
  data["with"]["components"][0]["shape"] = {1, 12, 12};
}

}  // namespace

TEST_CASE("ranks: a hyper-parameter that rank 0 alone sets changes on all at the same step") {
  for (const char* when : {"before_train", "before_epoch", "before_run", "after_run",
                           "trigger_step", "after_epoch", "trigger_epoch"})
    check_as_on_both("rate", when);
}

TEST_CASE("ranks: an option that rank 0 alone sets changes on all at the same step") {
  // It comes before the setter, so on both ranks it sees a change in its next event.
  const Json follower = {{"name", "follower"},
                         {"use", "test.setter"},
                         {"run_on", "all"},
                         {"with", {{"what", "follow"}, {"when", "trigger_step"}}}};
  const auto follow = [&](Json& manifest) {
    manifest["callbacks"].insert(manifest["callbacks"].begin(), follower);
  };
  for (const char* when : {"before_train", "before_epoch", "trigger_step", "trigger_epoch"})
    check_as_on_both("option", when, follow);
}

TEST_CASE("ranks: variables that rank 0 alone writes change on all at the same step" *
          doctest::test_suite("long")) {
  for (const char* when : {"before_train", "before_epoch", "trigger_step", "trigger_epoch"})
    check_as_on_both("weights", when);
  for (const char* when : {"trigger_step", "trigger_epoch"}) check_as_on_both("operation", when);
}

TEST_CASE("ranks: a variable that rank 0 alone makes is its own, and is saved") {
  const Folder folder;
  const Training training(folder, "run", with_setter("make", "never", "chief"));
  const int ended = training.run(ranks(2));
  INFO(training.talk());
  REQUIRE(ended == 0);
  CHECK(training.checkpoint(2 * kSteps).at("own") == std::vector<double>{7});
  std::vector<std::string> words = ranks(2);
  words.insert(words.end(), {"--resume", "max_epoch=3"});
  CHECK(training.run(words) == 0);
}

TEST_CASE("ranks: at parameter servers, what rank 0 alone sets changes on all workers" *
          doctest::test_suite("long")) {
  const auto served = [](Json& manifest) { manifest["trainer"] = "distributed-replicated"; };
  for (const char* what : {"rate", "weights"})
    check_as_on_both(what, "trigger_epoch", served, with_servers(3, 1));
  check_as_on_both("rate", "trigger_step", served, with_servers(3, 1));
}

TEST_CASE("ranks: hyper-parameters that are restored on rank 0 are those of all") {
  const Folder folder;
  Json first = manifest(towers(1), batches(points()));
  first["optimizer"]["with"]["learning_rate"] = 0.03;
  const Training before(folder, "before", first);
  REQUIRE(before.run() == 0);
  const auto go_on = [&](Json next) {
    next["session_init"] = {{{"use", "restore"}, {"with", {{"path", before.log_dir().string()}}}}};
    return next;
  };
  const Saved expected =
      saved_by(go_on(manifest(towers(2), batches(points()))), std::vector<std::string>{});
  const Saved found = saved_by(go_on(manifest("allreduce", sharded(batches(points())))));
  REQUIRE(expected.contains("learning_rate"));
  for (const auto& [name, bytes] : expected)
    if (name.starts_with("fc") || name == "learning_rate")
      CHECK_MESSAGE(found.at(name) == bytes, name);
}

TEST_CASE("ranks: rank 0 may load weights for longer than collective_timeout" *
          doctest::test_suite("long")) {
  for (const bool served : {false, true}) {
    CAPTURE(served);
    Json slow =
        manifest(served ? "distributed-replicated" : "allreduce", sharded(batches(points())));
    slow["plugins"].push_back(SETTER);
    slow["session_init"] = {"test.sleeper"};
    slow["runtime"] = {{"collective_timeout", 5}};
    saved_by(slow, served ? with_servers(2, 1) : ranks(2));
  }
}

TEST_CASE("ranks: rank 0 may set up its callbacks for longer than collective_timeout" *
          doctest::test_suite("long")) {
  Json slow = with_setter("linger", "never", "chief");
  slow["runtime"] = {{"collective_timeout", 5}};
  saved_by(slow);
}

TEST_CASE("ranks: one may open its data for longer than collective_timeout" *
          doctest::test_suite("long")) {
  Json late = manifest("allreduce", sharded(batches(points())));
  late["plugins"].push_back(SETTER);
  const Json queue = {{"use", "queue"}, {"with", {{"dataflow", late["dataflow"]}}}};
  late["data"] = {{"use", "test.late"}, {"with", {{"input", queue}}}};
  late.erase("dataflow");
  late["runtime"] = {{"collective_timeout", 5}};
  saved_by(late);
}

TEST_CASE("ranks: what differs between ranks at the end of an epoch ends all of them, named") {
  check_says(end_of("rate of rank", "trigger_step", "all"), 8,
             {"hyper-parameter 'learning_rate'", "0.02 on rank 1 and 0.01 on rank 0",
              "at the end of epoch 1 (global_step 20)"});
  check_says(end_of("weights of rank", "trigger_step", "all"), 8,
             {"variable 'fc1/W'", "other values on rank 1 than on rank 0"});
}

TEST_CASE("ranks: what rank 0 alone cannot hand on is refused") {
  check_says(end_of("late", "trigger_step", "chief"), 1,
             {"'learning_rate' between two steps", "\"run_on\": \"all\""});
  check_says(end_of("plan", "trigger_epoch", "chief"), 8, {"of plan 'own'"});
}

TEST_CASE("ranks: where a callback of rank 0 stops within an epoch, all stop behind one step") {
  const std::pair<const char*, const char*> kStops[] = {{"stop", "trigger_step"},
                                                        {"stop", "before_run"},
                                                        {"stop", "after_run"},
                                                        {"request", "after_run"}};
  for (const auto& [what, when] : kStops) {
    CAPTURE(what);
    const Folder folder;
    Json stopped = with_setter(what, when, "chief");
    const Json counter = {{"use", "test.setter"},
                          {"run_on", "all"},
                          {"with", {{"what", "count"}, {"when", "trigger_step"}}}};
    stopped["callbacks"].push_back(counter);  // behind the one that stops
    const Training training(folder, "run", stopped);
    const int code = training.run(ranks(2));
    INFO(training.talk());
    CHECK(code == 0);
    // The fifth step asks for it, the sixth tells the others.
    CHECK(training.text("rank1.log").find("a stop on another rank") != std::string::npos);
    for (const char* log : {"log.log", "rank1.log"})
      CHECK(training.text(log).find("6 events of trigger_step") != std::string::npos);
  }
}

TEST_CASE("ranks: a stop in place of a feed ends its rank alone, and the others tell which") {
  const Folder folder;
  Json starved = with_setter("starve", "before_run", "chief");
  starved["runtime"] = {{"collective_timeout", 5}};
  const Training training(folder, "run", starved);
  const int code = training.run(ranks(2));
  check_says({code, training.talk()}, 8,
             {": this rank ends within a step", "rank 0 has ended its training without this one"});
}

TEST_CASE("ranks: where a callback of rank 0 stops between epochs, all stop at the same event") {
  for (const char* when : {"before_epoch", "after_epoch"}) {
    CAPTURE(when);
    const Folder folder;
    Json stopped = with_setter("stop", when, "chief");
    stopped["max_epoch"] = 6;
    const Json counter = {{"use", "test.setter"},
                          {"run_on", "all"},
                          {"with", {{"what", "count"}, {"when", "trigger_epoch"}}}};
    stopped["callbacks"].insert(stopped["callbacks"].begin(), counter);
    const Training training(folder, "run", stopped);
    const int code = training.run(ranks(2));
    INFO(training.talk());
    CHECK(code == 0);
    CHECK(training.text("rank1.log").find("a stop on another rank") != std::string::npos);
    for (const char* log : {"log.log", "rank1.log"})
      CHECK(training.text(log).find("4 events of trigger_epoch") != std::string::npos);
  }
}

TEST_CASE("ranks: what belongs to each rank may differ") {
  Json own = manifest("allreduce", sharded(batches(points())));
  use_convnet(own);
  CHECK(outcomes(own, {"auto"}, ranks(2)).at("auto").exit_code == 0);
}

TEST_CASE("ranks: at the end of an epoch, all take over what rank 0 has, or keep their own") {
  for (const bool every_epoch : {true, false}) {
    CAPTURE(every_epoch);
    const Folder folder;
    Json made = with_setter("tell", "trigger_epoch", "all");
    use_convnet(made);
    made["trainer"] = {{"use", "allreduce"}, {"with", {{"broadcast_every_epoch", every_epoch}}}};
    const Training training(folder, "run", made);
    const int code = training.run(ranks(2));
    INFO(training.talk());
    REQUIRE(code == 0);
    const auto told = [&](const char* log) {
      const std::string text = training.text(log);
      const size_t at = text.find("statistics: ");
      REQUIRE(at != std::string::npos);
      return text.substr(at, text.find('\n', at) - at);
    };
    CHECK((told("log.log") == told("rank1.log")) == every_epoch);
  }
}
