// serving.hpp: bundles that are made by hand, and the program that serves them.
#pragma once
#include <doctest/doctest.h>
#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "folder.hpp"
#include "http_client.hpp"

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

using test::Client, test::Response, test::get, test::post;

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
// A request that the model "m" answers, and its row.
inline const std::vector<float> kX = {1, 2, 3};
inline const std::string kGood = post("/v2/models/m/infer", linear_request(kX).dump());

}  // namespace broch::serve_test
