// function_test.cpp: expressions as functions of role function.
#include "session/function.hpp"

#include <doctest/doctest.h>

#include "value/json.hpp"

using broch::session::Function;

namespace {

broch_status call(const std::string& text, double* result, std::optional<double> error = 0.25) {
  const broch::value::Value option = broch::value::parse_text("test", "\"" + text + "\"");
  Function function(broch::manifest::Expression(option),
                    [&](const std::string& name) -> std::optional<double> {
                      return name == "error" ? error : std::nullopt;
                    });
  broch_function_args args{sizeof args, 0, 3, 4, 50, 0.5};
  return Function::table()->call(&function, &args, result);
}

}  // namespace

TEST_CASE("function: variables are the progress of the run") {
  double result = 0;
  CHECK(call("epoch_num * 100 + local_step * 10 + global_step + value", &result) == BROCH_OK);
  CHECK(result == 390.5);
}

TEST_CASE("function: stop() is BROCH_STOP, and only where it is reached") {
  double result = 0;
  CHECK(call("epoch_num > 2 ? stop() : value", &result) == BROCH_STOP);
  CHECK(call("epoch_num > 3 ? stop() : value", &result) == BROCH_OK);
  CHECK(result == 0.5);
}

TEST_CASE("function: a metric that has no value yet leaves everything as it is") {
  double result = 7;
  CHECK(call("stat(\\\"error\\\")", &result, 0.125) == BROCH_OK);
  CHECK(result == 0.125);
  CHECK(call("stat(\\\"error\\\")", &result, std::nullopt) == BROCH_NONE);
  CHECK(result == 0.125);
}
