// wire_test.cpp: bytes that are no good HTTP, too many of them, or too slow.
#include <chrono>
#include <thread>

#include "serving.hpp"

using namespace broch::serve_test;

namespace {

const std::string kHost = "Host: localhost\r\n";
const std::string kInferHead = "POST /v2/models/m/infer HTTP/1.1\r\n" + kHost;

bool is_served(const Server& server) {
  const Response response = server.ask(kGood);
  return response.status == 200 && response.json()["outputs"][0]["data"] == by_hand(kX);
}

}  // namespace

TEST_CASE("serve: malformed requests") {
  const Folder folder;
  const Server server(folder, {write_linear(folder)});
  const std::vector<std::pair<std::string, int>> wrong = {
      {"nonsense\r\n\r\n", 400},
      {"GET\r\n\r\n", 400},
      {"GET /v2\r\n\r\n", 400},
      {"GET /v2 HTTP/9.9\r\n\r\n", 505},
      {"GET /v2 HTTP/1.1\r\n" + kHost + "no colon\r\n\r\n", 400},
      {get("/v2", "A: \x01\r\n"), 400},
      {std::string("GET /v2\0 HTTP/1.1\r\n\r\n", 22), 400},
      {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 TLS\r\n\r\n", 400},
      {kInferHead + "Content-Length: -1\r\n\r\n", 400},
      {kInferHead + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
      {kInferHead + "Content-Length: 3\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       400},
      {kInferHead + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400},
      {kInferHead + "Content-Length: 99999999999999999999\r\n\r\n", 400},
      {kInferHead + "Content-Length: 100000000000\r\n\r\n", 413},
      {kInferHead + "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", 415},
      {kInferHead + "Expect: more\r\nContent-Length: 3\r\n\r\n", 417},
      {get("/v2", "A: " + std::string(20'000, 'a') + "\r\n"), 431},
      {"DELETE /v2 HTTP/1.1\r\n" + kHost + "\r\n", 405},
  };
  for (const auto& [bytes, status] : wrong) {
    CAPTURE(bytes.substr(0, 200));
    Client client(server.port());
    const Response response = client.ask(bytes);
    CHECK(response.status == status);
    if (response.status) CHECK_FALSE(response.error().empty());
  }
  CHECK(is_served(server));
}

TEST_CASE("serve: a request names one host, unless it is of HTTP/1.0") {
  const Folder folder;
  const Server server(folder, {write_linear(folder)});
  const auto status = [&](const std::string& line, const std::string& headers) {
    CAPTURE(headers);
    Client client(server.port());
    client.send(line + headers + "\r\n");
    const Response response = client.receive();
    if (response.status == 400) {
      CHECK_MESSAGE(response.error().find("Host") != std::string::npos, response.body);
      CHECK(client.is_closed());
    }
    return response.status;
  };
  const std::string new_line = "GET /v2 HTTP/1.1\r\n", old_line = "GET /v2 HTTP/1.0\r\n";
  CHECK(status(new_line, "") == 400);
  CHECK(status(old_line, "") == 200);
  for (const std::string& line : {new_line, old_line}) {
    for (const std::string host : {"", "example.org:8000", "[::1]:8000"})
      CHECK(status(line, "host: " + host + "\r\n") == 200);
    for (const std::string host : {"a b", "a/b", "a@b"})
      CHECK(status(line, "Host: " + host + "\r\n") == 400);
    CHECK(status(line, kHost + kHost) == 400);
    CHECK(status(line, kHost + "A: b\r\nHOST: other\r\n") == 400);
  }
  CHECK(is_served(server));
}

TEST_CASE("serve: a transfer coding other than chunked is refused, and what follows is not read") {
  const Folder folder;
  const Server server(folder, {write_linear(folder)});
  const std::string body = linear_request(kX).dump();
  const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  for (const std::string path : {"POST /v2/models/m/infer HTTP/1.", "POST /none HTTP/1."})
    for (const std::string& headers : std::vector<std::string>{
             "1\r\nTransfer-Encoding: gzip\r\n" + length, "1\r\nTransfer-Encoding: gzip\r\n",
             "1\r\nTransfer-Encoding:\r\n" + length,
             "1\r\nTransfer-Encoding: identity\r\n" + length,
             "1\r\nTransfer-Encoding: gzip, chunked\r\n",
             "1\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
             "1\r\nTransfer-Encoding: chunked, gzip\r\n", "1\r\nTransfer-Encoding: xchunked\r\n",
             "0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n"}) {
      CAPTURE(headers);
      Client client(server.port());
      const bool is_chunked = headers.find("chunked\r\n") != headers.npos;
      client.send(path + headers + kHost + "\r\n" + (is_chunked ? "0\r\n\r\n" : "") + get("/v2"));
      const Response response = client.receive();
      CHECK(response.status == 400);
      CHECK_MESSAGE(response.body.find("a transfer coding other than chunked") != std::string::npos,
                    response.body);
      CHECK(client.is_closed());
    }
  CHECK(is_served(server));
}

TEST_CASE("serve: several requests at once on one connection, and one in small pieces") {
  const Folder folder;
  const Server server(folder, {write_linear(folder)});
  Client client(server.port());
  client.send(kGood + get("/v2") + kGood);
  CHECK(client.receive().json()["outputs"][0]["data"] == by_hand(kX));
  CHECK(client.receive().json().at("name") == "broch");
  CHECK(client.receive().status == 200);
  for (const char byte : kGood) client.send(std::string(1, byte));
  CHECK(client.receive().status == 200);
  const std::string body = linear_request(kX).dump();
  client.send(kInferHead + "Transfer-Encoding: Chunked\r\n\r\n");
  for (const char byte : body) client.send("1\r\n" + std::string(1, byte) + "\r\n");
  client.send("0\r\n\r\n");
  CHECK(client.receive().json()["outputs"][0]["data"] == by_hand(kX));
  client.send("GET /v2 HTTP/1.0\r\n\r\n");
  CHECK(client.receive().status == 200);
  CHECK(client.is_closed());
}

TEST_CASE("serve: a target may be the whole address") {
  const Folder folder;
  const Server server(folder, {write_linear(folder)});
  for (const std::string target :
       {"http://localhost/v2", "HTTP://other:80/v2?x=http://y/", "https://127.0.0.1//v2/"}) {
    CAPTURE(target);
    const Response response = server.ask(get(target));
    CHECK(response.status == 200);
    CHECK(response.json().at("name") == "broch");
  }
  for (const std::string target : {"http://localhost", "http://localhost?x", "http://", "*"})
    CHECK(server.ask(get(target)).status == 404);
}

TEST_CASE("serve: a client of HTTP/1.1 is told to continue, one of HTTP/1.0 is not") {
  const Folder folder;
  const Server server(folder, {write_linear(folder)});
  const std::string body = linear_request(kX).dump();
  const std::string headers =
      "Expect: 100-continue\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  Client client(server.port());
  client.send(kInferHead + headers);
  CHECK(client.receive().status == 100);
  client.send(body);
  CHECK(client.receive().json()["outputs"][0]["data"] == by_hand(kX));
  Client old(server.port());
  old.send("POST /v2/models/m/infer HTTP/1.0\r\n" + headers + body);
  const Response response = old.receive();
  REQUIRE(response.status == 200);
  CHECK(response.json()["outputs"][0]["data"] == by_hand(kX));
}

TEST_CASE("serve: bodies that are too large, however they are announced") {
  const Folder folder;
  const Server server(folder, {write_linear(folder), "--max-body", "1"});
  const std::string mebibytes(3 << 20, ' ');
  CHECK(server.ask(post("/v2/models/m/infer", mebibytes)).status == 413);
  Client chunked(server.port());
  chunked.send(kInferHead + "Transfer-Encoding: chunked\r\n\r\n300000\r\n" + mebibytes);
  CHECK(chunked.receive().status == 413);
  CHECK(is_served(server));
}

TEST_CASE("serve: what stands between and after the chunks of a body has a limit, too") {
  const Folder folder;
  const Server server(folder, {write_linear(folder)});
  const std::string head = kInferHead + "Transfer-Encoding: chunked\r\n\r\n";
  for (const std::string endless : {"1;", "0\r\nA: "}) {
    CAPTURE(endless);
    Client client(server.port());
    const Response response = client.ask(head + endless + std::string(8 << 20, 'a'));
    CHECK(response.status == 431);
    CHECK(client.is_closed());
  }
  CHECK(is_served(server));
}

TEST_CASE("serve: truncated and slow requests") {
  const Folder folder;
  const Server server(folder, {write_linear(folder), "--transfer-timeout", "1"});
  for (const size_t size : {size_t{1}, size_t{20}, kGood.size() - 1}) {
    const Client gone(server.port());
    gone.send(kGood.substr(0, size));
  }
  {
    Client slow(server.port());
    slow.send(kGood.substr(0, kGood.size() - 1));
    CHECK(slow.receive().status == 408);
    CHECK(slow.is_closed());
  }
  Client dripping(server.port());  // never silent for long
  dripping.send("GET /v2 HTTP/1.1\r\n");
  for (int i = 0; i < 20; ++i) {
    dripping.send("A: b\r\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  CHECK(dripping.receive().status == 408);
  CHECK(is_served(server));
}

TEST_CASE("serve: too many connections") {
  const Folder folder;
  const Server server(folder, {write_linear(folder), "--max-connections", "2"});
  {
    Client first(server.port()), second(server.port());
    CHECK(first.ask(get("/v2")).status == 200);
    CHECK(second.ask(get("/v2")).status == 200);
    Client third(server.port());
    CHECK(third.ask(get("/v2")).status == 503);
    CHECK(third.is_closed());
    CHECK(first.ask(kGood).status == 200);
  }
  for (int i = 0; i < 100 && !is_served(server); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(is_served(server));
}
