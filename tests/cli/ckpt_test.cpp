// ckpt_test.cpp: broch ckpt: what stands in checkpoints, whether they are whole, how they differ.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <complex>
#include <fstream>
#include <limits>

#include "cli/program.hpp"
#include "store/checkpoint.hpp"

using namespace broch::cli_test;
using namespace broch::store;
namespace fs = std::filesystem;

namespace {

// One variable of elements T.
template <class T>
fs::path save(const Folder& folder, const std::string& name, Dtype dtype, std::vector<T> values,
              const std::string& variable = "v") {
  CheckpointContents contents;
  contents.variables.push_back(
      {{variable, dtype, {int64_t(values.size())}, std::as_bytes(std::span(values))}, {"GLOBAL"}});
  return write_checkpoint(folder.path(), name, contents);
}

// Of two checkpoints that differ in one variable.
template <class T>
Json difference(Dtype dtype, std::vector<T> a, std::vector<T> b) {
  const Folder folder;
  const Outcome outcome =
      run({"ckpt", "diff", save(folder, "a", dtype, a), save(folder, "b", dtype, b), "--json"});
  CHECK(outcome.exit_code == 1);
  const Json json = Json::parse(outcome.out);
  CHECK(json["equal"] == false);
  REQUIRE(json["differences"].size() == 1);
  return json["differences"][0];
}

void flip_last_byte(const fs::path& file) {
  std::string bytes = read_file(file);
  bytes.back() ^= 1;
  std::ofstream(file, std::ios::binary) << bytes;
}

// The log folder of the digits, to be changed.
fs::path copy_of_digits(const Folder& folder) {
  fs::copy(trained_digits(), folder.path() / "log");
  return folder.path() / "log";
}

}  // namespace

TEST_CASE("ckpt: ls has the kept ones first, then those of the list, the newest last") {
  const Json json = json_of({"ckpt", "ls", trained_digits()});
  CHECK(json["schema"] == 1);
  const Json& all = json["checkpoints"];
  REQUIRE(all.size() == 4);
  CHECK(all[0]["file"] == (trained_digits() / "min-validation_error.safetensors").string());
  CHECK(all[0]["listed"] == false);
  for (int i = 1; i < 4; ++i) {
    CHECK(all[i]["step"] == 40 * i);
    CHECK(all[i]["epoch"] == i);
    CHECK(all[i]["listed"] == true);
    CHECK(all[i]["newest"] == (i == 3));
    CHECK(all[i]["bytes"] == fs::file_size(all[i]["file"].get<std::string>()));
    CHECK(all[i]["saved_at"].get<double>() > 1.7e9);
    CHECK(all[i]["error"].is_null());
  }
  CHECK(holds_in_order(run({"ckpt", "ls", trained_digits()}).out,
                       {"checkpoint", "step", "epoch", "bytes", "min-validation_error", "kept",
                        "model-40 ", "model-80 ", "model-120 ", "newest\n"}));
}

TEST_CASE("ckpt: ls names one whose header is damaged and goes on with the others") {
  const Folder folder;
  const fs::path log_dir = copy_of_digits(folder);
  std::string bytes = read_file(log_dir / "model-80.safetensors");
  bytes[20] ^= 1;
  std::ofstream(log_dir / "model-80.safetensors", std::ios::binary) << bytes;
  const Outcome outcome = run({"ckpt", "ls", log_dir, "--json"});
  CHECK(outcome.exit_code == 0);
  const Json all = Json::parse(outcome.out)["checkpoints"];
  CHECK(all[2]["step"].is_null());
  CHECK(holds(all[2]["error"], "model-80.safetensors"));
  CHECK(all[3]["step"] == 120);
  CHECK(
      holds_in_order(run({"ckpt", "ls", log_dir}).out, {"model-80 ", "?", "damaged", "model-120"}));
}

TEST_CASE("ckpt: ls shows the files beside a list that is damaged, of which it warns") {
  const Folder folder;
  const fs::path log_dir = copy_of_digits(folder);
  std::ofstream(log_dir / "checkpoint") << "torn";
  const Outcome outcome = run({"ckpt", "ls", log_dir});
  CHECK(outcome.exit_code == 0);
  CHECK(holds_in_order(outcome.out,
                       {"min-validation_error", "model-40 ", "model-80 ", "model-120 "}));
  CHECK_FALSE(holds(outcome.out, "newest"));
  CHECK(holds_in_order(outcome.err, {"checkpoint:1: 'torn'", "name a checkpoint file"}));
  CHECK(run({"ckpt", "verify", log_dir}).exit_code == 9);
}

TEST_CASE("ckpt: inspect shows counters, settings, variables, states and cursors") {
  const Json json = json_of({"ckpt", "inspect", trained_digits()});
  CHECK(json["file"] == (trained_digits() / "model-120.safetensors").string());
  CHECK(json["counters"]["global_step"] == 120);
  CHECK(json["counters"]["epoch_num"] == 3);
  CHECK(json["metadata"]["run.level"] == "fast");
  CHECK(holds(json["metadata"]["run.runtime"], "LibTorch"));
  CHECK(json["metadata"]["run.devices"] == "CPU");
  uint64_t bytes = 0;
  bool found = false;
  for (const Json& variable : json["variables"]) {
    bytes += variable["bytes"].get<uint64_t>();
    if (variable["name"] != "block1/conv/W") continue;
    found = true;
    CHECK(variable["dtype"] == "F32");
    CHECK(variable["shape"] == Json{4, 1, 3, 3});
    CHECK(variable["bytes"] == 4 * 9 * 4);
    CHECK(variable["collections"] == Json{"GLOBAL", "TRAINABLE"});
  }
  CHECK(found);
  CHECK(bytes < fs::file_size(json["file"].get<std::string>()));
  bool has_writer = false;
  for (const Json& state : json["states"])
    has_writer |= state["component"] == "broch.monitor.json-writer" && state["version"] == 1;
  CHECK(has_writer);
  CHECK(json["cursors"].contains("tower-0"));
  CHECK(holds_in_order(
      run({"ckpt", "inspect", trained_digits() / "model-120.safetensors"}).out,
      {"checkpoint: ", "global_step: 120\n", "run.level: fast\n", "block1/conv/W ",
       "F32 (4, 1, 3, 3)", "GLOBAL TRAINABLE ", "144\n", "broch.monitor.json-writer", "tower-0"}));
}

TEST_CASE("ckpt: verify reads every byte; damage is 9 and says where") {
  const Folder folder;
  const fs::path log_dir = copy_of_digits(folder);
  CHECK(json_of({"ckpt", "verify", log_dir})["ok"] == true);
  CHECK(holds(run({"ckpt", "verify", log_dir}).out, "model-120.safetensors: ok\n"));
  flip_last_byte(log_dir / "model-80.safetensors");
  const Outcome all = run({"ckpt", "verify", log_dir});
  CHECK(all.exit_code == 9);
  CHECK(holds_in_order(all.out,
                       {"min-validation_error.safetensors: ok\n", "model-40.safetensors: ok\n",
                        "model-80.safetensors: damaged\n", "model-120.safetensors: ok\n"}));
  CHECK(holds_in_order(all.err, {"model-80.safetensors", "at tensor", "checksum"}));
  const Outcome one = run({"ckpt", "verify", log_dir / "model-80.safetensors", "--json"});
  CHECK(one.exit_code == 9);
  const Json json = Json::parse(one.out);
  CHECK(json["ok"] == false);
  CHECK(holds(json["checkpoints"][0]["error"], "model-40.safetensors is intact"));
  CHECK(run({"ckpt", "verify", log_dir / "model-120.safetensors"}).exit_code == 0);
}

TEST_CASE("ckpt: verify misses a file that the list has, and is no reader of other files") {
  const Folder folder;
  const fs::path log_dir = copy_of_digits(folder);
  fs::remove(log_dir / "model-40.safetensors");
  const Outcome missing = run({"ckpt", "verify", log_dir});
  CHECK(missing.exit_code == 9);
  CHECK(holds(missing.out, "model-40.safetensors: damaged\n"));
  const Outcome foreign = run({"ckpt", "inspect", log_dir / "stats.json"});
  CHECK(foreign.exit_code == 9);
  CHECK(foreign.out == "");
  CHECK(run({"ckpt", "verify", folder.path()}).exit_code == 9);
  CHECK(run({"ckpt", "ls", folder.path() / "no-such"}).exit_code == 5);
  const fs::path pipe = folder.path() / "pipe.safetensors";  // into which nobody writes
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const char* command : {"inspect", "verify"}) {
    const Outcome waits = run({"ckpt", command, pipe});
    CHECK(waits.exit_code == 9);
    CHECK(holds(waits.out + waits.err, "pipe.safetensors"));
  }
}

TEST_CASE("ckpt: diff of equal variables is 0, whatever else the files hold") {
  const Outcome outcome = run({"ckpt", "diff", trained_digits(), trained_digits()});
  CHECK(outcome.exit_code == 0);
  CHECK(holds_in_order(outcome.out, {"equal: ", " variables"}));
  CHECK(json_of({"ckpt", "diff", trained_digits(), trained_digits()})["equal"] == true);
}

TEST_CASE("ckpt: diff counts elements and bits and finds the largest difference") {
  const Json f32 = difference<float>(Dtype::f32, {1, 2, 4, 0}, {1, 2.5, 3, -0.0f});
  CHECK(f32["a"] == "F32 (4,)");
  CHECK(f32["elements"] == 4);
  CHECK(f32["different_elements"] == 3);
  // 2 to 2.5 is one bit, 4 (0x40800000) to 3 (0x40400000) two, 0 to -0 one.
  CHECK(f32["different_bits"] == 4);
  CHECK(f32["largest_absolute"] == 1.0);
  CHECK(f32["largest_relative"] == 0.25);
  const Json i64 = difference<int64_t>(Dtype::i64, {INT64_MAX}, {INT64_MIN});
  CHECK(i64["largest_absolute"] == 0x1p64);
  CHECK(i64["different_bits"] == 64);
  // 1.0 and 1.0009765625; the smallest number above 0.
  const Json f16 = difference<uint16_t>(Dtype::f16, {0x3C00, 0x0000}, {0x3C01, 0x0001});
  CHECK(f16["largest_absolute"] == 0x1p-10);
  CHECK(f16["largest_relative"] == 1.0);
  CHECK(difference<uint16_t>(Dtype::bf16, {0x3F80}, {0x4000})["largest_absolute"] == 1.0);
  const Json c64 = difference<std::complex<float>>(Dtype::c64, {{1, 0}}, {{4, 4}});
  CHECK(c64["largest_absolute"] == 5.0);
}

TEST_CASE("ckpt: diff of what is no number is null, beside the elements that differ") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Json nan = difference<double>(Dtype::f64, {kNan, 1}, {1, 1000});
  CHECK(nan["different_elements"] == 2);
  CHECK(nan["largest_absolute"].is_null());
  CHECK(difference<double>(Dtype::f64, {kInf}, {0})["largest_relative"].is_null());
  const Folder folder;
  const Outcome outcome = run({"ckpt", "diff", save<double>(folder, "a", Dtype::f64, {kNan}),
                               save<double>(folder, "b", Dtype::f64, {0})});
  CHECK(holds_in_order(outcome.out, {"v", "F64 (1,)", "1 of 1", "nan", "nan"}));
}

TEST_CASE("ckpt: diff names variables of one side and those of another type") {
  const Folder folder;
  const fs::path a = save<float>(folder, "a", Dtype::f32, {1, 2}, "left");
  const fs::path b = save<float>(folder, "b", Dtype::f32, {1, 2}, "right");
  const Outcome sides = run({"ckpt", "diff", a, b});
  CHECK(sides.exit_code == 1);
  CHECK(
      holds_in_order(sides.out, {"left ", "only in A: F32 (2,)", "right ", "only in B: F32 (2,)"}));
  const Json type = difference<float>(Dtype::f32, {1, 2}, {1, 2, 3});
  CHECK(type["a"] == "F32 (2,)");
  CHECK(type["b"] == "F32 (3,)");
  CHECK_FALSE(type.contains("different_bits"));
}
