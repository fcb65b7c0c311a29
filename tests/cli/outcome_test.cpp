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

std::set<int> colours(const Image& image) {
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
  const Json json = json_of(digits({"eval"}, {"--ckpt", trained_digits()}));
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
  const Json json = json_of(digits({"eval"}, {"--ckpt", trained_digits() / file}));
  CHECK(json["metrics"]["validation_cost"] == first["validation_cost"]);
}

TEST_CASE("eval: prints a table and leaves the log folder alone") {
  const std::string before = read_file(trained_digits() / "log.log");
  const Outcome outcome =
      run(digits({"eval"}, {"--ckpt", trained_digits(), "log_dir=" + trained_digits().string()}));
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
                                       "test_cost", "test_error"});
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

TEST_CASE("plot: the picture decodes, has room for two panels, and colours for its lines") {
  const Folder folder;
  const std::string file = folder.path() / "curves.png";
  REQUIRE(run({"run", "plot", trained_digits(), "-o", file}).exit_code == 0);
  const Image image = decode(read_file(file));
  CHECK(image.header.width >= 800);
  CHECK(image.header.height >= 300);
  CHECK(colours(image).size() > 20);
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
