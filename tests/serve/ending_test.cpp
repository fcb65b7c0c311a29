// ending_test.cpp: signals, kills, and starting again.
#include <csignal>
#include <thread>

#include "serving.hpp"

using namespace broch::serve_test;

TEST_CASE("serve: SIGTERM and SIGINT finish what has begun") {
  for (const int signal : {SIGTERM, SIGINT}) {
    const Folder folder;
    // The requests wait for others until long after the signal.
    Server server(folder, {write_linear(folder), "--batch-wait", "2000"});
    Client waiting(server.port()), begun(server.port()), idle(server.port());
    CHECK(idle.ask(get("/v2")).status == 200);
    waiting.send(kGood);
    begun.send(kGood.substr(0, 40));
    while (server.metric("broch_serve_waiting_requests") < 1) continue;
    server.signal(signal);
    CHECK(idle.is_closed());
    begun.send(kGood.substr(40));
    for (Client* client : {&waiting, &begun}) {
      const Response response = client->receive();
      REQUIRE(response.status == 200);
      CHECK(response.header("Connection") == "close");
      CHECK(response.json()["outputs"][0]["data"] == by_hand(kX));
      CHECK(client->is_closed());
    }
    CHECK(server.wait() == 0);
  }
}

TEST_CASE("serve: a second signal ends it at once") {
  const Folder folder;
  Server server(folder, {write_linear(folder), "--batch-wait", "10000"});
  const Client waiting(server.port());
  waiting.send(kGood);
  while (server.metric("broch_serve_waiting_requests") < 1) continue;
  server.signal(SIGTERM);
  while (server.log().find("next signal") == std::string::npos) continue;
  server.signal(SIGTERM);
  CHECK(server.wait() == 128 + SIGTERM);
}

TEST_CASE("serve: killed and started again on the same port") {
  const Folder folder;
  const std::string bundle = write_linear(folder);
  int port = 0;
  {
    const Server server(folder, {bundle});
    port = server.port();
    Client client(port);
    CHECK(client.ask(kGood).status == 200);
    server.signal(SIGKILL);
    CHECK(client.is_closed());
  }
  const Server again(folder, {bundle, "--port", std::to_string(port)});
  CHECK(again.port() == port);
  CHECK(again.ask(kGood).status == 200);
  Server second(folder, {bundle, "--port", std::to_string(port)});
  CHECK(second.wait() == 5);
  CHECK(second.log().find("Address already in use") != std::string::npos);
}
