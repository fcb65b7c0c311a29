// predict_test.cpp: all formats, order, several towers, a kill, what is refused.
#include <doctest/doctest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>

#include "archive/npy_header.hpp"
#include "archive/source.hpp"
#include "archive/zip.hpp"
#include "bundle/bundle.hpp"
#include "predict/model.hpp"
#include "predicting.hpp"
#include "store/safetensors.hpp"

using namespace broch;
using namespace broch::test;

namespace {

void check_close(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
}

std::vector<double> floats_of(std::string_view bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return {values.begin(), values.end()};
}

// Float32, rows of 3.
std::vector<double> npy(const std::string& bytes, int64_t rows) {
  const archive::NpyHeader header = archive::parse_npy_header(bytes, "npy");
  CHECK(header.descr == "<f4");
  CHECK(header.shape == std::vector<int64_t>{rows, 3});
  return floats_of(std::string_view(bytes).substr(header.offset));
}

// A GAN of small images. points: of 4 images each.
Json generating(int64_t points) {
  const Json images = {
      {"use", "fake"},
      {"with",
       {{"size", points}, {"components", {{{"name", "image"}, {"shape", {4, 3, 16, 16}}}}}}}};
  return {{"broch", 1},
          {"model",
           {{"use", "dcgan"},
            {"with", {{"image_size", 16}, {"generator_width", 2}, {"discriminator_width", 2}}}}},
          {"trainer", "gan"},
          {"dataflow", images},
          {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", 0.1}}}}},
          {"callbacks", {"model-saver"}},
          {"steps_per_epoch", 1},
          {"max_epoch", 1}};
}

}  // namespace

TEST_CASE("predict: the outputs of a run and of its bundle, in every format") {
  const Folder folder;
  const Training training(folder, "run", small_manifest(fake_data()));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  write_file(folder / "new.csv", csv_rows(70));
  const std::vector<double> expected = by_hand(70, training.checkpoint(2));
  const auto predict = [&](const std::string& words) {
    REQUIRE_MESSAGE(run_broch(folder, "predict " + words + " --data new.csv") == 0,
                    folder.read("talk"));
  };
  predict("run -o out.csv");
  std::istringstream lines(folder.read("out.csv"));
  std::string line;
  std::getline(lines, line);
  CHECK(line == "output_0,output_1,output_2");
  std::vector<double> numbers;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) numbers.push_back(std::stod(cell));
  }
  check_close(numbers, expected);

  predict("run -o out.jsonl --checkpoint last");
  numbers.clear();
  std::istringstream objects(folder.read("out.jsonl"));
  while (std::getline(objects, line))
    for (const double one : Json::parse(line).at("output").get<std::vector<double>>())
      numbers.push_back(one);
  check_close(numbers, expected);

  predict("run -o out.npy");
  check_close(npy(folder.read("out.npy"), 70), expected);

  predict("run -o out.npz");
  const archive::File file(folder / "out.npz");
  const std::vector<archive::ZipMember> members = archive::zip_members(file);
  REQUIRE(members.size() == 1);
  CHECK(members[0].name == "output.npy");
  archive::check_stored(file, members[0]);
  check_close(npy(file.archive::Source::read(members[0].begin, members[0].size), 70), expected);

  predict("run -o out.safetensors");
  const auto tensors = store::SafetensorsFile::read(folder / "out.safetensors");
  REQUIRE(tensors.find("output"));
  CHECK(tensors.find("output")->shape == std::vector<int64_t>{70, 3});
  const auto bytes = tensors.find("output")->bytes;
  check_close(floats_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()}), expected);

  REQUIRE_MESSAGE(run_broch(folder, "export run -o small.broch") == 0, folder.read("talk"));
  predict("small.broch -o bundle.npy");
  check_close(npy(folder.read("bundle.npy"), 70), expected);
  predict("run.json --session_init run -o manifest.npy");
  CHECK(folder.read("manifest.npy") == folder.read("out.npy"));
}

TEST_CASE("predict: a bundle needs neither the plugin of the model nor the log folder") {
  const Folder folder;
  const std::string plugin = folder / "digits.so";
  std::filesystem::copy_file(DIGITS, plugin);
  const Training training(folder, "run",
                          {{"broch", 1},
                           {"extends", SAMPLES "/digits/digits.json"},
                           {"plugins", {plugin}},
                           {"callbacks", {"model-saver"}},
                           {"steps_per_epoch", 3},
                           {"max_epoch", 1}});
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const std::string data =
      R"( --data '{"use": "fake", "with": {"size": 4, "components": [{"shape": [5, 1, 8, 8]}]}}')";
  REQUIRE_MESSAGE(run_broch(folder, "predict run -o of_run.npy" + data) == 0, folder.read("talk"));
  REQUIRE_MESSAGE(run_broch(folder, "export run -o digits.bundle") == 0, folder.read("talk"));
  std::filesystem::remove(plugin);
  std::filesystem::remove_all(folder / "run");
  std::filesystem::remove(folder / "run.json");
  REQUIRE_MESSAGE(run_broch(folder, "predict digits.bundle -o of_bundle.npy" + data) == 0,
                  folder.read("talk"));
  const auto values = [&](const char* name) {
    const std::string bytes = folder.read(name);
    return floats_of(
        std::string_view(bytes).substr(archive::parse_npy_header(bytes, "npy").offset));
  };
  CHECK(values("of_bundle.npy").size() == 200);
  check_close(values("of_bundle.npy"), values("of_run.npy"));
}

TEST_CASE("predict: the run of several towers, on devices that this machine has") {
  const Folder folder;
  Json manifest = small_manifest(fake_data());
  manifest["trainer"] = "sync-replicated";
  manifest["nr_tower"] = 2;
  const Training training(folder, "run", manifest);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  write_file(folder / "new.csv", csv_rows(70));
  CHECK_MESSAGE(run_broch(folder, "predict run -o out.npy --data new.csv") == 0,
                folder.read("talk"));
  CHECK_MESSAGE(run_broch(folder,
                          "predict run trainer.with.devices='[\"cuda:99\"]' -o gpu.npy "
                          "--data new.csv") == 0,
                folder.read("talk"));
  CHECK(folder.read("talk").find("inference is on cpu:0, since this machine has no cuda:99") !=
        std::string::npos);
  CHECK(folder.read("gpu.npy") == folder.read("out.npy"));
}

TEST_CASE("predict: batches, labels and names make no difference; nor do several towers") {
  const Folder folder;
  const Training training(folder, "run", small_manifest(fake_data()));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  write_file(folder / "new.csv", csv_rows(70));
  const auto predict = [&](const std::string& to, const std::string& data,
                           const std::string& more = "") {
    REQUIRE_MESSAGE(run_broch(folder, "predict run " + more + " -o " + to +
                                          " --batch-size 8 --data " + data) == 0,
                    folder.read("talk"));
    return folder.read(to);
  };
  const std::string one = predict("one.npy", "new.csv");
  const std::string csv =
      R"({"use": "csv", "with": {"file": "new.csv", "components": [{"columns": [], "name": "x"}]}})";
  CHECK(predict("flow.npy", "'" + csv + "'") == one);
  CHECK(predict("batches.npy", R"('{"use": "batch", "with": {"batch_size": 8, "remainder": true, )"
                               R"("dataflow": )" +
                                   csv + "}}'") == one);
  CHECK(predict("towers.npy", "new.csv", "'predict_tower=[-1, 1, 2]'") == one);
  CHECK(predict("devices.npy", "new.csv", "'predict_devices=[\"cpu:0\", \"cpu:1\"]'") == one);
  CHECK(npy(predict("part.npy", "new.csv", "--limit 33"), 33).size() == 99);
  write_file(folder / "two.csv", csv_rows(2));
  const std::string in_two_orders =
      R"({"use": "concat", "with": {"dataflows": [)"
      R"({"use": "list", "with": {"names": ["x", "other"],)"
      R"( "points": [[[-0.75, -0.625, -0.5, -0.375], [9, 9, 9, 9]]]}},)"
      R"({"use": "list", "with": {"names": ["other", "x"],)"
      R"( "points": [[[9, 9, 9, 9], [-0.25, -0.125, 0, 0.125]]]}}]}})";
  CHECK(predict("orders.npy", "'" + in_two_orders + "'") == predict("two.npy", "two.csv"));
  CHECK(predict("names.csv", "new.csv", "--output_names output --output_names x")
            .starts_with("output_0,output_1,output_2,x_0,x_1,x_2,x_3\n"));
}

TEST_CASE("predict: a bundle is computed on all cores, with the results of one") {
  cpu_set_t all, first;
  REQUIRE(::sched_getaffinity(0, sizeof all, &all) == 0);
  CPU_ZERO(&first);
  for (int core = 0; CPU_COUNT(&first) == 0; ++core)
    if (CPU_ISSET(core, &all)) CPU_SET(core, &first);
  const Folder folder;
  const auto check = [&](const std::string& run, const std::string& data) {
    REQUIRE_MESSAGE(run_broch(folder, "export --force -o m.bundle " + run) == 0,
                    folder.read("talk"));
    const std::string predict = "predict m.bundle --force --batch-size 3 --data " + data;
    REQUIRE_MESSAGE(run_broch(folder, predict + " -o many.npy") == 0, folder.read("talk"));
    ::sched_setaffinity(0, sizeof first, &first);
    const int exit = run_broch(folder, predict + " -o one.npy");
    ::sched_setaffinity(0, sizeof all, &all);
    REQUIRE_MESSAGE(exit == 0, folder.read("talk"));
    CHECK(folder.read("many.npy") == folder.read("one.npy"));
  };
  {
    const Training training(folder, "run", small_manifest(fake_data()));
    REQUIRE_MESSAGE(training.run() == 0, training.talk());
    write_file(folder / "new.csv", csv_rows(70));
    check("run", "new.csv");
    ::setenv("BROCH_RUNTIME", BROCH_TORCH_FILE, 1);
    const bundle::Bundle bundle(folder / "m.bundle");
    CHECK(predict::model_of_bundle(bundle, {}, {})->towers() == size_t(CPU_COUNT(&all)));
    ::unsetenv("BROCH_RUNTIME");
  }
  // A generator draws other random numbers in each call.
  const Training training(folder, "gan", generating(6));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  check("gan --name fake", "'" + generating(40)["dataflow"].dump() + "'");
  const std::string bytes = folder.read("one.npy");
  const archive::NpyHeader header = archive::parse_npy_header(bytes, "npy");
  const std::vector<double> images = floats_of(std::string_view(bytes).substr(header.offset));
  REQUIRE(header.shape[0] == 160);
  CHECK(std::vector(images.begin(), images.begin() + 768) !=
        std::vector(images.end() - 768, images.end()));
}

TEST_CASE("predict: after a kill, the same command continues to the same bytes") {
  const Folder folder;
  const Training training(folder, "run", small_manifest(fake_data()));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  write_file(folder / "new.csv", csv_rows(20000));
  REQUIRE_MESSAGE(run_broch(folder, "predict run -o whole.csv --batch-size 2 --data new.csv") == 0,
                  folder.read("talk"));
  const std::string journal = folder / ".broch-predict-cut.csv/journal";
  const std::string data = folder / "new.csv", output = folder / "cut.csv",
                    run = training.log_dir().string();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::execl(BROCH_PROGRAM, "broch", "-q", "predict", run.c_str(), "-o", output.c_str(),
            "--batch-size", "2", "--data", data.c_str(), nullptr);
    ::_exit(99);
  }
  while (read_file(journal).size() < 100 && ::waitpid(pid, nullptr, WNOHANG) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  REQUIRE(!std::filesystem::exists(output));
  REQUIRE(read_file(journal).size() >= 100);
  write_file(journal, read_file(journal) + "99999");  // a line that was cut
  REQUIRE_MESSAGE(
      run_broch(folder, "predict " + run + " -o " + output + " --batch-size 2 --data " + data) == 0,
      folder.read("talk"));
  CHECK(folder.read("talk").find("continuing after") != std::string::npos);
  CHECK(folder.read("cut.csv") == folder.read("whole.csv"));
  CHECK(!std::filesystem::exists(folder / ".broch-predict-cut.csv"));
}

TEST_CASE("predict, export, eval: a file that is not there, of another kind or damaged") {
  const Folder folder;
  const Training training(folder, "run", small_manifest(fake_data()));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  REQUIRE(run_broch(folder, "export run -o m.bundle") == 0);
  const std::string bundle = folder.read("m.bundle");
  write_file(folder / "new.csv", csv_rows(5));
  write_file(folder / "empty", "");
  write_file(folder / "m.onnx",
             "\x08\x08\x12\x05"
             "broch: a model of another program");
  write_file(folder / "cut.bundle", bundle.substr(0, bundle.size() - 1));
  const auto check_refusal = [&](const std::string& words, int exit, const std::string& part) {
    CHECK_MESSAGE(run_broch(folder, words) == exit, folder.read("talk"));
    CHECK_MESSAGE(folder.read("talk").find(part) != std::string::npos, folder.read("talk"));
  };
  const std::string data = " -o o.npy --data new.csv",
                    run = "a manifest or the log folder of a run";
  check_refusal("predict none.bundle" + data, 5,
                "none.bundle: no such file, expected a bundle, " + run);
  check_refusal("export none -o o.bundle", 5, "none: no such file, expected " + run);
  check_refusal("eval none.json", 5, "none.json: no such file, expected " + run);
  for (const std::string file : {"new.csv", "m.onnx", "empty"}) {
    const std::string found = file + ": a file of another kind, expected ";
    check_refusal("predict " + file + data, 2, found + "a bundle, " + run);
    check_refusal("export " + file + " -o o.bundle", 2, found + run);
  }
  check_refusal("export m.bundle -o o.bundle", 2, "m.bundle: a file of another kind");
  check_refusal("predict cut.bundle" + data, 5, "copy it again, or write it again");
  const std::string commented = "// a comment\n" + read_file(folder / "run.json");
  write_file(folder / "run.json", commented);
  check_refusal("export run.json -o o.bundle", 2, "without --checkpoint");
  check_refusal("predict m.bundle 'predict_devices=[\"cpu:0\", \"cpu:1\"]'" + data, 2,
                "a bundle has no manifest");
}

TEST_CASE("predict: what is refused, and how") {
  const Folder folder;
  const Training training(folder, "run", small_manifest(fake_data()));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  write_file(folder / "new.csv", csv_rows(5));
  write_file(folder / "wide.csv", "a,b\n1,2\n");
  const auto check_refusal = [&](const std::string& words, int exit, const std::string& part) {
    CHECK_MESSAGE(run_broch(folder, "predict " + words) == exit, folder.read("talk"));
    CHECK_MESSAGE(folder.read("talk").find(part) != std::string::npos, folder.read("talk"));
    CHECK(!std::filesystem::exists(folder / "o.npy"));
  };
  check_refusal("run -o o.npy", 2, "no --data");
  check_refusal("run --data new.csv", 2, "no --output");
  check_refusal("run.json -o o.npy --data new.csv", 2, "--checkpoint");
  check_refusal("run -o o.npx --data new.csv", 2, "the ending .npx, expected one of .csv");
  check_refusal("run -o o.npy --data none.csv", 5, "no such file");
  check_refusal("run -o o.npy --data run.json.x", 5, "no such file");
  check_refusal("run -o o.npy --data wide.csv", 5, "input 'x'");
  const std::string lacks_one =
      R"({"use": "concat", "with": {"dataflows": [)"
      R"({"use": "list", "with": {"names": ["y", "x"], "points": [[[5], [1, 2, 3, 4]]]}},)"
      R"({"use": "list", "with": {"names": ["y"], "points": [[[5]]]}}]}})";
  check_refusal("run -o o.npy --data '" + lacks_one + "'", 5, "input 'x': a data point");
  const std::string half_named =
      R"({"use": "zip", "with": {"dataflows": [)"
      R"({"use": "list", "with": {"names": ["label"], "points": [[[1, 2, 3, 4]]]}},)"
      R"({"use": "list", "with": {"points": [[[1, 2, 3, 4]]]}}]}})";
  check_refusal("run -o o.npy --data '" + half_named + "'", 5, "'label' in its place");
  const std::string deep =
      R"({"use": "list", "with": {"points": [[[1, 2, 3, 4], [[[[[[[[1]]]]]]]]]]}})";
  check_refusal("run -o o.npy --name cost --data '" + deep + "'", 5, "at most 7 dimensions");
  check_refusal("run -o o.npy --data new.csv --name outptu", 2, "did you mean 'output'");
  check_refusal("run -o o.npy --data new.csv --name output --name x", 2, "choose .npz");
  check_refusal("run -o o.npy --data new.csv --name cost", 5, "input 'label'");
  check_refusal("run -o o.png --data new.csv", 2, "where a picture is");
  check_refusal("run/model-2.safetensors -o o.npy --data new.csv", 2, "no bundle");
  REQUIRE(run_broch(folder, "predict run -o there.npy --data new.csv") == 0);
  check_refusal("run -o there.npy --data new.csv", 5, "--force");
  CHECK(run_broch(folder, "predict run -o there.npy --data new.csv --force") == 0);
}

TEST_CASE("predict: integers get the dtype of the input, if it can hold them") {
  const Folder folder;
  Json manifest = small_manifest(nullptr);
  Json& inputs = manifest["model"]["with"]["inputs"];
  const Json label = inputs[1];
  inputs[1] = {{"name", "code"}, {"dtype", "uint8"}, {"shape", {-1}}};
  inputs.push_back(label);
  const Json list = {{"use", "list"},
                     {"with",
                      {{"names", {"x", "code", "label"}},
                       {"dtypes", {"float32", "uint8", "int64"}},
                       {"points", Json::parse("[[[1, 2, 3, 4], 7, 1], [[4, 3, 2, 1], 8, 2]]")}}}};
  manifest["dataflow"] = {{"use", "batch"}, {"with", {{"batch_size", 2}, {"dataflow", list}}}};
  const Training training(folder, "run", manifest);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const auto predict = [&](const std::string& code) {
    return run_broch(
        folder,
        "predict run --force --name code -o out.csv --data '"
        R"({"use": "list", "with": {"names": ["code"], "dtypes": ["int64"], "points": [[0], [)" +
            code + "]]}}'");
  };
  REQUIRE_MESSAGE(predict("255") == 0, folder.read("talk"));
  CHECK(folder.read("out.csv") == "code\n0\n255\n");
  for (const std::string code : {"256", "-1"}) {
    CHECK(predict(code) == 5);
    CHECK_MESSAGE(
        folder.read("talk").find("input 'code': int64 " + code +
                                 ", expected numbers that uint8 can hold") != std::string::npos,
        folder.read("talk"));
  }
}

TEST_CASE("predict: a generator needs no input, but samples to count") {
  const Folder folder;
  const Training training(folder, "run", generating(2));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const std::string words =
      "predict run --name fake -o fake.npy --data '" + generating(2)["dataflow"].dump() + "'";
  CHECK(run_broch(folder, words) == 2);
  CHECK_MESSAGE(folder.read("talk").find("name one with --input") != std::string::npos,
                folder.read("talk"));
  REQUIRE_MESSAGE(run_broch(folder, words + " --input image") == 0, folder.read("talk"));
  CHECK(archive::parse_npy_header(folder.read("fake.npy"), "npy").shape ==
        std::vector<int64_t>{8, 3, 16, 16});
}
