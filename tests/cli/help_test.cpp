// help_test.cpp: broch help, the manual page, completion: what is said of the commands is what they
// are.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/program.hpp"

using namespace broch::cli_test;
namespace fs = std::filesystem;

namespace {

std::set<std::string> completions(const Words& words) {
  Words all{"__complete", "broch"};
  all.insert(all.end(), words.begin(), words.end());
  const Outcome outcome = run(all);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err == "");
  std::set<std::string> lines;
  std::istringstream stream(outcome.out);
  for (std::string line; std::getline(stream, line);) lines.insert(line);
  return lines;
}

using Set = std::set<std::string>;

// What a shell prints.
std::string bash(const std::string& script, const fs::path& folder) {
  std::ofstream(folder / "script") << script;
  Surroundings surroundings;
  surroundings.program = "/bin/bash";
  surroundings.folder = folder;
  const Outcome outcome = run({folder / "script"}, surroundings);
  CHECK(outcome.err == "");
  return outcome.out;
}

size_t characters(const std::string& utf8) {
  return size_t(std::ranges::count_if(utf8, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

// COMP_WORDS of a line: = and : are words of their own.
Words as_bash_splits(const std::string& line) {
  Words words{""};
  const auto kind = [](char c) { return c == ' ' ? 0 : c == '=' || c == ':' ? 1 : 2; };
  for (size_t i = 0; i < line.size(); ++i) {
    if (i > 0 && kind(line[i]) != kind(line[i - 1]) && kind(line[i - 1]) != 0) words.emplace_back();
    if (line[i] != ' ') words.back() += line[i];
  }
  return words;
}

}  // namespace

TEST_CASE("help: lists topics, explains each, and commands, and knows nearest names") {
  const Outcome list = run({"help"});
  for (const char* topic : {"manifest", "expressions", "overrides", "exit-codes", "resume",
                            "plugins", "ranks", "environment"}) {
    CAPTURE(topic);
    CHECK(holds(list.out, std::string("\n") + topic + " "));
    const Outcome one = run({"help", topic});
    CHECK(one.exit_code == 0);
    CHECK(one.out.size() > 200);
    std::istringstream lines(one.out);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(characters(line) <= 80, line);
  }
  CHECK(holds(run({"help", "train"}).out, "--resume"));
  CHECK(run({"help", "plugin", "ls"}).out == run({"plugin", "ls", "--help"}).out);
  CHECK(holds(run({"--help"}).out, "broch help lists topics"));
  const std::string of_status = run({"help", "ctl", "status"}).out;
  CHECK(run({"ctl", "status", "--help"}).out == of_status);
  CHECK(run({"ctl", "folder", "status", "--help"}).out == of_status);
  const Outcome inner = run({"help", "plugin", "lss"});
  CHECK(inner.exit_code == 2);
  CHECK(holds_in_order(inner.err, {"'lss', did you mean 'ls'?", "one of ls, inspect, check, new"}));
  CHECK(run({"help", "train", "more"}).exit_code == 2);
  const Outcome typo = run({"help", "overides"});
  CHECK(typo.exit_code == 2);
  CHECK(holds(typo.err, "did you mean 'overrides'?"));
}

TEST_CASE("help: manifest has every key that a manifest may have, with kind, default and meaning") {
  const std::string text = run({"help", "manifest"}).out;
  const Json schema = Json::parse(run({"config", "schema"}).out);
  CHECK(schema["properties"].size() > 20);
  for (const auto& [key, property] : schema["properties"].items()) {
    CAPTURE(key);
    const size_t at = text.find("\n  " + key + "\n      ");
    REQUIRE(at != std::string::npos);
    const std::string description = property["description"];
    CHECK(holds(one_spaced(text.substr(at)), description));
  }
  CHECK(holds_in_order(text, {"\n  runtime.level\n", "one of 'fast', 'bitwise'"}));
  CHECK(holds_in_order(text, {"\n  broch\n", "required"}));
  CHECK(holds_in_order(text, {"\n  seed\n", "(an integer, at least 0; default 0)"}));
  CHECK(holds_in_order(text, {"\n  steps_per_epoch.samples\n", "at least 1"}));
  CHECK(holds_in_order(text, {"\n  use\n", "\n  when.every_k_epochs\n", "\n  run_on\n"}));
}

TEST_CASE("help: expressions shows the words of the language, and faults lead there") {
  const std::string text = run({"help", "expressions"}).out;
  CHECK(holds_in_order(text, {"\n  epoch_num ", "\n  pi ", "3.14159", "\n  min(x, y, …)",
                              "\n  sqrt(x)", "\n  pow(x, y)", "\n  cos(x)", "\n  stop()",
                              "\n  c ? x : y", "\n  x || y", "\n  x ** y"}));
  const Quick quick;
  const Outcome refused = run({"check", quick.manifest(),
                               "+callbacks={\"use\": \"hyper-param-setter-with-func\", \"with\": "
                               "{\"param\": \"learning_rate\", \"func\": \"sqr(2)\"}}"});
  CHECK(refused.exit_code == 3);
  CHECK(holds(refused.err, "did you mean 'sqrt'?"));
  const Outcome unfinished =
      run({"check", quick.manifest(),
           "+callbacks={\"use\": \"hyper-param-setter-with-func\", \"with\": "
           "{\"param\": \"learning_rate\", \"func\": \"sqrt(2\"}}"});
  CHECK(holds(unfinished.err, "broch help expressions"));
}

TEST_CASE("help: the manual page has every command and topic and troff has nothing against it") {
  const std::string page = run({"help", "--man"}).out;
  CHECK(page.starts_with(".TH BROCH 1 "));
  for (const char* part :
       {".SH NAME\n", ".SS broch train manifest [overrides ...]\n", ".SS broch ckpt diff a b\n",
        ".SS broch ctl", "\\-\\-fast\\-dev\\-run", ".SH EXIT STATUS\n", "interrupted, state saved",
        "log_dir_action", ".SH EXPRESSIONS\n", "epoch_num"})
    CHECK_MESSAGE(holds(page, part), part);
  CHECK_FALSE(holds(page, "__complete"));
  if (access("/usr/bin/groff", X_OK) != 0) return;
  const Folder folder;
  std::ofstream(folder.path() / "broch.1") << page;
  const std::string out = bash("groff -man -Tutf8 -ww broch.1 2>&1 >/dev/null", folder.path());
  CHECK(out == "");
}

TEST_CASE("completion: commands, flags, values and kinds of files where each may stand") {
  CHECK(completions({"tr"}) == Set{"train"});
  CHECK(completions({"ckpt", ""}) ==
        Set{"average", "convert", "diff", "inspect", "ls", "merge", "strip", "verify"});
  CHECK(completions({"train", ""}) == Set{":json"});
  CHECK(completions({"train", "a.json", ""}).empty());
  CHECK(completions({"train", "a.json", "--fast"}) == Set{"--fast-dev-run"});
  CHECK(completions({"train", "--runtime", ""}) == Set{"null", "torch"});
  CHECK(completions({"--color", "a"}) == Set{"always", "auto"});
  CHECK(completions({"train", "--runtime", "null", ""}) == Set{":json"});
  CHECK(completions({"train", "--col"}) == Set{"--color"});
  CHECK(completions({"ctl", "log", "st"}) == Set{"status", "stop"});
  CHECK(completions({"ctl", "log", "stop", "--t"}) == Set{"--timeout"});
  CHECK(completions({"bench", "--s"}) == Set{"--seconds", "--steps"});
  CHECK(completions({"bench", "host", "--s"}) == Set{"--steps"});
  CHECK(completions({"bench", "host", "--runtime"}).empty());
  CHECK(completions({"help", "e"}) ==
        Set{"env", "environment", "eval", "exit-codes", "export", "expressions"});
  CHECK(completions({"help", "plugin", ""}) == Set{"check", "inspect", "ls", "new"});
  CHECK(completions({"completion", ""}) == Set{"bash", "fish", "zsh"});
  CHECK(completions({"__c"}).empty());
  CHECK(completions({"no-such", "x"}).empty());
  CHECK(completions({}).empty());
}

TEST_CASE("completion: roles, ids and names of components") {
  const Set roles = completions({"plugin", "ls", "--role", ""});
  CHECK(roles.size() == 13);
  CHECK(roles.contains("gradient_processor"));
  CHECK(completions({"plugin", "new", ""}) == roles);
  CHECK(completions({"plugin", "new", "mon"}) == Set{"monitor"});
  CHECK(completions({"plugin", "new", "monitor", ""}).empty());
  CHECK(completions({"plugin", "inspect", "adam"}) == Set{":files", "adam", "adamax", "adamw"});
  CHECK(completions({"plugin", "inspect", "broch.trainer.sim"}) ==
        Set{":files", "broch.trainer.simple"});
  const std::string folder = fs::path(PAUSE_PLUGIN).parent_path();
  CHECK(completions({"plugin", "inspect", "--plugin-path", folder, "test.p"}) ==
        Set{":files", "test.pause", "test.picky"});
}

TEST_CASE("completion: log folders where a run is expected, and the way to them") {
  const Folder folder;
  for (const char* run : {"logs/a", "logs/b", "single"}) {
    fs::create_directories(folder.path() / run);
    std::ofstream(folder.path() / run / "log.log") << "";
  }
  fs::create_directories(folder.path() / "other/empty");
  const std::string here = folder.path().string() + "/";
  for (const Words& command :
       {Words{"run", "show"}, {"run", "plot"}, {"run", "tail"}, {"ckpt", "ls"}, {"ctl"}}) {
    CAPTURE(command.back());
    Words words = command;
    words.push_back(here);
    CHECK(completions(words) == Set{here + "logs/", here + "single"});
    words.back() = here + "logs/";
    CHECK(completions(words) == Set{here + "logs/a", here + "logs/b"});
  }
  CHECK(completions({"run", "compare", here + "logs/a", here + "logs/b"}) == Set{here + "logs/b"});
  CHECK(completions({"ckpt", "verify", here + "s"}) == Set{":files", here + "single"});
}

TEST_CASE("completion: override paths of a manifest, and the values that are known") {
  const auto overrides = [](const Words& words) { return completions(digits({"train"}, words)); };
  const Set optimizer = overrides({"opt"});
  CHECK(optimizer.contains("optimizer.use="));
  CHECK(optimizer.contains("optimizer.with.learning_rate="));
  CHECK_FALSE(optimizer.contains("seed="));
  CHECK(overrides({"callbacks[model-saver].with.m"}) ==
        Set{"callbacks[model-saver].with.max_to_keep="});
  CHECK(overrides({"extra_callbacks[progress-bar].with."}) ==
        Set{"extra_callbacks[progress-bar].with.metrics=",
            "extra_callbacks[progress-bar].with.names="});
  CHECK(overrides({"callbacks[test].when.every_k_s"}) ==
        Set{"callbacks[test].when.every_k_steps="});
  CHECK(overrides({"see"}) == Set{"seed="});
  // Names of components behind "use", by role; words and booleans of a schema.
  CHECK(overrides({"optimizer.use=adam"}) ==
        Set{"optimizer.use=adam", "optimizer.use=adamax", "optimizer.use=adamw"});
  CHECK(overrides({"trainer.use=s"}).contains("trainer.use=simple"));
  CHECK(overrides({"log_dir_action=k"}) == Set{"log_dir_action=keep"});
  CHECK(overrides({"runtime.deterministic="}) ==
        Set{"runtime.deterministic=false", "runtime.deterministic=true"});
  CHECK(overrides({"seed=1"}).empty());
  // Removing and appending.
  CHECK(overrides({"~callbacks[model"}) == Set{"~callbacks[model-saver]"});
  CHECK(overrides({"+mon"}) == Set{"+monitors="});
  CHECK(overrides({"+callbacks=nan"}) == Set{"+callbacks=nan-guard"});
  // What was typed before counts.
  CHECK(overrides({"optimizer.use=sgd", "optimizer.with.beta"}).empty());
  CHECK(overrides({"optimizer.use=adam", "optimizer.with.beta"}) ==
        Set{"optimizer.with.beta1=", "optimizer.with.beta2="});
  CHECK(overrides({"no.such=1", "see"}) == Set{"seed="});
}

TEST_CASE("completion: each override path that is offered can be set") {
  const Set paths = completions(digits({"check"}, {""}));
  CHECK(paths.size() > 50);
  for (const std::string& path : paths) {
    if (path.ends_with(".name=") || path == "broch=") continue;
    CAPTURE(path);
    // Whatever the value is worth, the place is there.
    const Outcome outcome = run(digits({"check"}, {path + "{}"}));
    CHECK_FALSE(holds(outcome.err, "override must match an existing key"));
    CHECK_FALSE(holds(outcome.err, "set the whole value first"));
  }
}

TEST_CASE(
    "completion: an unfinished manifest, one that is not there and plugins that are not built") {
  const Folder folder;
  const std::string path = folder.path() / "m.json";
  CHECK(completions({"train", path, "see"}).empty());
  std::ofstream(path) << "{ \"broch\": 1, ";
  CHECK(completions({"train", path, "see"}).empty());
  std::ofstream(path) << R"({"broch": 1, "plugins": ["./not_built.so"], "vars": {"a.b": 1},
                            "callbacks": [{"use": "nan-guard"}, {"use": "nan-guard"}]})";
  CHECK(completions({"train", path, "see"}) == Set{"seed="});
  CHECK(completions({"train", path, "vars"}) == Set{"vars[\"a.b\"]="});
  CHECK(completions({"train", path, "~"}).contains("~callbacks[1]"));
  CHECK(completions({"train", path, "optimizer=ada"}) ==
        Set{"optimizer=adadelta", "optimizer=adafactor", "optimizer=adagrad", "optimizer=adam",
            "optimizer=adamax", "optimizer=adamw"});
}

TEST_CASE("completion: bash loads the function and completes what it splits at = and :") {
  const Folder folder;
  std::ofstream(folder.path() / "run.json") << R"({"broch": 1, "optimizer": "sgd"})";
  std::ofstream(folder.path() / "run.txt") << "";
  fs::create_directory(folder.path() / "runs");
  const auto complete = [&](const std::string& line) {
    const Words words = as_bash_splits(std::string(BROCH_PROGRAM) + " " + line);
    std::string script = "source <('" BROCH_PROGRAM "' completion bash)\nCOMP_WORDS=(";
    for (const std::string& word : words) script += " '" + word + "'";
    return bash(script + ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) + "\nCOMP_LINE='" +
                    BROCH_PROGRAM + " " + line + "'\n_broch 2>&1\necho \"${COMPREPLY[@]}\"\n",
                folder.path());
  };
  CHECK(complete("co") == "completion config\n");
  CHECK(complete("train run") == "run.json runs\n");
  CHECK(complete("train run.json --ov") == "--overfit\n");
  CHECK(complete("train run.json optimizer.with.l") == "optimizer.with.learning_rate=\n");
  CHECK(complete("train run.json optimizer.use=adam") == "adam adamax adamw\n");
  CHECK(complete("train run.json optimizer.use=") ==
        complete("train run.json optimizer.use=adam optimizer.use="));
  CHECK(complete("train run.json seed=3 see") == "seed=\n");
  CHECK(complete("train run.json \"runtime.lev") == "runtime.level=\n");
  CHECK(complete("train --color=always run.json optimizer.use=rm") == "rmsprop\n");
  CHECK(run({"completion", "tcsh"}).exit_code == 2);
  for (const char* shell : {"zsh", "fish"})
    CHECK(holds(run({"completion", shell}).out, "__complete"));
}
