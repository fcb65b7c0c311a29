// files_test.cpp: broch serve --preprocess answers for files what broch predict writes.
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>

#include "../predict/predicting.hpp"
#include "bundles.hpp"
#include "serving.hpp"
#include "store/png.hpp"

using namespace broch;
using namespace broch::serve_test;
using test::run_broch;

namespace {

using Manifest = test::Json;

constexpr int kPictures = 6;

std::string picture(int number) {
  std::vector<uint8_t> pixels;
  for (int i = 0; i < 4 * 4 * 3; ++i) pixels.push_back(uint8_t(i * number * 5));
  return store::encode_png(pixels, 4, 4, 3);
}

Manifest batches(const Manifest& dataflow) {
  return {{"use", "batch"}, {"with", {{"batch_size", 2}, {"dataflow", dataflow}}}};
}

void train_and_export(const Folder& folder, const Manifest& manifest) {
  const test::Training training(folder, "run", manifest);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  REQUIRE_MESSAGE(run_broch(folder, "export run -o small.bundle") == 0, folder.read("talk"));
}

// Of pictures of which a transform makes float32 (3, 4, 4).
void make_pictures(const Folder& folder) {
  for (int i = 0; i < kPictures; ++i) {
    folder.write("train/" + std::to_string(i % 2) + "/" + std::to_string(i) + ".png", picture(i));
    folder.write("new/" + std::to_string(i) + ".png", picture(i));
  }
  const Manifest source = {{"use", "image-folder"},
                           {"with", {{"folder", folder / "train"}, {"names", {"x", "label"}}}}};
  const Manifest normalize = {
      {"use", "crop-flip-normalize"},
      {"with", {{"flip", 0}, {"mean", {128, 128, 128}}, {"std", {64, 64, 64}}}}};
  const Manifest decode = {{"use", "decode-image"}, {"with", {{"max_pixels", 1000}}}};
  Manifest manifest = test::small_manifest(batches(
      {{"use", "map"}, {"with", {{"transforms", {decode, normalize}}, {"dataflow", source}}}}));
  manifest["model"]["with"]["inputs"][0] = {{"name", "x"}, {"shape", {-1, 3, 4, 4}}};
  manifest["model"]["with"]["layers"] = {{{"layer", "flatten"}},
                                         {{"layer", "fully_connected"}, {"units", 2}}};
  train_and_export(folder, manifest);
}

// What broch predict writes for the same bundle, by sample.
std::vector<std::vector<double>> predicted(const Folder& folder, const std::string& data) {
  REQUIRE_MESSAGE(
      run_broch(folder, "predict small.bundle -o out.jsonl --force --data " + data) == 0,
      folder.read("talk"));
  std::vector<std::vector<double>> rows;
  std::istringstream lines(folder.read("out.jsonl"));
  for (std::string line; std::getline(lines, line);)
    rows.push_back(Json::parse(line).at("output").get<std::vector<double>>());
  return rows;
}

// Joined requests are computed with batches of other sizes.
void check_rows(const Json& output, const std::vector<std::vector<double>>& expected) {
  REQUIRE(output["shape"][0] == expected.size());
  size_t i = 0;
  for (const std::vector<double>& row : expected)
    for (const double one : row)
      CHECK(output["data"][i++].get<double>() == doctest::Approx(one).epsilon(1e-5));
  CHECK(output["data"].size() == i);
}

std::string binary_request(const std::string& path, const std::vector<std::string>& files,
                           const std::string& more = "") {
  std::string bytes;
  for (const std::string& file : files) {
    for (int shift = 0; shift < 32; shift += 8) bytes += char(file.size() >> shift);
    bytes += file;
  }
  bytes += more;
  const Json input = {{"name", "file"},
                      {"datatype", "BYTES"},
                      {"shape", {files.size()}},
                      {"parameters", {{"binary_data_size", bytes.size()}}}};
  const std::string json = Json{{"inputs", {input}}}.dump();
  return post(path, json + bytes,
              "Inference-Header-Content-Length: " + std::to_string(json.size()) + "\r\n");
}

std::string text_request(const std::string& path, const std::vector<std::string>& files) {
  const Json input = {
      {"name", "file"}, {"datatype", "BYTES"}, {"shape", {files.size()}}, {"data", files}};
  return post(path, Json{{"inputs", {input}}}.dump());
}

const std::string kInfer = "/v2/models/small/infer";

}  // namespace

TEST_CASE("serve: files of pictures, one at a time, several, and from several clients") {
  const Folder folder;
  make_pictures(folder);
  const std::vector<std::vector<double>> expected = predicted(folder, "new");
  const Server server(folder, {folder / "small.bundle", "--preprocess", "--threads", "2"});
  const Json described = server.ask(get("/v2/models/small")).json();
  CHECK(described["inputs"].size() == 1);
  CHECK(described["inputs"][0]["name"] == "file");
  CHECK(described["inputs"][0]["datatype"] == "BYTES");
  CHECK(described["inputs"][0]["shape"] == Json{-1});
  CHECK(described["inputs"][0]["parameters"]["endings"][0] == ".png");
  CHECK(described["parameters"]["preprocessing"]["by"] == "server");
  CHECK(described["parameters"]["preprocessing"]["transforms"].size() == 2);
  std::vector<std::string> all;
  for (int i = 0; i < kPictures; ++i) all.push_back(picture(i));
  const Response together = server.ask(binary_request(kInfer, all));
  REQUIRE_MESSAGE(together.status == 200, together.body);
  check_rows(together.json()["outputs"][0], expected);
  // The file alone is the body.
  const Response alone =
      server.ask(post(kInfer, picture(3), "Inference-Header-Content-Length: 0\r\n"));
  REQUIRE_MESSAGE(alone.status == 200, alone.body);
  check_rows(alone.json()["outputs"][0], {expected[3]});
  std::vector<std::thread> clients;
  std::vector<Response> answers(8 * kPictures);
  for (int client = 0; client < 8; ++client)
    clients.emplace_back([&, client] {
      Client own(server.port());
      for (int i = 0; i < kPictures; ++i)
        answers[size_t(client * kPictures + i)] = own.ask(binary_request(kInfer, {picture(i)}));
    });
  for (std::thread& client : clients) client.join();
  for (size_t i = 0; i < answers.size(); ++i) {
    REQUIRE_MESSAGE(answers[i].status == 200, answers[i].body);
    check_rows(answers[i].json()["outputs"][0], {expected[i % kPictures]});
  }
  CHECK(server.metric("broch_serve_preprocess_seconds_count{model=\"small\"}") == 50);
}

#ifdef HAS_WAV  // else libsndfile is missing
TEST_CASE("serve: files of sounds") {
  const Folder folder;
  std::vector<std::string> all;
  for (int i = 0; i < 4; ++i) {
    all.push_back(test::sound(i));
    folder.write("train/" + std::to_string(i % 2) + "/" + std::to_string(i) + ".wav", all.back());
    folder.write("new/" + std::to_string(i) + ".wav", all.back());
  }
  train_and_export(folder, test::sound_manifest(batches(test::sound_flow(folder / "train"))));
  const std::vector<std::vector<double>> expected = predicted(folder, "new");
  const Server server(folder, {folder / "small.bundle", "--preprocess"});
  const Json endings =
      server.ask(get("/v2/models/small")).json()["inputs"][0]["parameters"]["endings"];
  CHECK(endings[0] == ".wav");
  CHECK(endings.dump().find(".png") == std::string::npos);
  const Response together = server.ask(binary_request(kInfer, all));
  REQUIRE_MESSAGE(together.status == 200, together.body);
  check_rows(together.json()["outputs"][0], expected);
  const Response alone = server.ask(post(kInfer, all[2], "Inference-Header-Content-Length: 0\r\n"));
  REQUIRE_MESSAGE(alone.status == 200, alone.body);
  check_rows(alone.json()["outputs"][0], {expected[2]});
  const Response other = server.ask(binary_request(kInfer, {"RIFF____AVI LIST"}));
  CHECK(other.status == 400);
  CHECK_MESSAGE(other.error().find("unknown kind") != std::string::npos, other.error());
}
#endif

TEST_CASE("serve: files that cannot be read are refused with the reason") {
  const Folder folder;
  make_pictures(folder);
  const Server server(folder, {folder / "small.bundle", "--preprocess"});
  std::string cut = picture(1);
  cut.resize(cut.size() / 2);
  const auto refused = [&](const std::string& request) {
    const Response response = server.ask(request);
    CHECK(response.status == 400);
    const std::string error = response.error();
    for (const std::string& inside : {std::filesystem::temp_directory_path().string(),
                                      std::string("manifest"), std::string("\n")})
      CHECK_MESSAGE(error.find(inside) == error.npos, error);
    return error;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    CHECK_MESSAGE(text.find(part) != text.npos, text);
  };
  has(refused(binary_request(kInfer, {picture(0), cut})), "1.png");
  const std::string large = store::encode_png(std::vector<uint8_t>(40 * 40 * 3), 40, 40, 3);
  has(refused(binary_request(kInfer, {large})), "40x40 pixels, expected at most 1000");
  has(refused(binary_request(kInfer, {"what"})), "file 0: bytes of an unknown kind");
  has(refused(binary_request(kInfer, {""})), "file 0: nothing");
  has(refused(binary_request(kInfer, {})), "none");
  has(refused(binary_request(kInfer, {picture(0)}, "ab")), "end within file 1");
  has(refused(binary_request(kInfer, {picture(0)}, std::string(4, '\0'))), "1 for its shape");
  const Json many = {
      {"name", "file"}, {"datatype", "BYTES"}, {"shape", {100'001}}, {"data", {"a"}}};
  has(refused(post(kInfer, Json{{"inputs", {many}}}.dump())), "at most 100000 files");
  has(refused(text_request(kInfer, {picture(0).substr(1, 3)})), "unknown kind");
  has(refused(binary_request(kInfer, {"RIFF____WEBPVP8 and no picture"})), "WebP: found wrong");
  has(refused(binary_request(kInfer, {store::encode_png(std::vector<uint8_t>(27), 3, 3, 3)})),
      "'x'");
  // Good requests beside them.
  CHECK(server.ask(binary_request(kInfer, {picture(0)})).status == 200);
  CHECK(server.metric("broch_serve_requests_total{model=\"small\",status=\"400\"}") == 11);
}

TEST_CASE("serve: the files of a request are gone when it is answered") {
  const Folder folder;
  make_pictures(folder);
  const std::filesystem::path temporary(folder / "tmp");
  std::filesystem::create_directory(temporary);
  ::setenv("TMPDIR", temporary.c_str(), 1);
  const Server server(folder, {folder / "small.bundle", "--preprocess", "--threads", "1"});
  ::unsetenv("TMPDIR");
  const auto pictures = [&] {
    int count = 0;
    for (const auto& one : std::filesystem::recursive_directory_iterator(temporary))
      count += one.path().extension() == ".png";
    return count;
  };
  for (const std::vector<std::string>& files : std::vector<std::vector<std::string>>{
           {picture(0), picture(1), picture(2)}, {picture(3)}, {picture(4), picture(5)}}) {
    CHECK(server.ask(binary_request(kInfer, files)).status == 200);
    CHECK(pictures() == 0);
  }
  CHECK(server.ask(binary_request(kInfer, {picture(0), "what"})).status == 400);
  CHECK(pictures() == 0);
}

TEST_CASE("serve: tables as text") {
  const Folder folder;
  std::string labelled = "a,b,c,d,kind\n";
  for (int i = 0; i < 16; ++i) labelled += "1,2,3," + std::to_string(i) + ",dog\n1,1,1,1,cat\n";
  folder.write("train.csv", labelled);
  train_and_export(
      folder, test::small_manifest(batches(
                  {{"use", "csv"},
                   {"with",
                    {{"file", folder / "train.csv"},
                     {"components",
                      {{{"columns", {"a", "b", "c", "d"}}},
                       {{"columns", {"kind"}}, {"dtype", "category"}, {"scalar", true}}}}}}})));
  const std::string table = "d,c,b,a\n1,2,3,4\n0.5,0,-1,2\n7,7,7,7\n";
  folder.write("new.csv", table);
  const std::vector<std::vector<double>> expected = predicted(folder, "new.csv");
  const Server server(folder, {folder / "small.bundle", "--preprocess"});
  const Response response = server.ask(text_request(kInfer, {table}));
  REQUIRE_MESSAGE(response.status == 200, response.body);
  check_rows(response.json()["outputs"][0], expected);
  const Response two = server.ask(text_request(kInfer, {table, "a,b,c,d\n4,3,2,1\n"}));
  REQUIRE_MESSAGE(two.status == 200, two.body);
  CHECK(two.json()["outputs"][0]["shape"][0] == 4);
  // Another table of one file, and a column that is missing.
  CHECK(server.ask(text_request(kInfer, {"a,b,c,d\n4,3,2,1\n"})).json()["outputs"][0]["shape"] ==
        Json{1, 3});
  const Response wrong = server.ask(text_request(kInfer, {"a,b,c\n4,3,2\n"}));
  CHECK(wrong.status == 400);
  CHECK_MESSAGE(wrong.error().find("'d'") != std::string::npos, wrong.error());
}

TEST_CASE("serve: what stands before the inputs is told where clients do it") {
  const Folder folder;
  make_pictures(folder);
  const auto bundle_about = [&](const std::string& name, const std::string& preprocessing) {
    graph::Graph graph = graph_test::example();
    graph.nodes.resize(2);
    graph.types.resize(5);
    graph.outputs.resize(1);
    bundle::write(
        folder / name, runtime::backend(),
        {graph,
         {runtime::floats(graph_test::kWeights, {2, 3}), runtime::floats(graph_test::kBias, {2})},
         {{bundle::kPreprocessing, preprocessing}}});
  };
  bundle_about("lacking", R"({"missing":["org.example.turned"]})");
  {
    const Server server(folder, {folder / "small.bundle", folder / "lacking"});
    const Json described = server.ask(get("/v2/models/small")).json();
    CHECK(described["inputs"][0]["datatype"] == "FP32");
    CHECK(described["parameters"]["preprocessing"]["by"] == "client");
    CHECK(described["parameters"]["preprocessing"]["source"] == "broch.dataflow.image-folder");
    CHECK(server.ask(get("/v2/models/lacking")).json()["parameters"]["preprocessing"]["missing"] ==
          Json{"org.example.turned"});
    CHECK_MESSAGE(server.log().find("--preprocess does that") != std::string::npos, server.log());
  }
  Server lacking(folder, {folder / "lacking", "--preprocess"});
  CHECK(lacking.wait() == 2);
  CHECK(lacking.log().find("org.example.turned") != std::string::npos);
  // A bundle before whose inputs nothing stands takes these as before.
  const Server plain(folder, {write_linear(folder), "--preprocess"});
  CHECK(plain.ask(post("/v2/models/m/infer", linear_request({1, 2, 3}).dump())).status == 200);
}
