// usage_test.cpp: words that are no command line, help, and terminals.
#include <doctest/doctest.h>

#include <sstream>

#include "cli/program.hpp"

using namespace broch::cli_test;

namespace {

const std::vector<Words> kCommands = {{"train"},
                                      {"check"},
                                      {"plan"},
                                      {"eval"},
                                      {"config", "show"},
                                      {"config", "diff"},
                                      {"config", "schema"},
                                      {"plugin", "ls"},
                                      {"run", "plot"},
                                      {"plugin", "inspect"},
                                      {"plugin", "new"},
                                      {"bench"},
                                      {"bench", "host"},
                                      {"program", "dump"},
                                      {"env"},
                                      {"version"},
                                      {"ckpt", "ls"},
                                      {"ckpt", "inspect"},
                                      {"ckpt", "verify"},
                                      {"ckpt", "diff"},
                                      {"run", "ls"},
                                      {"run", "show"},
                                      {"run", "tail"},
                                      {"run", "compare"},
                                      {"ctl"},
                                      {"help"},
                                      {"completion"}};

// A command line that is refused as one: nothing on stdout, the next step on stderr.
void check_refused(const Words& words, const Words& diagnostic) {
  CAPTURE(words.back());
  const Outcome outcome = run(words);
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out == "");
  INFO(outcome.err);
  CHECK(holds_in_order(outcome.err, diagnostic));
  CHECK(holds(outcome.err, "\n  hint: "));
}

Words with_last(Words words, const std::string& last) {
  words.push_back(last);
  return words;
}

}  // namespace

TEST_CASE("usage: --help of every command goes to stdout and names its options") {
  for (const Words& command : kCommands) {
    CAPTURE(command.back());
    const Outcome outcome = run(with_last(command, "--help"));
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err == "");
    CHECK(holds(outcome.out, "Usage: "));
    CHECK(holds(outcome.out, command.back()));
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 100, line);
  }
  const Outcome all = run({"--help"});
  for (const Words& command : kCommands) CHECK(holds(all.out, "  " + command.front()));
}

TEST_CASE("usage: the program alone prints its help, and succeeds") {
  const Outcome alone = run({});
  CHECK(alone.exit_code == 0);
  CHECK(alone.err == "");
  CHECK(alone.out == run({"--help"}).out);
}

TEST_CASE("usage: no command beside flags, or no subcommand, lists those there are") {
  check_refused({"--quiet"}, {"broch: ", "no command", "train", "check", "version"});
  check_refused({"config"}, {"broch config: ", "no command", "show"});
  check_refused({"plugin"}, {"broch plugin: ", "ls, inspect, check, new"});
  check_refused({"run"}, {"broch run: ", "plot"});
  check_refused({"program"}, {"broch program: ", "dump"});
  check_refused({"bench"}, {"broch bench: ", "a manifest", "host"});
  check_refused({"bench", "host", "quick.json"}, {"broch bench host: ", "'quick.json'", "--help"});
}

TEST_CASE("usage: a mistyped command names the nearest one") {
  check_refused({"trian", "x.json"}, {"'trian'", "did you mean 'train'?"});
  check_refused({"plugin", "inspekt", "x"}, {"'inspekt'", "did you mean 'inspect'?"});
}

TEST_CASE("usage: --resume takes its word behind '=', not behind a space") {
  for (const Words& words :
       {Words{"train", "x.json", "--resume", "auto"}, Words{"train", "--resume", "auto", "x.json"}})
    check_refused(words, {"--resume: ", "the word auto", "--resume=auto", "'='"});
}

TEST_CASE("usage: a missing argument is named with the command that wants it") {
  for (const char* command : {"train", "check", "plan"})
    check_refused({command}, {std::string("broch ") + command, "manifest is required", "--help"});
  check_refused({"config", "show"}, {"broch config show: ", "manifest is required"});
  check_refused({"config", "diff", "a.json"}, {"broch config diff: ", "b is required"});
  check_refused({"eval", SAMPLE_DIR "/digits.json"},
                {"broch eval: ", "without --checkpoint", "add --checkpoint PATH"});
  check_refused({"program", "dump"}, {"broch program dump: ", "manifest is required"});
  check_refused({"run", "plot"}, {"broch run plot: ", "log_dir is required"});
  check_refused({"plugin", "inspect"}, {"broch plugin inspect: ", "what is required"});
}

TEST_CASE("usage: an option that no command has, or a value it cannot have, is refused") {
  for (const Words& command : kCommands)
    check_refused(with_last(command, "--no-such-option"), {"broch " + command.front()});
  check_refused({"version", "--color", "sometimes"}, {"--color", "sometimes", "never"});
  check_refused({"plan", "--runtime", "abacus", "x.json"}, {"--runtime", "abacus", "null"});
  check_refused({"bench", "host", "--steps", "1"}, {"--steps", "1", "2 to"});
  for (const char* const value : {"nan", "-nan", "inf", "-1", "many", ""})
    check_refused({"serve", "x", "--timeout", value}, {"--timeout: Value '" + std::string(value) +
                                                       "', expected a number from 0.001 to"});
  for (const Words& words :
       {Words{"serve", "x", "--batch-wait"}, Words{"serve", "x", "--transfer-timeout"},
        Words{"predict", "x", "--temperature"}, Words{"predict", "x", "--top-p"},
        Words{"bench", "x.json", "--seconds"}, Words{"plugin", "check", "x.so", "--timeout"},
        Words{"lr-find", "x.json", "--from"}, Words{"lr-find", "x.json", "--to"}})
    check_refused(with_last(words, "nan"), {words.back(), "Value 'nan', expected a number "});
  check_refused({"lr-find", "x.json", "--from", "0"}, {"--from", "'0'", "a number above 0"});
  check_refused({"lr-find", "x.json", "--from", "2"}, {"--to: 1", "above --from", "2"});
  check_refused({"bench", "host", "--callbacks", "many"}, {"--callbacks", "many"});
  check_refused({"bench", "x.json", "--only", "luck"}, {"--only", "luck", "model"});
  check_refused({"program", "dump", "x.json", "--dot", "--time"}, {"--dot", "excludes", "--time"});
  check_refused({"run", "plot", "x.json", "--schedule", "--stat", "lr"},
                {"--stat", "excludes", "--schedule"});
  check_refused({"sweep", "x.json", "--show", "--retry"}, {"--show", "excludes", "--retry"});
}

TEST_CASE("usage: an option that would have no effect is refused") {
  for (const Words& part : {Words{}, Words{"--only", "model"}}) {
    Words words{"bench", "x.json", "--seconds", "2"};
    words.insert(words.end(), part.begin(), part.end());
    check_refused(words, {"--seconds: ", "without --only data"});
  }
  check_refused({"bench", "host", "--only", "data"}, {"broch bench host: --only", "behind"});
  check_refused({"bench", "--steps", "5", "host"}, {"broch bench host: --steps", "behind"});
  check_refused({"run", "plot", "x", "--plugin-path", "y"}, {"--plugin-path", "--schedule"});
  check_refused({"serve", "x", "--no-token", "--token-file", "y"}, {"--token-file", "--no-token"});
}

TEST_CASE("usage: an unknown option leads to the nearest one, or to the manifest") {
  check_refused({"train", "x.json", "--epochs", "3"},
                {"broch train: ", "'--epochs'", "--help", "max_epoch=3"});
  check_refused({"train", "x.json", "--resme"}, {"'--resme'", "did you mean '--resume'?"});
  check_refused({"plan", "x.json", "--verbos"}, {"'--verbos'", "did you mean '--verbose'?"});
  check_refused({"env", "--epochs=3"}, {"broch env: ", "'--epochs=3'", "broch env --help"});
  check_refused({"plugin", "inspect", "model"}, {"'model'", "a role", "plugin ls --role model"});
}

TEST_CASE("usage: overrides of a manifest shown as written are refused") {
  const Quick quick;
  check_refused({"config", "show", quick.manifest(), "seed=2"},
                {"config show", "overrides", "--resolved"});
}

TEST_CASE("usage: without a terminal no command sends an escape byte") {
  const Quick quick;
  for (const Words& words : {quick.train(), Words{"check", quick.manifest()}, Words{"plugin", "ls"},
                             Words{"env"}, Words{"train", "no-such.json"}, Words{"--help"}}) {
    const Outcome outcome = run(words);
    CAPTURE(words.front());
    CHECK_FALSE(holds(outcome.out + outcome.err, "\033"));
  }
}

TEST_CASE("usage: color follows --color, then CLICOLOR_FORCE, then NO_COLOR") {
  const Quick quick;
  const auto colors = [&](const Words& words, const Surroundings& surroundings) {
    return holds(run(quick.train(words), surroundings).err, "\033[");
  };
  CHECK(colors({}, {{{"CLICOLOR_FORCE", "1"}}}));
  CHECK_FALSE(colors({}, {{{"CLICOLOR_FORCE", "0"}}}));
  CHECK(colors({"--color", "always"}, {{{"NO_COLOR", "1"}}}));
  CHECK_FALSE(colors({"--color", "never"}, {{{"CLICOLOR_FORCE", "1"}}}));
}

TEST_CASE("usage: on a terminal a bar is drawn and NO_COLOR takes the colors only") {
  const Quick quick(0.15, 1);
  const std::string colored = on_terminal(quick.train({"log_dir_action=delete"}));
  CHECK(holds(colored, "\r\033[K"));
  CHECK(holds(colored, "[====="));
  CHECK(holds(colored, " left"));
  CHECK(holds(colored, "\033[m"));
  const std::string plain =
      on_terminal(quick.train({"log_dir_action=delete"}), {{{"NO_COLOR", "1"}}});
  CHECK(holds(plain, "\r\033[K"));
  CHECK_FALSE(holds(plain, "\033[m"));
}

TEST_CASE("usage: a terminal that understands no escapes gets lines, as a file does") {
  const Quick quick(0.15, 1);
  const std::string text = on_terminal(quick.train({"log_dir_action=delete"}),
                                       {{{"TERM", "dumb"}, {"BROCH_PROGRESS_REFRESH", "0.1"}}});
  CHECK_FALSE(holds(text, "\033"));
  CHECK(holds_in_order(text, {"info epoch 1/1 ", "5/5 ", " left cost="}));
  const std::string colored = on_terminal(
      quick.train({"log_dir_action=delete", "--color", "always"}), {{{"TERM", "dumb"}}});
  CHECK(holds(colored, "\033[m"));
}

TEST_CASE("usage: a line of progress is cut between characters") {
  const Quick quick(0.15, 2);
  std::string name;
  for (int i = 0; i < 60; ++i) name += "\u00f6";
  const Words words = quick.train(
      {"log_dir_action=delete", "extra_callbacks[progress-bar].with.metrics=[\"" + name + "\"]",
       "+callbacks={\"use\": \"derived-metric\", \"with\": {\"name\": \"" + name +
           "\", \"value\": 1}}"});
  for (const unsigned short columns : {60, 61}) {  // one of them is within a character of two bytes
    Surroundings surroundings;
    surroundings.columns = columns;
    const std::string text = on_terminal(words, surroundings);
    CAPTURE(text);
    CHECK(holds_in_order(text, {"\033[Kepoch 2/2 5/5 ", " left cost=", "\u00f6\u00f6\u00f6"}));
    CHECK_NOTHROW((void)Json(text).dump());  // which takes UTF-8 alone
  }
}

TEST_CASE("usage: a bar says which epoch it is of how many, and the cost, in lines that fit") {
  const Quick quick(0.15, 2);
  for (const unsigned short columns : {46, 60, 0}) {
    Surroundings surroundings;
    surroundings.columns = columns;
    const std::string text = on_terminal(quick.train({"log_dir_action=delete"}), surroundings);
    CAPTURE(text);
    CHECK(holds_in_order(text, {"\033[Kepoch 1/2 ", "5/5 ", "left cost=", "\033[Kepoch 2/2 "}));
    if (columns != 46) CHECK(holds(text, "[="));
    const size_t width = columns ? columns : 80;
    for (size_t at = 0; (at = text.find("\r\033[K", at)) != std::string::npos; ++at)
      CHECK(text.find_first_of("\r\n", at + 1) - at - 4 < width);
  }
}

TEST_CASE("usage: without a terminal each line of progress has the cost") {
  const Quick quick(0.05, 2);
  const Outcome outcome = run(quick.train(), {{{"BROCH_PROGRESS_REFRESH", "0.1"}}});
  std::istringstream lines(outcome.err);
  int shown = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!holds(line, "it/s")) continue;
    ++shown;
    CHECK_MESSAGE(holds_in_order(line, {"epoch ", "/2 ", "/5 ", " left cost="}), line);
  }
  CHECK(shown >= 2);
}

TEST_CASE("usage: the rate leaves out what was done before a run was resumed") {
  const Quick quick(0.02, 1);
  Words words = quick.train({"steps_per_epoch=40", "callbacks[model-saver].when.every_k_steps=38"});
  REQUIRE(run(words).exit_code == 0);
  words.emplace_back("--resume");
  const Outcome outcome = run(words, {{{"BROCH_PROGRESS_REFRESH", "0"}}});
  INFO(outcome.err);
  const size_t at = outcome.err.find(" 40/40 ");
  REQUIRE(at != std::string::npos);
  CHECK(std::stod(outcome.err.substr(at + 7)) < 150);  // two steps, 20 ms apart or more
}

TEST_CASE("usage: progress of a training without a model shows no cost") {
  const Quick quick(0.05, 2);
  const Outcome outcome =
      run(quick.train({"trainer=test.idle", "model=null", "data=null", "~callbacks[model-saver]"}),
          {{{"BROCH_PROGRESS_REFRESH", "0"}}});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(holds_in_order(outcome.err, {"epoch 1/2 ", "it/s"}));
  CHECK_FALSE(holds(outcome.err, "cost="));
}

TEST_CASE("usage: --quiet keeps warnings and drops the rest") {
  const Quick quick;
  const Outcome quiet = run(quick.train({"--quiet"}));
  CHECK(quiet.exit_code == 0);
  CHECK(holds(quiet.err, " warning "));
  CHECK_FALSE(holds(quiet.err, " info "));
}
