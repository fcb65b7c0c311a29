// report_test.cpp: broch run report: one file with everything in it.
#include <doctest/doctest.h>

#include "cli/program.hpp"
#include "page_server.hpp"
#include "store/event_file.hpp"
#include "store/event_tensors.hpp"
#include "store/png.hpp"

using namespace broch::ui_test;
namespace cli_test = broch::cli_test;
namespace store = broch::store;

namespace {

// The answers in a report, by path.
Json answers_in(const std::string& report) {
  const std::string begin = "const REPORT = ";
  const size_t at = report.find(begin);
  REQUIRE(at != report.npos);
  const size_t end = report.find(";</script>", at);
  return Json::parse(report.substr(at + begin.size(), end - at - begin.size()));
}

}  // namespace

TEST_CASE("report: a run, with nothing to load") {
  const Folder folder;
  const std::string file = folder / "digits.html";
  const cli_test::Outcome outcome =
      cli_test::run({"run", "report", cli_test::trained_digits(), "-o", file});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "report: " + file + "\n");
  const std::string report = folder.read("digits.html");
  for (const std::string part : {"src=", "href=\"style", "@import", "url(", "//cdn"})
    CHECK_MESSAGE(report.find(part) == report.npos, part);
  const Json answers = answers_in(report);
  REQUIRE(answers["api/runs"]["runs"].size() == 1);
  const std::string run = "api/runs/" + std::string(answers["api/runs"]["runs"][0]["id"]) + "/";
  CHECK(answers[run + "series"]["records"] == 3);
  CHECK(answers[run + "manifest"]["resolved"]["max_epoch"] == 3);
  CHECK(answers[run + "environment"]["record"]["exit"] == 0);
  CHECK(answers[run + "environment"]["machine"]["cpu"]["cores"] >= 1);
}

TEST_CASE("report: what is wrong with the records of a run is said") {
  const Folder folder;
  add_run(folder, "a", Json::array());
  folder.write("a/stats.json", R"([{"epoch_num": 1, "global_step": 1, "x": 1}, damaged)");
  const cli_test::Outcome outcome =
      cli_test::run({"run", "report", folder.path() / "a", "-o", folder / "a.html"});
  CHECK(outcome.exit_code == 0);
  CHECK(cli_test::holds(outcome.err, "stats.json: found 'damaged' at byte 45, expected a record"));
  CHECK(folder.read("a.html").find("found 'damaged'") != std::string::npos);
}

TEST_CASE("report: several runs, images, and texts that look like HTML") {
  const Folder folder;
  const std::vector<uint8_t> pixels(12, 200);
  const std::string png = store::encode_png({pixels.data(), pixels.size()}, 2, 2, 3);
  for (const std::string name : {"a", "b"}) {
    add_run(
        folder, name,
        Json{{{"</script><script>alert(1)</script>", 1}, {"epoch_num", 1}, {"global_step", 1}}});
    store::EventFile events(folder.path() / name);
    for (int64_t step = 1; step <= 30; ++step) {
      store::Event event;
      event.step = step;
      event.summary = {{"input", store::EventImage{2, 2, 3, png}},
                       {"said", store::text_of("step " + std::to_string(step))}};
      events.add(event);
    }
  }
  const std::string file = folder / "report.html";
  REQUIRE(cli_test::run({"run", "report", folder / "a", folder / "b/", "-o", file}).exit_code == 0);
  const std::string report = folder.read("report.html");
  CHECK(report.find("</script><script>alert") == report.npos);
  const Json answers = answers_in(report);
  CHECK(answers["api/runs"]["runs"].size() == 2);
  CHECK(answers["api/difference"]["rows"].size() == 1);
  const std::string run = "api/runs/" + std::string(answers["api/runs"]["runs"][0]["id"]) + "/";
  CHECK(answers[run + "series"]["curves"][0]["name"] == "</script><script>alert(1)</script>");
  const Json& image = answers[run + "media"]["images"][0];
  CHECK(image["step"].size() == 12);
  CHECK(image["step"].front() == 1);
  CHECK(image["step"].back() == 30);
  CHECK(std::string(answers[run + "image input " + image["number"].back().dump()])
            .starts_with("data:image/png;base64,iVBORw0KGgo"));
  CHECK(answers[run + "text said"]["texts"].size() == 30);
  CHECK(answers[run + "text said"]["texts"].back()["text"] == "step 30");
}

TEST_CASE("report: what is refused") {
  const Folder folder;
  const auto exit_of = [](const cli_test::Words& words) {
    cli_test::Words all{"run", "report"};
    all.insert(all.end(), words.begin(), words.end());
    return cli_test::run(all).exit_code;
  };
  CHECK(exit_of({}) == 2);
  CHECK(exit_of({folder.path()}) == 5);  // no run
  CHECK(exit_of({folder / "none"}) == 5);
  add_run(folder, "a", Json::array());
  CHECK(exit_of({folder / "a", "-o", folder / "report.txt"}) == 2);
  CHECK(exit_of({folder / "a", "-o", folder / "none/report.html"}) == 5);
  CHECK(exit_of({folder / "a", "-o", folder / "report.html"}) == 0);
}
