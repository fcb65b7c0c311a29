// protocol_test.cpp: what the Open Inference Protocol asks for, asked over one connection.
#include <cstring>

#include "serving.hpp"

using namespace broch::serve_test;

namespace {

const std::vector<float> kRows = {1, 2, 3, 0.5, -1, 2};

std::string bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

std::vector<float> floats_of(const std::string& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace

TEST_CASE("serve: metadata and health") {
  const Folder folder;
  const Server server(folder, {write_linear(folder), "other=" + write_lookup(folder)});
  Client client(server.port());
  const auto ask = [&](const std::string& path) { return client.ask(get(path)); };
  CHECK(ask("/v2").json().at("name") == "broch");
  CHECK(ask("/v2/health/live").json() == Json{{"live", true}});
  CHECK(ask("/v2/health/ready").json() == Json{{"ready", true}});
  CHECK(ask("/v2/models/m/ready").json().at("ready") == true);
  const Json expected = {{"name", "m"},
                         {"versions", {"1"}},
                         {"platform", "broch_bundle"},
                         {"inputs", {{{"name", "x"}, {"datatype", "FP32"}, {"shape", {-1, 3}}}}},
                         {"outputs", {{{"name", "y"}, {"datatype", "FP32"}, {"shape", {-1, 2}}}}}};
  CHECK(ask("/v2/models/m").json() == expected);
  CHECK(ask("/v2/models/m/versions/1").json() == expected);
  CHECK(ask("/v2/models/other").json().at("inputs")[0].at("datatype") == "INT64");
  CHECK(ask("/v2/models/m/versions/2").status == 404);
  CHECK(ask("/v2/models/none").error() == "path: the model 'none', expected one of m, other");
  CHECK(ask("/v3").status == 404);
  CHECK(server.ask(post("/v2", "{}")).header("Allow") == "GET, HEAD");
  client.send("HEAD /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(client.receive(false).status == 200);
  CHECK(ask("/v2/models/m/infer").status == 405);
}

TEST_CASE("serve: infer in JSON, in binary, and in binary alone") {
  const Folder folder;
  const Server server(folder, {write_linear(folder)});
  Client client(server.port());
  Json request = linear_request(kRows);
  request["id"] = "7";
  Response response = client.ask(post("/v2/models/m/infer", request.dump()));
  REQUIRE_MESSAGE(response.status == 200, response.body);
  const Json output = {
      {"name", "y"}, {"datatype", "FP32"}, {"shape", {2, 2}}, {"data", by_hand(kRows)}};
  CHECK(response.json() ==
        Json{{"model_name", "m"}, {"model_version", "1"}, {"id", "7"}, {"outputs", {output}}});
  Json& input = request["inputs"][0];
  input["data"] = {{1, 2, 3}, {0.5, -1, 2}};
  CHECK(client.ask(post("/v2/models/m/versions/1/infer", request.dump())).json()["outputs"][0] ==
        output);
  // Binary data after the JSON, in both directions.
  input.erase("data");
  input["parameters"] = {{"binary_data_size", 24}};
  request["outputs"] = {{{"name", "y"}, {"parameters", {{"binary_data", true}}}}};
  const std::string text = request.dump();
  const auto length = [](size_t size) {
    return "Inference-Header-Content-Length: " + std::to_string(size) + "\r\n";
  };
  response = client.ask(post("/v2/models/m/infer", text + bytes_of(kRows), length(text.size())));
  REQUIRE_MESSAGE(response.status == 200, response.body);
  const size_t json_size = std::stoul(response.header("Inference-Header-Content-Length"));
  const Json described = Json::parse(response.body.substr(0, json_size));
  CHECK(described["outputs"][0]["parameters"]["binary_data_size"] == 16);
  CHECK(floats_of(response.body.substr(json_size)) == by_hand(kRows));
  // Without JSON.
  response = client.ask(post("/v2/models/m/infer", bytes_of(kRows), length(0)));
  REQUIRE_MESSAGE(response.status == 200, response.body);
  CHECK(floats_of(response.body.substr(response.body.size() - 16)) == by_hand(kRows));
  CHECK(server.metric("broch_serve_requests_total{model=\"m\",status=\"200\"}") == 4);
  CHECK(server.metric("broch_serve_rows_total{model=\"m\"}") == 8);
  double connections = 0;  // the one that asked before may not have ended yet
  for (int tries = 0; tries < 1000 && connections != 2; ++tries)
    connections = server.metric("broch_serve_connections");
  CHECK(connections == 2);
}

TEST_CASE("serve: curl as a client") {
  const Folder folder;
  const Server server(folder, {write_linear(folder)});
  folder.write("request.json", linear_request(kRows).dump());
  const std::string command =
      "curl -sS --fail --max-time 120 http://127.0.0.1:" + std::to_string(server.port()) +
      "/v2/models/m/infer -d @" + folder / "request.json" + " -o " + folder / "response.json";
  REQUIRE(std::system(command.c_str()) == 0);
  CHECK(Json::parse(folder.read("response.json"))["outputs"][0]["data"] == by_hand(kRows));
  // Above 1 MiB curl asks whether it may send the body.
  const std::vector<float> many(3 * 100'000, 1);
  folder.write("request.json", linear_request(many).dump(1));
  REQUIRE(std::system(command.c_str()) == 0);
  CHECK(Json::parse(folder.read("response.json"))["outputs"][0]["data"] == by_hand(many));
}
