// report.cpp: the page with everything that it would ask a server for.
#include "ui/report.hpp"

#include <algorithm>

#include "api.hpp"
#include "base/log.hpp"
#include "base64.hpp"
#include "page.hpp"
#include "refusal.hpp"
#include "runs/run_folder.hpp"

namespace broch::ui {
namespace {

constexpr const char* kPoints = "2000";  // of each curve
constexpr size_t kImagesPerTag = 12;
constexpr size_t kMostImageBytes = 24 << 20;  // of all images together

// Whatever the texts contain, it does not end the script that they stand in.
std::string inside_script(std::string text) {
  for (size_t at = 0; (at = text.find('<', at)) != text.npos; at += 6)
    text.replace(at, 1, "\\u003c");
  return text;
}

void replace(std::string& text, const std::string& what, const std::string& by) {
  if (const size_t at = text.find(what); at != text.npos) text.replace(at, what.size(), by);
}

// Collects answers by the path that the page asks for.
class Collected {
 public:
  explicit Collected(Library& library) : library_(library), api_(library) {}

  Json take() {
    answers_["api/runs"] = api_.runs();
    const auto runs = library_.runs();
    std::string ids;
    for (const auto& run : runs) {
      add(*run);
      ids += (ids.empty() ? "" : ",") + run->id();
    }
    if (runs.size() > 1) answers_["api/difference"] = api_.difference(ids);
    return std::move(answers_);
  }

 private:
  void add(RunView& run) {
    const std::string path = "api/runs/" + run.id() + "/";
    Target target;
    target.query = {{"points", kPoints}, {"time", "1"}};
    Json series = run.series(target);
    if (const std::string problem = series["problem"]; !problem.empty())
      base::warning(run.name() + ": " + problem);
    answers_[path + "series"] = std::move(series);
    answers_[path + "texts"] = run.texts();
    answers_[path + "manifest"] = run.manifest();
    answers_[path + "environment"] = run.environment();
    Json media = run.media();
    for (Json& one : media["images"]) add_images(run, path, one);
    for (const Json& one : media["histograms"]) {
      const std::string tag = one["tag"];
      answers_[path + "histogram " + tag] = run.histogram(tag);
    }
    for (const Json& one : media["texts"]) {
      const std::string tag = one["tag"];
      answers_[path + "text " + tag] = run.text(tag);
    }
    answers_[path + "media"] = std::move(media);
  }

  // Some of the images of a tag, evenly chosen, as long as there is room.
  void add_images(RunView& run, const std::string& path, Json& tag) {
    Json kept{{"tag", tag["tag"]},
              {"number", Json::array()},
              {"step", Json::array()},
              {"time", Json::array()}};
    const size_t size = tag["number"].size(), count = std::min(size, kImagesPerTag);
    for (size_t i = 0; i < count; ++i) {
      const size_t place = count < 2 ? size - 1 : i * (size - 1) / (count - 1);
      const int64_t number = tag["number"][place];
      const std::string name = tag["tag"];
      std::string png;
      try {
        png = run.image(name, number);
      } catch (const Refusal&) {
        continue;
      }
      if (image_bytes_ + png.size() > kMostImageBytes) break;
      image_bytes_ += png.size();
      for (const char* key : {"number", "step", "time"}) kept[key].push_back(tag[key][place]);
      answers_[path + "image " + name + " " + std::to_string(number)] =
          "data:image/png;base64," + base64(png);
    }
    tag = std::move(kept);
  }

  Library& library_;
  Api api_;
  Json answers_ = Json::object();
  size_t image_bytes_ = 0;
};

}  // namespace

std::string report(const std::vector<std::string>& log_dirs) {
  for (const std::string& log_dir : log_dirs) runs::require_run(log_dir);
  Library library(log_dirs);
  const Json answers = Collected(library).take();
  std::string page(page_file("index.html"));
  const size_t begin = page.find("<script"), end = page.find("</head>");
  std::string scripts =
      "<script>const REPORT = " + inside_script(text_of(answers)) + ";</script>\n";
  for (const char* name : page_scripts())
    scripts += "<script>\n" + std::string(page_file(name)) + "</script>\n";
  page.replace(begin, end - begin, scripts);
  replace(page, "<link rel=\"stylesheet\" href=\"style.css\">",
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
          "'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n<style>\n" +
              std::string(page_file("style.css")) + "</style>");
  return page;
}

}  // namespace broch::ui
