// data_show_test.cpp: broch data show.
#include <doctest/doctest.h>
#include <spng.h>

#include <memory>

#include "data_runs.hpp"

using namespace broch::cli_test;
using broch::test::write_file;
namespace fs = std::filesystem;

TEST_CASE("data show: the first points, with what each component holds") {
  const Json json = json_of({"data", "show", kPictures, "--limit", "2", "--skip", "1"});
  CHECK(json["component"] == "broch.dataflow.fake");
  CHECK(json["size"] == 7);
  CHECK(json["ended"] == false);
  REQUIRE(json["points"].size() == 2);
  CHECK(json["points"][0]["index"] == 1);
  CHECK(json["points"][0]["cursor"].is_string());
  const Json& components = json["points"][0]["components"];
  REQUIRE(components.size() == 2);
  CHECK(components[0]["name"] == "image");
  CHECK(components[0]["dtype"] == "float32");
  CHECK(components[0]["shape"] == Json({3, 6, 5}));
  CHECK(components[0]["min"].get<double>() < components[0]["mean"].get<double>());
  CHECK(components[0]["mean"].get<double>() < components[0]["max"].get<double>());
  CHECK_FALSE(components[0].contains("values"));
  CHECK(components[1]["shape"] == Json::array());
  CHECK(components[1]["values"].size() == 1);
}

TEST_CASE("data show: the end of the data is no error") {
  const Outcome outcome = run({"data", "show", kNumbers, "--limit", "100"});
  CHECK(outcome.exit_code == 0);
  CHECK(holds_in_order(outcome.out, {"point ", "\n6 ", "broch.dataflow.fake: 7 points per round"}));
  CHECK(holds(outcome.err, "the data ends after 7 points"));
}

TEST_CASE("data show: a manifest and its overrides, with data or dataflow") {
  const Folder folder;
  const std::string manifest = folder.path() / "m.json";
  write_file(manifest,
             std::string(R"({"broch": 1, "data": {"use": "feed", "with": {"dataflow": )") +
                 kNumbers + "}}}");
  CHECK(json_of({"data", "show", manifest})["size"] == 7);
  CHECK(json_of({"data", "show", manifest, "data.with.dataflow.with.size=4"})["size"] == 4);
  CHECK(json_of({"data", "show", kNumbers, "dataflow.with.size=3"})["size"] == 3);
  write_file(manifest, R"({"broch": 1})");
  const Outcome none = run({"data", "show", manifest});
  CHECK(none.exit_code == 3);
  CHECK(holds(none.err, "no data"));
}

TEST_CASE("data show: images side by side, and what is none") {
  const Folder folder;
  const fs::path file = folder.path() / "a.png";
  CHECK(run({"data", "show", kPictures, "--limit", "4", "--images", file}).exit_code == 0);
  const std::string png = read_file(file);
  const std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> decoder(spng_ctx_new(0), spng_ctx_free);
  REQUIRE(spng_set_png_buffer(decoder.get(), png.data(), png.size()) == 0);
  spng_ihdr header{};
  REQUIRE(spng_get_ihdr(decoder.get(), &header) == 0);
  CHECK(header.width == 2 * 5 + 3 * 2);  // two images and three gaps
  CHECK(header.height == 2 * 6 + 3 * 2);
  const Outcome none = run({"data", "show", kNumbers, "--images", folder.path() / "b.png"});
  CHECK(none.exit_code == 5);
  CHECK(holds(none.err, "no component that can be drawn as an image"));
  CHECK_FALSE(fs::exists(folder.path() / "b.png"));
}

TEST_CASE("data show: a file that is not there is an error of the data") {
  for (const char* flow : {R"({"use": "tar", "with": {"files": ["no*.tar"], "components": ["a"]}})",
                           R"({"use": "tar", "with": {"files": ["no.tar"], "components": ["a"]}})",
                           R"({"use": "lmdb", "with": {"path": "no.lmdb"}})"}) {
    CAPTURE(flow);
    CHECK(run({"data", "show", flow}).exit_code == 5);
  }
}

TEST_CASE("data show: exit codes of options and data that do not fit each other") {
  const Folder folder;
  write_file(folder.path() / "lines.txt", "one two\nthree\n");
  write_file(folder.path() / "words.txt", "one\ntwo\nthree\n");
  const std::string lines =
      R"({"use": "text-lines", "with": {"file": ")" + (folder.path() / "lines.txt").string() + "\"";
  const std::string words = R"(, "vocabulary": ")" + (folder.path() / "words.txt").string() + "\"";
  const auto around = [](const char* use, const std::string& flow, const std::string& more) {
    return std::string(R"({"use": ")") + use + R"(", "with": {"dataflow": )" + flow + ", " + more +
           "}}";
  };
  struct Case {
    std::string flow;
    int exit_code;
    Words said;  // in this order
  };
  const std::string absent = R"("components": ["none"])";
  const std::vector<Case> cases = {
      {around("batch", lines + "}}", R"("batch_size": 2)"), 5, {"row 1 of a batch"}},
      {around("select", kNumbers, absent), 3, {"/dataflow/with/components/0: ", "'none'"}},
      {around("map", kNumbers, R"("transforms": [{"use": "select", "with": {)" + absent + "}}]"),
       3,
       {"/dataflow/with/transforms/0/with/components/0: ", "'none'"}},
      {around("map", kNumbers, R"("transforms": [{"use": "reshape", "with": {"shape": [3]}}])"),
       5,
       {"component 0: found float32[2]"}},
      {around("map", kNumbers, R"("transforms": ["decode-image"])"),
       5,
       {"failed in apply: component 0: found float32 of 1 dimensions, expected the bytes"}},
      {lines + words + R"(, "unknown": "four"}})", 3, {"/dataflow/with/unknown: ", "'four'"}},
      {R"({"use": "pipe", "with": {"command": ["/no/program"]}})", 5, {"cannot start"}},
      {R"({"use": "mnist", "with": {"folder": "/no/folder"}})", 5, {"dataset mnist: found no"}},
      {around("shuffle",
              R"({"use": "repeat", "with": {"dataflow": )" + std::string(kNumbers) + "}}",
              R"("seed": 1)"),
       3,
       {"/dataflow/with/dataflow: ", "endless"}},
  };
  for (const Case& one : cases) {
    CAPTURE(one.flow);
    const Outcome outcome = run({"data", "show", one.flow});
    CHECK(outcome.exit_code == one.exit_code);
    CHECK(holds_in_order(outcome.err, one.said));
  }
}
