// substitution_test.cpp: vars, the environment and the other ${…}; what is shown and what is kept.
#include "support.hpp"
#include "world.hpp"

using namespace broch::manifest;
using support::check_refusal;
using support::minimal;
using support::refusal;
using support::World;

namespace {

// The value of x in {"vars": vars, "model": {…, "with": {"x": written}}}.
struct Case {
  std::string vars, written, wanted;
};

std::string with_x(const std::string& vars, const std::string& written) {
  return R"({"broch": 1, "name": "n", "vars": {)" + vars +
         R"(}, "dataflow": "d.set", "model": {"use": "m.net", "with": {"x": )" + written + "}}}";
}

std::string x_of(const World& world, const std::string& vars, const std::string& written,
                 const std::vector<std::string>& overrides = {}) {
  return to_text(*find_at(world.load(with_x(vars, written), overrides).value, "/model/with/x"));
}

World small_world() {
  World world;
  world.environment = {{"DIR", "/data"}, {"EMPTY", ""}, {"N", "12"}, {"API_TOKEN", "hunter2"}};
  return world;
}

}  // namespace

TEST_CASE("substitution: one ${…} keeps its kind, others become text") {
  const World world = small_world();
  const Case cases[] = {
      {"\"a\": 3", R"("${vars.a}")", "3"},
      {"\"a\": 3", R"("n${vars.a}")", "\"n3\""},
      {"\"a\": 0.5", R"("${vars.a}")", "0.5"},
      {"\"a\": 0.5, \"b\": true", R"("${vars.a}/${vars.b}")", "\"0.5/true\""},
      {"\"a\": [1, {\"b\": null}]", R"("${vars.a}")", R"([1,{"b":null}])"},
      {"\"a\": {\"b\": {\"c\": 4}}", R"("${vars.a.b.c}")", "4"},
      {"\"a\": null", R"("${vars.a}")", "null"},
      {"\"a\": \"${vars.b}\", \"b\": \"${vars.c}s\", \"c\": 1", R"(["${vars.a}"])", R"(["1s"])"},
      {"\"a\": {\"root\": \"/x\", \"data\": \"${vars.a.root}/d\"}", R"("${vars.a.data}")",
       "\"/x/d\""},
      {"\"a\": \"${vars.b}\", \"b\": {\"c\": 5}", R"("${vars.a.c}")", "5"},
      {"", R"("${env:DIR}/train")", "\"/data/train\""},
      {"", R"("${env:N}")", "\"12\""},  // text where no schema wants anything else
      {"", R"("${env:NONE:-d}")", "\"d\""},
      {"", R"("${env:EMPTY:-d}")", "\"d\""},
      {"", R"("${env:EMPTY}")", "\"\""},
      {"", R"("${env:NONE:-}")", "\"\""},
      {"\"a\": 7", R"("${env:NONE:-${vars.a}}")", "7"},
      {"\"a\": 7", R"("${env:NONE:-${env:ALSO:-${vars.a}x}}/y")", "\"7x/y\""},
      {"", R"("${manifest.dir}/x")", "\"/runs/one/x\""},
      {"", R"("runs/${name}")", "\"runs/n\""},
      {"", R"("$${vars.a}")", "\"${vars.a}\""},
      {"", R"("$HOME $$ {} $")", "\"$HOME $$ {} $\""},
      {"", R"({"${name}": 1})", R"({"${name}":1})"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.written);
    CHECK(x_of(world, one.vars, one.written) == one.wanted);
  }
}

TEST_CASE("substitution: a schema decides what text of the environment is") {
  World world;
  world.environment = {{"N", "12"}, {"B", "true"}, {"L", "[0, 2]"}, {"X", "fast"}};
  const Manifest manifest = world.load(minimal(
      R"("name": "${env:N}", "max_epoch": "${env:N}", "steps_per_epoch": "${env:N}",
         "predict_tower": "${env:L}", "resume": "${env:NONE:-true}", "tower": "${env:NONE:-3}",
         "vars": {"level": "${env:X}"},
         "runtime": {"deterministic": "${env:B}", "level": "${vars.level}"})"));
  CHECK(manifest.name == "12");
  CHECK(manifest.max_epoch == 12);
  CHECK(manifest.steps_per_epoch.steps == 12);
  CHECK(manifest.predict_tower == std::vector<int64_t>{0, 2});
  CHECK(manifest.resume.wanted);
  CHECK(manifest.tower == std::vector<int64_t>{3});
  CHECK(manifest.runtime.deterministic);
  CHECK(manifest.runtime.level == "fast");
  const auto wrong = refusal([&] { world.load(minimal(R"("max_epoch": "${env:X}")")); });
  check_refusal("text", wrong,
                {"environment variable X \\(used at run.json:1:\\d+\\): /max_epoch", "'fast'",
                 "an integer", "last epoch"});
  // Only the environment's: a variable that is written as text stays text.
  const auto text =
      refusal([&] { world.load(minimal(R"("vars": {"n": "12"}, "max_epoch": "${vars.n}")")); });
  CHECK(text.text.find("found") == std::string::npos);
  CHECK(text.exit == 3);
}

TEST_CASE("substitution: an entry, a list and a name may each be a variable") {
  const World world;
  const Manifest manifest = world.load(R"({"broch": 1,
    "vars": {"net": {"use": "m.net", "with": {"w": 1}}, "all": ["a.b", {"use": "c.d"}],
             "set": "d.set", "trainer": "simple"},
    "model": "${vars.net}", "callbacks": "${vars.all}", "dataflow": "${vars.set}",
    "trainer": {"use": "${vars.trainer}"}})");
  CHECK(manifest.model->with().find("w")->integer() == 1);
  CHECK(manifest.callbacks.size() == 2);
  CHECK(manifest.dataflow->use == "d.set");
  CHECK(manifest.trainer.use == "broch.trainer.simple");
}

TEST_CASE("substitution: variables merge, and the command line has the last word") {
  World world;
  world.files["/runs/base.json"] =
      R"({"broch": 1, "model": "m.net", "vars": {"n": 1, "d": {"a": 1}},
    "dataflow": {"use": "d.set", "with": {"n": "${vars.n}", "a": "${vars.d.a}", "b": "${vars.d.b}"}}})";
  const std::string text =
      R"({"broch": 1, "extends": "../base.json", "vars": {"n": 2, "d": {"b": 5}}})";
  const auto options = [&](const std::vector<std::string>& overrides) {
    return to_text(world.load(text, overrides).dataflow->with());
  };
  CHECK(options({}) == R"({"n":2,"a":1,"b":5})");
  CHECK(options({"vars.n=3", "vars.d.a=4"}) == R"({"n":3,"a":4,"b":5})");
  CHECK(options({"dataflow.with.a=${vars.n}"}) == R"({"n":2,"a":2,"b":5})");
  CHECK(world.load(text).value.find("vars") == nullptr);
  check_refusal("lost", refusal([&] { options({"vars.batch=3"}); }),
                {"override vars.batch: /vars", "no 'batch' in '/vars'", "one of n, d", "override"});
  check_refusal("no object", refusal([&] { world.load(minimal(R"("vars": {})"), {"vars=3"}); }),
                {"override vars: /vars", "3", "an object", "write \"vars\""});
}

TEST_CASE("substitution: a path is relative to where its first part was written") {
  World world;
  world.environment = {{"LIB", "lib"}};
  world.files["/common/base.json"] =
      R"({"broch": 1, "model": "m.net", "dataflow": "d.set", "vars": {"lib": "lib"}})";
  const auto plugins = [&](const std::string& list,
                           const std::vector<std::string>& overrides = {}) {
    return world
        .load(R"({"broch": 1, "extends": "../../common/base.json", "plugins": )" + list + "}",
              overrides)
        .plugins;
  };
  using Paths = std::vector<std::string>;
  CHECK(plugins(R"(["${vars.lib}/a.so", "x/${vars.lib}"])") ==
        Paths{"/common/lib/a.so", "/runs/one/x/lib"});
  CHECK(plugins(R"(["${env:LIB}", "${env:NONE:-lib}"])") ==
        Paths{working_directory() + "/lib", "/runs/one/lib"});
  CHECK(plugins(R"(["${vars.lib}"])", {"vars.lib=mine"}) == Paths{working_directory() + "/mine"});
}

TEST_CASE("substitution: origins tell the value and its use") {
  World world;
  world.environment = {{"N", "5"}};
  const Manifest manifest = world.load(
      "{\"broch\": 1, \"vars\": {\"n\": 4},\n\"model\": \"m.net\", \"dataflow\": \"d.set\",\n"
      "\"seed\": \"${vars.n}\",\n\"max_epoch\": \"${env:N}\",\n\"name\": \"n${vars.n}\"}");
  CHECK(support::origin_of(manifest, "/seed") == "run.json:1:28 (used at run.json:3:9)");
  CHECK(support::origin_of(manifest, "/max_epoch") ==
        "environment variable N (used at run.json:4:14)");
  CHECK(support::origin_of(manifest, "/name") == "run.json:5:9");
}

TEST_CASE("substitution: mistakes") {
  const World world = small_world();
  struct Row {
    std::string vars, written;
    support::Expected wanted;
  };
  const std::string place = "run.json:1:\\d+: /model/with/x";
  const Row rows[] = {
      {"\"batch\": 1", R"("${vars.bacth}")", {place, "'bacth'", "batch", "did you mean 'batch'"}},
      {"\"a\": {\"left\": 1}",
       R"("${vars.a.lift}")",
       {place, "'lift'", "left", "did you mean 'left'"}},
      {"\"a\": 3", R"("${vars.a.b}")", {place, "'b'", "an object there, not 3", "add it"}},
      {"\"a\": \"${vars.b}\", \"b\": {\"cd\": 1}",
       R"("${vars.a.ce}")",
       {place, "no such key", "cd", "did you mean 'cd'"}},
      {"", R"("${vars.a}")", {place, "no 'a'", "there is none", "add it under \"vars\""}},
      {"\"batch\": 1",
       R"("${batch}")",
       {place, "'\\$\\{batch\\}'", "\\$\\{vars.<name>\\}", "did you mean '\\$\\{vars.batch\\}'"}},
      {"", R"("${DIR}")", {place, "DIR", "env:<NAME>", "did you mean '\\$\\{env:DIR\\}'"}},
      {"", R"("${manifest.dri}")", {place, "dri", "manifest.dir", "did you mean 'manifest.dir'"}},
      {"", R"("${}")", {place, "'\\$\\{\\}'", "vars.<name>", "\\$\\$\\{"}},
      {"", R"("a ${vars.b")", {place, "without '\\}'", "vars.<name>", "close it"}},
      {"", R"("${env:NONE}")", {place, "'NONE', which is not set", "a value", "give a default"}},
      {"", R"("${env:NO NE}")", {place, "'NO NE'", "letters, digits", "env:NAME"}},
      {"", R"("${env:DIR:x}")", {place, "':' without '-'", "default", "write :-"}},
      {"\"a\": [1]",
       R"("x${vars.a}")",
       {place, "a list of 1 .*inside a text", "a string", "whole"}},
      {"\"a\": null", R"("x${vars.a}")", {place, "null .*inside a text", "a string", "whole"}},
      {"\"a\": \"${vars.b}\", \"b\": \"${vars.c}\", \"c\": \"${vars.a}\"",
       R"("${vars.b}")",
       {"run.json:1:\\d+: /vars/a", "a circle: vars.b -> vars.c -> vars.a -> vars.b",
        "do not need themselves", "write one"}},
      {"\"a\": \"${vars.a}\"",
       "1",
       {"run.json:1:\\d+: /vars/a", "a circle: vars.a -> vars.a", "themselves", "write"}},
      {"\"a\": \"${vars.none}\"", "1", {"run.json:1:\\d+: /vars/a", "'none'", "a", "add it"}},
  };
  for (const Row& row : rows) {
    const std::string text = with_x(row.vars, row.written);
    check_refusal(text, refusal([&] { world.load(text); }), row.wanted);
  }
  check_refusal("name", refusal([&] { world.load(minimal(R"("name": "a${name}")")); }),
                {"run.json:1:\\d+: /name", "a circle: name -> name", "themselves", "write"});
  check_refusal("vars", refusal([&] { world.load(minimal(R"("vars": [1])")); }),
                {"run.json:1:\\d+: /vars", "a list of 1", "an object", "write \"vars\""});
}

TEST_CASE(
    "substitution: all mistakes are told at once, a variable that nobody uses may lack its "
    "environment") {
  const World world;
  const auto two = refusal([&] {
    world.load(
        minimal("\"vars\": {\"a\": \"${env:NONE}\"},\n"
                R"("x-a": "${vars.b}", "x-b": "${vars.c}")"));
  });
  CHECK(two.text.find("'b'") < two.text.find("'c'"));
  CHECK(two.text.find("NONE") == std::string::npos);
  CHECK_NOTHROW(world.load(minimal(R"("vars": {"a": "${env:NONE}/x"})")));
}

TEST_CASE("substitution: a few lines cannot fill the memory") {
  const World world;
  std::string lists = "\"a0\": [1, 1]", texts = "\"a0\": \"" + std::string(1000, 'x') + "\"",
              deep = "\"a0\": 1";
  for (int i = 1; i < 30; ++i) {
    const std::string key = ", \"a" + std::to_string(i) + "\": ";
    const std::string before = "${vars.a" + std::to_string(i - 1) + "}";
    lists += key + "[\"" + before + "\", \"" + before + "\"]";
    texts += key + "\"" + before + before + "\"";
    deep += key + "[[[\"" + before + "\"]]]";
  }
  check_refusal("lists", refusal([&] { x_of(world, lists, R"("${vars.a29}")"); }),
                {"run.json", "grows without end", "10000 values", "bulk data"});
  check_refusal("texts", refusal([&] { x_of(world, texts, R"("${vars.a29}")"); }),
                {"run.json", "a string of more than 65536", "65536", "long texts"});
  check_refusal("deep", refusal([&] { x_of(world, deep, R"("${vars.a29}")"); }),
                {"run.json", "more than 64 levels", "at most 64", "nest"});
  std::string chain = "\"a0\": 1";
  for (int i = 1; i < 40; ++i)
    chain += ", \"a" + std::to_string(i) + "\": \"${vars.a" + std::to_string(i - 1) + "}\"";
  check_refusal("chain", refusal([&] { x_of(world, chain, R"("${vars.a39}")"); }),
                {"run.json", "behind 32 others", "at most 32", "less deeply"});
}

TEST_CASE("substitution: the resolved text has none, and loads to the same manifest") {
  World world = small_world();
  world.files["/runs/base.json"] =
      R"({"broch": 1, "model": "m.net", "vars": {"n": 3, "root": "data"}, "plugins": ["p.so"]})";
  const Manifest first = world.load(R"({"broch": 1, "extends": "../base.json", "$schema": "s.json",
    "dataflow": {"use": "d.set", "with": {"n": "${vars.n}", "cost": "$${not}", "all": ["$$${x"],
                 "dir": "${env:DIR}", "half": "a$"}},
    "max_epoch": "${env:N}", "log_dir": "logs/${name}"})");
  const std::string text = first.resolved_text();
  CHECK(text.find("vars") == std::string::npos);
  CHECK(text.find("extends") == std::string::npos);
  CHECK(text.find("env:") == std::string::npos);
  const Manifest second = World().load(text);
  CHECK(second.value == first.value);
  CHECK(second.resolved_text() == text);
  CHECK(to_text(second.dataflow->with()) ==
        R"({"n":3,"cost":"${not}","all":["$${x"],"dir":"/data","half":"a$"})");
}

TEST_CASE("substitution: a secret is neither shown nor written down") {
  World world = small_world();
  const Manifest manifest = world.load(minimal(
      R"("x-url": "$${u}:${env:API_TOKEN}@h", "x-whole": "${env:API_TOKEN}", "x-dir": "${env:DIR}",
         "plugins": ["${env:API_TOKEN}/p.so"], "x-unset": "${env:MY_KEY:-none}")"));
  CHECK(manifest.value.find("x-url")->string() == "${u}:hunter2@h");
  CHECK(manifest.plugins[0] == working_directory() + "/hunter2/p.so");
  const std::string text = manifest.resolved_text();
  CHECK(text.find("hunter2") == std::string::npos);
  CHECK(text.find(R"("x-url": "$${u}:${env:API_TOKEN}@h")") != std::string::npos);
  CHECK(world.load(text).value == manifest.value);
  CHECK(to_text(*manifest.inputs().find("environment")) ==
        R"~({"API_TOKEN":"(not shown)","DIR":"/data","MY_KEY":null})~");
  const Manifest named = world.load(minimal(R"("name": "${env:API_TOKEN}")"));
  CHECK(named.log_dir == working_directory() + "/train_log/hunter2");
  CHECK(named.resolved_text().find("hunter2") == std::string::npos);
  CHECK(world.load(named.resolved_text()).log_dir == named.log_dir);
  const auto wrong = refusal([&] { world.load(minimal(R"("seed": "${env:API_TOKEN}")")); });
  CHECK(wrong.text.find("hunter2") == std::string::npos);
  CHECK(wrong.text.find("'${env:API_TOKEN}', expected an integer") != std::string::npos);
  world.environment["API_TOKEN"] = "-1234";  // read as an integer
  const auto low = refusal([&] { world.load(minimal(R"("max_epoch": "${env:API_TOKEN}")")); });
  CHECK(low.text.find("'${env:API_TOKEN}', expected an integer") != std::string::npos);
  CHECK(low.text.find("1234") == std::string::npos);
}
