// best_saver_test.cpp: min-saver and max-saver.
#include "saving.hpp"

using namespace broch::test;

namespace {

std::string best(const std::string& which = "min", const std::string& more = "") {
  return "{\"use\": \"" + which + "-saver\", \"with\": {\"monitor_stat\": \"val-err\"" + more +
         "}}";
}

}  // namespace

TEST_CASE("min-saver: behind saver and metric it copies every optimum") {
  Project project;
  REQUIRE(train(project, saver() + ", " + metric() + ", " + best(), 4) == Exit::ok);
  CHECK(project.log_lines("Model at global_step") ==
        Lines{"Model at global_step=1 with minimum val-err=3 saved as min-val-err.",
              "Model at global_step=2 with minimum val-err=2 saved as min-val-err.",
              "Model at global_step=4 with minimum val-err=1 saved as min-val-err."});
  CHECK(equal(project, "min-val-err.safetensors", "model-4.safetensors"));
}

TEST_CASE("max-saver: keeps the largest, equal is no better, under the name it is given") {
  Project project;
  const std::string values = "epoch_num == 1 ? 1 : epoch_num == 4 ? 2 : 3";
  REQUIRE(train(project,
                saver() + ", " + metric(values) + ", " + best("max", R"(, "filename": "top")"),
                4) == Exit::ok);
  CHECK(project.log_lines("Model at global_step").size() == 2);
  CHECK(equal(project, "top.safetensors", "model-2.safetensors"));
}

TEST_CASE("min-saver, model-saver: a name that checkpoints have is refused") {
  Project project;
  const auto refused = [&](const std::string& callbacks, const std::string& option,
                           const std::string& name) {
    CHECK(train(project, callbacks, 1) == Exit::manifest);
    INFO(project.failure);
    CHECK(has(project.failure, "/with/" + option + ": "));
    CHECK(has(project.failure, "found '" + name + "', expected another name than those of the"));
  };
  const std::string before = saver() + ", " + metric() + ", ";
  // As model-STEP, the best ones would be deleted from among the checkpoints.
  refused(before + best("min", R"(, "filename": "model", "max_to_keep": 2)"), "filename", "model");
  refused(before + best("max", R"(, "filename": "model-12")"), "filename", "model-12");
  refused(saver(R"({"link": "model-1"})"), "link", "model-1");
  CHECK(train(project,
              saver(R"({"link": "model"})") + ", " + metric() + ", " +
                  best("min", R"(, "filename": "model-a")"),
              1) == Exit::ok);
  CHECK(equal(project, "model.safetensors", "model-1.safetensors"));
  CHECK(equal(project, "model-a.safetensors", "model-1.safetensors"));
}

TEST_CASE("min-saver: one that is called model deletes no checkpoints of the run") {
  Project project;
  REQUIRE(train(project, saver() + ", " + metric() + ", " + best("min", R"(, "filename": "model")"),
                4) == Exit::ok);
  CHECK(project.files("model") == Lines{"model-1.safetensors", "model-2.safetensors",
                                        "model-3.safetensors", "model-4.safetensors",
                                        "model.safetensors"});
  CHECK(equal(project, "model.safetensors", "model-4.safetensors"));
}

TEST_CASE("min-saver, max-saver: several of the best, each with its step") {
  const std::string values =
      "epoch_num == 1 ? 3 : epoch_num == 2 ? 1 : epoch_num == 3 ? 4 : epoch_num == 4 ? 1 : 2";
  Project project;
  const std::string three = saver() + ", " + metric(values) + ", ";
  REQUIRE(train(project, three + best("min", R"(, "max_to_keep": 3)"), 5) == Exit::ok);
  CHECK(project.files("min-") == Lines{"min-val-err-2.safetensors", "min-val-err-4.safetensors",
                                       "min-val-err-5.safetensors", "min-val-err.safetensors"});
  CHECK(equal(project, "min-val-err.safetensors", "model-2.safetensors"));
  CHECK(equal(project, "min-val-err-5.safetensors", "model-5.safetensors"));
  CHECK(project.log_lines("Model at global_step=").back() ==
        "Model at global_step=5 with number 3 of the best val-err=2 saved as min-val-err-5.");

  SUBCASE("what a resumed run does again leaves the same files") {
    broch::session::RunOptions resume = Project::null_runtime();
    resume.resume = true;
    for (const char* from : {"model-2", "model-4"}) {
      resume.resume_path = (project.log_dir() / from).string() + ".safetensors";
      REQUIRE(train(project, three + best("min", R"(, "max_to_keep": 3)"), 5, resume) == Exit::ok);
      CHECK(project.files("min-").size() == 4);
      CHECK(equal(project, "min-val-err-4.safetensors", "model-4.safetensors"));
    }
  }
  SUBCASE("the largest") {
    REQUIRE(train(project, three + best("max", R"(, "max_to_keep": 2, "filename": "top")"), 5) ==
            Exit::ok);
    CHECK(project.files("top") ==
          Lines{"top-1.safetensors", "top-3.safetensors", "top.safetensors"});
    CHECK(equal(project, "top.safetensors", "model-3.safetensors"));
  }
}

// The list still names a later checkpoint as the newest.
TEST_CASE("min-saver: a run that goes back in its folder copies the checkpoint it goes on from") {
  Project project;
  const std::string before = saver() + ", ", behind = ", " + best();
  REQUIRE(train(project, before + metric() + behind, 4) == Exit::ok);
  CHECK(equal(project, "min-val-err.safetensors", "model-4.safetensors"));
  broch::session::RunOptions resume = Project::null_runtime();
  resume.resume = true;
  resume.resume_path = project.log_dir() / "model-2.safetensors";
  const std::string rising = "epoch_num == 2 ? 2 : 2.5";
  REQUIRE(train(project, before + metric(rising) + behind, 4, resume) == Exit::ok);
  CHECK(project.log_lines("Model at global_step").back() ==
        "Model at global_step=2 with minimum val-err=2 saved as min-val-err.");
  CHECK(equal(project, "min-val-err.safetensors", "model-2.safetensors"));
}

TEST_CASE("min-saver: a branch says that the best checkpoint is elsewhere") {
  Project project;
  const std::string callbacks = "callbacks=[" + saver() + ", " + metric() + ", " + best() + "]";
  REQUIRE(project.train({callbacks, "max_epoch=3"}) == Exit::ok);
  broch::session::RunOptions resume = Project::null_runtime();
  resume.resume = true;
  resume.resume_path = project.log_dir() / "model-3.safetensors";
  const auto told = [&](const std::string& log_dir) {
    REQUIRE(project.train({callbacks, "max_epoch=4", "log_dir=" + log_dir}, resume) == Exit::ok);
    return has(read_file(log_dir + "/log.log"), "since the best val-err so far, 2, was kept in");
  };
  const std::string branch = project.folder() / "branch";
  CHECK(told(branch));
  CHECK(std::filesystem::exists(branch + "/min-val-err.safetensors"));  // of epoch 4
  CHECK_FALSE(told(project.log_dir()));
}

TEST_CASE("model-saver, min-saver: a run that goes on from a file does not need the list") {
  Project project;
  const std::string kept = project.folder() / "kept",
                    in_it = R"("checkpoint_dir": ")" + kept + "\"";
  for (const bool elsewhere : {false, true}) {
    const std::string callbacks = saver(elsewhere ? "{" + in_it + "}" : "{}") + ", " + metric() +
                                  ", " + best("min", elsewhere ? ", " + in_it : "");
    REQUIRE(train(project, callbacks, 2) == Exit::ok);
    const std::string folder = elsewhere ? kept : project.log_dir().string();
    write_file(folder + "/checkpoint", "torn");
    broch::session::RunOptions resume = Project::null_runtime();
    resume.resume = true;
    resume.resume_path = folder + "/model-2.safetensors";
    REQUIRE(train(project, callbacks, 4, resume) == Exit::ok);
    CHECK(read_file(folder + "/checkpoint").starts_with("model_checkpoint_path: \"model-4\"\n"));
    CHECK(read_file(folder + "/checkpoint.damaged") == "torn");
    CHECK(std::filesystem::exists(folder + "/model-2.safetensors"));
  }
}

TEST_CASE("min-saver, max-saver: two that keep one name are told once") {
  Project project;
  const std::string name = R"(, "filename": "best")";
  REQUIRE(train(project,
                saver() + ", " + metric() + ", " + best("min", name) + ", " + best("max", name),
                4) == Exit::ok);
  CHECK(project.log_lines("min-saver and max-saver both keep a checkpoint as ").size() == 1);
}

TEST_CASE("min-saver: what could not be copied is copied when a signal ends the training") {
  Project project;
  const std::string in_the_way = project.log_dir() / "min-val-err.safetensors";
  std::filesystem::create_directories(in_the_way + "/below");
  const std::string ends = R"({"use": "send-stat", "with": {"names": ["val-err"],
                               "command": "rm -r )" +
                           in_the_way + R"( && kill -TERM $PPID"}})";
  CHECK(train(project, saver() + ", " + metric() + ", " + best() + ", " + ends, 9) != Exit::ok);
  CHECK(project.log_lines("is not kept as min-val-err").size() == 1);
  CHECK(equal(project, "min-val-err.safetensors", "model-1.safetensors"));
}

TEST_CASE("min-saver: before the metric it never copies and says why") {
  Project project;
  REQUIRE(train(project, saver() + ", " + best() + ", " + metric(), 4) == Exit::ok);
  CHECK(project.files("min-").empty());
  CHECK(project.log_lines("not copied").size() == 3);
  CHECK(project.logged("put this callback after the model-saver"));
}

TEST_CASE("min-saver: without any checkpoint it is a failure that says what is missing") {
  Project project;
  CHECK(train(project, metric() + ", " + best() + ", " + saver(), 4) == Exit::training);
  CHECK(has(project.failure, "put a model-saver with the same schedule and checkpoint_dir before"));
  const std::string elsewhere =
      saver(R"({"checkpoint_dir": ")" + (project.folder() / "saved") + "\"}");
  CHECK(train(project, elsewhere + ", " + metric() + ", " + best(), 4) == Exit::training);
  CHECK(has(project.failure, "and checkpoint_dir before"));
}

TEST_CASE("min-saver: what tensorpack's MinSaver got wrong is right") {
  Project project;
  SUBCASE("a refused copy does not use up the optimum") {
    const std::string rare =
        R"({"use": "model-saver", "when": {"every_k_epochs": 2, "before_train": true}})";
    const std::string values = "epoch_num == 1 ? 1 : epoch_num == 2 ? 1.5 : 2";
    REQUIRE(train(project, rare + ", " + metric(values) + ", " + best(), 4) == Exit::ok);
    CHECK(project.log_lines("not copied").size() == 1);  // epoch 1
    CHECK(equal(project, "min-val-err.safetensors", "model-2.safetensors"));
  }
  SUBCASE("model-10 is neither copied with model-1 nor taken for model-0") {
    REQUIRE(train(project,
                  saver("{\"max_to_keep\": 0}") + ", " + metric("epoch_num") + ", " + best(),
                  10) == Exit::ok);
    CHECK(project.files("min-") == Lines{"min-val-err.safetensors"});
    CHECK(equal(project, "min-val-err.safetensors", "model-1.safetensors"));
  }
  SUBCASE("the best value outlives a restart") {
    const std::string values = "epoch_num <= 2 ? 1 : 5";
    REQUIRE(train(project, saver() + ", " + metric(values) + ", " + best(), 2) == Exit::ok);
    broch::session::RunOptions resume = Project::null_runtime();
    resume.resume = true;
    REQUIRE(train(project, saver() + ", " + metric(values) + ", " + best(), 4, resume) == Exit::ok);
    CHECK(equal(project, "min-val-err.safetensors", "model-1.safetensors"));
  }
  SUBCASE("a first value that is no number is not the best for ever") {
    const std::string values = "epoch_num == 1 ? log(-1) : 4";
    REQUIRE(train(project, saver() + ", " + metric(values) + ", " + best(), 2) == Exit::ok);
    CHECK(equal(project, "min-val-err.safetensors", "model-2.safetensors"));
  }
}
