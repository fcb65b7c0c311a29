// generate_test.cpp: text that language models continue.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "predicting.hpp"
#include "store/safetensors.hpp"

using namespace broch;
using namespace broch::test;

namespace {

Json language_manifest(const Folder& folder, const Json& model, const std::string& file,
                       const std::string& dtype) {
  const Json tokens = {
      {"use", "tokens"},
      {"with", {{"file", folder / file}, {"dtype", dtype}, {"length", 16}, {"blocks", "random"}}}};
  return {{"broch", 1},
          {"seed", 3},
          {"model", model},
          {"dataflow", {{"use", "batch"}, {"with", {{"batch_size", 8}, {"dataflow", tokens}}}}},
          {"optimizer", {{"use", "adam"}, {"with", {{"learning_rate", 0.01}}}}},
          {"callbacks", {"model-saver"}},
          {"steps_per_epoch", 60},
          {"max_epoch", 1}};
}

Json gpt(int64_t context) {
  return {{"use", "gpt"},
          {"with",
           {{"vocabulary", 256},
            {"context", context},
            {"layers", 1},
            {"heads", 2},
            {"width", 32},
            {"dropout", 0}}}};
}

// The bundle as it was before it had the graphs of a sequence.
void write_without_sequence(const std::string& from, const std::string& to) {
  const auto file = store::SafetensorsFile::read(from);
  store::Metadata metadata = file.metadata();
  CHECK(metadata.erase("broch.graph.first") == 1);
  CHECK(metadata.erase("broch.graph.later") == 1);
  store::write_safetensors(to, file.tensors(), metadata);
}

}  // namespace

TEST_CASE("generate: a model of bytes continues a text, the same for the same seed") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 200; ++i) text += "abcdefgh";
  folder.write("text.txt", text);
  const Training training(folder, "run", language_manifest(folder, gpt(16), "text.txt", "uint8"));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const auto generate = [&](const std::string& words) {
    REQUIRE_MESSAGE(run_broch(folder, "-q predict " + words + " -o out.txt --force") == 0,
                    folder.read("talk"));
    return folder.read("out.txt");
  };
  // Longer than the context.
  CHECK(generate("run --generate abc --temperature 0 --length 30") ==
        "abcdefghabcdefghabcdefghabcdefgha\n");
  CHECK(generate("run --generate abc --top-k 1 --length 5") == "abcdefgh\n");
  CHECK(generate("run --generate abc --top-p 0 --length 5") == "abcdefgh\n");
  folder.write("begin.txt", "fgh");
  CHECK(generate("run --generate begin.txt --temperature 0 --length 3") == "fghabc\n");
  const std::string hot = "run --generate abc --temperature 3 --length 40";
  const std::string one = generate(hot);
  CHECK(one.size() == 44);
  CHECK(generate(hot) == one);
  CHECK(generate(hot + " --seed 2") != one);
  REQUIRE_MESSAGE(
      run_broch(folder, "-q predict run --generate abc --temperature 0 --length 5") == 0,
      folder.read("talk"));
  CHECK(folder.read("talk") == "abcdefgh\n");
  // A text that nobody reads any more is not continued.
  CHECK(run_broch(folder,
                  "-q predict run --generate abc --temperature 0 --length 1000000000 2> piped | "
                  "head -c 20") == 0);
  CHECK(folder.read("talk") == "abcdefghabcdefghabcd");
  CHECK_MESSAGE(folder.read("piped").find("the reader of the pipe ended") != std::string::npos,
                folder.read("piped"));
  REQUIRE_MESSAGE(run_broch(folder, "export run -o gpt.broch --size T=16") == 0,
                  folder.read("talk"));
  CHECK(generate("gpt.broch --generate abc --temperature 0 --length 30") ==
        "abcdefghabcdefghabcdefghabcdefgha\n");
  // A bundle for any number of tokens has the context of the model.
  REQUIRE_MESSAGE(run_broch(folder, "export run -o any.broch") == 0, folder.read("talk"));
  CHECK(generate("any.broch --generate abc --temperature 0 --length 30") ==
        "abcdefghabcdefghabcdefghabcdefgha\n");
  CHECK(run_broch(folder, "predict any.broch --generate abc --context 40") == 2);
  CHECK_MESSAGE(folder.read("talk").find("--context N") != std::string::npos, folder.read("talk"));
  // A text that is longer than a name of a file can be.
  const std::string end = std::string(297, 'h') + "abc";
  CHECK(generate("run --generate " + end + " --temperature 0 --length 1").ends_with("abcd\n"));
}

TEST_CASE("generate: with what the model keeps, the text is that of all tokens together") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 300; ++i) text += std::to_string(i * i) + " ";
  folder.write("text.txt", text);
  const Json lstm = {{"use", "lstm-lm"},
                     {"with", {{"vocabulary", 256}, {"width", 16}, {"units", 24}, {"layers", 2}}}};
  for (const Json& model : {gpt(64), lstm}) {
    const std::string name = model["use"];
    CAPTURE(name);
    const Training training(folder, name, language_manifest(folder, model, "text.txt", "uint8"));
    REQUIRE_MESSAGE(training.run() == 0, training.talk());
    const auto generate = [&](const std::string& from) {
      const std::string words = "-q predict " + from + " --context 64 --generate '1 4 9 ' ";
      REQUIRE_MESSAGE(run_broch(folder, words + "--length 80 -o out.txt --force") == 0,
                      folder.read("talk"));
      return folder.read("out.txt");
    };
    const std::string expected = generate(name);
    // The operators of an LSTM depend on the number of tokens. One at a time are always possible.
    for (const std::string size : {"--size T=64", "--size B=1"}) {
      if (name == "lstm-lm" && size == "--size B=1") continue;
      CAPTURE(size);
      REQUIRE_MESSAGE(run_broch(folder, "export " + name + " -o m.broch --force " + size) == 0,
                      folder.read("talk"));
      CHECK(folder.read("talk").find("cannot be exported") == std::string::npos);
      write_without_sequence(folder / "m.broch", folder / "all.broch");
      CHECK(generate("m.broch") == expected);
      CHECK(generate("all.broch") == expected);
    }
  }
}

TEST_CASE("generate: a state that does not go on is refused") {
  const Folder folder;
  folder.write("text.txt", std::string(200, 'a'));
  for (const bool forgets : {false, true}) {
    Json manifest =
        language_manifest(folder, {{"use", "org.test.counter"}, {"with", {{"forgets", forgets}}}},
                          "text.txt", "uint8");
    manifest["plugins"] = {WRONG_STATE};
    manifest["steps_per_epoch"] = 1;
    const std::string name = forgets ? "forgets" : "counts";
    const Training training(folder, name, manifest);
    REQUIRE_MESSAGE(training.run() == 0, training.talk());
    REQUIRE_MESSAGE(run_broch(folder, "export " + name + " -o " + name + ".broch") == 0,
                    folder.read("talk"));
    for (const std::string& from : {name, name + ".broch"}) {
      CAPTURE(from);
      const int exit = run_broch(folder, "-q predict " + from + " --generate '" +
                                             std::string(64, 'x') + "' --temperature 0 --length 4");
      CAPTURE(folder.read("talk"));
      CHECK(exit == (forgets ? 2 : 0));
      CHECK(folder.read("talk").find(forgets ? "next/" : "xx?@AB") != std::string::npos);
    }
  }
}

TEST_CASE("generate: an LSTM of words, and what is refused") {
  const Folder folder;
  folder.write("words.txt", "the\ncat\nsat\n<unk>\n");
  std::string tokens;
  for (int i = 0; i < 300; ++i) tokens += char(i % 3);
  folder.write("tokens", tokens);
  const Json lstm = {{"use", "lstm-lm"},
                     {"with", {{"vocabulary", 4}, {"width", 16}, {"units", 16}, {"layers", 1}}}};
  const Training training(folder, "run", language_manifest(folder, lstm, "tokens", "uint8"));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const std::string words = "predict run --vocabulary words.txt --temperature 0 --length 4";
  REQUIRE_MESSAGE(run_broch(folder, "-q " + words + " --generate 'the  cat'") == 0,
                  folder.read("talk"));
  CHECK(folder.read("talk") == "the  cat sat the cat sat\n");
  const auto check_refusal = [&](const std::string& arguments, int exit, const std::string& part) {
    CHECK_MESSAGE(run_broch(folder, arguments) == exit, folder.read("talk"));
    CHECK_MESSAGE(folder.read("talk").find(part) != std::string::npos, folder.read("talk"));
  };
  check_refusal("-q predict run --generate the", 2, "--vocabulary");
  CHECK(!folder.read("talk").starts_with("the"));  // nothing is shown of what fails
  check_refusal("predict run --generate '' --vocabulary words.txt", 2, "at least one token");
  folder.write("few.txt", "the\ncat\n");
  check_refusal("predict run --generate the --vocabulary few.txt", 2, "2 words");
  folder.write("four.txt", "the\ncat\nsat\non\n");
  check_refusal("predict run --generate the --vocabulary .", 5, "no file that can be read");
  check_refusal("predict run --generate dog --vocabulary four.txt", 5, "'dog'");
  folder.write("locked.txt", "the");
  ::chmod((folder / "locked.txt").c_str(), 0);
  if (::geteuid() != 0)
    check_refusal("predict run --generate locked.txt --vocabulary words.txt", 5, "locked.txt");
  const Training other(folder, "other", small_manifest(fake_data()));
  REQUIRE_MESSAGE(other.run() == 0, other.talk());
  check_refusal("predict other --generate the", 2, "no language model");
  check_refusal("predict run --generate the --data x.csv", 2, "a text alone");
}

TEST_CASE("generate: the words are those of the dataflow, in a run and in its bundle") {
  const Folder folder;
  const std::string mark = "\xEF\xBB\xBF";  // as some editors write it
  folder.write("words.txt", mark + "the\ncat\nsat\nUNK\n");
  std::string tokens, targets;
  for (int i = 0; i < 50; ++i) {
    tokens += "the cat sat the cat sat\n";
    targets += "cat sat the cat sat the\n";
  }
  folder.write("tokens.txt", tokens);
  folder.write("targets.txt", targets);
  const auto lines = [&](const char* name) -> Json {
    return {{"use", "text-lines"},
            {"with",
             {{"file", folder / (std::string(name) + ".txt")},
              {"vocabulary", folder / "words.txt"},
              {"unknown", "UNK"},
              {"name", name}}}};
  };
  Json manifest = language_manifest(
      folder,
      {{"use", "lstm-lm"},
       {"with", {{"vocabulary", 4}, {"width", 16}, {"units", 16}, {"layers", 1}}}},
      "", "uint8");
  manifest["dataflow"]["with"]["dataflow"] = {
      {"use", "zip"}, {"with", {{"dataflows", {lines("tokens"), lines("targets")}}}}};
  manifest["steps_per_epoch"] = 100;
  const Training training(folder, "run", manifest);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  REQUIRE_MESSAGE(run_broch(folder, "export run -o words.broch --size T=12") == 0,
                  folder.read("talk"));
  const auto check = [&](const std::string& from, const std::string& begin, const std::string& text,
                         int exit = 0) {
    CAPTURE(from);
    CHECK(run_broch(folder, "-q predict " + from + " --temperature 0 --length 4 --generate '" +
                                begin + "'") == exit);
    CHECK_MESSAGE(folder.read("talk").find(text) != std::string::npos, folder.read("talk"));
  };
  check("run", "the cat", "the cat sat the cat sat\n");
  check("run", "dog sat", "dog sat the cat sat the\n");
  folder.write("others.txt", "le\nchat\nassis\nUNK\n");
  check("words.broch --vocabulary others.txt", "le chat", "le chat assis le chat assis\n");
  folder.write("few.txt", "the\ncat\n");
  check("words.broch --vocabulary few.txt", "the", "2 words", 2);
  std::filesystem::remove(folder / "words.txt");
  check("run", "the cat", "words.txt: found no such file", 5);
  std::filesystem::remove_all(folder / "run");
  check("words.broch", "the cat", "the cat sat the cat sat\n");
  check("words.broch", "dog sat", "dog sat the cat sat the\n");
}
