// overrides_test.cpp: changes from the command line hit what they mean, or are refused.
#include "manifest/overrides.hpp"

#include "support.hpp"

using namespace broch::manifest;
using support::refusal;

namespace {

constexpr char kManifest[] = R"({"broch": 1, "model": {"use": "m.net"}, "dataflow": "d.set",
  "callbacks": ["model-saver", {"use": "org.x.ema"}, {"name": "first", "use": "min-saver"},
                {"name": "second", "use": "min-saver", "with": {"a.b": 1, "list": [1, 2]}}]})";

std::string after(const std::vector<std::string>& overrides, const std::string& pointer) {
  const Manifest manifest = support::load(kManifest, overrides);
  const Value* value = find_at(manifest.value, pointer);
  return value == nullptr ? "nothing" : to_text(*value);
}

std::string origin_after(const std::string& change, const std::string& pointer) {
  return find_at(support::load(kManifest, {change}).value, pointer)->origin().text();
}

}  // namespace

TEST_CASE("overrides: a value is set where a file or a default has one") {
  CHECK(after({"max_epoch=3"}, "/max_epoch") == "3");
  CHECK(after({"trainer.use=sync-replicated"}, "/trainer/use") ==
        "\"broch.trainer.sync-replicated\"");
  CHECK(after({"runtime.level=fast"}, "/runtime/level") == "\"fast\"");
  CHECK(origin_after("trainer.use=simple", "/trainer/use") == "override trainer.use");
}

TEST_CASE("overrides: values are JSON, else strings") {
  CHECK(after({"model.with.a=1e-3"}, "/model/with/a") == "0.001");
  CHECK(after({"model.with.a=[1, {\"b\": null}]"}, "/model/with/a") == R"([1,{"b":null}])");
  CHECK(after({"model.with.a=hello world"}, "/model/with/a") == "\"hello world\"");
  CHECK(after({"model.with.a=\"3\""}, "/model/with/a") == "\"3\"");
  CHECK(after({"model.with.a=x=y"}, "/model/with/a") == "\"x=y\"");
  CHECK(after({"model.with.a="}, "/model/with/a") == "\"\"");
}

TEST_CASE("overrides: an entry is chosen by place, name, use or the last word of use") {
  CHECK(after({"callbacks[model-saver].with.max_to_keep=3"}, "/callbacks/0/with/max_to_keep") ==
        "3");
  CHECK(after({"callbacks[0].with.max_to_keep=3"}, "/callbacks/0/with/max_to_keep") == "3");
  CHECK(after({"callbacks[ema].with.decay=0.9"}, "/callbacks/1/with/decay") == "0.9");
  CHECK(after({"callbacks[org.x.ema].with.decay=0.9"}, "/callbacks/1/with/decay") == "0.9");
  CHECK(after({"callbacks[second].with[\"a.b\"]=2"}, "/callbacks/3/with/a.b") == "2");
  CHECK(after({"callbacks[second].with.list[1]=5"}, "/callbacks/3/with/list") == "[1,5]");
  CHECK(after({"callbacks[first].when={\"every_k_steps\": 5}"},
              "/callbacks/2/with/every_k_steps") == "5");
  CHECK(after({"callbacks[first].when.every_k_steps=5"}, "/callbacks/2/with/every_k_steps") == "5");
}

TEST_CASE("overrides: default callbacks can be changed and removed") {
  CHECK(after({"extra_callbacks[progress-bar].with.width=3"}, "/extra_callbacks/1/with/width") ==
        "3");
  CHECK(after({"~extra_callbacks[progress-bar]"}, "/extra_callbacks/1/use") ==
        "\"broch.callback.merge-all-summaries\"");
}

TEST_CASE("overrides: places count the entries of the file, whatever else is removed or added") {
  const std::vector<std::string> changes = {"~callbacks[0]",
                                            "+callbacks=nan-guard",
                                            "callbacks[1].with.a=1",
                                            "~callbacks[3].with.list[0]",
                                            "~callbacks[3].with[\"a.b\"]",
                                            "~callbacks[2]"};
  CHECK(after(changes, "/callbacks") ==
        R"([{"use":"org.x.ema","with":{"a":1}},)"
        R"({"name":"second","use":"broch.callback.min-saver","with":{"list":[2]}},)"
        R"({"use":"broch.callback.nan-guard","with":{}}])");
}

TEST_CASE("overrides: a part that was null can be set and changed, in any order") {
  CHECK(after({"optimizer=adam", "optimizer.with.learning_rate=0.1"}, "/optimizer/with") ==
        R"({"learning_rate":0.1})");
  CHECK(after({"optimizer.with.learning_rate=0.1", "optimizer=adam"}, "/optimizer/with") ==
        R"({"learning_rate":0.1})");
}

TEST_CASE("overrides: a removed key goes back to its default") {
  CHECK(after({"~max_epoch"}, "/max_epoch") == "99999");
  CHECK(after({"~runtime"}, "/runtime/level") == "\"fast\"");
  const std::string named = support::minimal(R"("name": "mine", "x-name": "${name}")");
  const Manifest unnamed = support::load(named, {"~name"});
  CHECK(unnamed.name == "run");
  CHECK(find_at(unnamed.value, "/x-name")->string() == "run");
  CHECK(unnamed.log_dir == working_directory() + "/train_log/run");
}

TEST_CASE("overrides: paths given on the command line are relative to the working directory") {
  CHECK(after({"plugins=[\"a.so\"]"}, "/plugins/0") ==
        to_text(Value(working_directory() + "/a.so")));
}

TEST_CASE("overrides: wrong ones are refused with place, found, expected and next step") {
  struct Row {
    std::string text;
    support::Expected wanted;
  };
  const Row rows[] = {
      {"max_epochs=3",
       {"override max_epochs", "no 'max_epochs' in the manifest", "one of .*max_epoch",
        "did you mean 'max_epoch'"}},
      {"trainer.usee=simple",
       {"override trainer.usee: /trainer", "no 'usee'", "use", "did you mean 'use'"}},
      {"trainer.wiht.devices=[]",
       {"override trainer.wiht.devices: /trainer", "no 'wiht'", "one of use, with",
        "did you mean 'with'"}},
      {"callbacks[0].whne.every_k_epochs=2",
       {"override .*: /callbacks/0", "no 'whne'", "one of use, .*when", "did you mean 'when'"}},
      {"~trainer.with", {"override ~trainer.with: /trainer", "no 'with'", "use", "must match"}},
      {"runtime.levl=fast",
       {"override runtime.levl: /runtime", "no 'levl'", "one of execution",
        "did you mean 'level'"}},
      {"callbacks[model-savr].with.a=1",
       {"override .*: /callbacks", "no entry 'model-savr'",
        "one of model-saver, ema, first, second", "did you mean 'model-saver'"}},
      {"callbacks[min-saver].with.a=1",
       {"override .*: /callbacks",
        "'min-saver', which fits places 2 \\(run.json:2:\\d+\\) and 3 \\(run.json:3:\\d+\\)",
        "one entry", "give the entries names"}},
      {"callbacks[9].with.a=1", {"override .*: /callbacks", "place 9", "0 to 3", "append"}},
      {"gradient_processors[0].with.a=1",
       {"override .*: /gradient_processors", "place 0", "a list with entries", "append"}},
      {"callbacks.with.a=1",
       {"override .*: /callbacks", "a list", "a place or a name", "write \\[0\\]"}},
      {"callbacks.1.with.a=1",
       {"override .*: /callbacks", "a list", "a place or a name", "write \\[1\\] instead of '.1'"}},
      {"trainer[with][a]=1",
       {"override .*: /trainer", "an object", "a list", "write '.with' for a key"}},
      {"callbacks[second].with[a.b]=1",
       {"override .*: /callbacks/3/with", "an object", "a list", "write \\[\"a.b\"\\] for a key"}},
      {"trainer[0].use=x", {"override .*: /trainer", "an object", "a list", "remove \\[0\\]"}},
      {"max_epoch.x=1",
       {"override .*: /max_epoch", "99999", "an object that has 'x'", "set the whole value first"}},
      {"optimizer.with.a=1",
       {"override .*: /optimizer", "null", "an object that has 'with'", "set the whole"}},
      {"+max_epoch=1", {"override \\+max_epoch: /max_epoch", "99999", "a list", "set it"}},
      {"~trainer.with.nothing",
       {"override ~trainer.with.nothing: /trainer/with", "no 'nothing'", "it is empty",
        "match an existing key"}},
      {"~trainer=1", {"override '~trainer=1'", "a value after", "alone", "remove"}},
      {"max_epoch", {"override 'max_epoch'", "no '='", "path=value", "for example"}},
      {"=3", {"override '=3'", "an empty key", "path=value", "for example"}},
      {"a..b=3", {"override 'a..b=3'", "an empty key", "path=value", "for example"}},
      {"callbacks[=3",
       {"override 'callbacks\\[=3'", "'\\[' without '\\]'", "place", "for example"}},
      {"callbacks[]=3", {"override 'callbacks\\[\\]=3'", "'\\[\\]'", "place", "append"}},
      {"callbacks]=3", {"override 'callbacks\\]=3'", "'\\]' without", "path=value", "for example"}},
      {"callbacks[0]x=3", {"override 'callbacks\\[0\\]x=3'", "'x' after", "'\\.'", "for example"}},
      {"model.with.a={\"b\": 1",
       {"override model.with.a:1:8", "the end of the text", "'\\}'", "close"}},
      {"model.with.a=[1 2]", {"override model.with.a:1:4", "'2'", "a comma", "comma"}},
      {"seed=\xFF", {"override .*", "no UTF-8", "UTF-8", "for example"}},
      {"session_config={}",
       {"override session_config", "'session_config'", "another key", "runtime"}},
      {"vars.x=1", {"override vars.x: /vars", "no 'x' in '/vars'", "it is empty", "must match"}},
      {"max_epoch=many", {"override max_epoch: /max_epoch", "'many'", "an integer", "last epoch"}},
      {"max_epoch=1e999",
       {"override max_epoch: /max_epoch", "'1e999'", "an integer", "last epoch"}},
      {"broch=2", {"override broch: /broch", "2", "1", "version"}},
  };
  for (const Row& row : rows) {
    support::check_refusal(row.text, refusal([&] { support::load(kManifest, {row.text}); }),
                           row.wanted);
  }
}

TEST_CASE("overrides: two changes of one place are refused, whatever the spelling") {
  const std::pair<const char*, const char*> pairs[] = {
      {"max_epoch=1", "max_epoch=2"},
      {"callbacks[0].with.a=1", "callbacks[model-saver].with.a=2"},
      {"callbacks[0].with.a=1", "~callbacks[0]"},
      {"~callbacks[3]", "~callbacks[3].with.list"},
      {"~callbacks[0]", "~callbacks[model-saver]"},
      {"~callbacks", "+callbacks=nan-guard"},
      {"+callbacks[3].with.list=3", "~callbacks[3]"},
  };
  for (const auto& [first, second] : pairs) {
    support::check_refusal(
        second, refusal([&] {
          support::load(kManifest, {first, second});
        }),
        {"override .*: /", "a place that 'override .*' changes too", "one override", "remove"});
  }
}
