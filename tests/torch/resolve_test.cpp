// resolve_test.cpp: operators by the schema text a plugin was compiled with.
#include <fstream>
#include <thread>

#include "fixture.hpp"

using namespace broch::runtime;

namespace {

broch_status status_of(const std::string& schema) {
  try {
    backend().resolve(schema);
  } catch (const OperatorError& error) {
    return error.status();
  }
  return BROCH_OK;
}
std::string refusal(const std::string& schema) {
  return error_of([&] { backend().resolve(schema); });
}

}  // namespace

TEST_CASE("resolve: an older, shorter schema still fits") {
  CHECK(status_of("aten::gelu(Tensor self) -> Tensor") == BROCH_OK);
  CHECK(std::string(backend().operator_name(
            backend().resolve("aten::gelu(Tensor self) -> Tensor"))) == "aten::gelu");
}

TEST_CASE("resolve: the same text gives the same operator, from every thread") {
  const char* schema = "aten::tanh(Tensor self) -> Tensor";
  Operator* seen[4] = {};
  std::vector<std::thread> threads;
  for (Operator*& op : seen)
    threads.emplace_back([&op, schema] { op = backend().resolve(schema); });
  for (std::thread& thread : threads) thread.join();
  for (Operator* op : seen) CHECK(op == backend().resolve(schema));
}

TEST_CASE("resolve: an unknown operator names the nearest") {
  CHECK(status_of("aten::rellu(Tensor self) -> Tensor") == BROCH_E_NOT_FOUND);
  CHECK(has(refusal("aten::rellu(Tensor self) -> Tensor"),
            "operator 'aten::rellu': LibTorch has no such operator, did you mean 'aten::relu'?"));
}

TEST_CASE("resolve: a schema that changed is refused with the reason") {
  const char* renamed = "aten::relu(Tensor input) -> Tensor";
  CHECK(status_of(renamed) == BROCH_E_FAILED_PRECONDITION);
  CHECK(has(refusal(renamed), "the declared schema does not fit"));
  CHECK(has(refusal(renamed), "aten::relu(Tensor self) -> Tensor"));
  CHECK(status_of("aten::relu(Tensor self, Tensor more) -> Tensor") == BROCH_E_FAILED_PRECONDITION);
  CHECK(status_of("aten::mul.Tensor(Tensor self, int other) -> Tensor") ==
        BROCH_E_FAILED_PRECONDITION);
}

TEST_CASE("resolve: text that is no schema is refused") {
  for (const char* text : {"", "relu", "aten::relu(", "aten::relu(Tensor self) -> ", "\xff\xfe"}) {
    CAPTURE(text);
    CHECK(status_of(text) == BROCH_E_INVALID_ARGUMENT);
  }
  CHECK(has(refusal("aten::relu("), "expected a schema like 'aten::relu(Tensor self) -> Tensor'"));
  CHECK(has(refusal(std::string(5000, 'x')),
            "found 5000 bytes, expected UTF-8 text of at most 4096"));
}

TEST_CASE("resolve: a result that the interface cannot say is refused") {
  CHECK(status_of("aten::result_type.Tensor(Tensor tensor, Tensor other) -> ScalarType") ==
        BROCH_E_UNIMPLEMENTED);
}

TEST_CASE("resolve: arguments map by name onto an operator that has more between them") {
  const Tensor a = floats({1, 2}, {2}), b = floats({10, 20}, {2}), out = floats({0, 0}, {2});
  call1("aten::add.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)",
        {of(a), of(b), of(out)});
  CHECK(numbers(out) == std::vector<double>{11, 22});
}

TEST_CASE("resolve: writes come from the schema and from the list of silent writers") {
  const Tensor x = floats({1, 2}, {2});
  const RawValue args[] = {of(x), of(x)};
  const auto writes = [](const char* schema, const RawValue* args, uint32_t n) {
    return backend().writes(backend().resolve(schema), args, n);
  };
  CHECK(writes("aten::add.Tensor(Tensor self, Tensor other) -> Tensor", args, 2) == 0);
  CHECK(writes("aten::add_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", args, 2) == 1);
  CHECK(writes("aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> "
               "Tensor(a!)",
               args, 2) == 8);
  const char* batch_norm =
      "aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, "
      "Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)";
  const std::vector<RawValue> training{of(x), none(),   none(), of(x),
                                       of(x), of(true), of(.1), of(.1)};
  std::vector<RawValue> inference = training;
  inference[5] = of(false);
  CHECK(writes(batch_norm, training.data(), 8) == 0b11000);
  CHECK(writes(batch_norm, inference.data(), 8) == 0);
}

TEST_CASE("resolve: operators that hand values to the host are known") {
  const auto reads = [](const char* schema) {
    return backend().reads_value(backend().resolve(schema));
  };
  CHECK(reads("aten::_local_scalar_dense(Tensor self) -> Scalar"));
  CHECK(reads("aten::nonzero(Tensor self) -> Tensor"));
  CHECK(reads("aten::masked_select(Tensor self, Tensor mask) -> Tensor"));
  CHECK(reads("aten::is_nonzero(Tensor self) -> bool"));
  CHECK(reads("aten::item(Tensor self) -> Scalar"));
  CHECK(
      reads("aten::gru.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool "
            "has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> "
            "(Tensor, Tensor)"));
  CHECK(
      !reads("aten::gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int "
             "num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> "
             "(Tensor, Tensor)"));
  CHECK(!reads("aten::relu(Tensor self) -> Tensor"));
}

TEST_CASE("schema: of each operator of the set, and it resolves") {
  CHECK(backend().schema("aten::relu") == "aten::relu(Tensor self) -> Tensor");
  CHECK(backend().schema("aten::add_.Tensor") ==
        "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)");
  std::ifstream texts(OPSET_TEXTS);
  int count = 0;
  for (std::string line; std::getline(texts, line);) {
    const size_t begin = line.find("aten::");
    if (begin == std::string::npos || line.find('(') == std::string::npos) continue;
    const std::string name = line.substr(begin, line.find('(') - begin);
    CAPTURE(name);
    CHECK(status_of(backend().schema(name)) == BROCH_OK);
    ++count;
  }
  CHECK(count > 200);
}

TEST_CASE("schema: none of what is not there") {
  for (const char* name : {"", "relu", "aten::", "aten::rellu", "aten::add.", "aten::add.Tensors",
                           "::", ".", "aten::relu.out.more"}) {
    CAPTURE(name);
    CHECK(backend().schema(name).empty());
  }
}
