// async_predictor_test.cpp: who gets which answer, and how waiting ends. The null runtime knows one
// value per tensor, so values are compared where a batch has one row; tests/extensions does it for
// all.
#include "plan/async_predictor.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <semaphore>
#include <thread>

#include "rig.hpp"

using namespace broch;

namespace {

// Holds the model in the middle of a batch until it is opened.
struct Gate {
  std::binary_semaphore reached{0}, opened{0};
  void pass() {
    reached.release();
    opened.acquire();
  }
};

// What put has been answered, in order.
struct Answers {
  std::mutex mutex;
  std::condition_variable more;
  std::vector<broch_status> statuses;
  std::vector<double> values;
  std::string why;
  broch_status result = BROCH_OK;  // of the answer function
  const broch_host* host = nullptr;
  std::function<void()> inside;

  static broch_status take(void* user, broch_status status, const broch_tensor* outputs,
                           uint32_t m) {
    auto& answers = *static_cast<Answers*>(user);
    if (answers.inside) answers.inside();
    double value = -1;
    const auto* tensors = test::extension<broch_host_tensor>(answers.host, BROCH_EXT_TENSOR);
    if (outputs && m == 1) tensors->item(answers.host, outputs[0], &value);
    const std::lock_guard lock(answers.mutex);
    if (status < 0) answers.why = answers.host->last_error(answers.host);
    answers.statuses.push_back(status);
    answers.values.push_back(value);
    answers.more.notify_all();
    return answers.result;
  }
  void await(size_t count) {
    std::unique_lock lock(mutex);
    REQUIRE(
        more.wait_for(lock, std::chrono::seconds(20), [&] { return statuses.size() >= count; }));
  }
};

struct Asking {
  test::Rig rig;
  test::Callback callback;
  broch_async_predictor predictor = 0;
  broch_status made = 0;
  std::string why;
  std::vector<const char*> outputs = {"cost"};
  uint32_t predictors = 1;
  std::function<void()> train;  // in before_train
  std::atomic<bool> in_tower{false};
  Gate gate;

  Asking() { rig.model.rows = rig.input.rows = true; }
  const broch_host_async_predict* ext() {
    return test::extension<broch_host_async_predict>(callback.host, BROCH_EXT_ASYNC_PREDICT);
  }
  void create(uint32_t batch_size, uint64_t wait_ns) {
    const auto* predict = test::extension<broch_host_predict>(callback.host, BROCH_EXT_PREDICT);
    const char* const inputs[] = {"x"};
    std::vector<broch_predictor> alike(predictors);
    for (broch_predictor& one : alike)
      REQUIRE(predict->get_predictor(callback.host, nullptr, 0, inputs, 1, outputs.data(),
                                     uint32_t(outputs.size()), &one) == BROCH_OK);
    const broch_async_limits limits = {sizeof limits, batch_size, wait_ns};
    made = ext()->create(callback.host, alike.data(), predictors, &limits, &predictor);
    if (made) why = callback.host->last_error(callback.host);
  }
  void run(uint32_t batch_size, uint64_t wait_ns = 0) {
    callback.setup_graph = [=, this] {
      create(batch_size, wait_ns);
      return broch_status{BROCH_OK};
    };
    callback.before_train = [this] {
      if (train) train();
      return broch_status{BROCH_OK};
    };
    rig.add(callback, "user");
    rig.train(1, 1);
  }
  // The model waits at the gate once, in the next batch.
  void hold_next_batch() {
    rig.model.body = [this](broch_tower, broch_tensor) {
      if (in_tower.exchange(false)) gate.pass();
    };
  }
  broch_tensor number(float value) {
    const auto* tensors = test::extension<broch_host_tensor>(callback.host, BROCH_EXT_TENSOR);
    const broch_dl_tensor data = {&value,  {BROCH_DL_CPU, 0}, 0, {BROCH_DL_FLOAT, 32, 1},
                                  nullptr, nullptr,           0};
    broch_tensor tensor = 0;
    tensors->from_data(callback.host, &data, &tensor);
    return tensor;
  }
  broch_status call(float value, double* answer) {
    const broch_tensor input = number(value);
    broch_tensor output = 0;
    const broch_status status = ext()->call(callback.host, predictor, &input, 1, &output, 1);
    const auto* tensors = test::extension<broch_host_tensor>(callback.host, BROCH_EXT_TENSOR);
    if (status == BROCH_OK) tensors->item(callback.host, output, answer);
    return status;
  }
  broch_status put(float value, Answers& answers) {
    if (!answers.host) answers.host = callback.host;  // else an answer may be reading it
    const broch_tensor input = number(value);
    return ext()->put(callback.host, predictor, &input, 1, Answers::take, &answers);
  }
  std::string last_error() { return callback.host->last_error(callback.host); }
  template <class Body>
  std::thread thread(Body body) {
    return std::thread([this, body] {
      const auto* scope = test::extension<broch_host_scope>(callback.host, BROCH_EXT_SCOPE);
      scope->thread_enter(callback.host, "asking");
      body();
      scope->thread_leave(callback.host);
    });
  }
};

}  // namespace

TEST_CASE("async predictor: each of many threads gets the answers to its own questions") {
  Asking test;
  std::atomic<int> right{0};
  test.train = [&] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.push_back(test.thread([&, t] {
        for (int i = 0; i < 50; ++i) {
          double answer = -1;
          right += test.call(float(100 * t + i), &answer) == BROCH_OK && answer == 100 * t + i;
        }
      }));
    for (std::thread& thread : threads) thread.join();
  };
  test.run(1);
  CHECK(test.made == BROCH_OK);
  CHECK(right == 400);
}

TEST_CASE("async predictor: a full batch does not wait, and answers come in order") {
  Asking test;
  Answers answers;
  test.train = [&] {
    for (int i = 0; i < 4; ++i) CHECK(test.put(float(i), answers) == BROCH_OK);
    answers.await(4);
  };
  test.run(4, uint64_t{60} * 1'000'000'000);
  CHECK(answers.statuses == std::vector<broch_status>(4, BROCH_OK));
}

TEST_CASE("async predictor: the first question of a batch waits for others, but not longer") {
  Asking test;
  Answers answers;
  test.train = [&] {
    const auto begin = std::chrono::steady_clock::now();
    CHECK(test.put(3, answers) == BROCH_OK);
    answers.await(1);
    CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(30));
  };
  test.run(4, 30'000'000);
  CHECK(answers.values == std::vector<double>{3});
}

TEST_CASE("async predictor: a failure of a batch is the answer to all of its questions") {
  Asking test;
  Answers answers;
  std::atomic<bool> fails{false};
  test.rig.model.body = [&](broch_tower, broch_tensor) {
    if (fails) throw std::runtime_error("the model is tired");
  };
  test.train = [&] {
    fails = true;
    for (int i = 0; i < 2; ++i) CHECK(test.put(1, answers) == BROCH_OK);
    answers.await(2);
    double answer = 0;
    CHECK(test.call(1, &answer) < 0);
    CHECK(test.last_error().find("the model is tired") != std::string::npos);
    fails = false;
    CHECK(test.call(7, &answer) == BROCH_OK);
    CHECK(answer == 7);
  };
  test.run(2);
  CHECK(answers.statuses[0] < 0);
  CHECK(answers.statuses[1] == answers.statuses[0]);
  CHECK(answers.why.find("the model is tired") != std::string::npos);
}

TEST_CASE("async predictor: close answers those who wait with CANCELLED") {
  Asking test;
  Answers answers, probed;
  test.hold_next_batch();
  broch_status called = -1, put_after = -1, computing = -1;
  test.train = [&] {
    test.in_tower = true;
    std::thread first = test.thread([&] {
      double answer = 0;
      computing = test.call(1, &answer);
    });
    test.gate.reached.acquire();
    std::thread second = test.thread([&] {
      double answer = 0;
      called = test.call(2, &answer);
    });
    CHECK(test.put(3, answers) == BROCH_OK);
    std::thread closing =
        test.thread([&] { CHECK(test.ext()->close(test.callback.host, test.predictor) == 0); });
    for (int i = 0; i < 10'000 && test.put(5, probed) == BROCH_OK; ++i)  // until it is closed
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    test.gate.opened.release();
    first.join();
    second.join();
    closing.join();
    put_after = test.put(4, answers);
    CHECK(test.ext()->close(test.callback.host, test.predictor) == BROCH_OK);
  };
  test.run(1);
  CHECK(computing == BROCH_OK);
  CHECK(called == BROCH_CANCELLED);
  CHECK(answers.statuses == std::vector<broch_status>{BROCH_CANCELLED});
  CHECK(put_after == BROCH_CANCELLED);
}

TEST_CASE("async predictor: the end of the run closes it") {
  Answers answers;
  {
    Asking test;
    test.train = [&] { CHECK(test.put(3, answers) == BROCH_OK); };
    test.run(4, uint64_t{60} * 1'000'000'000);
  }
  CHECK(answers.statuses == std::vector<broch_status>{BROCH_CANCELLED});
}

TEST_CASE("async predictor: an answer function may put, but neither call nor close") {
  Asking test;
  Answers answers, further;
  broch_status called = 0, closed = 0, put = -1;
  std::string why;
  test.train = [&] {
    answers.inside = [&] {
      double answer = 0;
      called = test.call(1, &answer);
      why = test.last_error();
      closed = test.ext()->close(test.callback.host, test.predictor);
      put = test.put(5, further);
    };
    CHECK(test.put(3, answers) == BROCH_OK);
    answers.await(1);
    further.await(1);
  };
  test.run(1);
  CHECK(called == BROCH_E_FAILED_PRECONDITION);
  CHECK(why.find("would wait for itself") != std::string::npos);
  CHECK(closed == BROCH_E_FAILED_PRECONDITION);
  CHECK(put == BROCH_OK);
  CHECK(further.values == std::vector<double>{5});
}

TEST_CASE("async predictor: an answer function that fails ends it with its failure until close") {
  Asking test;
  Answers answers;
  answers.result = BROCH_E_INTERNAL;
  broch_status before = 0, after = 0, without_inputs = 0;
  test.train = [&] {
    CHECK(test.put(3, answers) == BROCH_OK);
    answers.await(1);
    double answer = 0;
    while ((before = test.call(1, &answer)) == BROCH_OK) std::this_thread::yield();
    CHECK(test.ext()->close(test.callback.host, test.predictor) == BROCH_OK);
    after = test.call(1, &answer);
    without_inputs = test.ext()->call(test.callback.host, test.predictor, nullptr, 0, nullptr, 0);
  };
  test.run(1);
  CHECK(before == BROCH_E_INTERNAL);
  CHECK(after == BROCH_CANCELLED);
  CHECK(without_inputs == BROCH_CANCELLED);
}

TEST_CASE("async predictor: what does not fit is refused") {
  SUBCASE("an output that is a variable") {
    Asking test;
    test.outputs = {"cost", "w"};
    test.run(4);
    CHECK(test.made == BROCH_E_INVALID_ARGUMENT);
    CHECK(test.why.find("'w' is a variable") != std::string::npos);
  }
  SUBCASE("no predictor") {
    Asking test;
    test.predictors = 0;
    test.run(4);
    CHECK(test.made == BROCH_E_INVALID_ARGUMENT);
  }
  SUBCASE("batches of nothing") {
    Asking test;
    test.run(0);
    CHECK(test.made == BROCH_E_INVALID_ARGUMENT);
    CHECK(test.why.find("found batch_size 0, expected 1 or more") != std::string::npos);
  }
  SUBCASE("a question before the variables have values") {
    Asking test;
    broch_status asked = 0;
    Answers answers;
    test.callback.setup_graph = [&] {
      test.create(1, 0);
      asked = test.put(1, answers);
      return broch_status{BROCH_OK};
    };
    test.rig.add(test.callback, "user");
    test.rig.train(1, 1);
    CHECK(asked == BROCH_E_FAILED_PRECONDITION);
  }
}

TEST_CASE("async predictor: several predictors share the questions") {
  Asking test;
  test.predictors = 3;
  std::atomic<int> right{0};
  test.train = [&] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.push_back(test.thread([&, t] {
        for (int i = 0; i < 50; ++i) {
          double answer = -1;
          right += test.call(float(t), &answer) == BROCH_OK;
        }
      }));
    for (std::thread& thread : threads) thread.join();
  };
  test.run(4, 1'000'000);
  CHECK(test.made == BROCH_OK);
  CHECK(right == 400);
}
