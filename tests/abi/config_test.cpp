// config_test.cpp: options by JSON pointer, through the table that plugins get.
#include "broch/ext/config.h"

#include <doctest/doctest.h>

#include "probe.hpp"
#include "value/json.hpp"

using namespace broch;
using broch::test::Probe;
using broch::test::World;

namespace {

constexpr const char* kText = R"({"z": 1, "a": {"b/c": [10, 20, {"~": true}]}, "n": null,
  "big": 9223372036854775807, "small": -9223372036854775808,
  "precise": 9007199254740993, "e": 1e3, "half": 0.5, "far": 1e300, "s": "grüße", "list": [],
  "": "empty key", "m": 7})";

struct ConfigFixture {
  World world;
  Probe probe;
  std::unique_ptr<abi::Instance> instance;
  const broch_host_config* config;

  ConfigFixture() {
    abi::InstanceSpec spec;
    spec.name = "x";
    spec.options = value::parse_text("options", kText);
    instance = world.make(probe, spec);
    config = probe.extension<broch_host_config>(BROCH_EXT_CONFIG);
  }
  std::string why() const { return probe.host->last_error(probe.host); }
  int64_t i64(const char* pointer) const {
    int64_t value = -1;
    REQUIRE(config->get_i64(probe.host, pointer, &value) == BROCH_OK);
    return value;
  }
};

}  // namespace

TEST_CASE_FIXTURE(ConfigFixture, "config: integers are exact over 64 bits") {
  CHECK(i64("/big") == INT64_MAX);
  CHECK(i64("/small") == INT64_MIN);
  CHECK(i64("/precise") == 9007199254740993);
  CHECK(i64("/e") == 1000);
  int64_t value = 5;
  for (const char* pointer : {"/half", "/far"}) {
    CHECK(config->get_i64(probe.host, pointer, &value) == BROCH_E_INVALID_ARGUMENT);
    CHECK(value == 5);
  }
  CHECK(why() == "option '/far': found 1e+300, expected an integer of 64 bits");
}

TEST_CASE_FIXTURE(ConfigFixture,
                  "config: other options are told of; a refusal brings the old ones back") {
  static std::string told;
  static broch_status answer;
  static const broch_host* host;
  static const broch_host_config* table;
  static constexpr broch_plugin_options kOptions = {
      sizeof(broch_plugin_options), 0, [](void*, const char* pointer) {
        int64_t now = 0;
        table->get_i64(host, pointer, &now);
        told += std::string(pointer) + "=" + std::to_string(now) + " ";
        return answer == BROCH_OK ? BROCH_OK : host->fail(host, answer, "not that");
      }};
  Probe adjustable;
  adjustable.tables[BROCH_PLUGIN_OPTIONS] = &kOptions;
  abi::InstanceSpec spec;
  spec.name = "y";
  spec.options = value::parse_text("options", R"({"k": 1, "word": "old"})");
  const auto other = world.make(adjustable, spec);
  host = adjustable.host;
  table = config;
  const char *before = "", *after = "";
  REQUIRE(config->get_string(host, "/word", &before) == BROCH_OK);
  answer = BROCH_OK;
  abi::change_options(*other, value::parse_text("new options", R"({"k": 2, "word": "new"})"),
                      {"/k"});
  REQUIRE(config->get_string(host, "/word", &after) == BROCH_OK);
  CHECK(std::string(before) + after == "oldnew");  // what was borrowed stays
  answer = BROCH_E_INVALID_ARGUMENT;
  CHECK(broch::test::error_of([&] {
          abi::change_options(*other, value::parse_text("bad options", R"({"k": 3})"), {"/k"});
        }).find("not that") != std::string::npos);
  CHECK(told == "/k=2 /k=3 ");
  CHECK(std::string(config->text(host)) == R"({"k":2,"word":"new"})");
  CHECK(other->options_text() == R"({"k":2,"word":"new"})");
}

TEST_CASE_FIXTURE(ConfigFixture, "config: pointers are those of RFC 6901") {
  CHECK(i64("/a/b~1c/0") == 10);
  CHECK(i64("/a/b~1c/1") == 20);
  int32_t truth = 0;
  CHECK(config->get_bool(probe.host, "/a/b~1c/2/~0", &truth) == BROCH_OK);
  CHECK(truth == 1);
  const char* text = nullptr;
  CHECK(config->get_string(probe.host, "/", &text) == BROCH_OK);
  CHECK(std::string(text) == "empty key");
  int64_t value = 0;
  for (const char* pointer : {"/a/b~1c/3", "/a/b~1c/01", "/a/b~1c/-", "/a/b~1c/-1", "/a/b~1c/",
                              "/a/b~1c/18446744073709551616", "/z/0", "/none", "/s/0"})
    CHECK(config->get_i64(probe.host, pointer, &value) == BROCH_E_NOT_FOUND);
  for (const char* pointer : {"z", "/a/~", "/a/~2", "#/z"})
    CHECK(config->get_i64(probe.host, pointer, &value) == BROCH_E_INVALID_ARGUMENT);
}

TEST_CASE_FIXTURE(ConfigFixture, "config: each getter refuses every other kind, naming both") {
  const std::map<std::string, int32_t> kinds = {
      {"/n", BROCH_CONFIG_NULL},    {"/a/b~1c/2/~0", BROCH_CONFIG_BOOL},
      {"/z", BROCH_CONFIG_INTEGER}, {"/half", BROCH_CONFIG_NUMBER},
      {"/s", BROCH_CONFIG_STRING},  {"/list", BROCH_CONFIG_ARRAY},
      {"/a", BROCH_CONFIG_OBJECT}};
  for (const auto& [pointer, kind] : kinds) {
    CAPTURE(pointer);
    const char* at = pointer.c_str();
    const auto answer = [&](bool fits) { return fits ? BROCH_OK : BROCH_E_INVALID_ARGUMENT; };
    int32_t truth;
    int64_t integer;
    double number;
    const char* text;
    uint64_t size;
    CHECK(config->kind(probe.host, at) == kind);
    CHECK(config->get_bool(probe.host, at, &truth) == answer(kind == BROCH_CONFIG_BOOL));
    CHECK(config->get_i64(probe.host, at, &integer) == answer(kind == BROCH_CONFIG_INTEGER));
    CHECK(config->get_f64(probe.host, at, &number) ==
          answer(kind == BROCH_CONFIG_INTEGER || kind == BROCH_CONFIG_NUMBER));
    CHECK(config->get_string(probe.host, at, &text) == answer(kind == BROCH_CONFIG_STRING));
    CHECK(config->get_size(probe.host, at, &size) ==
          answer(kind == BROCH_CONFIG_ARRAY || kind == BROCH_CONFIG_OBJECT));
    CHECK(config->get_key(probe.host, at, 0, &text) == answer(kind == BROCH_CONFIG_OBJECT));
  }
  int64_t integer;
  config->get_i64(probe.host, "/s", &integer);
  CHECK(why() == "option '/s': found a string, expected an integer");
}

TEST_CASE_FIXTURE(
    ConfigFixture,
    "config: numbers and strings are read as written, the whole as strict JSON text") {
  double number = 0;
  CHECK(config->get_f64(probe.host, "/half", &number) == BROCH_OK);
  CHECK(number == 0.5);
  CHECK(config->get_f64(probe.host, "/z", &number) == BROCH_OK);
  CHECK(number == 1);
  const char* text = nullptr;
  CHECK(config->get_string(probe.host, "/s", &text) == BROCH_OK);
  CHECK(std::string(text) == "grüße");
  CHECK(config->text(probe.host) == value::to_text(value::parse_text("options", kText)));
  CHECK(config->kind(probe.host, "") == BROCH_CONFIG_OBJECT);
  CHECK(config->kind(probe.host, "/none") == BROCH_CONFIG_ABSENT);
}

TEST_CASE_FIXTURE(ConfigFixture, "config: keys come in the order of the text") {
  uint64_t size = 0;
  CHECK(config->get_size(probe.host, "", &size) == BROCH_OK);
  CHECK(size == 13);
  const char* key = nullptr;
  CHECK(config->get_key(probe.host, "", 0, &key) == BROCH_OK);
  CHECK(std::string(key) == "z");
  CHECK(config->get_key(probe.host, "", 1, &key) == BROCH_OK);
  CHECK(std::string(key) == "a");
  CHECK(config->get_key(probe.host, "", 12, &key) == BROCH_OK);
  CHECK(std::string(key) == "m");
  CHECK(config->get_key(probe.host, "", 13, &key) == BROCH_E_NOT_FOUND);
  CHECK(config->get_key(probe.host, "", UINT64_MAX, &key) == BROCH_E_NOT_FOUND);
}

TEST_CASE_FIXTURE(ConfigFixture, "config: a missing option is told with the nearest one") {
  double number;
  CHECK(config->get_f64(probe.host, "/hafl", &number) == BROCH_E_NOT_FOUND);
  CHECK(why() == "option '/hafl': nothing is there, did you mean 'half'?");
}

TEST_CASE_FIXTURE(ConfigFixture, "config: NULL arguments are answered") {
  int64_t value;
  CHECK(config->get_i64(probe.host, nullptr, &value) == BROCH_E_INVALID_ARGUMENT);
  CHECK(config->get_i64(probe.host, "/z", nullptr) == BROCH_E_INVALID_ARGUMENT);
  CHECK(config->kind(probe.host, nullptr) == BROCH_CONFIG_ABSENT);
}
