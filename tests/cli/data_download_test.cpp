// data_download_test.cpp: broch data download and broch data list.
#include <doctest/doctest.h>
#include <signal.h>

#include <cstdlib>
#include <string>

#include "data_runs.hpp"

using namespace broch::cli_test;
using broch::test::write_file;
namespace fs = std::filesystem;

namespace {

// A table of one dataset, whose one file is at a file:// address.
fs::path table(const Folder& folder, const std::string& sha256, const std::string& bytes) {
  write_file(folder.path() / "source.txt", "abc");
  write_file(
      folder.path() / "table.json",
      R"({"letters": {"about": "three letters", "files": [{"name": "letters.txt", "bytes": )" +
          bytes + R"(, "split": "train", "url": "file://)" +
          (folder.path() / "source.txt").string() + R"(", "sha256": [")" + sha256 + R"("]}]}})");
  return folder.path() / "table.json";
}

const char* const kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

}  // namespace

TEST_CASE("data download: fetches, verifies, and does not fetch again") {
  const Folder folder;
  const fs::path list = table(folder, kAbc, "3"), to = folder.path() / "there";
  const Words words{"data", "download", "letters", "--table", list, "--folder", to};
  const Outcome first = run(words);
  CHECK(first.exit_code == 0);
  CHECK(first.out == to.string() + "\n");
  CHECK(holds_in_order(first.err, {"three letters", "1 file", "0.003 kB", "file://"}));
  CHECK(read_file(to / "letters.txt") == "abc");
  fs::remove(folder.path() / "source.txt");
  CHECK(json_of(words)["fetched"] == Json::array());
}

TEST_CASE("data download: continues what an earlier one left") {
  const Folder folder;
  const fs::path list = table(folder, kAbc, "3"), to = folder.path() / "there";
  fs::create_directory(to);
  write_file(to / "letters.txt.partial", "ab");
  const Outcome outcome = run({"data", "download", "letters", "--table", list, "--folder", to});
  CHECK(outcome.exit_code == 0);
  CHECK(holds(outcome.err, "continues after"));
  CHECK(read_file(to / "letters.txt") == "abc");
}

TEST_CASE("data download: a program that fetches keeps its folder when broch is killed") {
  const Folder folder;
  const fs::path list = table(folder, kAbc, "3"), to = folder.path() / "there";
  const fs::path curl = folder.path() / "curl", number = folder.path() / "number";
  write_file(curl, "#!/bin/sh\necho $$ end > '" + number.string() + "'\nexec sleep 60\n");
  fs::permissions(curl, fs::perms::owner_all);
  Surroundings surroundings;
  surroundings.environment["PATH"] = folder.path().string() + ":" + std::getenv("PATH");
  const Words words{"data", "download", "letters", "--table", list, "--folder", to};
  Start killed(words, surroundings);
  REQUIRE(Start::wait_for(number, "end"));
  killed.signal(SIGKILL);
  CHECK(killed.finish().exit_code == 128 + SIGKILL);
  const Outcome meanwhile = run(words);
  CHECK(meanwhile.exit_code == 5);
  CHECK(holds(meanwhile.err, "another process downloads into this folder"));
  kill(std::stoi(read_file(number)), SIGKILL);
}

TEST_CASE("data download: another checksum, no network, an unknown name") {
  const Folder folder;
  const fs::path to = folder.path() / "there";
  const std::string wrong(64, '0');
  const Words words{"data",     "download", "letters", "--table", table(folder, wrong, "3"),
                    "--folder", to};
  const Outcome outcome = run(words);
  CHECK(outcome.exit_code == 5);
  CHECK(holds_in_order(outcome.err, {"SHA-256", kAbc, wrong, "try again"}));
  CHECK(names_in(to).empty());
  fs::remove(folder.path() / "source.txt");
  const Outcome absent = run(words);
  CHECK(absent.exit_code == 5);
  CHECK(holds_in_order(absent.err, {"file://", "exit code", "letters.txt", "put the file into"}));
  const Outcome unknown = run({"data", "download", "leters", "--table", words[4]});
  CHECK(unknown.exit_code == 2);
  CHECK(holds(unknown.err, "did you mean 'letters'?"));
}

TEST_CASE("data download: what a table must not have is refused with its line") {
  const Folder folder;
  const auto refusal = [&](const std::string& text) {
    write_file(folder.path() / "table.json", text);
    const Outcome outcome = run({"data", "list", "--table", folder.path() / "table.json"});
    CHECK(outcome.exit_code == 5);
    return outcome.err;
  };
  const auto of_file = [&](const std::string& bytes, const std::string& sha256) {
    return refusal("{\"letters\": {\"files\": [\n{\"name\": \"a\", \"url\": \"b\",\n\"bytes\": " +
                   bytes + ",\n\"sha256\": " + sha256 + "}]}}");
  };
  const std::string good = std::string("[\"") + kAbc + "\"]";
  for (const char* bytes : {"-1", "-9223372036854775808", "9223372036854775807"})
    CHECK(holds_in_order(of_file(bytes, good),
                         {"table.json:3:", "/letters/files/0/bytes: ", bytes, "expected 0"}));
  for (const std::string& sha256 :
       std::vector<std::string>{"[\"abc\"]", "[3]", "[\"" + std::string(63, 'a') + "G\"]"})
    CHECK(holds_in_order(of_file("3", sha256), {"table.json:4:", "/sha256: ", "64 of the digits"}));
  CHECK(holds_in_order(of_file("3", "[]"), {"table.json:4:", "at least one checksum"}));
  CHECK(holds_in_order(refusal("{\"letters\":\n{\"files\": []}}"),
                       {"table.json:2:", "/letters/files: ", "at least one file"}));
  CHECK(holds_in_order(refusal("{\"letters\": {}}"), {"table.json:1:", "at least one file"}));
  CHECK(holds_in_order(refusal("{}"), {"table.json:1:", "at least one dataset"}));
  CHECK(holds_in_order(refusal("{\"letters\": 3}"), {"table.json:1:", "/letters: ", "an object"}));
}

TEST_CASE("data list: which datasets are there") {
  const Folder folder;
  const fs::path list = table(folder, kAbc, "3");
  Surroundings surroundings;
  surroundings.environment["XDG_CACHE_HOME"] = folder.path();
  const Words words{"data", "list", "--json", "--table", list};
  const auto there = [&] { return Json::parse(run(words, surroundings).out)["datasets"][0]; };
  CHECK(there()["there"] == 0);
  CHECK(run({"data", "download", "letters", "--table", list}, surroundings).exit_code == 0);
  CHECK(there()["there"] == 1);
  CHECK(there()["folder"] == (folder.path() / "broch" / "datasets" / "letters").string());
  CHECK_FALSE(json_of({"data", "list"})["datasets"].empty());
}
