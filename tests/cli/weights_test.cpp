// weights_test.cpp: weights of other programs: broch ckpt convert, strip, average, merge, and the
// session init restore.
#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <fstream>

#include "cli/program.hpp"
#include "store/checkpoint.hpp"

using namespace broch::cli_test;
using namespace broch::store;
namespace fs = std::filesystem;
using Variables = std::map<std::string, std::vector<double>>;

namespace {

std::string good(const std::string& name) { return std::string(WEIGHTS_DIR) + "/" + name; }

// By name: type and shape.
std::map<std::string, std::string> types(const std::string& file, const Words& more = {}) {
  Words words{"ckpt", "inspect", file};
  words.insert(words.end(), more.begin(), more.end());
  std::map<std::string, std::string> all;
  const Json whole = json_of(words);
  for (const Json& one : whole["variables"])
    all[one["name"]] = one["dtype"].get<std::string>() + one["shape"].dump();
  return all;
}

std::set<std::string> names(const std::string& file) {
  std::set<std::string> all;
  for (const auto& [name, type] : types(file)) all.insert(name);
  return all;
}

// A safetensors file with float32 tensors of one dimension.
void write(const fs::path& file, const std::map<std::string, std::vector<float>>& tensors) {
  std::vector<TensorView> views;
  for (const auto& [name, values] : tensors)
    views.push_back({name, Dtype::f32, {int64_t(values.size())}, std::as_bytes(std::span(values))});
  write_safetensors(file, views, {});
}
std::vector<float> floats(const fs::path& file, const std::string& name) {
  const SafetensorsFile read = SafetensorsFile::read(file);
  const TensorView* const tensor = read.find(name);
  REQUIRE(tensor);
  REQUIRE(tensor->dtype == Dtype::f32);
  std::vector<float> values(tensor->bytes.size() / 4);
  std::memcpy(values.data(), tensor->bytes.data(), tensor->bytes.size());
  return values;
}

void check_refused(const Words& words, int exit_code, const Words& parts) {
  const Outcome outcome = run(words);
  INFO(outcome.err);
  CHECK(outcome.exit_code == exit_code);
  CHECK(outcome.out == "");
  CHECK(holds_in_order(outcome.err, parts));
}

const std::string kSavesFirst =
    R"(+callbacks={"name": "first", "use": "model-saver", "when": {"before_train": true}})";

// A training of the digits with this session init, which ends before its first step; what it saves.
class Restored {
 public:
  explicit Restored(const std::string& options, const Words& more = {}) {
    Words words{"log_dir=" + (folder_.path() / "log").string(), "max_epoch=0",
                "session_init={\"use\": \"restore\", \"with\": {" + options + "}}"};
    words.insert(words.end(), more.begin(), more.end());
    outcome = run(digits({"train"}, words));
  }
  Outcome outcome;

  fs::path saved() const { return folder_.path() / "log/model-0.safetensors"; }  // by kSavesFirst

 private:
  Folder folder_;
};

}  // namespace

TEST_CASE("ckpt convert: every format into every other, with nothing lost") {
  const Folder folder;
  const std::string safe = folder.path() / "a.safetensors", npz = folder.path() / "a.npz";
  const Json done = json_of({"ckpt", "convert", good("state.pt"), safe});
  CHECK(done["tensors"] == 9);
  CHECK(done["file"] == safe);
  CHECK(run({"ckpt", "convert", safe, npz}).exit_code == 0);
  CHECK(names(npz) == names(good("state.pt")));
  const Outcome same = run({"ckpt", "diff", good("state.pt"), npz});
  CHECK(same.exit_code == 0);
  CHECK(holds(same.out, "equal: 9 variables"));
  CHECK(run({"ckpt", "verify", npz}).exit_code == 0);
  CHECK(holds_in_order(run({"ckpt", "inspect", npz}).out,
                       {"a .npz file: ", "0.weight", "F32 (2, 1, 3, 3)", "72"}));
  CHECK(holds(run({"ckpt", "convert", good("nested.pt"), folder.path() / "b.safetensors"}).out,
              "b.safetensors: 9 tensors, "));
  CHECK(run({"ckpt", "convert", good("stored.npz"), folder.path() / "c.safetensors", "-v"})
            .err.find("text, objects, wide") != std::string::npos);
}

TEST_CASE("ckpt convert: names, types and orders that are asked for") {
  const Folder folder;
  const std::string file = folder.path() / "a.safetensors";
  const auto convert = [&](const std::string& input, Words more) {
    Words words{"ckpt", "convert", input, file, "--force"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return types(file);
  };
  using Types = std::map<std::string, std::string>;
  CHECK(convert(good("plain.safetensors"), {"--dtype", "float16"}) ==
        Types{{"a.weight", "F16[2,3]"}, {"a.bias", "F16[2]"}, {"b", "I64[]"}});
  CHECK(convert(good("stored.npz"), {"--include", ".*:0", "--exclude", "global.*", "--rename",
                                     ":0$", "", "--rename", "^conv(\\d)/", "block$1/"}) ==
        Types{{"block0/W", "F32[2,3,4]"}, {"block0/b", "F16[4]"}});
  CHECK(convert(good("stored.npz"), {"--include", "(fc|conv0)/.*", "--transpose", "tensorflow"}) ==
        Types{{"conv0/W:0", "F32[4,3,2]"}, {"conv0/b:0", "F16[4]"}, {"fc/W", "F32[4,3]"}});
  CHECK(convert(good("two.pt"), {"--key", "models/second"}) == Types{{"w", "F32[2]"}});
  CHECK(types(good("two.pt"), {"--key", "models/second"}) == Types{{"w", "F32[2]"}});
}

TEST_CASE("ckpt verify, diff: the key of a state dict") {
  const std::string two = good("two.pt");
  const Outcome without = run({"ckpt", "verify", two});
  CHECK(without.exit_code == 9);
  CHECK(holds(without.err, "name the way to it as the key"));
  CHECK(run({"ckpt", "verify", two, "--key", "models/second"}).exit_code == 0);
  CHECK(run({"ckpt", "verify", trained_digits().string(), "--key", "model"}).exit_code == 2);
  const auto compared = [&](const char* a, const char* b) {
    return run({"ckpt", "diff", two, two, "--key", a, "--key-b", b}).exit_code;
  };
  CHECK(compared("models/second", "models/second") == 0);
  CHECK(compared("models/first", "models/second") == 1);
  CHECK(compared("models/first", "models/third") == 9);
}

TEST_CASE("ckpt diff: tensors that cannot be read are told") {
  const Folder folder;
  const std::string file = folder.path() / "a.safetensors";
  const std::string header = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                             R"("scale":{"dtype":"F8_E8M0","shape":[1],"data_offsets":[1,2]}})";
  broch::test::write_file(file,
                          std::string{char(header.size()), 0, 0, 0, 0, 0, 0, 0} + header + "xy");
  const Outcome outcome = run({"ckpt", "diff", file, file});
  CHECK(outcome.exit_code == 0);
  CHECK(holds(outcome.err, "not compared, as no tensors that Broch can read: scale"));
}

TEST_CASE("ckpt convert: what is wrong has its exit code, and no file is written") {
  const Folder folder;
  const std::string out = folder.path() / "a.safetensors", in = good("state.pt");
  const auto convert = [&](Words more) {
    more.insert(more.begin(), {"ckpt", "convert"});
    return more;
  };
  check_refused(convert({in, folder.path() / "a.pt"}), 2, {"a.pt", ".safetensors or .npz"});
  check_refused(convert({in, out, "--include", "("}), 2, {"--include", "regular expression"});
  check_refused(convert({in, out, "--exclude", "0.weihgt"}), 2,
                {"--exclude", "did you mean '0.weight'"});
  check_refused(convert({in, out, "--rename", "^module", ""}), 2, {"--rename", "^module"});
  check_refused(convert({in, out, "--rename", "^.+", "x"}), 9, {"'x'", "a name for each"});
  check_refused(convert({in, out, "--dtype", "float8"}), 2, {"--dtype"});
  check_refused(convert({good("evil.pt"), out}), 9, {"'posix.system'", "executed"});
  check_refused(convert({good("no-such.pt"), out}), 9, {"no-such.pt"});
  check_refused(convert({in, folder.path() / "no/a.safetensors"}), 5, {"no/a.safetensors"});
  check_refused(convert({good("plain.safetensors"), folder.path() / "a.npz"}), 5, {"--dtype"});
  CHECK(fs::is_empty(folder.path()));
  std::ofstream(out) << "old";
  check_refused(convert({in, out}), 5, {"exists already", "--force"});
  const Outcome full = run(convert({in, out, "--force"}), {.file_bytes = 100});
  CHECK(full.exit_code == 5);
  CHECK(read_file(out) == "old");
}

TEST_CASE("ckpt strip: what a model needs for inference, and nothing of the training") {
  const Folder folder;
  const std::string file = folder.path() / "weights.safetensors";
  CHECK(run({"ckpt", "strip", trained_digits(), file}).exit_code == 0);
  std::set<std::string> expected;
  const Json whole = json_of({"ckpt", "inspect", trained_digits()});
  for (const Json& one : whole["variables"])
    for (const Json& collection : one["collections"])
      if (collection == "TRAINABLE" || collection == "MODEL") expected.insert(one["name"]);
  CHECK(expected.contains("block1/bn/mean/EMA"));
  CHECK(names(file) == expected);
  CHECK(holds(run(digits({"eval"}, {"--checkpoint", file})).out, "validation_error"));
  const std::string checkpoint = folder.path() / "c.safetensors";
  CHECK(run({"ckpt", "strip", trained_digits(), checkpoint, "--format", "checkpoint"}).exit_code ==
        0);
  const Json kept = json_of({"ckpt", "inspect", checkpoint});
  CHECK(kept["variables"].size() == expected.size());
  CHECK(kept["variables"][0]["collections"].size() >= 2);
  CHECK(kept["states"].empty());
}

TEST_CASE("ckpt strip: names tell what is of the training where nothing else does") {
  const Folder folder;
  const fs::path all = folder.path() / "all.safetensors", out = folder.path() / "out.safetensors";
  write(all, {{"fc/W", {1}},
              {"fc/W/exp_avg", {2}},
              {"fc/W/step", {3}},
              {"fc/W/accum_grad", {4}},
              {"fc/W/lookahead", {5}},
              {"fc/W/lookahead_step", {6}},
              {"footstep", {7}}});
  CHECK(run({"ckpt", "strip", all, out}).exit_code == 0);
  CHECK(names(out) == std::set<std::string>{"fc/W", "footstep"});
}

TEST_CASE("ckpt average: the mean of floats, the last of everything else") {
  const Folder folder;
  const fs::path a = folder.path() / "a.safetensors", b = folder.path() / "b.safetensors",
                 c = folder.path() / "c.safetensors", out = folder.path() / "out.safetensors";
  write(a, {{"w", {1, 2, 1e38f}}, {"v", {3}}});
  write(b, {{"w", {3, 2, 3e38f}}, {"v", {3}}});
  write(c, {{"w", {2, 5, 2e38f}}, {"v", {9}}});
  CHECK(json_of({"ckpt", "average", a, b, c, out})["tensors"] == 2);
  CHECK(floats(out, "w") == std::vector<float>{2, 3, 2e38f});
  CHECK(floats(out, "v") == std::vector<float>{5});
  check_refused({"ckpt", "average", a, b}, 2, {"files"});
  write(c, {{"w", {2, 5}}, {"v", {9}}});
  check_refused({"ckpt", "average", a, c, out, "--force"}, 9, {"c.safetensors", "'w'", "first"});
  write(c, {{"w", {2, 5, 1}}, {"u", {9}}});
  check_refused({"ckpt", "average", a, c, out, "--force"}, 9, {"no tensor 'v'"});
  CHECK(floats(out, "v") == std::vector<float>{5});
}

TEST_CASE("ckpt average: both parts of complex numbers; the last of whole numbers") {
  using Values = std::vector<std::complex<float>>;
  const Folder folder;
  const fs::path a = folder.path() / "a.safetensors", b = folder.path() / "b.safetensors",
                 out = folder.path() / "out.safetensors";
  const auto write = [](const fs::path& file, const Values& values, const int64_t& whole) {
    write_safetensors(
        file,
        {{"c", Dtype::c64, {int64_t(values.size())}, std::as_bytes(std::span(values))},
         {"i", Dtype::i64, {}, std::as_bytes(std::span(&whole, 1))}},
        {});
  };
  write(a, {{1, -2}, {3, 0}}, 4);
  write(b, {{2, 4}, {0, 1}}, 9);
  CHECK(json_of({"ckpt", "average", a, b, out})["tensors"] == 2);
  const SafetensorsFile read = SafetensorsFile::read(out);
  Values values(2);
  REQUIRE(read.find("c")->bytes.size() == 16);
  std::memcpy(values.data(), read.find("c")->bytes.data(), 16);
  CHECK(values == Values{{1.5, 1}, {1.5, 0.5}});
  CHECK(int(read.find("i")->bytes[0]) == 9);
}

TEST_CASE("ckpt merge: files with different names become one") {
  const Folder folder;
  const fs::path a = folder.path() / "a.safetensors", b = folder.path() / "b.safetensors",
                 out = folder.path() / "out.npz";
  write(a, {{"g/w", {1}}, {"step", {1}}});
  write(b, {{"d/w", {2}}, {"step", {2}}});
  check_refused({"ckpt", "merge", a, b, out}, 9, {"b.safetensors", "'step'", "a.safetensors"});
  CHECK(json_of({"ckpt", "merge", a, b, out, "--exclude", "step"})["tensors"] == 2);
  CHECK(names(out) == std::set<std::string>{"g/w", "d/w"});
}

TEST_CASE("restore: weights of another program, with its names and its order of dimensions") {
  const Folder folder;
  const std::string file = folder.path() / "tf.npz";
  // As tensorpack would have saved them: the kernels in TensorFlow's order.
  REQUIRE(run({"ckpt", "strip", trained_digits(), folder.path() / "own.safetensors"}).exit_code ==
          0);
  REQUIRE(run({"ckpt", "convert", folder.path() / "own.safetensors", file, "--rename", "^block",
               "conv", "--rename", "$", ":0", "--include", "block.*/bn/.*"})
              .exit_code == 0);
  const Restored restored("\"path\": \"" + file +
                          R"(", "rename": [{"from": "^conv", "to": "block"}])");
  INFO(restored.outcome.err);
  CHECK(restored.outcome.exit_code == 0);
  CHECK(
      holds_in_order(restored.outcome.err, {"restored from ", "12 variables", "block1/bn/gamma"}));
  CHECK(holds(restored.outcome.err, "variables of the model that are not in"));
}

TEST_CASE("restore: strictness decides about names, shapes and types") {
  const Folder folder;
  const std::string own = folder.path() / "own.safetensors";
  REQUIRE(run({"ckpt", "strip", trained_digits(), own}).exit_code == 0);
  const auto path = [](const std::string& file) { return "\"path\": \"" + file + "\""; };
  CHECK(Restored(path(own) + R"(, "strict": "all")").outcome.exit_code == 0);

  const std::string part = folder.path() / "part.safetensors";
  REQUIRE(run({"ckpt", "convert", own, part, "--exclude", "fc/.*"}).exit_code == 0);
  const Restored missing(path(part) + R"(, "strict": "all")");
  CHECK(missing.outcome.exit_code == 9);
  CHECK(holds_in_order(missing.outcome.err,
                       {"only there: none", "only in the model: fc/W, fc/b", "hint: "}));
  CHECK(Restored(path(part)).outcome.exit_code == 0);

  const std::string half = folder.path() / "half.safetensors";
  REQUIRE(run({"ckpt", "convert", own, half, "--dtype", "float16"}).exit_code == 0);
  CHECK(Restored(path(half)).outcome.exit_code == 0);
  const Restored shown(path(half), {"-v"});
  CHECK(holds(shown.outcome.err,
              "block1/conv/W: block1/conv/W, F16 (4, 1, 3, 3), converted from F16 to F32"));

  const std::string other = folder.path() / "other.safetensors";
  write(other, {{"fc/b", {1, 2, 3}}, {"block1/bn/gamma", {1, 2, 3, 4}}, {"block1/bn/beta", {1}}});
  const Restored misfit(path(other));
  CHECK(misfit.outcome.exit_code == 9);
  CHECK(holds_in_order(misfit.outcome.err, {"variable block1/bn/beta", "shape (1,)", "shape (4,)",
                                            "these do not fit either: fc/b (shape (3,))"}));
  const std::string strange = folder.path() / "strange.safetensors";
  write(strange, {{"conv1.weight", {1, 2, 3}}});
  const Restored nothing(path(strange));
  CHECK(nothing.outcome.exit_code == 9);
  CHECK(holds_in_order(nothing.outcome.err,
                       {"no variable of the model, but conv1.weight", "block1/", "rename"}));
  CHECK(Restored(path(strange) + R"(, "strict": "none")").outcome.exit_code == 0);

  const Restored relaxed(path(other) + R"(, "strict": "none")");
  CHECK(relaxed.outcome.exit_code == 0);
  CHECK(holds_in_order(relaxed.outcome.err, {"fc/b", "not loaded", "1 variable: block1/bn/gamma"}));
}

TEST_CASE("restore: values of as many elements take another shape, in their order") {
  const Folder folder;
  const std::string file = folder.path() / "other.safetensors";
  const std::vector<float> bias{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  write_safetensors(file, {{"fc/b", Dtype::f32, {2, 5}, std::as_bytes(std::span(bias))}}, {});
  CHECK(Restored("\"path\": \"" + file + "\"").outcome.exit_code == 9);
  const Restored reshaped("\"path\": \"" + file + R"(", "strict": "none")", {kSavesFirst});
  INFO(reshaped.outcome.err);
  REQUIRE(reshaped.outcome.exit_code == 0);
  CHECK(holds(reshaped.outcome.err, "variable fc/b is reshaped from (2, 5) to (10,)"));
  CHECK(floats(reshaped.saved(), "fc/b") == bias);
}

TEST_CASE("restore: a rule that cannot be meant is 3, a file that cannot be read is 9") {
  const auto check = [](const std::string& options, int exit_code, const Words& parts) {
    const Restored restored(options);
    INFO(restored.outcome.err);
    CHECK(restored.outcome.exit_code == exit_code);
    CHECK(holds_in_order(restored.outcome.err, parts));
  };
  const std::string path = "\"path\": \"" + trained_digits().string() + "\", ";
  check(path + R"("rename": [{"from": "^blokc1", "to": "x"}])", 3,
        {"/session_init/with/rename: ", "blokc1"});
  check(path + R"("rename": [{"from": "(", "to": "x"}])", 3, {"rename", "regular expression"});
  check(path + R"("rename": [{"from": "block\\d", "to": "x"}])", 3, {"both become"});
  check(path + R"("transpose": ["fc/w"])", 3, {"transpose", "fc/w"});
  check(path + R"("strict": "some")", 3, {"strict"});
  check("\"path\": \"" + good("evil.pt") + "\"", 9, {"'posix.system'"});
  const Folder folder;
  const std::string empty = folder.path() / "empty.safetensors";
  write_safetensors(empty, {}, {});
  check("\"path\": \"" + empty + "\"", 9, {"no tensors", "expected some of", "fc/W"});
  check("\"path\": \"" + good("two.pt") + R"(", "key": "models/third")", 9,
        {"two.pt", "'third'", "'second'"});
}
