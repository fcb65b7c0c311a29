// runs_test.cpp: broch ui: what it says of runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "cli/program.hpp"
#include "page_server.hpp"
#include "store/event_file.hpp"
#include "store/event_tensors.hpp"
#include "store/png.hpp"

using namespace broch::ui_test;
namespace cli_test = broch::cli_test;
namespace store = broch::store;

TEST_CASE("ui: the list of runs has the state and the last metrics of each") {
  const PageServer server(cli_test::trained_digits().parent_path());
  const Json answer = server.api("runs");
  CHECK(answer["cut"] == false);
  REQUIRE(answer["runs"].size() == 1);
  const Json& run = answer["runs"][0];
  CHECK(run["name"] == "digits");
  CHECK(run["state"] == "finished");
  CHECK(run["path"] == cli_test::trained_digits().string());
  CHECK(run["epoch"] == 3);
  CHECK(run["step"] == 120);
  CHECK(run["exit"] == 0);
  CHECK(run["ended"].get<double>() > run["started"].get<double>());
  CHECK(run["plan"]["max_epoch"] == 3);
  CHECK(run["plan"]["model"] == "digits.convnet");
  CHECK(run["stats"]["validation_error"].is_number());
}

TEST_CASE("ui: a run that has reported nothing yet has no metrics") {
  const Folder folder;
  const auto log_dir = folder.path() / "log";
  std::filesystem::copy(cli_test::trained_digits(), log_dir);
  std::filesystem::remove(log_dir / "stats.json");
  const PageServer server(folder.path());
  const Json run = server.api("runs")["runs"][0];
  CHECK(run["stats"] == Json::object());
  CHECK(run["step"].is_null());
}

TEST_CASE("ui: manifests have origins, and runs their environment") {
  const PageServer server(cli_test::trained_digits().parent_path());
  const std::string run = "runs/" + server.id("digits") + "/";
  const Json manifest = server.api(run + "manifest");
  CHECK(manifest["resolved"]["max_epoch"] == 3);
  CHECK(manifest["origins"]["/max_epoch"] == "override max_epoch");
  CHECK(std::string(manifest["origins"]["/model/use"]).find("digits.json:") != std::string::npos);
  CHECK(std::string(manifest["written"]).find("digits.convnet") != std::string::npos);
  const Json environment = server.api(run + "environment");
  CHECK(environment["record"]["exit"] == 0);
  CHECK(environment["plugins"][0]["id"].is_string());
  const Json& machine = environment["machine"];
  CHECK(std::string(machine["broch"]).find('.') != std::string::npos);
  CHECK(std::string(machine["runtime"]).starts_with("LibTorch "));
  CHECK(std::string(machine["system"]).find("Linux") != std::string::npos);
  CHECK(machine["cpu"]["usable_cores"] >= 1);
  CHECK(machine["gpus"].is_array());
  CHECK(std::string(server.api(run + "texts")["log"]).find("Epoch 3") != std::string::npos);
  // The times of the event file lie in those of the run.
  const Json curves = server.api(run + "series?time=1")["curves"];
  const Json& record = environment["record"];
  CHECK_FALSE(curves.empty());
  for (const Json& curve : curves) {
    CHECK(curve["epoch"].back() == 3.0);
    CHECK(curve["time"].size() == curve["epoch"].size());
    for (const Json& time : curve["time"]) {
      CHECK(time.get<double>() >= record["started"].get<double>() - 0.01);
      CHECK(time.get<double>() <= record["ended"].get<double>() + 0.01);
    }
  }
}

TEST_CASE("ui: texts of summaries, by tag and step, beside messages") {
  const Folder folder;
  add_run(folder, "a", Json::array());
  store::EventFile events(folder.path() / "a");
  for (int64_t step = 1; step <= 100; ++step) {
    store::Event event;
    event.step = step;
    event.summary = {{"loss", 1.0F}, {"said", store::text_of("text " + std::to_string(step))}};
    if (step == 50) event.message = "half way";
    events.add(event);
  }
  events.flush();
  const PageServer server(folder.path());
  const std::string run = "runs/" + server.id("a") + "/";
  const Json listed = server.api(run + "media")["texts"];
  REQUIRE(listed.size() == 1);
  CHECK(listed[0]["tag"] == "said");
  CHECK(listed[0]["step"].size() == 100);
  const Json texts = server.api(run + "text?tag=said")["texts"];
  CHECK(texts.size() == 40);
  CHECK(texts.front() == Json{{"step", 1}, {"text", "text 1"}});
  CHECK(texts.back() == Json{{"step", 100}, {"text", "text 100"}});
  CHECK(server.get("/api/" + run + "text?tag=loss").status == 404);
  const Json messages = server.api(run + "texts")["texts"];
  REQUIRE(messages.size() == 1);
  CHECK(messages[0]["text"] == "half way");
}

TEST_CASE("ui: of a text that is too long the first whole characters are there") {
  const Folder folder;
  add_run(folder, "a", Json::array());
  const std::string most(64 << 10, 'x');
  store::EventFile events(folder.path() / "a");
  store::Event event;
  event.step = 1;
  event.summary = {{"said", store::text_of("ä" + most.substr(3) + "ä")},
                   {"odd", store::text_of("gr\xFCn, grün")}};
  event.message = most.substr(0, most.size() - 1) + "ä";
  events.add(event);
  events.flush();
  const PageServer server(folder.path());
  const std::string run = "runs/" + server.id("a") + "/";
  CHECK(server.api(run + "text?tag=said")["texts"][0]["text"] == "ä" + most.substr(3));
  CHECK(server.api(run + "text?tag=odd")["texts"][0]["text"] == "gr\xEF\xBF\xBDn, grün");
  CHECK(server.api(run + "texts")["texts"][0]["text"] == most.substr(1));
}

TEST_CASE("ui: of very many texts and messages the newest are there") {
  constexpr int64_t kTexts = 25'003;
  const Folder folder;
  add_run(folder, "a", Json::array());
  store::EventFile events(folder.path() / "a");
  for (int64_t step = 1; step <= kTexts; ++step) {
    store::Event event;
    event.step = step;
    event.summary.push_back({"said", store::text_of("text " + std::to_string(step))});
    event.message = "message " + std::to_string(step);
    events.add(event);
  }
  events.flush();
  const PageServer server(folder.path());
  const std::string run = "runs/" + server.id("a") + "/";
  const Json listed = server.api(run + "media")["texts"];
  REQUIRE(listed.size() == 1);
  CHECK(listed[0]["step"].front() == 1);
  CHECK(listed[0]["step"].back() == kTexts);
  CHECK(listed[0]["number"].back() == kTexts - 1);
  const Json texts = server.api(run + "text?tag=said")["texts"];
  REQUIRE(texts.size() == 40);
  for (size_t i = 0; i < texts.size(); ++i) {
    const int64_t step = texts[i]["step"];
    CHECK(texts[i]["text"] == "text " + std::to_string(step));
    // At even distances.
    CHECK(std::abs(double(step) - double(i) * double(kTexts) / 39) < 20);
  }
  const Json messages = server.api(run + "texts")["texts"];
  REQUIRE(messages.size() == 1000);
  CHECK(messages.front()["text"] == "message " + std::to_string(kTexts - 999));
  CHECK(messages.back()["text"] == "message " + std::to_string(kTexts));
}

TEST_CASE("ui: an event file that a resumed run has cut and continued is read anew") {
  const Folder folder;
  add_run(folder, "a", Json::array());
  const auto say = [](store::EventFile& events, int64_t step, const std::string& text) {
    store::Event event;
    event.step = step;
    event.summary.push_back({"said", store::text_of(text)});
    events.add(event);
  };
  std::filesystem::path file;
  uint64_t size = 0;
  {
    store::EventFile events(folder.path() / "a");
    say(events, 1, "first");
    events.flush();
    file = events.path();
    size = events.size();
    say(events, 2, "lost");
  }
  const PageServer server(folder.path());
  const std::string texts = "runs/" + server.id("a") + "/text?tag=said";
  CHECK(server.api(texts)["texts"].back() == Json{{"step", 2}, {"text", "lost"}});
  {
    store::EventFile events(file, size);
    for (const int64_t step : {2, 3, 4}) say(events, step, "second time");
  }
  const Json now = server.api(texts)["texts"];
  CHECK(now.size() == 4);
  CHECK(now.back() == Json{{"step", 4}, {"text", "second time"}});
}

TEST_CASE("ui: curves have few points, but the smallest and the largest of all") {
  const Folder folder;
  constexpr int kSteps = 20'000;
  const auto value = [](int step) {
    return step == 7'777 ? 50.0 : step == 12'345 ? -50.0 : std::sin(step / 100.0);
  };
  add_run(folder, "a", records_of(kSteps, value));
  const PageServer server(folder.path());
  const std::string series = "runs/" + server.id("a") + "/series?points=";
  for (const size_t points : {8, 100, 1000}) {
    const Json answer = server.api(series + std::to_string(points));
    CHECK(answer["records"] == kSteps);
    REQUIRE(answer["curves"].size() == 1);
    const Json& curve = answer["curves"][0];
    CHECK(curve["name"] == "cost");
    CHECK(curve["value"].size() <= points);
    CHECK(curve["value"].size() >= points / 2);
    CHECK(curve["step"].front() == 1);
    CHECK(curve["step"].back() == kSteps);
    const auto values = curve["value"].get<std::vector<double>>();
    CHECK(*std::ranges::max_element(values) == 50);
    CHECK(*std::ranges::min_element(values) == -50);
    for (size_t i = 0; i < values.size(); ++i) CHECK(values[i] == value(curve["step"][i]));
    CHECK(curve["epoch"].back() == 1.0);
    CHECK(curve["epoch"][0] == doctest::Approx(1.0 / kSteps).epsilon(1));
  }
  const Json part = server.api(series + "100&from=1000&to=1010")["curves"][0];
  CHECK(part["step"].get<std::vector<int>>() ==
        std::vector<int>{1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010});
  CHECK(server.api(series + "100&tag=none")["curves"].empty());
}

TEST_CASE("ui: only new records are sent, unless the file is another one") {
  const Folder folder;
  const auto line = [](int step) { return double(step); };
  add_run(folder, "a", records_of(10, line));
  const PageServer server(folder.path());
  const std::string series = "runs/" + server.id("a") + "/series";
  Json answer = server.api(series);
  CHECK(answer["records"] == 10);
  const auto since = [&] {
    return series + "?since=" + answer["records"].dump() +
           "&generation=" + answer["generation"].dump();
  };
  CHECK(server.api(since())["curves"][0]["step"].empty());
  add_run(folder, "a", records_of(12, line));
  answer = server.api(since());
  CHECK(answer["since"] == 10);
  CHECK(answer["records"] == 12);
  CHECK(answer["curves"][0]["step"] == Json{11, 12});
  CHECK(answer["curves"][0]["value"] == Json{11.0, 12.0});
  // A resumed run has taken records back and written others.
  add_run(folder, "a", records_of(9, [](int step) { return -step; }));
  answer = server.api(since());
  CHECK(answer["since"] == 0);
  CHECK(answer["records"] == 9);
  CHECK(answer["curves"][0]["value"].back() == -9.0);
}

TEST_CASE("ui: records of any JSON, numbers that are not finite, and files that end early") {
  const Folder folder;
  add_run(folder, "a", Json::array());
  folder.write("a/stats.json", R"([{"epoch_num": 1, "global_step": 1, "a\"b": 1, "x": null}
      , {"global_step":2,"x":2e3,"text":"}","list":[1,{"y":2}],"epoch_num":2},{"other": 3},
      {"epoch_num": 3, "global_step": 3, "x": 3, "<b>": 1}, {"epoch_num": 4, "glo)");
  const PageServer server(folder.path());
  const Json answer = server.api("runs/" + server.id("a") + "/series");
  CHECK(answer["records"] == 3);
  Json curves;
  for (const Json& curve : answer["curves"]) curves[std::string(curve["name"])] = curve["value"];
  CHECK(curves.size() == 3);
  CHECK(curves["a\"b"] == Json{1.0});
  CHECK(curves["x"] == Json{nullptr, 2000.0, 3.0});
  CHECK(curves["<b>"] == Json{1.0});
  for (const std::string text :
       {"", "[", "{", "[{", "null", "[[[[", "[{\"epoch_num\": 1}", "\xff"}) {
    CAPTURE(text);
    folder.write("a/stats.json", text);
    CHECK(server.get("/api/runs/" + server.id("a") + "/series").status == 200);
  }
}

TEST_CASE("ui: a file that is damaged says where, one that ends early is none") {
  const Folder folder;
  add_run(folder, "a", Json::array());
  const PageServer server(folder.path());
  const auto problem_of = [&](const std::string& text) -> std::string {
    folder.write("a/stats.json", text);
    return server.api("runs/" + server.id("a") + "/series")["problem"];
  };
  const std::string first = R"([{"epoch_num": 1, "global_step": 1, "x": 1},)";
  CHECK(problem_of(first + R"({"epoch_num": 2, "glo)") == "");
  CHECK(problem_of(first + "\n]\n") == "");
  CHECK(problem_of(first + "{\"x: 2},\n{\"epoch_num\": 3, \"x\": 1}]") ==
        "stats.json: found '{\"x: 2},' at byte 44, expected a record; what follows is not shown");
  CHECK(problem_of(first + "]\n[]") == "");
  CHECK(problem_of(first + "]\n[{\"epoch_num\": 2}]") ==
        "stats.json: found '{\"epoch_num\": 2}]' at byte 47, expected the end of the file; what "
        "follows is not shown");
  CHECK(problem_of(first + "\nnonsense\n]") ==
        "stats.json: found 'nonsense' at byte 45, expected a record; what follows is not shown");
  CHECK(problem_of(first + "{\"epoch_num\": 2,, \"x\": 1}]") ==
        "stats.json: found '{\"epoch_num\": 2,, \"x\": 1}]' at byte 44, expected a record; what "
        "follows is not shown");
  CHECK(problem_of("\x01\xff") ==
        "stats.json: found '\\x01\\xff' at byte 0, expected a record; "
        "what follows is not shown");
}

TEST_CASE("ui: images, histograms and texts of event files") {
  const Folder folder;
  add_run(folder, "a", records_of(3, [](int step) { return step; }));
  const std::vector<uint8_t> pixels(12, 200);
  const std::string png = store::encode_png({pixels.data(), pixels.size()}, 2, 2, 3);
  const std::vector<float> numbers{1, 2, 2, 3};
  {
    store::EventFile events(folder.path() / "a");
    for (const int64_t step : {1, 2, 3}) {
      store::Event event;
      event.step = step;
      event.wall_time = 1000.0 + double(step);
      event.summary = {{"in/put", store::EventImage{2, 2, 3, png}},
                       {"weights", store::histogram_of(numbers, "weights")}};
      event.message = "note " + std::to_string(step);
      events.add(event);
    }
  }
  const PageServer server(folder.path());
  const std::string run = "runs/" + server.id("a") + "/";
  const Json media = server.api(run + "media");
  CHECK(media["images"] == Json{{{"tag", "in/put"},
                                 {"number", {0, 1, 2}},
                                 {"step", {1, 2, 3}},
                                 {"time", {1001.0, 1002.0, 1003.0}}}});
  CHECK(media["histograms"][0]["tag"] == "weights");
  const Response image = server.get("/api/" + run + "image?tag=in%2Fput&n=2");
  CHECK(image.status == 200);
  CHECK(image.header("Content-Type") == "image/png");
  CHECK(image.body == png);
  CHECK(server.get("/api/" + run + "image?tag=in%2Fput&n=3").status == 404);
  CHECK(server.get("/api/" + run + "image?tag=weights").status == 404);
  const Json histogram = server.api(run + "histogram?tag=weights")["histograms"];
  REQUIRE(histogram.size() == 3);
  CHECK(histogram[1]["step"] == 2);
  CHECK(histogram[1]["min"] == 1);
  CHECK(histogram[1]["max"] == 3);
  double count = 0;
  for (const Json& one : histogram[1]["counts"]) count += one.get<double>();
  CHECK(count == 4);
  CHECK(server.api(run + "texts")["texts"][2]["text"] == "note 3");
  CHECK(server.api(run + "series?time=1")["curves"][0]["time"] == Json{1001.0, 1002.0, 1003.0});
}

TEST_CASE("ui: what differs between manifests") {
  const Folder folder;
  for (const std::string name : {"a", "b"}) {
    add_run(folder, name, Json::array());
    folder.write(
        name + "/manifest.resolved.json",
        Json{{"name", name}, {"log_dir", name}, {"seed", 1}, {"list", {1, name == "a"}}}.dump());
  }
  const PageServer server(folder.path());
  const Json answer = server.api("difference?runs=" + server.id("a") + "," + server.id("b"));
  CHECK(answer["rows"] == Json{{{"pointer", "/list/1"}, {"values", {"true", "false"}}},
                               {{"pointer", "/name"}, {"values", {"\"a\"", "\"b\""}}}});
}

TEST_CASE("ui: a run that trains is followed, changed and stopped") {
  const cli_test::Quick quick(0.05, 100'000);
  cli_test::Start start(quick.train());
  REQUIRE(cli_test::Start::wait_for(quick.events(), "before_run 1\n"));
  const PageServer server(quick.folder());
  const std::string run = "runs/" + server.id("quick") + "/";
  CHECK(server.api("runs")["runs"][0]["state"] == "running");
  const Json status = server.api(run + "status");
  CHECK(status["max_epoch"] == 100'000);
  CHECK(status["global_step"].is_number_integer());
  CHECK(status["settable"].contains("model-saver/max_to_keep"));
  const auto control = [&](const Json& body) {
    return server.post("/api/" + run + "control", body.dump());
  };
  const Response none = control({{"request", "set"}, {"name", "none"}, {"value", "1"}});
  CHECK(none.status == 409);
  CHECK(none.error().find("none") != std::string::npos);
  const Response set =
      control({{"request", "set"}, {"name", "model-saver/max_to_keep"}, {"value", "3"}});
  CHECK(set.status == 200);
  CHECK(set.json()["now"] == 3);
  CHECK(control({{"request", "save"}}).json()["checkpoint"].is_string());
  CHECK(control({{"request", "stop"}}).status == 200);
  CHECK(start.finish().exit_code == 75);
  CHECK(server.get("/api/" + run + "status").status == 409);
  CHECK(server.api("runs")["runs"][0]["state"] == "interrupted");
}
