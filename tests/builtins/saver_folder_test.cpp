// saver_folder_test.cpp: the folder of a model-saver, and what a run is resumed from if there are
// several.
#include "log_folder/folder_lock.hpp"
#include "log_folder/run_record.hpp"
#include "saving.hpp"

using namespace broch::test;

TEST_CASE("model-saver: two of them in one folder, however it is written, should keep the same") {
  Project project;
  const std::string log = project.log_dir().string() + "/";
  REQUIRE(train(project,
                saver(R"({"max_to_keep": 2})") + ", " +
                    saver(R"({"max_to_keep": 12, "checkpoint_dir": ")" + log + "\"}"),
                12) == Exit::ok);
  CHECK(project.log_lines("save in one folder but keep different checkpoints").size() == 1);
  CHECK(project.files("model-").size() == 12);
}

TEST_CASE("model-saver: a folder beside the log folder belongs to one run at a time") {
  Project project;
  const std::string kept = project.folder() / "kept";
  const std::string saves_there = saver("{\"checkpoint_dir\": \"" + kept + "\"}");
  std::filesystem::create_directory(kept);
  {
    const broch::log_folder::FolderLock other_run(kept);
    CHECK(train(project, saves_there, 1) == Exit::data);
    CHECK_FALSE(project.log_lines("kept: in use by another run").empty());
    CHECK(std::filesystem::is_empty(kept));
  }
  CHECK(train(project, saves_there, 2) == Exit::ok);
  CHECK(project.log_lines("kept has checkpoints").empty());
  broch::session::RunOptions resumes = Project::null_runtime();
  resumes.resume = true;
  resumes.resume_path = kept;
  CHECK(train(project, saves_there, 3, resumes) == Exit::ok);
  CHECK(project.log_lines("kept has checkpoints").empty());
  CHECK(train(project, saves_there, 2) == Exit::ok);
  CHECK(project.log_lines("kept has checkpoints of an earlier run, up to model-3").size() == 1);
}

TEST_CASE("model-saver: resume auto goes on where another folder has the checkpoints") {
  const auto outcomes = [](Project& project, const std::string& more) {
    const std::string kept = std::filesystem::relative(project.folder() / "kept");
    broch::session::RunOptions by_itself = Project::null_runtime();
    by_itself.resume_path = "auto";
    const Exit first =
        train(project, saver("{\"checkpoint_dir\": \"" + kept + "\"" + more + "}"), 1, by_itself);
    return std::pair(first, train(project, saver(), 2, by_itself));  // no option says where
  };
  Project whole, weights;
  CHECK(outcomes(whole, "") == std::pair(Exit::ok, Exit::ok));
  const auto record = broch::log_folder::read_record(whole.log_dir());
  const std::string kept = std::filesystem::canonical(whole.folder() / "kept");
  CHECK((record && record->resumed_from == kept + "/model-1.safetensors"));
  CHECK(whole.log_lines("a branch of").empty());
  CHECK(outcomes(weights, ", \"var_collections\": [\"trainable\"]") ==
        std::pair(Exit::ok, Exit::ok));
}

TEST_CASE("model-saver: resume auto warns if another folder with checkpoints is not there") {
  Project project;
  const std::string kept = project.folder() / "kept";
  const std::string there = saver("{\"checkpoint_dir\": \"" + kept + "\"}");
  broch::session::RunOptions by_itself = Project::null_runtime();
  by_itself.resume_path = "auto";
  for (const int epochs : {1, 2}) {
    REQUIRE(train(project, there, epochs, by_itself) == Exit::ok);
    CHECK(project.log_lines("which is not there").empty());
  }
  std::filesystem::rename(kept, kept + ".away");
  REQUIRE(train(project, there, 2, by_itself) == Exit::ok);
  CHECK(project.log_lines("kept, which is not there: newer ones may be missing").size() == 1);
  CHECK(project.log_lines("Model saved to").size() == 2);  // it began anew
}

TEST_CASE("model-saver: a run.json that cannot be read is an error for those who resume") {
  Project project;
  const std::string kept = project.folder() / "kept";
  const std::string there = saver("{\"checkpoint_dir\": \"" + kept + "\"}");
  broch::session::RunOptions by_itself = Project::null_runtime(), resumes = by_itself;
  by_itself.resume_path = "auto";
  resumes.resume = true;
  REQUIRE(train(project, there, 1, by_itself) == Exit::ok);
  for (const char* text : {"", "{\"started\": ", "[]", "{}"}) {
    std::ofstream(project.log_dir() / "run.json") << text;
    for (const auto& options : {by_itself, resumes}) {
      CHECK(train(project, there, 2, options) == Exit::checkpoint);
      CHECK(has(project.failure, "run.json: no record of a run that can be read"));
    }
  }
  resumes.resume_path = kept + "/model-1.safetensors";
  CHECK(train(project, there, 2, resumes) == Exit::ok);
  CHECK(train(project, there, 3, by_itself) == Exit::ok);
}

TEST_CASE("model-saver: another folder is in run.json before a checkpoint is in it") {
  Project project;
  const std::string kept = project.folder() / "kept";
  std::filesystem::create_directories(kept + "/model-1.safetensors");  // so that saving fails
  CHECK(train(project, saver() + ", " + saver("{\"checkpoint_dir\": \"" + kept + "\"}"), 1) ==
        Exit::data);
  const auto record = broch::log_folder::read_record(project.log_dir());
  REQUIRE(record);
  CHECK(record->checkpoint_folders == Lines{std::filesystem::canonical(kept)});
}

TEST_CASE("model-saver: a run is resumed from the last checkpoint of all its folders") {
  Project project;
  const std::string there = "{\"checkpoint_dir\": \"" + project.folder() / "kept" + "\"}";
  broch::session::RunOptions resumes = Project::null_runtime();
  resumes.resume = true;
  const auto resumed_from = [&](const std::string& callbacks, int epochs) {
    REQUIRE(train(project, callbacks, epochs, resumes) == Exit::ok);
    const std::filesystem::path from =
        broch::log_folder::read_record(project.log_dir())->resumed_from;
    return (from.parent_path().filename() / from.filename()).string();
  };
  REQUIRE(train(project, saver(), 1) == Exit::ok);
  CHECK(resumed_from(saver(there), 3) == "log/model-1.safetensors");
  // Two starts that save nothing: the second one knows the folder from the record of the first.
  for (int start = 0; start < 2; ++start)
    CHECK(resumed_from(saver(there), 3) == "kept/model-3.safetensors");
  // Another run in the same folders: its checkpoint is of an earlier step.
  REQUIRE(train(project, saver(there), 2) == Exit::ok);
  CHECK(resumed_from(saver(), 3) == "kept/model-2.safetensors");
  CHECK(resumed_from(saver(), 4) == "log/model-3.safetensors");
}

TEST_CASE("model-saver: a run is not resumed from what another run has saved in its folder") {
  Project project;
  const std::string kept = project.folder() / "kept";
  const std::string saves_there = saver("{\"checkpoint_dir\": \"" + kept + "\"}");
  const auto train_in = [&](const std::string& log, int epochs, const std::string& resume) {
    broch::session::RunOptions options = Project::null_runtime();
    options.resume = !resume.empty() && resume != "auto";
    if (resume != "newest") options.resume_path = resume;
    return project.train({"callbacks=[" + saves_there + "]", "log_dir=" + project.folder() / log,
                          "max_epoch=" + std::to_string(epochs)},
                         options);
  };
  REQUIRE(train_in("one", 2, "") == Exit::ok);
  REQUIRE(train_in("one", 3, "newest") == Exit::ok);
  REQUIRE(train_in("two", 1, "") == Exit::ok);
  for (const std::string resume : {"newest", "auto"}) {
    CHECK(train_in("one", 4, resume) == Exit::checkpoint);
    CHECK(has(project.failure, "kept: checkpoints of another run, that of "));
    CHECK(has(project.failure, "two, which has saved there last, expected those of the run in "));
  }
  // A checkpoint that is named goes on, and then the folder is its own again.
  REQUIRE(train_in("one", 4, kept + "/model-3.safetensors") == Exit::ok);
  CHECK(has(read_file(project.folder() / "one/log.log"),
            "kept has checkpoints of an earlier run, up to model-1"));
  CHECK(train_in("one", 5, "newest") == Exit::ok);
  CHECK(train_in("two", 2, "newest") == Exit::checkpoint);
  CHECK(std::filesystem::remove(kept + "/.broch-run"));  // as an older version leaves it
  CHECK(train_in("two", 6, "newest") == Exit::ok);
}

TEST_CASE(
    "model-saver: a log folder that was renamed has its checkpoints in the folder inside it") {
  Project project;
  const std::string inside =
      saver("{\"checkpoint_dir\": \"" + project.folder() / "log/kept" + "\"}");
  REQUIRE(train(project, inside, 2) == Exit::ok);
  const std::string renamed = project.folder() / "renamed";
  std::filesystem::rename(project.log_dir(), renamed);
  REQUIRE(train(project, inside, 1) == Exit::ok);  // another run under the old name
  broch::session::RunOptions resumes = Project::null_runtime();
  resumes.resume = true;
  REQUIRE(project.train({"callbacks=[" + saver() + "]", "max_epoch=3", "log_dir=" + renamed},
                        resumes) == Exit::ok);
  const auto record = broch::log_folder::read_record(renamed);
  REQUIRE(record);
  const std::string kept = std::filesystem::canonical(renamed).string() + "/kept";
  CHECK(record->resumed_from == kept + "/model-2.safetensors");
  CHECK(record->checkpoint_folders == Lines{kept});
  CHECK(std::filesystem::exists(renamed + "/model-3.safetensors"));
}

TEST_CASE("model-saver: weights alone are refused in the log folder, which a run resumes from") {
  for (const std::string folder : {"null", "LOG", "LOG/../log/"}) {
    Project project;
    std::string text = folder == "null" ? folder : "\"" + folder + "\"";
    if (const size_t at = text.find("LOG"); at != text.npos)
      text.replace(at, 3, project.log_dir().string());
    CHECK(train(project,
                saver(R"({"var_collections": ["trainable"], "checkpoint_dir": )" + text + "}"),
                1) == Exit::manifest);
    CHECK(project.failure.find("variables alone in the log folder") != std::string::npos);
  }
}
