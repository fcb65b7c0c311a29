// restore_test.cpp: variables from a checkpoint.
#include "slope.hpp"
#include "store/checkpoint.hpp"

using namespace broch::test;

TEST_CASE("restore: exact names, a prefix, what is ignored, and two warnings") {
  Project project;
  REQUIRE(train(project, {R"(callbacks=["model-saver"])", "dataflow=" + rows("[[3]]")}) ==
          Exit::ok);  // w = 1 - 3
  const auto restored = [&](const std::string& options, const std::string& model,
                            const std::string& watch) {
    std::filesystem::remove(project.log_dir() / "log.log");
    const Exit exit = train(
        project, {"model={\"use\": \"test.slope\", \"with\": {" + model + "}}", "max_epoch=0",
                  "session_init={\"use\": \"restore\", \"with\": {\"path\": \"" +
                      project.log_dir().string() + "\"" + options + "}}",
                  "callbacks=[" +
                      recorder("{" + project.trace_option() +
                               R"(, "events": ["before_train"], "watch": ")" + watch + "\"}") +
                      "]"});
    return exit == Exit::ok ? project.trace("before_train ") : Lines{project.failure};
  };
  CHECK(restored("", "", "w") == Lines{"0,-1,1 -2"});
  CHECK_FALSE(project.logged("that are not in"));
  CHECK_FALSE(project.logged("that the model does not have"));
  CHECK(restored(R"(, "ignore": ["w"])", "", "w") == Lines{"0,-1,1 1"});
  CHECK(restored(R"(, "ignore": ["w:0"])", "", "w") == Lines{"0,-1,1 1"});
  CHECK(restored(R"(, "prefix": "big")", R"("name": "big/w")", "big/w") == Lines{"0,-1,0 -2"});
  CHECK(restored("", R"("name": "v")", "v") == Lines{"0,-1,1 1"});
  CHECK(project.logged("variables of the model that are not in"));
  CHECK(project.logged("that the model does not have: w"));
  CHECK(restored("", R"("size": 2)", "seen")[0].find("variable w") != std::string::npos);
  CHECK(restored(R"(, "relaxed": true)", R"("size": 2)", "seen") == Lines{"0,-1,1 0"});
  CHECK(project.logged("not loaded"));
}

TEST_CASE("restore: of several files, the last one wins") {
  Project project;
  // w = 1 - row
  const auto saved = [&](const std::string& row, const std::string& name) {
    REQUIRE(train(project, {R"(callbacks=["model-saver"])", "dataflow=" + rows(row)}) == Exit::ok);
    const std::string file = project.folder() / name;
    std::filesystem::copy_file(project.log_dir() / "model-1.safetensors", file);
    return R"({"use": "restore", "with": {"path": ")" + file + "\"}}";
  };
  const std::string a = saved("[[3]]", "a.safetensors"), b = saved("[[5]]", "b.safetensors");
  const auto restored = [&](const std::string& list) {
    CHECK(train(project, {"session_init=[" + list + "]", "max_epoch=0",
                          "callbacks=[" +
                              recorder("{" + project.trace_option() +
                                       R"(, "events": ["before_train"], "watch": "w"})") +
                              "]"}) == Exit::ok);
    CHECK(project.failure == "");
    return project.trace("before_train ");
  };
  CHECK(restored(a + ", " + b) == Lines{"0,-1,1 -4"});
  CHECK(restored(b + ", " + a) == Lines{"0,-1,1 -2"});
}

TEST_CASE("restore: slots have the number of their updates, whatever variable is the first now") {
  Project project;
  REQUIRE(train(project, {R"(callbacks=["model-saver"])", R"(optimizer="adam")", "max_epoch=3",
                          "dataflow=" + rows("[[3]]")}) == Exit::ok);
  // After a file has been restored whose names change so.
  const auto updates = [&](const std::string& from, const std::string& to) {
    CHECK(train(project, {R"(model={"use": "test.slope", "with": {"name": "v"}})",
                          R"(optimizer="adam")", "max_epoch=0",
                          R"(session_init={"use": "restore", "with": {"path": ")" +
                              project.log_dir().string() + R"(", "rename": [{"from": ")" + from +
                              R"(", "to": ")" + to + "\"}]}}",
                          "callbacks=[" +
                              recorder("{" + project.trace_option() +
                                       R"(, "events": ["before_train"], "watch": "v/step"})") +
                              "]"}) == Exit::ok);
    return project.trace("before_train ");
  };
  CHECK(updates("^w/exp_avg", "v/exp_avg") == Lines{"0,-1,3 3"});
  CHECK(updates("^w$", "v") == Lines{"0,-1,3 0"});  // without slots
}

TEST_CASE("restore: weights that were saved alone, without a warning, whatever the optimizer") {
  for (const std::string optimizer :
       {R"({"use": "momentum", "with": {"learning_rate": 0.5}})", R"("adam")", R"("adamw")",
        R"({"use": "rmsprop", "with": {"momentum": 0.5, "centered": true}})", R"("adagrad")",
        R"("lion")", R"("lamb")", R"("nadam")",
        R"({"use": "accum-grad", "with": {"niter": 2, "optimizer": "adam"}})"}) {
    CAPTURE(optimizer);
    Project project;
    const std::string alone = project.folder() / "weights";
    REQUIRE(train(project, {"optimizer=" + optimizer, "dataflow=" + rows("[[3]]"),
                            R"(callbacks=["model-saver", {"use": "model-saver", "with": {
                     "var_collections": ["trainable", "model"], "checkpoint_dir": ")" +
                                alone + R"(", "max_to_keep": 1}}])",
                            R"(extra_callbacks=["run-update-ops"])", "max_epoch=3"}) == Exit::ok);
    Lines names;
    const auto saved = broch::store::read_checkpoint(alone + "/model-3.safetensors");
    for (const auto& variable : saved.contents.variables) names.push_back(variable.value.name);
    std::sort(names.begin(), names.end());
    CHECK(names == Lines{"seen", "w"});
    CHECK_FALSE(std::filesystem::exists(alone + "/model-2.safetensors"));

    const auto restored = [&](const std::string& path, const std::string& with) {
      std::filesystem::remove(project.log_dir() / "log.log");
      CHECK(train(project, {"optimizer=" + with, "max_epoch=0",
                            R"(session_init={"use": "restore", "with": {"path": ")" + path + "\"}}",
                            "callbacks=[" +
                                recorder("{" + project.trace_option() +
                                         R"(, "events": ["before_train"], "watch": "seen"})") +
                                "]"}) == Exit::ok);
      CHECK(project.trace("before_train ").at(0).ends_with(" 3"));
      CHECK_FALSE(project.logged("that are not in"));
      CHECK_FALSE(project.logged("that the model does not have"));
    };
    restored(alone, optimizer);
    restored(project.log_dir().string(), R"({"use": "sgd", "with": {"learning_rate": 0.5}})");
  }
}
