// saver_test.cpp: model-saver, min-saver, max-saver, early-stopping.
#include <cstring>

#include "log_folder/folder_lock.hpp"
#include "log_folder/run_record.hpp"
#include "slope.hpp"
#include "store/checkpoint.hpp"

using namespace broch::test;

namespace {

std::string saver(const std::string& options = "{}") {
  return R"({"use": "model-saver", "with": )" + options + "}";
}
// val = 3, 2, 2.5, 1 in epochs 1 to 4.
const std::string kValues = "epoch_num == 1 ? 3 : epoch_num == 2 ? 2 : epoch_num == 3 ? 2.5 : 1";
std::string metric(const std::string& value = kValues) {
  return recorder("{\"put\": [" + put("trigger_epoch", "val-err", value) + "]}");
}
std::string best(const std::string& which = "min", const std::string& more = "") {
  return "{\"use\": \"" + which + "-saver\", \"with\": {\"monitor_stat\": \"val-err\"" + more +
         "}}";
}
std::string checkpoint(const Project& project) {
  return read_file(project.log_dir() / "checkpoint");
}
// The one number of a variable in a checkpoint of the log folder.
float saved(const Project& project, const std::string& file, const std::string& variable) {
  const auto checkpoint = broch::store::read_checkpoint(project.log_dir() / file);
  float value = NAN;
  for (const auto& one : checkpoint.contents.variables)
    if (one.value.name == variable) std::memcpy(&value, one.value.bytes.data(), sizeof value);
  return value;
}
// Whether two files of the log folder are equal and not empty.
bool equal(const Project& project, const std::string& a, const std::string& b) {
  const std::string content = read_file(project.log_dir() / a);
  return !content.empty() && content == read_file(project.log_dir() / b);
}
Exit train(Project& project, const std::string& callbacks, int epochs,
           broch::session::RunOptions options = Project::null_runtime()) {
  return project.train({"callbacks=[" + callbacks + "]", "max_epoch=" + std::to_string(epochs)},
                       options);
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
    return project.files("model-");
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

TEST_CASE("early-stopping: ends after `patience` observations without improvement") {
  const auto stops_at = [](const std::string& values, const std::string& options) {
    Project project;
    REQUIRE(train(project,
                  metric(values) +
                      ", {\"use\": \"early-stopping\", \"with\": {\"monitor_stat\": "
                      "\"val-err\"" +
                      options + "}}",
                  9) == Exit::ok);
    return int(project.log_lines("Start Epoch").size());
  };
  CHECK(stops_at("5", R"(, "patience": 2)") == 3);
  CHECK(stops_at("max(0, 4 - epoch_num)", R"(, "patience": 3)") == 7);
  CHECK(stops_at("0 - epoch_num", R"(, "patience": 1)") == 9);
  CHECK(stops_at("0 - epoch_num", R"(, "patience": 3, "mode": "max")") == 4);
  CHECK(stops_at("0 - epoch_num", R"(, "patience": 3, "min_delta": 2)") == 9);
  CHECK(stops_at("epoch_num == 1 ? log(-1) : 0 - epoch_num", R"(, "patience": 2)") == 9);
}

TEST_CASE("early-stopping: a metric that is never a number is told as such") {
  Project project;
  REQUIRE(train(project,
                metric("log(-1)") +
                    R"(, {"use": "early-stopping", "with": {"monitor_stat": "val-err",
                         "patience": 2}})",
                9) == Exit::ok);
  CHECK(project.logged("val-err has not been a number for 2 observations"));
}

TEST_CASE("early-stopping: only what is better than the baseline counts") {
  Project project;
  const auto stops_at = [&](const std::string& more) {
    std::filesystem::remove_all(project.log_dir());
    REQUIRE(train(project,
                  metric("0 - epoch_num") +
                      R"(, {"use": "early-stopping", "with": {"monitor_stat": "val-err")" + more +
                      "}}",
                  9) == Exit::ok);
    return int(project.log_lines("Start Epoch").size());
  };
  CHECK(stops_at(R"(, "patience": 2, "baseline": -2)") == 2);
  CHECK(project.logged("val-err has not become better than -2 for 2 observations"));
  CHECK(stops_at(R"(, "patience": 2, "baseline": -1.25e-7, "mode": "max")") == 2);
  CHECK(project.logged("val-err has not become better than -1.25e-07 for 2 observations"));
  CHECK(stops_at(R"(, "patience": 3, "baseline": -2)") == 9);
  CHECK(stops_at(R"(, "patience": 4, "baseline": -1.5, "mode": "max")") == 5);
}

TEST_CASE("early-stopping: a value beyond a threshold ends the training at once") {
  Project project;
  const auto stops_at = [&](const std::string& more) {
    std::filesystem::remove_all(project.log_dir());
    REQUIRE(train(project,
                  metric("epoch_num == 4 ? log(-1) : epoch_num") +
                      R"(, {"use": "early-stopping", "with": {"monitor_stat": "val-err",
                           "patience": 20)" +
                      more + "}}",
                  9) == Exit::ok);
    return int(project.log_lines("Start Epoch").size());
  };
  CHECK(stops_at(R"(, "mode": "max", "stopping_threshold": 2)") == 3);  // 2 is not better than 2
  CHECK(project.logged("val-err is 3, better than 2"));
  CHECK(stops_at(R"(, "stopping_threshold": 1)") == 9);
  CHECK(stops_at(R"(, "divergence_threshold": 6)") == 7);
  CHECK(project.logged("val-err is 7, worse than 6"));
  CHECK(stops_at(R"(, "mode": "max", "divergence_threshold": 1)") == 9);
  CHECK(stops_at(R"(, "stopping_threshold": 1.5, "restore_best": true)") == 1);
  CHECK(stops_at(R"(, "divergence_threshold": 2, "from_epoch": 6)") == 6);
}

TEST_CASE("early-stopping: values before an epoch do not count") {
  const auto stops_at = [&](const std::string& more) {
    Project project;
    REQUIRE(train(project,
                  metric("epoch_num < 3 ? 0 : 5") +
                      R"(, {"use": "early-stopping", "with": {"monitor_stat": "val-err",
                           "patience": 2)" +
                      more + "}}",
                  9) == Exit::ok);
    return int(project.log_lines("Start Epoch").size());
  };
  CHECK(stops_at("") == 3);
  CHECK(stops_at(R"(, "from_epoch": 4)") == 6);
}

TEST_CASE("early-stopping: a value from before the first epoch does not count in it") {
  Project project;
  const std::string every_other = R"({"use": "test.recorder", "when": {"every_k_epochs": 2},
                                      "with": {"put": [)" +
                                  put("trigger", "val-err", "epoch_num") + "]}}";
  REQUIRE(train(project,
                every_other + R"(, {"use": "early-stopping", "with": {"monitor_stat": "val-err",
                    "divergence_threshold": 3, "from_epoch": 5}})",
                9) == Exit::ok);
  // In epoch 5, the newest value is that of epoch 4.
  CHECK(project.log_lines("Start Epoch").size() == 6);
  CHECK(project.logged("val-err is 6, worse than 3"));
}

TEST_CASE("early-stopping: puts the best weights back, and a resumed run takes the last ones") {
  const auto callbacks = [](const Project& project, int patience) {
    return "callbacks=[" + metric("epoch_num == 2 ? 1 : 5") +
           R"(, "model-saver", {"use": "early-stopping", "with": {"monitor_stat": "val-err",
               "restore_best": true, "patience": )" +
           std::to_string(patience) + "}}, " +
           recorder("{" + project.trace_option() +
                    R"(, "events": ["trigger_epoch"], "watch": "w"})") +
           "]";
  };
  const std::string data = "dataflow=" + rows("[[1], [2], [3], [4]]");
  Project project, whole;
  // w is 0, -2, -5, -9 after the epochs 1 to 4; epoch 5 begins the data again.
  until(project, 6, false, {data, callbacks(project, 2)}, "");
  CHECK(project.logged("The weights of global_step=2 with val-err=1, the best ones"));
  CHECK(saved(project, "model-4.safetensors", "w") == -2);
  CHECK(saved(project, "model-4.safetensors", "best_weights/w") == -9);
  // The recorder comes after early-stopping, so epoch 4 was not over for it.
  CHECK(until(project, 5, true, {data, callbacks(project, 9)}, "trigger_epoch ") ==
        Lines{"4,0,4 -9", "5,0,5 -10"});
  CHECK(saved(project, "model-5.safetensors", "w") == -2);  // the last epoch is over

  until(whole, 5, false, {data, callbacks(whole, 9)}, "");
  for (const char* variable : {"w", "best_weights/w", "seen"})
    CHECK(saved(whole, "model-5.safetensors", variable) ==
          saved(project, "model-5.safetensors", variable));
}

TEST_CASE("early-stopping: weights of another step than the best value are told") {
  const auto told = [](const std::string& first, const std::string& then) {
    Project project;
    REQUIRE(train(project, first + ", " + then, 4) == Exit::ok);
    return project.log_lines("the best val-err so far is of step ");
  };
  const std::string falls = metric("0 - epoch_num");
  const std::string restores = R"({"use": "early-stopping", "with": {"monitor_stat": "val-err",
                                   "restore_best": true}})";
  CHECK(told(falls, restores).empty());
  const Lines lines = told(restores, falls);
  REQUIRE(lines.size() == 1);
  CHECK(has(lines[0], "of step 1, but kept for it are weights of step 2"));
}

TEST_CASE("early-stopping: saves nothing when the very last step has failed") {
  Project project;
  // w is -2 in the third step, so the cost is beyond the largest float.
  const std::string callbacks = metric("5") + R"(, "nan-guard", {"use": "early-stopping", "with": {
                       "monitor_stat": "val-err", "restore_best": true}})";
  CHECK(broch::test::train(project, {"dataflow=" + rows("[[1], [2], [3e38]]"),
                                     "callbacks=[" + callbacks + "]", "max_epoch=3"}) ==
        Exit::numbers);
  CHECK(project.files("model-").empty());
}

TEST_CASE("early-stopping: what it has seen outlives a restart") {
  Project project;
  const std::string callbacks =
      metric("5") +
      R"(, {"use": "early-stopping", "with": {"monitor_stat": "val-err", "patience": 3}}, )" +
      saver();
  REQUIRE(train(project, callbacks, 2) == Exit::ok);
  broch::session::RunOptions resume = Project::null_runtime();
  resume.resume = true;
  REQUIRE(train(project, callbacks, 9, resume) == Exit::ok);
  CHECK(project.log_lines("Start Epoch").back() == "Start Epoch 4 ...");
  CHECK(project.logged("val-err has not improved on 5 for 3 observations"));
}

TEST_CASE("model-saver: one with the name of a part of the host is resumed like others") {
  Project project;
  const Lines settings = {
      R"(callbacks=[{"name": "monitors", "use": "model-saver"}, )" +
      recorder("{" + project.trace_option() + R"(, "events": ["trigger_epoch"]})") + "]"};
  CHECK(until(project, 2, false, settings, "trigger_epoch ").size() == 2);
  CHECK(until(project, 4, true, settings, "trigger_epoch ").size() == 3);  // 2 again, 3 and 4
}
