// model_saver_test.cpp: model-saver: when it saves, which checkpoints it keeps, the link.
#include "saving.hpp"

using namespace broch::test;

namespace {

std::string checkpoint(const Project& project) {
  return read_file(project.log_dir() / "checkpoint");
}

}  // namespace

TEST_CASE("model-saver: keeps the newest and lists them, oldest first") {
  Project project;
  REQUIRE(train(project, saver(R"({"max_to_keep": 2})"), 12) == Exit::ok);
  CHECK(project.files("model-") == Lines{"model-11.safetensors", "model-12.safetensors"});
  CHECK(checkpoint(project) ==
        "model_checkpoint_path: \"model-12\"\n"
        "all_model_checkpoint_paths: \"model-11\"\nall_model_checkpoint_paths: \"model-12\"\n");
  CHECK(project.log_lines("Model saved to").size() == 12);

  SUBCASE("a restart reads the list back, a name saved again moves to its end") {
    REQUIRE(train(project, saver(R"({"max_to_keep": 3})"), 1) == Exit::ok);
    CHECK(checkpoint(project) ==
          "model_checkpoint_path: \"model-1\"\nall_model_checkpoint_paths: \"model-11\"\n"
          "all_model_checkpoint_paths: \"model-12\"\nall_model_checkpoint_paths: \"model-1\"\n");
    REQUIRE(train(project, saver(R"({"max_to_keep": 3})"), 2) == Exit::ok);
    CHECK(project.files("model-") ==
          Lines{"model-1.safetensors", "model-12.safetensors", "model-2.safetensors"});
  }
}

TEST_CASE("model-saver: keeps ten unless told otherwise") {
  Project project;
  REQUIRE(train(project, "\"model-saver\"", 12) == Exit::ok);
  CHECK(project.files("model-").size() == 10);
}

TEST_CASE("model-saver: 0 keeps every file and lists only the newest") {
  Project project;
  REQUIRE(train(project, saver(R"({"max_to_keep": 0})"), 12) == Exit::ok);
  CHECK(project.files("model-").size() == 12);
  CHECK(checkpoint(project) ==
        "model_checkpoint_path: \"model-12\"\nall_model_checkpoint_paths: \"model-12\"\n");
}

TEST_CASE("model-saver: hours until a checkpoint is kept for ever count from the start") {
  Project project;  // an epoch takes 100 ms or more; that many hours are 80 ms
  REQUIRE(project.train(
              {"callbacks=[" + recorder(R"({"slow_event": "trigger_step"})") + ", " +
                   saver(R"({"max_to_keep": 1, "keep_checkpoint_every_n_hours": 2.2e-5})") + "]",
               "steps_per_epoch=5", "max_epoch=2"}) == Exit::ok);
  CHECK(project.files("model-") == Lines{"model-10.safetensors", "model-5.safetensors"});
}

TEST_CASE("model-saver: a run without it deletes no checkpoints") {
  Project project;
  const std::string data = "dataflow=" + rows("[[1], [2], [3], [4]]");
  const std::string saves_at_end =
      metric("1") + R"(, {"use": "early-stopping", "with": {"monitor_stat": "val-err",
                          "restore_best": true, "patience": 99}})";
  const std::string keeps_all = saver(R"({"max_to_keep": 12})") + ", ";
  until(project, 12, false, {data, "callbacks=[" + keeps_all + saves_at_end + "]"}, "");
  until(project, 13, true, {data, "callbacks=[" + saves_at_end + "]"}, "");
  CHECK(project.files("model-").size() == 13);
}

TEST_CASE("model-saver: the first checkpoint of some steps or epochs is kept for ever") {
  const auto kept = [](const std::string& options, const std::string& when, int epochs) {
    Project project;
    REQUIRE(project.train({R"(callbacks=[{"use": "model-saver", "when": )" + when +
                               R"(, "with": {"max_to_keep": 1, )" + options + "}}]",
                           "steps_per_epoch=3", "max_epoch=" + std::to_string(epochs)},
                          Project::null_runtime()) == Exit::ok);
    return project.files("model-");
  };
  const std::string each = R"({"every_k_steps": 1})", two = R"({"every_k_steps": 2})";
  // Saved at 1, 2, …, 12, then only at even steps: the first ones of 5 to 9 and of 10 to 14.
  const Lines fives{"model-10.safetensors", "model-12.safetensors", "model-5.safetensors"};
  CHECK(kept(R"("keep_checkpoint_every_n_steps": 5)", each, 4) == fives);
  CHECK(kept(R"("keep_checkpoint_every_n_steps": 5)", two, 4) ==
        Lines{"model-10.safetensors", "model-12.safetensors", "model-6.safetensors"});
  CHECK(kept(R"("keep_checkpoint_every_n_epochs": 2)", each, 5) ==
        Lines{"model-12.safetensors", "model-15.safetensors", "model-6.safetensors"});
}

TEST_CASE("model-saver: epochs are as long as the hooked runs of their steps") {
  Project project;
  const std::string keeping = R"({"max_to_keep": 1, "keep_checkpoint_every_n_epochs": 2})";
  REQUIRE(train(project, {"trainer=test.twice", "dataflow=" + rows("[[1], [2], [3], [4]]"),
                          "callbacks=[" + saver(keeping) + "]", "steps_per_epoch=3",
                          "max_epoch=5"}) == Exit::ok);
  CHECK(project.files("model-") ==
        Lines{"model-12.safetensors", "model-24.safetensors", "model-30.safetensors"});
}

TEST_CASE("model-saver: what is kept by steps is the same after a restart, and may be changed") {
  Project project;
  const auto train_to = [&](int epochs, const std::string& options) {
    broch::session::RunOptions resume = Project::null_runtime();
    resume.resume = epochs > 5;
    REQUIRE(train(project, saver(R"({"max_to_keep": 2, )" + options + "}"), epochs, resume) ==
            Exit::ok);
  };
  train_to(5, R"("keep_checkpoint_every_n_steps": 4)");  // 4 is kept, but still in the list
  train_to(9, R"("keep_checkpoint_every_n_steps": 4)");
  CHECK(project.files("model-") ==
        Lines{"model-4.safetensors", "model-8.safetensors", "model-9.safetensors"});
  train_to(13, R"("keep_checkpoint_every_n_epochs": 5)");
  // 8 is now the first one of 5 to 9 that is there.
  CHECK(project.files("model-") == Lines{"model-10.safetensors", "model-12.safetensors",
                                         "model-13.safetensors", "model-4.safetensors",
                                         "model-8.safetensors"});
}

TEST_CASE("model-saver: keeping by steps and by epochs at once is refused") {
  Project project;
  CHECK(train(project,
              saver(R"({"keep_checkpoint_every_n_steps": 5, "keep_checkpoint_every_n_epochs": 5})"),
              1) == Exit::manifest);
  CHECK(project.failure.find("/keep_checkpoint_every_n_epochs") != std::string::npos);
}

TEST_CASE("model-saver: a disk that refuses costs the checkpoint, not the run, which ends with 5") {
  Project project;
  project.folder().write("file", "no folder");
  CHECK(train(project, saver("{\"checkpoint_dir\": \"" + project.folder() / "file/below" + "\"}"),
              2) == Exit::data);
  CHECK(project.log_lines("no checkpoint was saved").size() == 2);
  CHECK(project.log_lines("trying once more").size() == 1);
  CHECK(project.log_lines("the last checkpoint is not in").size() == 1);
}

TEST_CASE("model-saver: what is tried once more after half a step is saved with a warning") {
  const auto lines_with = [](const std::string& event) {
    Project project;
    std::filesystem::create_directories(project.log_dir() / "model-1.safetensors" / "in the way");
    const std::string stopping =
        recorder(R"({"put": [)" + put(event, "stop", "global_step == 2 ? stop() : 0") + "]}");
    CHECK(train(project, stopping + ", " + saver(), 3) == Exit::ok);
    CHECK(project.files("model-2") == Lines{"model-2.safetensors"});
    return project.log_lines("does the step again").size();
  };
  CHECK(lines_with("after_run") == 1);
  CHECK(lines_with("trigger_step") == 0);
}

TEST_CASE("model-saver: every few minutes, that is after each step if these are short") {
  Project project;
  const auto files_with = [&](const std::string& minutes) {
    const std::string entry =
        R"({"use": "model-saver", "when": {"every_k_epochs": 9}, "with": {"every_minutes": )" +
        minutes + "}}";
    REQUIRE(project.train({"callbacks=[" + entry + "]", "steps_per_epoch=3"}) == Exit::ok);
    return project.files("model-").size();
  };
  CHECK(files_with("1000") == 0);
  CHECK(files_with("1e-9") == 3);
}

TEST_CASE("model-saver: at the end of data within an epoch, a run that is resumed goes on there") {
  const auto data = [](const std::string& list) {
    return "data=" + around("queue", rows(list), R"(, "infinite": false)");
  };
  const std::string six = "[[1], [2], [3], [4], [5], [6]]";
  const std::string at_end = ", " + saver(R"({"save_at_end": true})");
  Project project;
  CHECK(means(project, data("[[1], [2], [3], [4]]"), 6, 1, false, ", " + saver()).size() == 4);
  CHECK(project.files("model-").empty());
  CHECK(means(project, data("[[1], [2], [3], [4]]"), 6, 1, false, at_end).size() == 4);
  CHECK(project.files("model-") == Lines{"model-4.safetensors"});
  CHECK(means(project, data(six), 6, 1, true, at_end) == Lines{"5", "6"});
}

TEST_CASE("model-saver: a run that is resumed goes on behind the callback that stopped it") {
  Project project;
  const std::string stopping =
      recorder("{" + project.trace_option() + R"(, "events": ["trigger_step"], "put": [)" +
               put("trigger_step", "stop", "global_step == 2 ? stop() : 0") + "]}");
  broch::session::RunOptions options = Project::null_runtime();
  for (const bool resumes : {false, true}) {
    options.resume = resumes;
    REQUIRE(
        project.train({"callbacks=[" + stopping + ", " + saver(R"({"save_at_end": true})") + "]",
                       "steps_per_epoch=5"},
                      options) == Exit::ok);
    CHECK(project.trace("trigger_step ") ==
          (resumes ? Lines{"1,2,3", "1,3,4", "1,4,5"} : Lines{"1,0,1"}));
  }
}

TEST_CASE("model-saver: at the end, one behind a gate saves nothing, and one with when does") {
  const std::string options = R"({"save_at_end": true})";
  const auto files_with = [](const std::string& callback) {
    Project project;
    REQUIRE(project.train({"callbacks=[" + callback + "]", "steps_per_epoch=2"}) == Exit::ok);
    const Lines files = project.files("model-");
    CHECK(has(read_file(project.log_dir() / "log.log"), "its option save_at_end has no effect") ==
          files.empty());
    return files;
  };
  const std::string gate = R"({"use": "enable-callback-if", "with": {"condition": "epoch_num > 1")";
  CHECK(files_with(gate + R"(, "callback": )" + saver(options) + "}}").empty());
  CHECK(files_with(R"({"use": "model-saver", "when": {"every_k_epochs": 9}, "with": )" + options +
                   "}") == Lines{"model-2.safetensors"});
}

TEST_CASE("model-saver: a training that fails saves nothing at its end") {
  Project project;
  const std::string torn = rows("[[1], [2], [3]]", R"(, "fail_at": 2)");
  CHECK(train(project, {"data=" + around("queue", torn), "steps_per_epoch=5",
                        "callbacks=[" + saver(R"({"save_at_end": true})") + "]"}) ==
        Exit::training);
  CHECK(project.files("model-").empty());
}

TEST_CASE("model-saver: a link leads to the newest checkpoint") {
  Project project;
  const std::string linking = saver(R"({"max_to_keep": 1, "link": "last"})");
  const auto target = [&] {
    return std::filesystem::read_symlink(project.log_dir() / "last.safetensors").string();
  };
  REQUIRE(train(project, linking, 2) == Exit::ok);
  CHECK(target() == "model-2.safetensors");
  CHECK(equal(project, "last.safetensors", "model-2.safetensors"));
  broch::session::RunOptions resume = Project::null_runtime();
  resume.resume = true;
  resume.resume_path = project.log_dir() / "last.safetensors";
  REQUIRE(train(project, linking, 3, resume) == Exit::ok);
  CHECK(target() == "model-3.safetensors");
  CHECK(project.files(".last").empty());

  std::filesystem::remove(project.log_dir() / "last.safetensors");
  std::filesystem::create_directories(project.log_dir() / "last.safetensors" / "in the way");
  REQUIRE(train(project, linking, 1) == Exit::ok);  // the checkpoint itself is there
  CHECK(project.log_lines("to the newest checkpoint: ").size() == 1);
}

TEST_CASE("model-saver: at the end, the link leads to a newer checkpoint of another") {
  Project project;
  const std::string other = R"({"name": "other", "use": "model-saver", "with": {"max_to_keep": 1},
                                "when": {"every_k_steps": 2}})";
  const std::string stopping = recorder(
      R"({"put": [)" + put("trigger_step", "stop", "global_step == 5 ? stop() : 0") + "]}");
  REQUIRE(project.train({"callbacks=[" + saver(R"({"max_to_keep": 1, "link": "last"})") + ", " +
                             other + ", " + stopping + "]",
                         "steps_per_epoch=3", "max_epoch=2"}) == Exit::ok);
  // The link led to model-3, which the other one has deleted.
  CHECK(project.files("model-") == Lines{"model-4.safetensors"});
  CHECK(std::filesystem::read_symlink(project.log_dir() / "last.safetensors").string() ==
        "model-4.safetensors");
}

TEST_CASE("model-saver: one with the name of a part of the host is resumed like others") {
  Project project;
  const Lines settings = {
      R"(callbacks=[{"name": "monitors", "use": "model-saver"}, )" +
      recorder("{" + project.trace_option() + R"(, "events": ["trigger_epoch"]})") + "]"};
  CHECK(until(project, 2, false, settings, "trigger_epoch ").size() == 2);
  CHECK(until(project, 4, true, settings, "trigger_epoch ").size() == 3);  // 2 again, 3 and 4
}
