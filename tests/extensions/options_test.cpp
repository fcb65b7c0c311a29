// options_test.cpp: options that a C++ plugin declares as a struct: the schema that the compiler
// wrote, and what a running component reads.
#include "broch/cpp/options.hpp"

#include <doctest/doctest.h>

#include "cli_harness/cli_harness.hpp"
#include "plugins/file.hpp"

namespace {

using broch::cli_harness::Folder;
using broch::cli_harness::Json;
using broch::cli_harness::Training;

const Json kPoints = {{"use", "test.points"}};

Json options_manifest(Json options) {
  const Json least = {{"shapes", {{1, 2}}}, {"first", {{"units", 3}}}, {"flow", kPoints}};
  for (const auto& [key, value] : least.items())
    if (!options.contains(key)) options[key] = value;
  return {{"broch", 1},
          {"plugins", {DECLARED}},
          {"model", "bench"},
          {"dataflow", kPoints},
          {"callbacks", {{{"use", "test.declared"}, {"with", options}}}},
          {"steps_per_epoch", 1},
          {"max_epoch", 1}};
}

std::string said(const Training& training, const std::string& after) {
  const std::string talk = training.talk();
  const size_t begin = talk.find(after);
  REQUIRE_MESSAGE(begin != std::string::npos, talk);
  return talk.substr(begin + after.size(), talk.find('\n', begin) - begin - after.size());
}

Json read(const Json& options) {
  const Folder folder;
  const Training training(folder, "run", options_manifest(options));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  return Json::parse(said(training, ": read "));
}

// What a training says that refuses the options.
std::string refused(const Json& options) {
  const Folder folder;
  const Training training(folder, "run", options_manifest(options));
  CHECK(training.run() == 3);
  return training.talk();
}

struct Number {
  template <class T>
  static std::string text(T value) {
    char chars[64] = {};
    broch::glue::TextWriter writer(chars);
    writer.value(value);
    return chars;
  }
};

}  // namespace

TEST_CASE("options: the schema has what is said about each field, in order") {
  const auto file = broch::plugins::open_plugin(DECLARED, broch::plugins::Origin::flag);
  const auto& components = file.metadata.components;
  REQUIRE(components.size() == 5);
  const Json schema = Json::parse(components[0].options);
  CHECK(schema.at("required") == Json({"shapes", "first", "flow"}));
  CHECK(schema.at("additionalProperties") == false);
  const Json& options = schema.at("properties");
  const Json expected = Json::parse(R"json({
    "flag": {"type": "boolean", "default": true, "description": "Of the \"base\".\n"},
    "big": {"type": "integer", "default": -9223372036854775808},
    "small": {"type": "integer", "default": 7},
    "number": {"type": "number", "exclusiveMinimum": -0.5, "exclusiveMaximum": 2, "default": 0.1,
               "x-broch-mutable": true},
    "tiny": {"type": "number", "default": -2.5e-12},
    "huge": {"type": "number", "default": 3e22},
    "half": {"type": "number", "maximum": 1, "default": 0.5, "x-broch-unit": "seconds"},
    "text": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^[^\\\\]+$",
             "default": "tab\t\"q\""},
    "path": {"type": "string", "x-broch-path": true, "default": "x"},
    "color": {"enum": ["red", "green"], "default": "green"},
    "shade": {"enum": [null, "red", "green"], "default": null},
    "count": {"type": ["integer", "null"], "minimum": 1, "default": null},
    "flags": {"type": "array", "items": {"type": "boolean"}, "default": [true, false]},
    "words": {"type": "array", "maxItems": 3, "items": {"type": "string", "minLength": 1},
              "default": []},
    "shapes": {"type": "array", "minItems": 1,
               "items": {"type": "array", "items": {"type": "integer", "minimum": 0}}},
    "pairs": {"type": "array", "default": [],
              "items": {"type": "array", "minItems": 2, "maxItems": 2,
                        "items": {"type": "number"}}},
    "colors": {"type": "array", "items": {"enum": ["red", "green"]}, "default": ["green", "red"]},
    "first": {"type": "object", "required": ["units"], "additionalProperties": false,
              "properties": {"units": {"type": "integer", "minimum": 1, "description": "Width."},
                             "name": {"type": ["string", "null"], "default": null}},
              "description": "A layer."},
    "layers": {"type": "array", "default": [],
               "items": {"type": "object", "required": ["units"], "additionalProperties": false,
                         "properties": {
                           "units": {"type": "integer", "minimum": 1, "description": "Width."},
                           "name": {"type": ["string", "null"], "default": null}}}},
    "absent": {"type": "string"},
    "any": {"type": ["object", "null"], "additionalProperties": true, "default": null},
    "flow": {"x-broch-component": "dataflow", "x-broch-same-seed": true},
    "other": {"x-broch-component": "dataflow"},
    "inferencers": {"type": "array", "items": {"x-broch-component": "inferencer"}, "default": []},
    "function": {"x-broch-function": true, "default": "value + 1"}
  })json");
  CHECK(options.size() == expected.size());
  for (const auto& [name, property] : expected.items()) {
    CAPTURE(name);
    REQUIRE(options.contains(name));
    CHECK(nlohmann::json(options.at(name)) == nlohmann::json(property));
  }
}

TEST_CASE("options: members of the metadata, several schemas, no schema, a text") {
  const auto file = broch::plugins::open_plugin(DECLARED, broch::plugins::Origin::flag);
  const auto& components = file.metadata.components;
  REQUIRE(components.size() == 5);
  using Texts = std::vector<std::string>;
  CHECK(components[0].summary == "Says \"all\".");
  CHECK(components[0].produces == Texts{"{text}_a", "b"});
  CHECK(components[0].requires_ext == Texts{"broch.progress/1"});
  CHECK(components[0].roles == Texts{"callback"});
  CHECK(components[0].run_on == broch::plugins::RunOn::all);
  const auto size_of = [&](size_t i) {
    return Json::parse(components[i].options).at("/properties/size/default"_json_pointer);
  };
  CHECK(size_of(1) == 2);
  CHECK(size_of(2) == 3);
  CHECK(Json::parse(components[3].options).at("properties").empty());
  CHECK(Json::parse(components[4].options).at("/properties/a/default"_json_pointer) == 1);
}

TEST_CASE("options: defaults fill the fields") {
  const Json found = read(Json::object());
  Json expected = Json::parse(R"({
    "flag": true, "big": -9223372036854775808, "small": 7, "number": 0.1, "tiny": -2.5e-12,
    "huge": 3e22, "half": 0.5, "text": "tab\t\"q\"", "color": 1, "shade": null, "count": null,
    "flags": [true, false], "words": [], "shapes": [[1, 2]], "pairs": [], "colors": [1, 0],
    "first": [3, null], "layers": [], "absent": "initial", "any": null, "flow": 2, "other": null,
    "inferencers": 0, "function": 2})");
  for (const auto& [name, value] : expected.items()) {
    CAPTURE(name);
    CHECK(found.at(name) == value);
  }
}

TEST_CASE("options: values of the manifest fill the fields") {
  const Json options = Json::parse(R"({
    "flag": false, "big": 9223372036854775807, "small": 255, "number": 1.5, "text": "x",
    "path": "sub/file", "color": "red", "shade": "green", "count": 4, "flags": [], "words": ["a", "b"],
    "shapes": [[], [3]], "pairs": [[1, 2.5]], "colors": ["red"],
    "first": {"units": 5, "name": "n"}, "layers": [{"units": 1}, {"units": 2, "name": "m"}],
    "absent": "there", "any": {"a": [1, {"b": null}]}, "other": {"use": "test.more-points"},
    "inferencers": [{"use": "scalar-stats", "with": {"names": ["scalar0"]}}], "function": "2 * value"})");
  const Json found = read(options);
  Json expected = options;
  expected["color"] = 0;
  expected["shade"] = 1;
  expected["colors"] = {0};
  expected["first"] = {5, "n"};
  expected["layers"] = Json::parse(R"([[1, null], [2, "m"]])");
  expected["other"] = 3;
  expected["inferencers"] = 1;
  expected["function"] = 2;
  expected.erase("path");
  for (const auto& [name, value] : expected.items()) {
    CAPTURE(name);
    CHECK(found.at(name) == value);
  }
  const std::string path = found.at("path");
  CHECK(path.front() == '/');
  CHECK(path.find("/sub/file") == path.size() - 9);
}

TEST_CASE("options: a value that does not fit is refused with its place") {
  CHECK(refused({{"small", 256}}).find("found 256, expected 0 to 255") != std::string::npos);
  CHECK(refused({{"small", -1}}).find("found -1, expected 0 to 255") != std::string::npos);
  CHECK(refused({{"half", -1e39}})
            .find("expected -3.4028234663852886e+38 to 3.4028234663852886e+38") !=
        std::string::npos);
  CHECK(refused({{"color", "blue"}}).find("blue") != std::string::npos);
  CHECK(refused({{"pairs", {{1}}}}).find("pairs") != std::string::npos);
  CHECK(refused({{"words", {""}}}).find("words") != std::string::npos);
  CHECK(refused({{"number", 2}}).find("below 2") != std::string::npos);
}

TEST_CASE("options: read gives the options of a running component") {
  const Folder folder;
  const Training training(folder, "run", options_manifest({{"number", 0.25}}));
  REQUIRE(training.run() == 0);
  CHECK(said(training, ": again ") == "0.25");
}

TEST_CASE("options: a default has the type of its field") {
  using broch::glue::is_default_of;
  using Texts = std::vector<std::string>;
  CHECK(is_default_of<double, int>);
  CHECK(!is_default_of<int64_t, double>);
  CHECK(!is_default_of<int64_t, bool>);
  CHECK(!is_default_of<bool, int>);
  CHECK(!is_default_of<std::string, int>);
  CHECK(is_default_of<Texts, const char*>);
  CHECK(!is_default_of<Texts, int>);
  CHECK(is_default_of<std::optional<Texts>, std::nullptr_t>);
  CHECK(!is_default_of<Texts, std::nullptr_t>);
}

TEST_CASE("options: a default of an array has all its elements") {
  using broch::glue::fills;
  using Pair = std::array<double, 2>;
  CHECK(fills<Pair, double, double>);
  CHECK(!fills<Pair, double>);
  CHECK(!fills<Pair>);
  CHECK(fills<std::optional<Pair>, std::nullptr_t>);
  CHECK(!fills<std::optional<Pair>, double>);
  CHECK(fills<std::vector<double>, double>);
  CHECK(fills<std::vector<double>>);
}

TEST_CASE("options: numbers in a schema read back as the same numbers") {
  for (const double value :
       {0.1, 0.05, 0.0002, 1e-8, 2.5e-12, 1e-22, 0.1 + 0.2 - 0.3, 123456.789, 1e15, 1e22, 3e22,
        123e20, 4503599627370497.5, 9007199254740991.0, 1.0, 0.0, -0.75, 1e-4}) {
    CAPTURE(value);
    if (value == 0.1 + 0.2 - 0.3) {
      CHECK_THROWS(Number::text(value));  // 17 digits: a mistake that the compiler reports
      continue;
    }
    const std::string text = Number::text(value);
    CAPTURE(text);
    CHECK(std::strtod(text.c_str(), nullptr) == value);
    CHECK(Json::parse(text).get<double>() == value);
    CHECK(text.size() <= 20);
  }
  CHECK(Number::text(0.025) == "0.025");
  CHECK(Number::text(120.0) == "120");
  CHECK(Number::text(3e22) == "3e22");
  CHECK(Number::text(INT64_MIN) == "-9223372036854775808");
}
