// bad_manifest_test.cpp: one row for each way to write a manifest wrongly.
#include "manifest/manifest.hpp"
#include "support.hpp"

using support::Expected;
using support::minimal;
using support::refusal;

namespace {

struct Row {
  std::string text;
  Expected wanted;
};

void check(const Row& row) {
  support::check_refusal(row.text, refusal([&] { support::load(row.text); }), row.wanted);
}

// A minimal manifest with one more member, and what is said about it.
Row member(const std::string& text, const Expected& wanted) { return {minimal(text), wanted}; }

}  // namespace

TEST_CASE("bad manifest: text that is no manifest") {
  const Row rows[] = {
      {"", {"run.json:1:1", "the end of the text", "a value", "a value is"}},
      {"[]", {"run.json:1:1", "a list of 0", "an object", "\"broch\": 1"}},
      {"{\"broch\": 1", {"run.json:1:12", "the end of the text", "'\\}'", "close"}},
      {"{\"broch\": 1 \"seed\": 2}", {"run.json:1:13", "'\"'", "a comma", "put a comma"}},
      {"{\"broch\": 1,\n\"broch\": 1}",
       {"run.json:2:1: /broch", "'broch' a second time", "run.json:1:2", "remove"}},
      {minimal(R"("trainer": {"use": "a.b", "use": "c.d"})"),
       {"run.json:1:\\d+: /trainer/use", "'use' a second time", "run.json:1:\\d+", "remove"}},
      {minimal(R"("seed": NaN)"), {"run.json:1:\\d+: /seed", "'NaN'", "a value", "no such number"}},
      {minimal(R"("seed": 1e999)"),
       {"run.json:1:\\d+: /seed", "1e999", "fits a double", "1.8e308"}},
      {minimal(R"("seed": 99999999999999999999)"),
       {"run.json:1:\\d+: /seed", "99999999999999999999", "9223372036854775807", "point"}},
      {minimal("\"name\": \"\xC3\""), {"run.json:1:\\d+", "no UTF-8", "UTF-8", "save"}},
      {minimal(R"("name": "\ud800")"), {"run.json:1:\\d+: /name", "surrogate", "uD800", "UTF-8"}},
      {minimal("\"x-a\": " + std::string(70, '[') + std::string(70, ']')),
       {"run.json:1:\\d+: /x-a", "more than 64 levels", "at most 64", "nest"}},
  };
  for (const Row& row : rows) check(row);
}

TEST_CASE("bad manifest: versions and keys of other programs") {
  const Row rows[] = {
      {R"({"model": "m.net", "dataflow": "d.set"})",
       {"run.json:1:1", "no key 'broch'", "1", "version of the manifest format"}},
      {R"({"broch": 2})", {"run.json:1:11: /broch", "2", "1", "format 1"}},
      {R"({"broch": "1"})", {"run.json:1:11: /broch", "'1'", "1", "format 1"}},
      member(R"("session_creator": null)", {"run.json:1:\\d+: /session_creator",
                                            "'session_creator'", "one of the keys", "runtime"}),
      member(R"("session_config": {})", {"run.json:1:\\d+: /session_config", "'session_config'",
                                         "one of the keys", "runtime"}),
      member(R"("dataset": "d.set")",
             {"run.json:1:\\d+: /dataset", "'dataset'", "one of the keys", "dataflow"}),
      member(R"("staring_epoch": 3)",
             {"run.json:1:\\d+: /staring_epoch", "unknown key 'staring_epoch'",
              "one of .*starting_epoch", "did you mean 'starting_epoch'"}),
      member(R"("frobnicate": 3)",
             {"run.json:1:\\d+: /frobnicate", "unknown key", "one of", "remove the key"}),
      member(R"("runtime": {"levle": "fast"})",
             {"run.json:1:\\d+: /runtime/levle", "unknown key 'levle'", "one of execution",
              "did you mean 'level'"}),
  };
  for (const Row& row : rows) check(row);
}

TEST_CASE("bad manifest: values of the wrong type or out of range") {
  const Row rows[] = {
      member(R"("$schema": 1)",
             {"run.json:1:\\d+: /\\$schema", "1", "a string", "schema for editors"}),
      member(R"("name": "a/b")",
             {"run.json:1:\\d+: /name", "'a/b'", "matching", "without slashes"}),
      member(R"("name": 3)", {"run.json:1:\\d+: /name", "3", "a string", "name of the run"}),
      member(R"("seed": -1)", {"run.json:1:\\d+: /seed", "-1", "at least 0", "random"}),
      member(R"("seed": 1.5)", {"run.json:1:\\d+: /seed", "1.5", "an integer", "random"}),
      member(R"("plugins": "a.so")",
             {"run.json:1:\\d+: /plugins", "'a.so'", "a list", "plugin files"}),
      member(R"("plugins": [1])", {"run.json:1:\\d+: /plugins/0", "1", "a string", "change"}),
      member(R"("starting_epoch": "1")",
             {"run.json:1:\\d+: /starting_epoch", "'1'", "an integer", "first epoch"}),
      member(R"("steps_per_epoch": -1)",
             {"run.json:1:\\d+: /steps_per_epoch", "-1", "an integer, at least 0", "change"}),
      member(R"("steps_per_epoch": "all")", {"run.json:1:\\d+: /steps_per_epoch", "'all'",
                                             "null or an integer", "size of the input"}),
      member(R"("steps_per_epoch": {"samples": 0})",
             {"run.json:1:\\d+: /steps_per_epoch/samples", "0", "at least 1", "samples per epoch"}),
      member(R"("steps_per_epoch": {"sample": 5})",
             {"run.json:1:\\d+: /steps_per_epoch/sample", "unknown key", "samples",
              "did you mean 'samples'"}),
      member(R"("max_epoch": null)",
             {"run.json:1:\\d+: /max_epoch", "null", "an integer", "last epoch"}),
      member(R"("nr_tower": "two")",
             {"run.json:1:\\d+: /nr_tower", "'two'", "an integer", "number of training towers"}),
      member(R"("tower": [-1])", {"run.json:1:\\d+: /tower/0", "-1", "at least 0", "change"}),
      member(R"("tower": [])",
             {"run.json:1:\\d+: /tower", "a list of 0", "entries at least 1", "only if nr_tower"}),
      member(R"("predict_tower": [-2])",
             {"run.json:1:\\d+: /predict_tower/0", "-2", "at least -1", "change"}),
      member(R"("predict_devices": ["gpu"])",
             {"run.json:1:\\d+: /predict_devices/0", "'gpu'", "matching", "change"}),
      member(R"("log_dir": "")",
             {"run.json:1:\\d+: /log_dir", "''", "length at least 1", "folder of the run"}),
      member(R"("log_dir_action": "bakup")", {"run.json:1:\\d+: /log_dir_action", "'bakup'",
                                              "one of 'backup'", "did you mean 'backup'"}),
      member(R"("resume": 1)", {"run.json:1:\\d+: /resume", "1",
                                "true or false or 'auto' or a string", "continue the run"}),
      member(R"("runtime": "eager")",
             {"run.json:1:\\d+: /runtime", "'eager'", "an object", "how to compute"}),
      member(R"("runtime": {"execution": "eagre"})",
             {"run.json:1:\\d+: /runtime/execution", "'eagre'", "one of 'auto'",
              "did you mean 'eager'"}),
      member(R"("runtime": {"threads": 0})",
             {"run.json:1:\\d+: /runtime/threads", "0", "at least 1", "threads"}),
      member(R"("runtime": {"deterministic": 1})",
             {"run.json:1:\\d+: /runtime/deterministic", "1", "true or false", "order"}),
  };
  for (const Row& row : rows) check(row);
}

TEST_CASE("bad manifest: components") {
  const Row rows[] = {
      member(R"("trainer": null)", {"run.json:1:\\d+: /trainer", "null",
                                    "a component of role trainer", "what a step does"}),
      member(R"("trainer": 3)",
             {"run.json:1:\\d+: /trainer", "3", "a component of role trainer", "what a step does"}),
      member(R"("trainer": {})", {"run.json:1:\\d+: /trainer", "without \"use\"", "role trainer",
                                  "name the component"}),
      member(R"("trainer": {"id": "simple"})",
             {"run.json:1:\\d+: /trainer/id", "unknown key 'id'", "one of use", "remove the key"}),
      member(R"("trainer": {"use": "simple", "with": []})",
             {"run.json:1:\\d+: /trainer/with", "a list of 0", "an object", "options"}),
      member(R"("callbacks": {"use": "a.b"})",
             {"run.json:1:\\d+: /callbacks", "an object", "a list", "called around"}),
      member(R"("callbacks": [null])",
             {"run.json:1:\\d+: /callbacks/0", "null", "role callback", "change"}),
      member(R"("callbacks": [{"use": "a.b", "when": "every 1epoch"}])",
             {"run.json:1:\\d+: /callbacks/0/when", "'every 1epoch'", "an object",
              "when the callback"}),
      member(R"("callbacks": [{"use": "a.b", "when": {"every_k_step": 1}}])",
             {"run.json:1:\\d+: /callbacks/0/when/every_k_step", "unknown key", "every_k_steps",
              "did you mean 'every_k_steps'"}),
      member(R"("monitors": ["a b"])",
             {"run.json:1:\\d+: /monitors/0/use", "'a b'", "an id", "dots"}),
      member(R"("session_init": [3])",
             {"run.json:1:\\d+: /session_init/0", "3", "role session_init", "change"}),
      member(R"("callbacks": [{"use": "a.b", "name": "n"}, {"use": "a.b", "name": "n"}])",
             {"run.json:1:\\d+: /callbacks/1/name", "the name 'n' a second time", "run.json:1:\\d+",
              "another name"}),
  };
  for (const Row& row : rows) check(row);
}

TEST_CASE("bad manifest: parts that do not go together") {
  const Row rows[] = {
      member(R"("data": "feed")",
             {"run.json:1:\\d+: /data", "'data' beside 'dataflow' \\(at run.json", "one of the two",
              "remove one"}),
      member(R"("nr_tower": 2, "tower": [0, 1])",
             {"run.json:1:\\d+: /tower", "'tower' beside 'nr_tower'", "one of the two",
              "remove nr_tower"}),
      member(R"("predict_tower": [0], "predict_devices": ["cpu"])",
             {"run.json:1:\\d+: /predict_devices", "beside 'predict_tower'", "one of the two",
              "remove predict_tower"}),
      member(R"("nr_tower": 2, "trainer": {"use": "a.b", "with": {"devices": ["cpu"]}})",
             {"run.json:1:\\d+: /trainer/with/devices", "beside 'nr_tower'", "one of the two",
              "remove nr_tower"}),
      member(R"("tower": [1], "trainer": {"use": "a.b", "with": {"devices": ["cpu"]}})",
             {"run.json:1:\\d+: /trainer/with/devices", "beside 'tower'", "one of the two",
              "remove tower"}),
  };
  for (const Row& row : rows) check(row);
}
