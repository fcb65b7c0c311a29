#include <doctest/doctest.h>

#include <set>
#include <thread>

#include "rig.hpp"

using namespace broch;

namespace {

struct Predicting {
  test::Rig rig;
  test::Callback callback;
  broch_predictor predictor = 0;
  broch_status made = 0;
  std::string why;

  const broch_host_predict* ext() {
    return test::extension<broch_host_predict>(callback.host, BROCH_EXT_PREDICT);
  }
  void ask(std::vector<const char*> inputs, std::vector<const char*> outputs, uint32_t device = 0) {
    callback.setup_graph = [this, inputs, outputs, device] {
      made = ext()->get_predictor(callback.host, nullptr, device, inputs.data(),
                                  static_cast<uint32_t>(inputs.size()), outputs.data(),
                                  static_cast<uint32_t>(outputs.size()), &predictor);
      if (made) why = callback.host->last_error(callback.host);
      return broch_status{BROCH_OK};
    };
    if (rig.parts.callbacks.empty()) rig.add(callback, "user");
  }
  double predict(float number) { return predict_all(number, 1).front(); }
  // The outputs for this input; -1: it failed.
  std::vector<double> predict_all(float number, size_t n) {
    const auto* tensors = test::extension<broch_host_tensor>(callback.host, BROCH_EXT_TENSOR);
    const broch_dl_tensor data = {&number, {BROCH_DL_CPU, 0}, 0, {BROCH_DL_FLOAT, 32, 1},
                                  nullptr, nullptr,           0};
    broch_tensor input = 0;
    std::vector<broch_tensor> outputs(n);
    std::vector<double> values(n, -1);
    tensors->from_data(callback.host, &data, &input);
    if (ext()->call(callback.host, predictor, &input, 1, outputs.data(), uint32_t(n)))
      return values;
    for (size_t i = 0; i < n; ++i) tensors->item(callback.host, outputs[i], &values[i]);
    return values;
  }
};

}  // namespace

TEST_CASE("predictor: it gives the outputs of what it is fed") {
  Predicting test;
  test.ask({"x"}, {"cost"});
  double value = 0;
  test.callback.trigger_epoch = [&] {
    value = test.predict(7);
    return broch_status{BROCH_OK};
  };
  test.rig.train(1, 1);
  CHECK(test.made == BROCH_OK);
  CHECK(value == 7);
  CHECK(test.rig.input.next_value == 2);
}

TEST_CASE("predictor: an input is an output, beside the others") {
  Predicting test;
  test.ask({"x"}, {"cost", "x"});
  std::vector<double> values;
  test.callback.trigger_epoch = [&] {
    values = test.predict_all(7, 2);
    return broch_status{BROCH_OK};
  };
  test.rig.train(1, 1);
  CHECK(test.made == BROCH_OK);
  CHECK(values == std::vector<double>{7, 7});
}

TEST_CASE("predictor: an output that needs an input nobody feeds names both") {
  Predicting test;
  test.ask({}, {"cost"});
  test.rig.prepare();
  CHECK(test.made == BROCH_E_INVALID_ARGUMENT);
  CHECK(test.why.find("'cost' needs the input 'x'") != std::string::npos);
}

TEST_CASE("predictor: a name can be fed once only") {
  Predicting test;
  test.ask({"x", "x"}, {"cost"});
  test.rig.prepare();
  CHECK(test.made == BROCH_E_INVALID_ARGUMENT);
  CHECK(test.why.find("'x' is to be fed twice") != std::string::npos);
}

TEST_CASE("predictor: unknown names are NOT_FOUND with the near ones") {
  Predicting test;
  test.ask({"x"}, {"csot"});
  test.rig.prepare();
  CHECK(test.made == BROCH_E_NOT_FOUND);
  CHECK(test.why.find("did you mean 'cost'?") != std::string::npos);
}

TEST_CASE("predictor: variables are outputs, too, and devices go round with a warning") {
  Predicting test;
  const test::LogCapture log;
  test.ask({}, {"w"}, 3);
  test.rig.prepare();
  CHECK(test.made == BROCH_OK);
  CHECK(log.has("predict device 3 is not among the 1"));
}

TEST_CASE("predictor: threads may call it while training goes on") {
  Predicting test;
  test.ask({"x"}, {"cost"});
  std::thread thread;
  std::atomic<int> right{0};
  test.callback.before_train = [&] {
    thread = std::thread([&] {
      const auto* scope = test::extension<broch_host_scope>(test.callback.host, BROCH_EXT_SCOPE);
      scope->thread_enter(test.callback.host, "asking");
      for (int i = 0; i < 100; ++i) right += test.predict(static_cast<float>(i)) == i;
      scope->thread_leave(test.callback.host);
    });
    return broch_status{BROCH_OK};
  };
  test.callback.after_train = [&] {
    thread.join();
    return broch_status{BROCH_OK};
  };
  test.rig.train(100, 1);
  CHECK(right == 100);
}

TEST_CASE("trainable table: it lists names, shapes and totals") {
  test::Rig rig;
  const test::LogCapture log;
  rig.prepare();
  CHECK(log.has("w     []     1"));
  CHECK(log.has("Number of trainable variables: 1"));
}

TEST_CASE("predictor: what it draws at a step does not depend on what was drawn before a resume") {
  // The draws of two predictions in each of the epochs, one step each, from `first` to 3.
  const auto draws = [](int64_t first) {
    Predicting test;
    test.rig.model.body = [&](broch_tower tower, broch_tensor x) {
      const auto* ops = test::extension<broch_host_ops>(test.rig.model.host, BROCH_EXT_OPS);
      broch_op op = 0;
      broch_value argument{}, result{};
      argument.tag = BROCH_TAG_TENSOR;
      argument.u.tensor = x;
      REQUIRE(ops->resolve(test.rig.model.host,
                           "aten::rand_like(Tensor self, *, Generator? generator=None) -> Tensor",
                           &op) == BROCH_OK);
      REQUIRE(ops->call(test.rig.model.host, op, &argument, 1, &result, 1) >= 0);
      broch_tensor published = 0;
      test.rig.model.towers()->publish(test.rig.model.host, tower, "draw", result.u.tensor,
                                       &published);
    };
    test.ask({"x"}, {"draw"});
    std::vector<double> values;
    test.callback.trigger_epoch = [&] {
      for (int i = 0; i < 2; ++i) values.push_back(test.predict(7));
      return broch_status{BROCH_OK};
    };
    test.rig.prepare();
    test.rig.hypers->set("global_step", double(first - 1));
    test.rig.train(1, 3, first);
    return values;
  };
  const std::vector<double> all = draws(1);
  REQUIRE(all.size() == 6);
  CHECK(std::set<double>(all.begin(), all.end()).size() == 6);
  CHECK(draws(3) == std::vector<double>(all.begin() + 4, all.end()));
}
