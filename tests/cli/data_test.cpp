// data_test.cpp: broch data: points are shown, written into files, and fetched.
#include <doctest/doctest.h>
#include <spng.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <thread>

#include "cli/program.hpp"

using namespace broch::cli_test;
namespace fs = std::filesystem;

namespace {

// Two components, 7 points.
const char* const kPictures = R"({"use": "fake", "with": {"size": 7, "components": [
  {"name": "image", "shape": [3, 6, 5]}, {"name": "label", "shape": [], "dtype": "int64"}]}})";
const char* const kNumbers =
    R"({"use": "fake", "with": {"size": 7, "components": [{"shape": [2]}]}})";

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Outcome convert(const fs::path& to, const Words& more = {}, const std::string& flow = kPictures) {
  return run(with({"data", "convert", flow, "--to", to}, more));
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

// A table of one dataset, whose one file is at a file:// address.
fs::path table(const Folder& folder, const std::string& sha256, const std::string& bytes) {
  write(folder.path() / "source.txt", "abc");
  write(folder.path() / "table.json",
        R"({"letters": {"about": "three letters", "files": [{"name": "letters.txt", "bytes": )" +
            bytes + R"(, "split": "train", "url": "file://)" +
            (folder.path() / "source.txt").string() + R"(", "sha256": [")" + sha256 + R"("]}]}})");
  return folder.path() / "table.json";
}

const char* const kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

}  // namespace

TEST_CASE("data show: the first points, with what each component holds") {
  const Json json = json_of({"data", "show", kPictures, "--limit", "2", "--skip", "1"});
  CHECK(json["component"] == "broch.dataflow.fake");
  CHECK(json["size"] == 7);
  CHECK(json["ended"] == false);
  REQUIRE(json["points"].size() == 2);
  CHECK(json["points"][0]["index"] == 1);
  CHECK(json["points"][0]["cursor"].is_string());
  const Json& components = json["points"][0]["components"];
  REQUIRE(components.size() == 2);
  CHECK(components[0]["name"] == "image");
  CHECK(components[0]["dtype"] == "float32");
  CHECK(components[0]["shape"] == Json({3, 6, 5}));
  CHECK(components[0]["min"].get<double>() < components[0]["mean"].get<double>());
  CHECK(components[0]["mean"].get<double>() < components[0]["max"].get<double>());
  CHECK_FALSE(components[0].contains("values"));
  CHECK(components[1]["shape"] == Json::array());
  CHECK(components[1]["values"].size() == 1);
}

TEST_CASE("data show: the end of the data is no error") {
  const Outcome outcome = run({"data", "show", kNumbers, "--limit", "100"});
  CHECK(outcome.exit_code == 0);
  CHECK(holds_in_order(outcome.out, {"point ", "\n6 ", "broch.dataflow.fake: 7 points per round"}));
  CHECK(holds(outcome.err, "the data ends after 7 points"));
}

TEST_CASE("data show: a manifest and its overrides, with data or dataflow") {
  const Folder folder;
  const std::string manifest = folder.path() / "m.json";
  write(manifest, std::string(R"({"broch": 1, "data": {"use": "feed", "with": {"dataflow": )") +
                      kNumbers + "}}}");
  CHECK(json_of({"data", "show", manifest})["size"] == 7);
  CHECK(json_of({"data", "show", manifest, "data.with.dataflow.with.size=4"})["size"] == 4);
  CHECK(json_of({"data", "show", kNumbers, "dataflow.with.size=3"})["size"] == 3);
  write(manifest, R"({"broch": 1})");
  const Outcome none = run({"data", "show", manifest});
  CHECK(none.exit_code == 3);
  CHECK(holds(none.err, "no data"));
}

TEST_CASE("data show: images side by side, and what is none") {
  const Folder folder;
  const fs::path file = folder.path() / "a.png";
  CHECK(run({"data", "show", kPictures, "--limit", "4", "--images", file}).exit_code == 0);
  const std::string png = read_file(file);
  const std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> decoder(spng_ctx_new(0), spng_ctx_free);
  REQUIRE(spng_set_png_buffer(decoder.get(), png.data(), png.size()) == 0);
  spng_ihdr header{};
  REQUIRE(spng_get_ihdr(decoder.get(), &header) == 0);
  CHECK(header.width == 2 * 5 + 3 * 2);  // two images and three gaps
  CHECK(header.height == 2 * 6 + 3 * 2);
  const Outcome none = run({"data", "show", kNumbers, "--images", folder.path() / "b.png"});
  CHECK(none.exit_code == 5);
  CHECK(holds(none.err, "no component that can be drawn as an image"));
  CHECK_FALSE(fs::exists(folder.path() / "b.png"));
}

TEST_CASE("data convert: an array has the points as its rows") {
  const Folder folder;
  const fs::path file = folder.path() / "a.npy";
  CHECK(convert(file, {}, kNumbers).out == file.string() + "\n");
  const Json first = json_of({"data", "show", kNumbers})["points"];
  const Json again = json_of({"data", "show",
                              R"({"use": "arrays", "with": {"components": [{"file": ")" +
                                  file.string() + R"("}]}})"})["points"];
  REQUIRE(again.size() == 3);
  for (size_t i = 0; i < 3; ++i)
    CHECK(first[i]["components"][0]["values"] == again[i]["components"][0]["values"]);
}

TEST_CASE("data convert: .npz has an array for each component; the same data give the same bytes") {
  const Folder folder;
  CHECK(convert(folder.path() / "a.npz").exit_code == 0);
  CHECK(convert(folder.path() / "b.npz", {"--threads", "3"}).exit_code == 0);
  const std::string bytes = read_file(folder.path() / "a.npz");
  CHECK(bytes.starts_with("PK\x03\x04"));
  CHECK(holds_in_order(
      bytes, {"image.npy", "'<f4'", "(7, 3, 6, 5)", "label.npy", "'<i8'", "(7,)", "PK\x05\x06"}));
  CHECK(bytes == read_file(folder.path() / "b.npz"));
  CHECK(names_in(folder.path()) == std::vector<std::string>{"a.npz", "b.npz"});
}

TEST_CASE("data convert: .npz needs the components in one order, which --component sets") {
  const Folder folder;
  const std::string flow = R"({"use": "concat", "with": {"dataflows": [
    {"use": "list", "with": {"names": ["a", "b"], "points": [[1, 2]]}},
    {"use": "list", "with": {"names": ["b", "a"], "points": [[3, 4]]}}]}})";
  const Outcome refused = convert(folder.path() / "a.npz", {}, flow);
  CHECK(refused.exit_code == 5);
  CHECK(holds_in_order(refused.err,
                       {"point 1", "'b'", "expected 'a' as in the first point", "--component"}));
  CHECK(names_in(folder.path()).empty());
  CHECK(
      convert(folder.path() / "a.npz", {"--component", "a", "--component", "b"}, flow).exit_code ==
      0);
}

TEST_CASE("data convert: chosen components, a limit and options of the sink") {
  const Folder folder;
  const fs::path file = folder.path() / "a.tokens";
  const Words words{"--component", "label", "--limit", "5"};
  CHECK(convert(file, words).exit_code == 0);
  CHECK(fs::file_size(file) == 5 * 2);
  CHECK(convert(file, with(words, {"--option", "dtype=uint32", "--force"})).exit_code == 0);
  CHECK(fs::file_size(file) == 5 * 4);
  const Outcome unknown = convert(folder.path() / "b.tokens", {"--component", "lable"});
  CHECK(unknown.exit_code == 5);
  CHECK(holds_in_order(unknown.err, {"--component lable", "one of image, label"}));
  const Outcome option = convert(folder.path() / "b.npz", {"--option", "dtype=uint32"});
  CHECK(option.exit_code == 3);
  CHECK(holds(option.err, "dtype"));
  CHECK(names_in(folder.path()) == std::vector<std::string>{"a.tokens"});
}

TEST_CASE("data convert: a file is replaced only with --force, and a failure leaves it as it was") {
  const Folder folder;
  const fs::path file = folder.path() / "a.npy";
  write(file, "old");
  const Outcome refused = convert(file, {}, kNumbers);
  CHECK(refused.exit_code == 5);
  CHECK(holds_in_order(refused.err, {"exists already", "--force"}));
  const Outcome failed = convert(file, {"--force"});  // two components
  CHECK(failed.exit_code == 5);
  CHECK(holds(failed.err, "--component"));
  CHECK(read_file(file) == "old");
  CHECK(names_in(folder.path()) == std::vector<std::string>{"a.npy"});
  CHECK(convert(file, {"--force"}, kNumbers).exit_code == 0);
  CHECK(read_file(file).starts_with("\x93NUMPY"));
}

TEST_CASE("data convert: two components of one name are refused") {
  const Folder folder;
  const std::string twice =
      R"({"use": "fake", "with": {"components": [{"shape": [2], "name": "a"}, {"shape": [3], "name": "a"}]}})";
  for (const char* name : {"a.npz", "a.tar", "a.tfrecord"}) {
    CAPTURE(name);
    const Outcome refused = convert(folder.path() / name, {}, twice);
    CHECK(refused.exit_code == 5);
    CHECK(holds_in_order(refused.err, {"components 0 and 1", "'a'"}));
  }
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("data show: a file that is not there is an error of the data") {
  for (const char* flow : {R"({"use": "tar", "with": {"files": ["no*.tar"], "components": ["a"]}})",
                           R"({"use": "tar", "with": {"files": ["no.tar"], "components": ["a"]}})",
                           R"({"use": "lmdb", "with": {"path": "no.lmdb"}})"}) {
    CAPTURE(flow);
    CHECK(run({"data", "show", flow}).exit_code == 5);
  }
}

TEST_CASE("data show: exit codes of options and data that do not fit each other") {
  const Folder folder;
  write(folder.path() / "lines.txt", "one two\nthree\n");
  write(folder.path() / "words.txt", "one\ntwo\nthree\n");
  const std::string lines =
      R"({"use": "text-lines", "with": {"file": ")" + (folder.path() / "lines.txt").string() + "\"";
  const std::string words = R"(, "vocabulary": ")" + (folder.path() / "words.txt").string() + "\"";
  const auto around = [](const char* use, const std::string& flow, const std::string& more) {
    return std::string(R"({"use": ")") + use + R"(", "with": {"dataflow": )" + flow + ", " + more +
           "}}";
  };
  struct Case {
    std::string flow;
    int exit_code;
    Words said;  // in this order
  };
  const std::string absent = R"("components": ["none"])";
  const std::vector<Case> cases = {
      {around("batch", lines + "}}", R"("batch_size": 2)"), 5, {"row 1 of a batch"}},
      {around("select", kNumbers, absent), 3, {"/dataflow/with/components/0: ", "'none'"}},
      {around("map", kNumbers, R"("transforms": [{"use": "select", "with": {)" + absent + "}}]"),
       3,
       {"/dataflow/with/transforms/0/with/components/0: ", "'none'"}},
      {around("map", kNumbers, R"("transforms": [{"use": "reshape", "with": {"shape": [3]}}])"),
       5,
       {"component 0: found float32[2]"}},
      {around("map", kNumbers, R"("transforms": ["decode-image"])"),
       5,
       {"failed in apply: component 0: found float32 of 1 dimensions, expected the bytes"}},
      {lines + words + R"(, "unknown": "four"}})", 3, {"/dataflow/with/unknown: ", "'four'"}},
      {R"({"use": "pipe", "with": {"command": ["/no/program"]}})", 5, {"cannot start"}},
      {R"({"use": "mnist", "with": {"folder": "/no/folder"}})", 5, {"dataset mnist: found no"}},
      {around("shuffle",
              R"({"use": "repeat", "with": {"dataflow": )" + std::string(kNumbers) + "}}",
              R"("seed": 1)"),
       3,
       {"/dataflow/with/dataflow: ", "endless"}},
  };
  for (const Case& one : cases) {
    CAPTURE(one.flow);
    const Outcome outcome = run({"data", "show", one.flow});
    CHECK(outcome.exit_code == one.exit_code);
    CHECK(holds_in_order(outcome.err, one.said));
  }
}

TEST_CASE("data convert: a failure of the sink names what the command line says") {
  const Folder folder;
  const fs::path file = folder.path() / "numbers.tokens";
  const Outcome outcome = convert(file, {}, kNumbers);
  CHECK(outcome.exit_code == 5);
  CHECK(holds(outcome.err, "\n  in the manifest: --to " + file.string() + "\n"));
}

TEST_CASE("data convert: a folder is never replaced") {
  const Folder folder;
  const fs::path target = folder.path() / "a.npy";
  fs::create_directory(target);
  write(target / "mine", "old");
  const Outcome refused = convert(target, {"--force"}, kNumbers);
  CHECK(refused.exit_code == 5);
  CHECK(holds_in_order(refused.err, {"a.npy", "a folder"}));
  CHECK(read_file(target / "mine") == "old");
  CHECK(names_in(folder.path()) == std::vector<std::string>{"a.npy"});
}

TEST_CASE("data convert: shards of an earlier conversion do not stay among new ones") {
  const Folder folder;
  const fs::path target = folder.path() / "a.tar", other = folder.path() / "a-b-000000.tar";
  write(other, "another set");
  const Words small{"--shard-size", "1"}, large{"--shard-size", "1000000"};
  CHECK(convert(target, small).exit_code == 0);
  CHECK(names_in(folder.path()).size() == 7 + 1);
  fs::remove(folder.path() / "a-000000.tar");
  const Outcome refused = convert(target, large);
  CHECK(refused.exit_code == 5);
  CHECK(holds_in_order(refused.err, {"a-000001.tar", "exists already", "--force"}));
  CHECK(names_in(folder.path()).size() == 6 + 1);
  CHECK(convert(target, with(large, {"--force"})).exit_code == 0);
  CHECK(names_in(folder.path()) == std::vector<std::string>{"a-000000.tar", "a-b-000000.tar"});
}

TEST_CASE("data convert: after a signal nothing is left; what a killed process left is removed") {
  const Folder folder;
  const fs::path file = folder.path() / "a.npy", part = folder.path() / ".broch-partial-a.npy";
  const Words label{"--component", "label"};
  const Words words =
      with({"data", "convert", kPictures, "dataflow.with.size=2000000000", "--to", file}, label);
  Start interrupted(words);
  REQUIRE(Start::wait_for(part / "a.npy", "NUMPY"));
  interrupted.signal(SIGINT);
  CHECK(interrupted.finish().exit_code == 130);
  CHECK(names_in(folder.path()).empty());
  Start killed(words);
  CHECK(Start::wait_for(part / "a.npy", "NUMPY"));
  const Outcome second = convert(file, label);
  killed.signal(SIGKILL);
  killed.finish();
  CHECK(second.exit_code == 5);
  CHECK(holds(second.err, "another process is writing it"));
  CHECK(convert(file, label).exit_code == 0);
  CHECK(names_in(folder.path()) == std::vector<std::string>{"a.npy"});
}

TEST_CASE("data convert: points are sent to the dataflow of another process") {
  const Folder folder;
  const std::string address = "ipc://" + (folder.path() / "points").string();
  Start sender({"data", "convert", kPictures, "--to", address});
  const std::string receiver =
      R"({"use": "zmq", "with": {"addresses": [")" + address + R"("], "timeout": 60}})";
  const fs::path sent = folder.path() / "sent.npz", made = folder.path() / "made.npz";
  CHECK(convert(sent, {"--limit", "7"}, receiver).exit_code == 0);
  const Outcome outcome = sender.finish();
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "");
  CHECK(holds(outcome.err, "7 points in "));
  CHECK(convert(made).exit_code == 0);
  CHECK(read_file(sent) == read_file(made));
}

TEST_CASE("data convert: a signal ends the wait for a receiver, while sending and at the end") {
  const Folder folder;
  const std::string address = "ipc://" + (folder.path() / "points").string();
  for (const char* size : {"7", "1000"}) {
    Start sender({"data", "convert", kPictures, std::string("dataflow.with.size=") + size, "--to",
                  address, "--option", "bind=true"});
    for (int i = 0; i < 3000 && !fs::exists(folder.path() / "points"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // all is sent that can be
    sender.signal(SIGINT);
    const Outcome outcome = sender.finish();
    CHECK(outcome.exit_code == 130);
    CHECK(holds_in_order(outcome.err, {"interrupted", "points sent to " + address, "lost"}));
  }
}

TEST_CASE("data convert: no file gives way to a socket") {
  const Folder folder;
  const fs::path file = folder.path() / "precious.npz";
  write(file, "precious");
  const Outcome outcome = run({"data", "convert", kPictures, "--to", "ipc://" + file.string(),
                               "--option", "bind=true", "--option", "timeout=0.2"});
  CHECK(outcome.exit_code == 1);
  CHECK(holds_in_order(outcome.err, {"cannot bind", "precious.npz", "no socket", "another path"}));
  CHECK(read_file(file) == "precious");
}

TEST_CASE("data convert: nobody takes the points, and an address of no sink") {
  const Folder folder;
  const std::string address = "ipc://" + (folder.path() / "points").string();
  const Words nobody{"--option", "timeout=0.2"};
  const Outcome alone = run(with({"data", "convert", kPictures, "--to", address}, nobody));
  CHECK(alone.exit_code == 5);
  CHECK(holds_in_order(alone.err, {"within 0.2", "receiver"}));
  const Outcome unknown = run({"data", "convert", kPictures, "--to", "http://localhost"});
  CHECK(unknown.exit_code == 2);
  CHECK(holds_in_order(unknown.err, {"an address to which no sink sends", "tcp://"}));
  const Outcome wrong = run({"data", "convert", kPictures, "--to", "tcp://nowhere"});
  CHECK(wrong.exit_code == 1);
  CHECK(holds(wrong.err, "cannot connect to tcp://nowhere"));
}

TEST_CASE("data convert: an extension that nobody writes, and points of several shapes") {
  const Folder folder;
  const Outcome outcome = convert(folder.path() / "a.xyz");
  CHECK(outcome.exit_code == 2);
  CHECK(holds_in_order(outcome.err, {".npy", ".npz", "--role sink"}));
  // The last batch is smaller.
  const std::string batches =
      std::string(R"({"use": "batch", "with": {"batch_size": 4, "remainder": true, "dataflow": )") +
      kNumbers + "}}";
  const Outcome shapes = convert(folder.path() / "a.npy", {}, batches);
  CHECK(shapes.exit_code == 5);
  CHECK(holds_in_order(shapes.err, {"point 1", "(3, 2)", "(4, 2)"}));
}

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
  write(to / "letters.txt.partial", "ab");
  const Outcome outcome = run({"data", "download", "letters", "--table", list, "--folder", to});
  CHECK(outcome.exit_code == 0);
  CHECK(holds(outcome.err, "continues after"));
  CHECK(read_file(to / "letters.txt") == "abc");
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
    write(folder.path() / "table.json", text);
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
