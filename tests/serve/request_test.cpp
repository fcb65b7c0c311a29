// request_test.cpp: requests to infer that are wrong, and what they are told.
#include <cstdlib>

#include "serving.hpp"

using namespace broch::serve_test;

namespace {

struct Wrong {
  std::string body;
  std::string error;  // part of it
};

// A request for the linear model, whose only input is this text.
std::string input(const std::string& text) { return "{\"inputs\":[" + text + "]}"; }
std::string with(const std::string& rest) {
  return input(R"({"name":"x","datatype":"FP32","shape":[1,3])" + rest + "}");
}

const std::vector<Wrong> kWrong = {
    {"", "JSON"},
    {"[]", "an array, expected an object"},
    {"{}", "no 'inputs'"},
    {"{\"inputs\":3}", "'3', expected an array"},
    {"{\"inputs\":[3]}", "'3', expected objects"},
    {"{\"inputs\":[]}", "none with the name 'x'"},
    {"{\"inputs\":[],\"inputs\":[]}", "'inputs' twice"},
    {"{\"inputs\":[", "parse error"},
    {input("{}"), "no 'name'"},
    {input(R"({"name":"z"})"), "the name 'z', expected one of x"},
    {input(R"({"name":"x"})"), "no 'datatype'"},
    {input(R"({"name":"x","datatype":"FP64"})"), "datatype 'FP64', expected FP32"},
    {input(R"({"name":"x","datatype":"FP32"})"), "no 'shape'"},
    {input(R"({"name":"x","datatype":"FP32","shape":[-1]})"), "sizes from 0"},
    {input(R"({"name":"x","datatype":"FP32","shape":[1.5]})"), "sizes from 0"},
    {input(R"({"name":"x","datatype":"FP32","shape":[1,1,1,1,1,1,1,1,1]})"), "9 sizes"},
    {input(R"({"name":"x","datatype":"FP32","shape":[4611686018427387904,8],"data":[]})"),
     "sizes that memory can have"},
    {input(R"({"name":"x","datatype":"FP32","shape":[1000000000,3],"data":[1]})"),
     "fewer elements"},
    {input(R"({"name":"x","datatype":"FP32","shape":[1,4],"data":[1,2,3,4]})"),
     "float32 (1, 4), expected float32 (B, 3)"},
    {input(R"({"name":"x","datatype":"FP32","shape":[0,3],"data":[]})"), "at least 1"},
    {with(""), "no 'data'"},
    {with(R"(,"data":3)"), "expected an array"},
    {with(R"(,"data":{})"), "expected an array"},
    {with(R"(,"data":[1,2])"), "2 elements, expected 3 of FP32"},
    {with(R"(,"data":[1,2,3,4])"), "more than that many"},
    {with(R"(,"data":[[1,2],[3]])"), "an array of 2"},
    {with(R"(,"data":[[1,2,3],4])"), "an element beside arrays"},
    {with(R"(,"data":[1,[2,3]])"), "an array after an element"},
    {with(R"(,"data":[[[1,2,3]]])"), "nested deeper"},
    {with(R"(,"data":[1,2,"3"])"), "'3'"},
    {with(R"(,"data":[1,2,null])"), "null"},
    {with(R"(,"data":[1,2,true])"), "element 2: true"},
    {with(R"(,"data":[1,2,{}])"), "an object"},
    {with(R"(,"data":[1,2,1e39])"), "element 2: 1e39, expected a value of the type FP32"},
    {with(R"(,"data":[1,2,1e999])"), "the number 1e999 at byte 67, expected one that float64"},
    {with(R"(,"data":[0e99999999999999,2,3])"), "0e99999999999999 at byte 63, expected one that "},
    {with(R"(,"data":[1,2,3],"a":-1e400)"), "the number -1e400 at byte 74"},
    {R"({"a":99e308,"inputs":[]})", "the number 99e308, expected one that float64 can hold"},
    {with(R"(,"data":[1,2,01])"), "parse error"},
    {with(R"(,"data":[1,2,3})"), "parse error"},
    {with(R"(,"data":[1,2,3,])"), "parse error"},
    {with(R"(,"data":[1,2,3])") + std::string(1, '\0'), "a zero byte"},
    {with(R"(,"data":[1,2,3])") + "x", "parse error"},
    {with(R"(,"data":[1,2,NaN])"), "parse error"},
    {with(R"(,"data":[1,2,3],"data":[1,2,3])"), "'data' twice"},
    {with(R"(,"data":7,"data":[1,2,3])"), "'data' twice"},
    {with(R"(,"data":[1,2,3],"data":7)"), "'data' twice"},
    {with(R"(,"data":[[1,2,3]],"dat\u0061":[1,2,3])"), "'data' twice"},
    {with(R"(,"shape":[1,3],"data":[1,2,3])"), "'shape' twice"},
    {with(R"(,"name":"x","data":[1,2,3])"), "'name' twice"},
    {with(R"(,"parameters":{"a":1,"a":1},"data":[1,2,3])"), "'a' twice"},
    {R"({"id":"1","inputs":[],"id":"2"})", "'id' twice"},
    {R"({"outputs":[],"inputs":[],"outputs":[]})", "'outputs' twice"},
    {R"({"a":{"b":{},"b":[]},"inputs":[]})", "'b' twice"},
    {with(R"(,"parameters":{"binary_data_size":12})"), "0 bytes after the JSON"},
    {with(R"(,"parameters":{"binary_data_size":8})"), "8 bytes of binary data, expected 12"},
    {with(R"(,"parameters":{"binary_data_size":-1})"), "a number of bytes"},
    {with(R"(,"parameters":{"shared_memory_region":"a"})"), "'shared_memory_region'"},
    {with(R"(,"parameters":{"binary_data_size":12},"data":[1,2,3])"), "one of them"},
    {input(R"({"name":"x","datatype":"FP32","shape":[1,3],"data":[1,2,3]},)"
           R"({"name":"x","datatype":"FP32","shape":[1,3],"data":[1,2,3]})"),
     "it twice"},
    {R"({"id":3,"inputs":[]})", "'3', expected a string"},
    {R"({"parameters":{"priority":1},"inputs":[]})", "'priority'"},
    {R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1,3],"data":[1,2,3]}],)"
     R"("outputs":[{"name":"z"}]})",
     "the name 'z', expected one of y"},
    {R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1,3],"data":[1,2,3]}],)"
     R"("outputs":[{"name":"y","parameters":{"classification":3}}]})",
     "'classification'"},
    {std::string(100, '['), "levels"},
    {"{\"a\":" + std::string(60, '[') + std::string(60, ']') + "}", "levels"},
    {"{\"id\":\"\xff\"}", "encoding"},
    {R"({"id":"\udc00",)" + with(R"(,"data":[1,2,3])").substr(1),
     R"(the text '\xed\xb0\x80', in which half)"},
    {R"({"id":"\ud800","inputs":[]})", "surrogate"},
    {R"({"\udfff":1,"inputs":[]})", "half of a character"},
    {with(R"(,"data":[1,2,"\udc00"])"), R"('\xed\xb0\x80')"},
    {"{\"id\":\"" + std::string(2000, 'a') + "\",\"inputs\":[]}", "at most 1024"},
};

}  // namespace

TEST_CASE("serve: wrong requests are told what was expected, and the next one is served") {
  const Folder folder;
  const Server server(folder, {write_linear(folder)});
  Client client(server.port());
  for (const Wrong& wrong : kWrong) {
    CAPTURE(wrong.body);
    const Response response = client.ask(post("/v2/models/m/infer", wrong.body));
    CHECK(response.status == 400);
    CHECK_MESSAGE(response.json().value("error", "").find(wrong.error) != std::string::npos,
                  response.body);
  }
  const std::vector<float> x = {1, 2, 3};
  CHECK(client.ask(post("/v2/models/m/infer", linear_request(x).dump()))
            .json()["outputs"][0]["data"] == by_hand(x));
}

TEST_CASE("serve: an empty list of outputs is as none") {
  const Folder folder;
  const Server server(folder, {write_linear(folder)});
  Json request = linear_request(kX);
  request["outputs"] = Json::array();
  const Response response = server.ask(post("/v2/models/m/infer", request.dump()));
  REQUIRE_MESSAGE(response.status == 200, response.body);
  REQUIRE(response.json()["outputs"].size() == 1);
  CHECK(response.json()["outputs"][0]["data"] == by_hand(kX));
}

TEST_CASE("serve: lengths of binary data") {
  const Folder folder;
  const Server server(folder, {write_linear(folder)});
  Client client(server.port());
  const std::string json = with(R"(,"parameters":{"binary_data_size":12})");
  const auto ask = [&](const std::string& body, const std::string& length) {
    return client.ask(
        post("/v2/models/m/infer", body, "Inference-Header-Content-Length: " + length + "\r\n"));
  };
  const std::string size = std::to_string(json.size());
  CHECK(ask(json + std::string(12, '\0'), size).status == 200);
  CHECK(ask(json + std::string(11, '\0'), size).error().find("11 bytes after") !=
        std::string::npos);
  CHECK(ask(json + std::string(13, '\0'), size).error().find("1 bytes too many") !=
        std::string::npos);
  for (const char* length : {"-1", "x", "99999", "18446744073709551616", "1e3"})
    CHECK(ask(json + std::string(12, '\0'), length).status == 400);
  CHECK(ask(std::string(13, '\0'), "0").error().find("13 bytes of binary data, expected 12") !=
        std::string::npos);
}

TEST_CASE("serve: integers are checked for their range") {
  const Folder folder;
  const Server server(folder, {write_lookup(folder)});
  Client client(server.port());
  const auto ask = [&](const std::string& data) {
    return client.ask(
        post("/v2/models/lookup/infer",
             input(R"({"name":"index","datatype":"INT64","shape":[1,1],"data":[)" + data + "]}")));
  };
  CHECK(ask("3").json()["outputs"][0]["data"] == Json{6, 7});
  CHECK(ask("9223372036854775808").error().find("expected a value of the type INT64") !=
        std::string::npos);
  CHECK(ask("1.5").status == 400);
  const Response response = ask("5");  // beyond the table
  CHECK(response.status >= 400);
  CHECK_FALSE(response.error().empty());
}

TEST_CASE("serve: an error shows the beginning of what is wrong, however long it is") {
  const Folder folder;
  const Server server(folder, {write_lookup(folder)});
  Client client(server.port());
  const std::string digits(3'000'000, '7');
  const std::string before = R"({"name":"index","datatype":"INT64","shape":[1,1],"data":[)";
  for (const std::string& body :
       {input(before + "0." + digits + "]}"), input(before + digits + "]}"),
        "{\"a\":9." + digits + "e308,\"inputs\":[]}",
        "{\"" + digits + "\":1,\"" + digits + "\":1}"}) {
    const Response response = client.ask(post("/v2/models/lookup/infer", body));
    CHECK(response.status == 400);
    CHECK(response.body.size() < 300);
    CHECK_MESSAGE(response.error().find("7…") != std::string::npos, response.body);
  }
}

TEST_CASE("serve: an ignored member may have any number and text") {
  const Folder folder;
  const Server server(folder, {write_linear(folder)});
  Client client(server.port());
  for (const std::string member :
       {"1e-400", "-1e-99999999999", "0.0", R"("\ud83d\ude00")", "[{},{}]"}) {
    CAPTURE(member);
    Json request = linear_request({1, 2, 3});
    const std::string body = "{\"a\":" + member + "," + request.dump().substr(1);
    const Response response = client.ask(post("/v2/models/m/infer", body));
    CHECK_MESSAGE(response.status == 200, response.body);
  }
}

TEST_CASE("serve: numbers are rounded as strtod does") {
  const Folder folder;
  const Server server(folder, {write_linear(folder)});
  Client client(server.port());
  for (const std::string text :
       {"0.1", "-0", "16777217", "3.4028234663852886e37", "1e-400", "-1E-45", "2.5e+3",
        "36893488147419103232", "0.1000000014901161193847656250000000000000000000000000001"}) {
    CAPTURE(text);
    const Response response =
        client.ask(post("/v2/models/m/infer", with(",\"data\":[" + text + ",0,0]")));
    REQUIRE_MESSAGE(response.status == 200, response.body);
    CHECK(response.json()["outputs"][0]["data"].get<std::vector<float>>() ==
          by_hand({float(std::strtod(text.c_str(), nullptr)), 0, 0}));
  }
}
