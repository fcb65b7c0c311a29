// data_convert_test.cpp: broch data convert.
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <thread>
#include <tuple>

#include "data_runs.hpp"

using namespace broch::cli_test;
using broch::test::write_file;
namespace fs = std::filesystem;

namespace {

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Outcome convert(const fs::path& to, const Words& more = {}, const std::string& flow = kPictures) {
  return run(with({"data", "convert", flow, "--to", to}, more));
}

}  // namespace

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
  write_file(file, "old");
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
  write_file(target / "mine", "old");
  const Outcome refused = convert(target, {"--force"}, kNumbers);
  CHECK(refused.exit_code == 5);
  CHECK(holds_in_order(refused.err, {"a.npy", "a folder"}));
  CHECK(read_file(target / "mine") == "old");
  CHECK(names_in(folder.path()) == std::vector<std::string>{"a.npy"});
}

TEST_CASE("data convert: shards of an earlier conversion do not stay among new ones") {
  const Folder folder;
  const fs::path target = folder.path() / "a.tar", other = folder.path() / "a-b-000000.tar";
  write_file(other, "another set");
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
  // Who connects can send as many points as may wait (hwm); who binds can send none.
  const std::tuple<const char*, const char*, int> cases[] = {
      {"7", "false", 7}, {"1000", "false", 50}, {"7", "true", 0}};
  for (const auto& [size, binds, count] : cases) {
    const std::string sent = ": " + std::to_string(count) + " points sent to " + address;
    Outcome outcome;
    // Until the signal comes after all is sent that can be, however slow the machine is.
    for (int wait = 200; wait < 30000 && !holds(outcome.err, sent); wait *= 2) {
      fs::remove(folder.path() / "points");
      Start sender({"data", "convert", kPictures, std::string("dataflow.with.size=") + size, "--to",
                    address, "--option", std::string("bind=") + binds});
      for (int i = 0; i < 3000 && binds[0] == 't' && !fs::exists(folder.path() / "points"); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      std::this_thread::sleep_for(std::chrono::milliseconds(wait));
      sender.signal(SIGINT);
      outcome = sender.finish();
      REQUIRE(outcome.exit_code == 130);
    }
    CHECK(holds_in_order(outcome.err, {"interrupted", sent, "lost"}));
  }
}

TEST_CASE("data convert: no file gives way to a socket") {
  const Folder folder;
  const fs::path file = folder.path() / "precious.npz";
  write_file(file, "precious");
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
