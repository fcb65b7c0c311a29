// serving.hpp: bundles that are made by hand, the program that serves them, and a client that
// writes any bytes.
#pragma once
#include <doctest/doctest.h>
#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "folder.hpp"

namespace broch::serve_test {

using Json = nlohmann::json;
using test::Folder;

// y = relu(linear(x)) for x (B, 3) and y (B, 2).
std::string write_linear(const Folder& folder);
std::vector<float> by_hand(const std::vector<float>& x);
// rows = table[index] for index (B, 1) int64 below 5.
std::string write_lookup(const Folder& folder);
// The product of 200 matrices x (N, N), which takes long for a large N.
std::string write_long(const Folder& folder);

struct Response {
  int status = 0;    // 0: the connection was closed before a whole response had arrived
  std::string head;  // status line and headers
  std::string body;

  Json json() const { return Json::parse(body); }
  std::string error() const { return json().at("error"); }
  // "" if there is no such header. name: as it was sent.
  std::string header(const std::string& name) const;
};

class Client {
 public:
  explicit Client(int port);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& bytes) const;  // gives up if the other side has closed
  // has_body: false after HEAD.
  Response receive(bool has_body = true);
  Response ask(const std::string& bytes) { return send(bytes), receive(); }
  // Whether the other side closes within so many seconds, and sends nothing more.
  bool is_closed(double seconds = 10) const;

 private:
  int socket_;
  std::string left_;  // received, and not yet asked for
};

std::string get(const std::string& path);
std::string post(const std::string& path, const std::string& body, const std::string& headers = "");

class Server {
 public:
  // words: bundles and options. Waits until it listens, unless it ends before.
  Server(const Folder& folder, const std::vector<std::string>& words);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  Response ask(const std::string& bytes) const { return Client(port_).ask(bytes); }
  // A metric, such as `broch_serve_rows_total{model="m"}`; -1 if there is none.
  double metric(const std::string& name) const;
  void signal(int number) const;
  int wait();  // exit code; 128 + n after signal n
  std::string log() const { return folder_.read("log"); }

 private:
  const Folder& folder_;
  pid_t pid_ = -1;
  int port_ = 0;
};

// {"inputs": [{"name": "x", …, "data": x}]} for rows of 3 numbers.
Json linear_request(const std::vector<float>& x);

}  // namespace broch::serve_test
