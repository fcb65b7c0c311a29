// new_test.cpp: broch plugin new: what it writes and what it refuses; tests/docs_examples builds it
// all.
#include <doctest/doctest.h>

#include <fstream>

#include "cli/program.hpp"

using namespace broch::cli_test;

namespace {

namespace fs = std::filesystem;

Outcome make(const Folder& folder, const Words& words) {
  Words all{"plugin", "new"};
  all.insert(all.end(), words.begin(), words.end());
  Surroundings surroundings;
  surroundings.folder = folder.path();
  return run(all, surroundings);
}

// Paths below the folder, sorted.
Words files_in(const fs::path& folder) {
  Words files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), folder).string());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("plugin new: a folder with source, builds, manifest and read-me, listed on stdout") {
  const Folder folder;
  const Outcome outcome = make(folder, {"callback", "loss-watch"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err == "");
  CHECK(outcome.out ==
        "loss-watch/CMakeLists.txt\nloss-watch/README.md\nloss-watch/loss-watch.json\n"
        "loss-watch/loss_watch.cpp\nloss-watch/meson.build\n");
  for (const std::string& file : files_in(folder.path())) {
    CAPTURE(file);
    const std::string text = read_file(folder.path() / file);
    CHECK_FALSE(text.empty());
    CHECK_FALSE(holds(text, "@"));
  }
  CHECK(holds(read_file(folder.path() / "loss-watch/loss_watch.cpp"), "class LossWatch final"));
  CHECK(holds(read_file(folder.path() / "loss-watch/loss-watch.json"), "org.example.loss-watch"));
}

TEST_CASE("plugin new: a reverse address is the id, its last word the name") {
  const Folder folder;
  CHECK(make(folder, {"model", "com.acme.net-2", "--lang", "c", "--dir", "sub/here"}).exit_code ==
        0);
  CHECK(files_in(folder.path() / "sub/here") ==
        Words{"CMakeLists.txt", "README.md", "meson.build", "net-2.json", "net_2.c"});
  CHECK(holds(read_file(folder.path() / "sub/here/net_2.c"), "{\"com.acme.net-2\", \"model\""));
}

TEST_CASE("plugin new: Rust uses the crate beside the program") {
  const Folder folder;
  CHECK(make(folder, {"dataflow", "rows", "--lang", "rust"}).exit_code == 0);
  CHECK(files_in(folder.path() / "rows") ==
        Words{"Cargo.toml", "README.md", "meson.build", "rows.json", "src/lib.rs"});
  const std::string cargo = read_file(folder.path() / "rows/Cargo.toml");
  const size_t start = cargo.find("path = \"") + 8;
  const fs::path crate = cargo.substr(start, cargo.find('"', start) - start);
  CHECK(crate.is_absolute());
  CHECK(fs::exists(crate / "src/lib.rs"));
}

TEST_CASE("plugin new: what it writes tells the command to try, also for a sink") {
  const Folder folder;
  CHECK(make(folder, {"optimizer", "mine"}).exit_code == 0);
  CHECK(make(folder, {"sink", "my-lines"}).exit_code == 0);
  CHECK(make(folder, {"sink", "rows", "--lang", "rust"}).exit_code == 0);
  for (const char* const file : {"mine/README.md", "mine/mine.json"})
    CHECK(holds(read_file(folder.path() / file), "broch train mine.json"));
  for (const std::string name : {"my-lines", "rows"}) {
    for (const std::string& file : {name + "/README.md", name + "/" + name + ".json"}) {
      CAPTURE(file);
      const std::string text = read_file(folder.path() / file);
      CHECK(holds(text, "broch data convert " + name + ".json"));
      CHECK_FALSE(holds(text, "broch train"));
    }
  }
}

TEST_CASE("plugin new: a class is not called like something in its source") {
  const Folder folder;
  CHECK(make(folder, {"callback", "options"}).exit_code == 0);
  CHECK(holds(read_file(folder.path() / "options/options.cpp"), "class OptionsPlugin final"));
  CHECK(make(folder, {"callback", "metrics", "--lang", "rust"}).exit_code == 0);
  CHECK(holds(read_file(folder.path() / "metrics/src/lib.rs"), "struct MetricsPlugin {"));
  CHECK(make(folder, {"callback", "broch-plugin"}).exit_code == 0);
  CHECK(holds(read_file(folder.path() / "broch-plugin/broch_plugin.cpp"),
              "class BrochPluginPlugin final"));
  CHECK(make(folder, {"callback", "option"}).exit_code == 0);
  CHECK(holds(read_file(folder.path() / "option/option.cpp"), "class Option final"));
}

TEST_CASE("plugin new: nothing is overwritten, nothing is left behind") {
  const Folder folder;
  REQUIRE(make(folder, {"callback", "mine"}).exit_code == 0);
  std::ofstream(folder.path() / "mine/mine.cpp") << "precious";
  const Words before = files_in(folder.path());
  const Outcome again = make(folder, {"callback", "mine"});
  CHECK(again.exit_code == 2);
  CHECK(again.out == "");
  CHECK(holds_in_order(again.err, {"mine", "expected a new folder", "--dir"}));
  CHECK(read_file(folder.path() / "mine/mine.cpp") == "precious");
  CHECK(files_in(folder.path()) == before);
  std::ofstream(folder.path() / "file") << "precious";
  CHECK(make(folder, {"callback", "mine", "--dir", "file"}).exit_code == 2);
  CHECK(make(folder, {"callback", "mine", "--dir", "file/below"}).exit_code == 5);
  CHECK(read_file(folder.path() / "file") == "precious");
}

TEST_CASE("plugin new: an empty folder is filled") {
  const Folder folder;
  fs::create_directory(folder.path() / "mine");
  CHECK(make(folder, {"monitor", "mine"}).exit_code == 0);
  CHECK(fs::exists(folder.path() / "mine/mine.cpp"));
}

TEST_CASE("plugin new: a final slash changes nothing, and the working directory stays") {
  const Folder folder, empty;
  CHECK(make(folder, {"monitor", "mine", "--dir", "other/"}).exit_code == 0);
  CHECK(fs::exists(folder.path() / "other/mine.cpp"));
  const Outcome here = make(empty, {"monitor", "mine", "--dir", "."});
  CHECK(here.exit_code == 2);
  CHECK(holds_in_order(here.err, {"expected a new folder", "--dir"}));
}

TEST_CASE("plugin new: names, roles and languages that are none are refused") {
  const Folder folder;
  const auto refused = [&](const Words& words, const Words& diagnostic) {
    CAPTURE(words.back());
    const Outcome outcome = make(folder, words);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out == "");
    INFO(outcome.err);
    CHECK(holds_in_order(outcome.err, diagnostic));
  };
  for (const char* name : {"", "Big", "1st", "a_b", "a-", "a--b", "a/b", "../a", "a.", ".a", "a..b",
                           "a b", "\xc3\xa4", "a\"", "a\nb"})
    refused({"callback", name}, {"the name of a plugin", "small letters", "loss-watch"});
  refused({"callback", std::string(101, 'a')}, {"the name of a plugin"});
  refused({"callback", "broch.callback.mine"}, {"an address of your own"});
  for (const std::string name : {"test", "coverage", "edit-cache"})
    refused({"callback", "org.example." + name}, {"'" + name + "'", "build tools"});
  refused({"callback", "org.example.broch"}, {"'broch'", "build tools"});
  refused({"calback", "a"}, {"'calback'", "did you mean 'callback'?"});
  refused({"callback", "a", "--lang", "go"}, {"--lang", "'go'", "c, c++, rust"});
  CHECK(fs::is_empty(folder.path()));
}
