// batching_test.cpp: requests that are computed together, and those that cannot wait.
#include <atomic>
#include <thread>

#include "serving.hpp"

using namespace broch::serve_test;

namespace {

std::string long_request(int64_t n) {
  const std::string json = Json{{"inputs",
                                 {{{"name", "x"},
                                   {"datatype", "FP32"},
                                   {"shape", {n, n}},
                                   {"parameters", {{"binary_data_size", n * n * 4}}}}}},
                                {"parameters", {{"binary_data_output", true}}}}
                               .dump();
  return post("/v2/models/long/infer", json + std::string(size_t(n * n * 4), '\0'),
              "Inference-Header-Content-Length: " + std::to_string(json.size()) + "\r\n");
}

template <class Body>
void in_threads(int count, const Body& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("serve: requests that wait are joined, and each gets its own rows") {
  const Folder folder;
  const Server server(folder, {write_linear(folder), "--threads", "1", "--batch-wait", "3000",
                               "--max-batch", "12"});
  std::atomic<int> wrong{0};
  in_threads(6, [&](int i) {  // 1, 2, 3, 1, 2 and 3 rows: 12
    std::vector<float> x;
    for (int k = 0; k < 3 * (1 + i % 3); ++k) x.push_back(float(i + k % 5));
    const Response response = server.ask(post("/v2/models/m/infer", linear_request(x).dump()));
    if (response.status != 200 || response.json()["outputs"][0]["data"] != by_hand(x)) ++wrong;
  });
  CHECK(wrong == 0);
  CHECK(server.metric("broch_serve_rows_total{model=\"m\"}") == 12);
  CHECK(server.metric("broch_serve_batch_rows_count{model=\"m\"}") == 1);
}

TEST_CASE("serve: sizes between those that have programs, and more rows than a batch") {
  const Folder folder;
  const Server server(folder, {write_linear(folder), "--max-batch", "8"});
  Client client(server.port());
  for (const size_t rows : {5, 7, 8, 9, 50, 1}) {
    std::vector<float> x;
    for (size_t i = 0; i < rows * 3; ++i) x.push_back(float(i % 7) - 2);
    const Response response = client.ask(post("/v2/models/m/infer", linear_request(x).dump()));
    CAPTURE(rows);
    REQUIRE_MESSAGE(response.status == 200, response.body);
    CHECK(response.json()["outputs"][0]["data"] == by_hand(x));
  }
}

TEST_CASE("serve: a request that fails leaves its neighbors alone") {
  const Folder folder;
  const Server server(
      folder, {write_lookup(folder), "--threads", "1", "--batch-wait", "2000", "--max-batch", "4"});
  std::atomic<int> right{0}, refused{0};
  in_threads(4, [&](int i) {
    const int index = i == 2 ? 77 : i;
    const Json request = {
        {"inputs",
         {{{"name", "index"}, {"datatype", "INT64"}, {"shape", {1, 1}}, {"data", {index}}}}}};
    const Response response = server.ask(post("/v2/models/lookup/infer", request.dump()));
    if (response.status == 200 &&
        response.json()["outputs"][0]["data"] == Json{2 * index, 2 * index + 1})
      ++right;
    if (i == 2 && response.status >= 400) ++refused;
  });
  CHECK(right == 3);
  CHECK(refused == 1);
}

TEST_CASE("serve: a request that cannot be joined does not wait for others") {
  const Folder folder;
  const Server server(folder, {write_long(folder), "--batch-wait", "10000", "--timeout", "5"});
  CHECK(server.ask(long_request(2)).status == 200);
}

TEST_CASE("serve: a full queue, and a result that takes too long") {
  const Folder folder;
  const Server server(folder, {write_long(folder), write_linear(folder), "--threads", "1",
                               "--max-queue", "1", "--timeout", "2"});
  std::atomic<int> late{0}, refused{0}, other{0};
  in_threads(6, [&](int) {
    Client client(server.port());
    const Response response = client.ask(long_request(1500));
    ++(response.status == 504 ? late : response.status == 429 ? refused : other);
    if (response.status == 429) CHECK(response.header("Retry-After") == "1");
  });
  CHECK(late >= 1);
  CHECK(refused >= 1);
  CHECK(other == 0);
  // The computation was given up, so the thread is free again.
  const std::vector<float> x = {1, 2, 3};
  Response response;
  for (int i = 0; i < 100 && response.status != 200; ++i)
    response = server.ask(post("/v2/models/m/infer", linear_request(x).dump()));
  CHECK(response.status == 200);
}
