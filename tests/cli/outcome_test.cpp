// outcome_test.cpp: what is read back from a finished training: evaluation, curves, picture.
#include <doctest/doctest.h>
#include <spng.h>

#include <fstream>
#include <memory>
#include <set>

#include "cli/program.hpp"

using namespace broch::cli_test;

namespace {

Json stats() { return Json::parse(read_file(trained_digits() / "stats.json")); }

struct Image {
  spng_ihdr header{};
  std::vector<uint8_t> pixels;  // RGB
};

Image decode(const std::string& png) {
  const std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> context(spng_ctx_new(0), spng_ctx_free);
  Image image;
  size_t size = 0;
  REQUIRE(spng_set_png_buffer(context.get(), png.data(), png.size()) == 0);
  REQUIRE(spng_get_ihdr(context.get(), &image.header) == 0);
  REQUIRE(spng_decoded_image_size(context.get(), SPNG_FMT_RGB8, &size) == 0);
  image.pixels.resize(size);
  REQUIRE(spng_decode_image(context.get(), image.pixels.data(), size, SPNG_FMT_RGB8, 0) == 0);
  return image;
}

std::set<int> colors(const Image& image) {
  std::set<int> found;
  for (size_t i = 0; i + 2 < image.pixels.size(); i += 3)
    found.insert(image.pixels[i] << 16 | image.pixels[i + 1] << 8 | image.pixels[i + 2]);
  return found;
}

// A folder with these records, drawn; the picture.
Image drawn(const Json& records) {
  const Folder folder;
  std::ofstream(folder.path() / "stats.json") << records.dump();
  std::ofstream(folder.path() / "manifest.resolved.json") << R"({"name": "drawn"})";  // the title
  const Outcome outcome = run({"run", "plot", folder.path()});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return decode(read_file(folder.path() / "plot.png"));
}

}  // namespace

TEST_CASE("eval: the newest checkpoint gives the numbers that the training wrote, to the bit") {
  const Json last = stats().back();
  const Json json = json_of(digits({"eval"}, {"--checkpoint", trained_digits()}));
  CHECK(json["checkpoint"] == trained_digits().string());
  const Json metrics = json["metrics"];
  for (const char* name : {"test_error", "test_cost", "validation_error", "validation_cost"}) {
    CAPTURE(name);
    REQUIRE(last.contains(name));
    CHECK(metrics.value(name, -1.0) == last[name].get<double>());
  }
}

TEST_CASE("eval: another checkpoint gives the numbers of its own epoch") {
  const Json records = stats();
  const Json& first = records.front();
  CHECK(first["validation_cost"] != records.back()["validation_cost"]);
  const std::string file =
      "model-" + std::to_string(first["global_step"].get<int64_t>()) + ".safetensors";
  const Json json = json_of(digits({"eval"}, {"--checkpoint", trained_digits() / file}));
  CHECK(json["metrics"]["validation_cost"] == first["validation_cost"]);
}

TEST_CASE("eval: prints a table and leaves the log folder alone") {
  const std::string before = read_file(trained_digits() / "log.log");
  const Outcome outcome = run(
      digits({"eval"}, {"--checkpoint", trained_digits(), "log_dir=" + trained_digits().string()}));
  CHECK(outcome.exit_code == 0);
  CHECK(holds_in_order(outcome.out, {"metric ", "value\n", "test_error ", "validation_error "}));
  CHECK(read_file(trained_digits() / "log.log") == before);
}

TEST_CASE("plot: every series has a point for each epoch with the value of stats.json") {
  const Json records = stats();
  CHECK(records.size() == 3);
  const Folder folder;
  const std::string file = folder.path() / "curves.png";
  const Json json = json_of({"run", "plot", trained_digits(), "-o", file});
  CHECK(json["run"] == "digits");
  CHECK(json["picture"] == file);
  CHECK(json["last"] == records.back());
  std::set<std::string> drawn;
  for (const Json& panel : json["panels"])
    for (const Json& series : panel["series"]) {
      const std::string name = series["name"];
      drawn.insert(name);
      Json epochs = Json::array(), values = Json::array();
      for (const Json& record : records)
        if (record.contains(name)) {
          epochs.push_back(record["epoch_num"]);
          values.push_back(record[name]);
        }
      CHECK(series["epochs"] == epochs);
      CHECK(series["values"] == values);
      CHECK(values.size() == (name.starts_with("test_") ? 1 : records.size()));
    }
  CHECK(drawn == std::set<std::string>{"cost", "train_error", "validation_cost", "validation_error",
                                       "test_cost", "test_error", "learning_rate", "beta1", "beta2",
                                       "eps", "weight_decay"});
}

TEST_CASE("plot: the text is the last record and the path of the picture") {
  const Folder folder;
  const std::string file = folder.path() / "curves.png";
  const Outcome outcome = run({"run", "plot", trained_digits(), "-o", file});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err == "");
  CHECK(holds_in_order(outcome.out, {"metric ", "value\n", "epoch_num ", "3\n", "global_step ",
                                     "120\n", "validation_error ", "picture: " + file + "\n"}));
}

TEST_CASE("plot: metrics of one unit share a panel, all others are drawn as well") {
  const Folder folder;
  std::ofstream(folder.path() / "stats.json") << R"x([{"epoch_num": 1, "global_step": 5,
      "val_loss": 1, "cost": 2.5, "d_loss": 0.1, "learning_rate": 0.1, "conv/W/rms": 1,
      "fc/W/rms": 2, "Throughput (steps/sec)": 9, "val-accuracy": 0.5, "train_acc": 0.4,
      "score": 7}])x";
  const std::string file = folder.path() / "plot.svg";
  const Json all = json_of({"run", "plot", folder.path(), "-o", file});
  std::vector<std::pair<std::string, size_t>> panels;
  for (const Json& panel : all["panels"])
    panels.emplace_back(panel["title"], panel["series"].size());
  CHECK(panels == std::vector<std::pair<std::string, size_t>>{{"Loss", 3},
                                                              {"Accuracy", 2},
                                                              {"Learning rate", 1},
                                                              {"Rms", 2},
                                                              {"Score", 1},
                                                              {"Steps/sec", 1}});
  const Json two =
      json_of({"run", "plot", folder.path(), "-o", file, "--stat", "score", "--stat", "cost"});
  CHECK(two["panels"].size() == 2);
  CHECK(two["panels"][0]["series"][0]["name"] == "cost");
  const Outcome none = run({"run", "plot", folder.path(), "--stat", "scor"});
  CHECK(none.exit_code == 2);
  CHECK(holds_in_order(none.err, {"--stat scor", "did you mean 'score'?"}));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "plot.png"));
}

TEST_CASE("plot: the text has the metrics that were asked for, and the counters") {
  const Folder folder;
  std::ofstream(folder.path() / "stats.json")
      << R"([{"epoch_num": 1, "global_step": 5, "score": 7, "cost": 2.5, "fc/W/rms": 1}])";
  const std::string file = folder.path() / "plot.svg";
  const Outcome outcome =
      run({"run", "plot", folder.path(), "-o", file, "--stat", "score", "--stat", "cost"});
  CHECK(outcome.exit_code == 0);
  CHECK(holds_in_order(outcome.out,
                       {"epoch_num ", "global_step ", "score ", "7\n", "cost ", "2.5\n"}));
  CHECK_FALSE(holds(outcome.out, "rms"));
}

TEST_CASE("plot: values that differ in their last bit") {
  const Folder folder;
  std::ofstream(folder.path() / "stats.json")
      << R"([{"epoch_num": 1, "cost": 1.0}, {"epoch_num": 2, "cost": 1.0000000000000002}])";
  const Outcome outcome = run({"run", "plot", folder.path(), "-o", folder.path() / "plot.svg"});
  CHECK(outcome.exit_code == 0);
}

TEST_CASE("plot: points between gaps are drawn, also where there are many") {
  constexpr int kEpochs = 80;  // more than get a marker each
  const Folder folder;
  const std::string file = folder.path() / "plot.svg";
  // How many things are drawn if the cost of these epochs is finite.
  const auto paths_of = [&](const auto& is_finite) {
    Json records = Json::array();
    for (int epoch = 1; epoch <= kEpochs; ++epoch)
      records.push_back(
          {{"epoch_num", epoch}, {"cost", is_finite(epoch) ? Json(1.5) : Json(nullptr)}});
    std::ofstream(folder.path() / "stats.json") << records.dump();
    CHECK(run({"run", "plot", folder.path(), "-o", file}).exit_code == 0);
    const std::string picture = read_file(file);
    int count = 0;
    for (size_t at = 0; (at = picture.find("<path", at)) != picture.npos; ++at) ++count;
    return count;
  };
  const int line = paths_of([](int epoch) { return epoch > kEpochs / 2; });
  const int points = paths_of([](int epoch) { return epoch % 2 == 0; });
  CHECK(points >= line + kEpochs / 2 - 1);
}

TEST_CASE("plot: several runs are drawn over each other") {
  const Folder folder;
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_directory(folder.path() / name);
    std::ofstream(folder.path() / name / "stats.json")
        << R"([{"epoch_num": 1, "cost": 2.5}, {"epoch_num": 2, "cost": )" << (*name == 'a' ? 1 : 2)
        << "}]";
  }
  const std::string file = folder.path() / "both.png";
  const Words words = {"run", "plot", folder.path() / "a", folder.path() / "b", "-o", file};
  const Json json = json_of(words);
  CHECK(json["run"] == "a, b");
  REQUIRE(json["panels"].size() == 1);
  const Json& series = json["panels"][0]["series"];
  REQUIRE(series.size() == 2);
  CHECK(series[0]["name"] == "a: cost");
  CHECK(series[1]["name"] == "b: cost");
  CHECK(series[1]["values"] == Json({2.5, 2}));
  CHECK(json["last"][1]["cost"] == 2);
  // Each has a color of its own: the first two of the palette.
  const std::set<int> found = colors(decode(read_file(file)));
  CHECK(found.contains(0x0073b3));
  CHECK(found.contains(0xd75e00));
  const Outcome table = run(words);
  CHECK(holds_in_order(table.out, {"metric", "a", "b", "epoch_num", "2", "2", "cost", "1", "2"}));
}

TEST_CASE("plot: runs with one name are called by what is different in their paths") {
  const Folder folder;
  for (const char* name : {"a/log", "b/log"}) {
    std::filesystem::create_directories(folder.path() / name);
    std::ofstream(folder.path() / name / "stats.json") << R"([{"epoch_num": 1, "cost": 2.5}])";
  }
  const Json json = json_of({"run", "plot", folder.path() / "a/log", folder.path() / "b/../b/log/",
                             "-o", folder.path() / "both.svg"});
  CHECK(json["run"] == "a/log, b/log");
}

TEST_CASE("plot: what the file is called decides what it is") {
  const Folder folder;
  std::ofstream(folder.path() / "stats.json") << R"([{"epoch_num": 1, "cost": 2.5}])";
  const auto drawn_as = [&](const std::string& name) {
    const Outcome outcome = run({"run", "plot", folder.path(), "-o", folder.path() / name});
    INFO(outcome.err);
    CHECK(outcome.exit_code == 0);
    CHECK(run({"run", "plot", folder.path(), "-o", folder.path() / name}).exit_code == 0);
    return read_file(folder.path() / name);
  };
  CHECK(drawn_as("a.png").starts_with("\x89PNG"));
  const std::string svg = drawn_as("a.svg");
  CHECK(svg.starts_with("<?xml"));
  CHECK(holds_in_order(svg, {"<svg", "</svg>"}));
  const std::string pdf = drawn_as("a.pdf");
  CHECK(pdf.starts_with("%PDF-"));
  CHECK(holds(pdf, "%%EOF"));
  const Outcome outcome = run({"run", "plot", folder.path(), "-o", folder.path() / "a.jpg"});
  CHECK(outcome.exit_code == 2);
  CHECK(holds_in_order(outcome.err, {"a.jpg", ".png, .svg or .pdf"}));
}

TEST_CASE("plot: the picture decodes, has room for two panels, and colors for its lines") {
  const Folder folder;
  const std::string file = folder.path() / "curves.png";
  REQUIRE(run({"run", "plot", trained_digits(), "-o", file}).exit_code == 0);
  const Image image = decode(read_file(file));
  CHECK(image.header.width >= 800);
  CHECK(image.header.height >= 300);
  CHECK(colors(image).size() > 20);
  CHECK(image.pixels.front() == 255);
}

TEST_CASE("plot: another value draws another picture, the same values the same") {
  Json records = Json::parse(R"([{"epoch_num": 1, "global_step": 5, "cost": 2.5},
                                 {"epoch_num": 2, "global_step": 10, "cost": 1.5},
                                 {"epoch_num": 3, "global_step": 15, "cost": 1.25}])");
  const Image image = drawn(records);
  CHECK(drawn(records).pixels == image.pixels);
  records[1]["cost"] = 2.0;
  CHECK(drawn(records).pixels != image.pixels);
}

TEST_CASE("plot: a value that is not finite, a single epoch and a flat line are drawn") {
  CHECK_FALSE(drawn(Json::parse(R"([{"epoch_num": 1, "cost": null, "error": 0},
                                    {"epoch_num": 2, "cost": 3, "error": 0}])"))
                  .pixels.empty());
  CHECK_FALSE(drawn(Json::parse(R"([{"epoch_num": 1, "cost": 0.5}])")).pixels.empty());
}
