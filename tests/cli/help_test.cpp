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
  CHECK(holds_in_order(text, {"\n  runtime.level\n", "one of 'bitwise', 'fast'"}));
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
  CHECK(completions({"ckpt", ""}) == Set{"diff", "inspect", "ls", "verify"});
  CHECK(completions({"train", ""}) == Set{":json"});
  CHECK(completions({"train", "a.json", ""}).empty());
  CHECK(completions({"train", "a.json", "--fast"}) == Set{"--fast-dev-run"});
  CHECK(completions({"train", "--runtime", ""}) == Set{"null", "torch"});
  CHECK(completions({"--color", "a"}) == Set{"always", "auto"});
  CHECK(completions({"train", "--runtime", "null", ""}) == Set{":json"});
  CHECK(completions({"train", "--col"}) == Set{"--color"});
  CHECK(completions({"ctl", "log", "st"}) == Set{"status", "stop"});
  CHECK(completions({"run", "show", ""}) == Set{":files"});
  CHECK(completions({"help", "e"}) == Set{"environment", "exit-codes"});
  CHECK(completions({"completion", ""}) == Set{"bash", "fish", "zsh"});
  CHECK(completions({"__c"}).empty());
  CHECK(completions({"no-such", "x"}).empty());
  CHECK(completions({}).empty());
}

TEST_CASE("completion: bash loads the function and completes commands and manifests") {
  const Folder folder;
  std::ofstream(folder.path() / "run.json") << "{}";
  std::ofstream(folder.path() / "run.txt") << "";
  fs::create_directory(folder.path() / "runs");
  const auto complete = [&](const std::string& words, int at) {
    return bash("source <('" BROCH_PROGRAM
                "' completion bash)\n"
                "COMP_WORDS=(" +
                    words + ")\nCOMP_CWORD=" + std::to_string(at) +
                    "\n_broch 2>&1\necho \"${COMPREPLY[@]}\"\n",
                folder.path());
  };
  const std::string broch = BROCH_PROGRAM;
  CHECK(complete(broch + " co", 1) == "completion config\n");
  CHECK(complete(broch + " train run", 2) == "run.json runs\n");
  CHECK(complete(broch + " train run.json --ov", 3) == "--overfit\n");
  CHECK(run({"completion", "tcsh"}).exit_code == 2);
  for (const char* shell : {"zsh", "fish"})
    CHECK(holds(run({"completion", shell}).out, "__complete"));
}
