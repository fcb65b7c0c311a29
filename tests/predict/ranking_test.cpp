// ranking_test.cpp: the likeliest classes of each sample, with names from the data or from a file.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <sstream>

#include "archive/npy_header.hpp"
#include "predicting.hpp"
#include "store/png.hpp"

using namespace broch;
using namespace broch::test;

namespace {

struct Likely {
  std::string name;
  double probability;
};

// The classes of each row in the order of their probabilities, from the scores as by_hand has them.
std::vector<std::vector<Likely>> ranked(const std::vector<double>& scores,
                                        const std::vector<std::string>& names) {
  std::vector<std::vector<Likely>> rows;
  for (size_t first = 0; first < scores.size(); first += names.size()) {
    double sum = 0;
    for (size_t i = 0; i < names.size(); ++i) sum += std::exp(scores[first + i]);
    std::vector<Likely> row;
    for (size_t i = 0; i < names.size(); ++i)
      row.push_back({names[i], std::exp(scores[first + i]) / sum});
    std::ranges::sort(row, std::greater(), &Likely::probability);
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

void check_csv(const std::string& text, const std::string& head,
               const std::vector<std::vector<Likely>>& expected, size_t top) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  CHECK(line == head);
  for (const std::vector<Likely>& row : expected) {
    REQUIRE(std::getline(lines, line));
    const std::vector<std::string> cells = cells_of(line);
    REQUIRE(cells.size() == 2 * top);
    for (size_t i = 0; i < top; ++i) {
      CHECK(cells[2 * i] == row[i].name);
      CHECK(std::stod(cells[2 * i + 1]) == doctest::Approx(row[i].probability).epsilon(1e-5));
    }
  }
  CHECK(!std::getline(lines, line));
}

void must_predict(const Folder& folder, const std::string& words) {
  REQUIRE_MESSAGE(run_broch(folder, "predict " + words) == 0, folder.read("talk"));
}

void check_refused(const Folder& folder, const std::string& words, int exit,
                   const std::string& said) {
  CHECK_MESSAGE(run_broch(folder, "predict " + words) == exit, folder.read("talk"));
  CHECK_MESSAGE(folder.read("talk").find(said) != std::string::npos, folder.read("talk"));
}

// The network with a softmax behind its scores.
Json softmax_manifest() {
  Json manifest = small_manifest(fake_data());
  manifest["model"]["with"]["layers"].push_back({{"layer", "softmax"}, {"name", "chances"}});
  return manifest;
}

// A table with the label as a word, and a run on it.
Json table_manifest(const Folder& folder) {
  std::string rows;
  std::istringstream lines(csv_rows(12));
  const char* const words[] = {"answer", "no", "yes", "maybe"};
  size_t i = 0;
  for (std::string line; std::getline(lines, line); ++i)
    rows += line + "," + words[i == 0 ? 0 : 1 + i % 3] + "\n";
  folder.write("train.csv", rows);
  const Json components = {{{"name", "x"}, {"columns", {"a", "b", "c", "d"}}},
                           {{"name", "label"},
                            {"columns", {"answer"}},
                            {"scalar", true},
                            {"dtype", "category"},
                            {"categories", {"no", "yes", "maybe"}}}};
  const Json table = {{"use", "csv"},
                      {"with", {{"file", folder / "train.csv"}, {"components", components}}}};
  return small_manifest({{"use", "batch"}, {"with", {{"batch_size", 4}, {"dataflow", table}}}});
}

}  // namespace

TEST_CASE("ranking: the likeliest classes with the names of the table, of a run and its bundle") {
  const Folder folder;
  const Training training(folder, "run", table_manifest(folder));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  folder.write("new.csv", csv_rows(70));
  const auto expected = ranked(by_hand(70, training.checkpoint(2)), {"no", "yes", "maybe"});
  must_predict(folder, "run --data new.csv --top 1 -o one.csv");
  check_csv(folder.read("one.csv"), "class,probability", expected, 1);
  must_predict(folder, "run --data new.csv --top 3 -o three.csv");
  check_csv(folder.read("three.csv"),
            "class_1,probability_1,class_2,probability_2,class_3,probability_3", expected, 3);
  REQUIRE_MESSAGE(run_broch(folder, "export run -o small.bundle") == 0, folder.read("talk"));
  must_predict(folder, "small.bundle --data new.csv --top 3 -o of_bundle.csv");
  CHECK(folder.read("of_bundle.csv") == folder.read("three.csv"));

  must_predict(folder, "run --data new.csv --top 2 -o two.jsonl");
  std::istringstream lines(folder.read("two.jsonl"));
  std::string line;
  for (const std::vector<Likely>& row : expected) {
    REQUIRE(std::getline(lines, line));
    const Json classes = Json::parse(line).at("classes");
    REQUIRE(classes.size() == 2);
    CHECK(classes[1].at("class") == row[1].name);
    CHECK(classes[1].at("probability").get<double>() ==
          doctest::Approx(row[1].probability).epsilon(1e-5));
  }
}

TEST_CASE("ranking: names in a file, numbers without names") {
  const Folder folder;
  const Training training(folder, "run", small_manifest(fake_data()));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  folder.write("new.csv", csv_rows(5));
  const std::vector<double> scores = by_hand(5, training.checkpoint(2));
  must_predict(folder, "run --data new.csv --top 2 -o numbers.csv");
  const std::string head = "class_1,probability_1,class_2,probability_2";
  check_csv(folder.read("numbers.csv"), head, ranked(scores, {"0", "1", "2"}), 2);
  folder.write("words.txt", "\xEF\xBB\xBFred\r\ngreen\r\nblue");
  must_predict(folder, "run --data new.csv --top 2 --classes words.txt -o words.csv");
  check_csv(folder.read("words.csv"), head, ranked(scores, {"red", "green", "blue"}), 2);
  folder.write("words.txt", "\"a\"\nb, c\n\n");
  const std::string named = "run --data new.csv --top 2 --classes words.txt -o no.csv";
  check_refused(folder, named, 5, "line 3: an empty line");
  folder.write("words.txt", "");
  check_refused(folder, named, 5, "an empty file");
  folder.write("words.txt", "a\ncaf\xe9\nb\n");
  check_refused(folder, named, 5, "line 2: bytes that are no UTF-8");
  folder.write("words.txt", "a\nb\n");
  check_refused(folder, named, 5, "2 names, expected one for each of 3 scores");
  folder.write("words.txt", "\"a\"\nb, c\nd\n");
  must_predict(folder, "run --data new.csv --top 1 --classes words.txt -o quoted.jsonl");
  std::istringstream lines(folder.read("quoted.jsonl"));
  std::string line;
  for (const auto& row : ranked(scores, {"\"a\"", "b, c", "d"})) {
    REQUIRE(std::getline(lines, line));
    CHECK(Json::parse(line).at("classes")[0].at("class") == row[0].name);
  }
}

TEST_CASE("ranking: a model that ends with a softmax has probabilities already") {
  const Folder folder;
  const Training training(folder, "run", softmax_manifest());
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  folder.write("new.csv", csv_rows(9));
  must_predict(folder, "run --data new.csv --name chances/output -o scores.jsonl");
  must_predict(folder, "run --data new.csv --name chances/output --top 1 -o top.jsonl");
  must_predict(folder, "run --data new.csv --name last/output --top 1 -o of_scores.jsonl");
  std::istringstream scores(folder.read("scores.jsonl")), tops(folder.read("top.jsonl")),
      others(folder.read("of_scores.jsonl"));
  std::string row, top, other;
  while (std::getline(scores, row)) {
    REQUIRE((std::getline(tops, top) && std::getline(others, other)));
    const auto chances = Json::parse(row).at("chances/output").get<std::vector<double>>();
    const Json best = Json::parse(top).at("classes")[0];
    const auto most = std::ranges::max_element(chances);
    CHECK(best.at("class") == most - chances.begin());
    CHECK(best.at("probability").get<double>() == doctest::Approx(*most).epsilon(1e-6));
    CHECK(Json::parse(other).at("classes")[0].at("probability").get<double>() ==
          doctest::Approx(*most).epsilon(1e-5));
  }
}

TEST_CASE("ranking: images have the names of their folders, if the manifest lists them") {
  const Folder folder;
  const auto picture = [](int number) {
    std::vector<uint8_t> pixels;
    for (int i = 0; i < 4 * 4 * 3; ++i) pixels.push_back(uint8_t(i * number * 5));
    return store::encode_png(pixels, 4, 4, 3);
  };
  for (int i = 0; i < 4; ++i) {
    const std::string file = "/" + std::to_string(i) + ".png";
    folder.write((i % 2 ? "train/dog" : "train/cat") + file, picture(i));
    folder.write("new" + file, picture(i));
  }
  Json flow = Json::parse(R"({"use": "map", "with": {
      "transforms": ["decode-image", {"use": "crop-flip-normalize", "with": {"flip": 0}}],
      "dataflow": {"use": "image-folder", "with": {
        "names": ["x", "label"], "classes": ["dog", "cat"], "use_index": false}}}})");
  flow["with"]["dataflow"]["with"]["folder"] = folder / "train";
  Json manifest =
      small_manifest({{"use", "batch"}, {"with", {{"batch_size", 2}, {"dataflow", flow}}}});
  manifest["model"]["with"]["inputs"][0] = {{"name", "x"}, {"shape", {-1, 3, 4, 4}}};
  manifest["model"]["with"]["layers"] = {{{"layer", "flatten"}},
                                         {{"layer", "fully_connected"}, {"units", 2}}};
  const Training training(folder, "run", manifest);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  must_predict(folder, "run --data new -o scores.jsonl");
  must_predict(folder, "run --data new --top 1 -o top.csv");
  REQUIRE_MESSAGE(run_broch(folder, "export run -o small.bundle") == 0, folder.read("talk"));
  must_predict(folder, "small.bundle --data new --top 1 -o of_bundle.csv");
  CHECK(folder.read("of_bundle.csv") == folder.read("top.csv"));
  std::istringstream scores(folder.read("scores.jsonl")), tops(folder.read("top.csv"));
  std::string row, top;
  std::getline(tops, top);
  CHECK(top == "file,class,probability");
  while (std::getline(scores, row)) {
    REQUIRE(std::getline(tops, top));
    const Json wanted = Json::parse(row);
    const auto output = wanted.at("output").get<std::vector<double>>();
    CHECK(cells_of(top)[0] == wanted.at("file"));
    CHECK(cells_of(top)[1] == (output[0] >= output[1] ? "dog" : "cat"));
  }
}

TEST_CASE(
    "ranking: names of a feature, or of other data than those of the training, are not used") {
  const Folder folder;
  folder.write("table.csv",
               "a,b,c,d,colour,answer\n1,2,3,4,red,0\n4,3,2,1,blue,1\n0,1,0,1,red,2\n");
  const auto component = [](const std::string& column, bool has_categories) {
    Json one = {{"columns", {column}}, {"scalar", true}, {"dtype", "int64"}};
    if (has_categories) {
      one["dtype"] = "category";
      one["categories"] = column == "colour" ? Json{"red", "blue", "green"} : Json{"0", "1", "2"};
    }
    return one;
  };
  const Json x = {{"columns", {"a", "b", "c", "d"}}};
  const auto table = [&](const Json& components) {
    return Json{{"use", "csv"},
                {"with", {{"file", folder / "table.csv"}, {"components", components}}}};
  };
  const auto named = [](Json one, const std::string& name) {
    one["name"] = name;
    return one;
  };
  int count = 0;
  const auto check_numbers = [&](const Json& flow, const Json& callbacks) {
    Json manifest =
        small_manifest({{"use", "batch"}, {"with", {{"batch_size", 3}, {"dataflow", flow}}}});
    manifest["callbacks"] = callbacks;
    const std::string run = "run" + std::to_string(count++);
    const Training training(folder, run, manifest);
    REQUIRE_MESSAGE(training.run() == 0, training.talk());
    folder.write("new.csv", csv_rows(3));
    const std::string data =
        R"( --data '{"use": "csv", "with": {"file": ")" + folder / "new.csv" +
        R"(", "components": [{"name": "x", "columns": ["a", "b", "c", "d"]}]}}' --top 1 )";
    must_predict(folder, run + data + "-o " + run + ".jsonl");
    std::istringstream lines(folder.read(run + ".jsonl"));
    for (std::string line; std::getline(lines, line);)
      CHECK(Json::parse(line).at("classes")[0].at("class").is_number());
    CHECK_MESSAGE(folder.read("talk").find("do not name the classes") != std::string::npos,
                  folder.read("talk"));
  };
  const Json feature = component("colour", true), label = component("answer", false);
  // A third component, which is left out by its name or by its place.
  check_numbers(
      {{"use", "select"},
       {"with",
        {{"components", {"x", "label"}},
         {"dataflow", table({named(x, "x"), named(feature, "colour"), named(label, "label")})}}}},
      {"model-saver"});
  check_numbers({{"use", "select"},
                 {"with", {{"components", {0, 2}}, {"dataflow", table({x, feature, label})}}}},
                {"model-saver"});
  // The test data list categories, those of the training do not.
  const Json test = {
      {"use", "batch"},
      {"with",
       {{"batch_size", 3},
        {"dataflow", table({named(x, "x"), named(component("answer", true), "label")})}}}};
  const Json statistics = {{"use", "scalar-stats"}, {"with", {{"names", {"loss"}}}}};
  check_numbers(table({named(x, "x"), named(label, "label")}),
                {"model-saver",
                 {{"use", "inference-runner"},
                  {"with", {{"dataflow", test}, {"inferencers", {statistics}}}}}});
}

TEST_CASE("ranking: scores that are infinite or no numbers") {
  const Folder folder;
  const Training training(folder, "run", softmax_manifest());
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  folder.write("new.csv", "a,b,c,d\n1,2,3,4\nnan,1,1,1\n0,1,2,3\n");
  folder.write("good.csv", "a,b,c,d\n1,2,3,4\n0,1,2,3\n");
  const std::string columns =
      R"({"use": "csv", "with": {"components": [
          {"columns": ["a", "b", "c", "d"], "missing": "nan"}], "file": ")";
  const auto top = [&](const std::string& file, const std::string& to) {
    must_predict(folder, "run --data '" + columns + folder / file +
                             "\"}}' --name chances/output --top 1 -o " + to);
    return folder.read(to);
  };
  const std::string good = top("good.csv", "good_top.csv");
  const std::string with_nan = top("new.csv", "new_top.csv");
  const size_t second = good.find('\n', good.find('\n') + 1) + 1;
  CHECK(with_nan == good.substr(0, second) + ",nan\n" + good.substr(second));
  CHECK(folder.read("talk").find("1 sample without a class") != std::string::npos);
  const std::string lines = top("new.csv", "new_top.jsonl");
  CHECK(lines.find(R"({"classes": [{"class": null, "probability": null}]})") != std::string::npos);

  // Infinite scores share the probability; if all are -inf, each class is as likely as the others.
  std::string array = archive::npy_header("<f4", {1, 4});
  for (const float number : {std::numeric_limits<float>::infinity(), 1.0f, 1.0f, 1.0f})
    array.append(reinterpret_cast<const char*>(&number), sizeof number);
  folder.write("far.npy", array);
  must_predict(folder, "run --data far.npy --name last/output -o far.csv");
  must_predict(folder, "run --data far.npy --name last/output --top 1 -o far_top.csv");
  const auto last_line = [&](const std::string& file) {
    const std::string text = folder.read(file);
    return cells_of(text.substr(text.find('\n') + 1, text.rfind('\n') - text.find('\n') - 1));
  };
  const std::vector<std::string> scores = last_line("far.csv"), likely = last_line("far_top.csv");
  const auto infinite = std::ranges::count(scores, "inf");
  REQUIRE(infinite + std::ranges::count(scores, "-inf") == 3);
  CHECK(likely[0] ==
        std::to_string(infinite ? std::ranges::find(scores, "inf") - scores.begin() : 0));
  CHECK(std::stod(likely[1]) == doctest::Approx(1.0 / double(infinite ? infinite : 3)));
}

TEST_CASE("ranking: what is refused, and names of another number") {
  const Folder folder;
  Json manifest = table_manifest(folder);
  manifest["model"]["with"]["layers"][0]["units"] = 4;  // one class more, for other words
  const Training training(folder, "run", manifest);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  folder.write("new.csv", csv_rows(5));
  const std::string run = "run --data new.csv ";
  must_predict(folder, run + "--top 1 -o numbers.csv");
  CHECK(folder.read("talk").find("3 names of classes, expected one for each of 4 scores") !=
        std::string::npos);
  check_refused(folder, run + "--top 5 -o no.csv", 2, "4 classes, expected at least 5");
  check_refused(folder, run + "--top 1 -o no.npy", 2, ".jsonl");
  check_refused(folder, run + "--top 0 -o no.csv", 2, "--top");
  check_refused(folder, run + "--top 1 --name output --name last/output -o no.csv", 2, "2 outputs");
  check_refused(folder, run + "--classes new.csv -o no.csv", 2, "--top");
  check_refused(folder, run + "--top 1 --classes none.txt -o no.csv", 5, "none.txt");
  check_refused(folder, run + "--top 1 --classes '' -o no.csv", 5, "--classes");
  check_refused(folder, "run --generate a --top 1", 2, "--top");
  CHECK(!std::filesystem::exists(folder / "no.csv"));
}
