// misuse_test.cpp: every operator of the set refuses what it cannot take, or computes; none
// crashes.
#include <signal.h>
#include <sys/resource.h>

#include <cmath>
#include <deque>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "fixture.hpp"
#include "support/in_child.hpp"

using namespace broch::runtime;

namespace {

constexpr int kCalls = 150;  // of each operator

Tensor tensor_of(broch_dtype kind, std::vector<int64_t> shape, double step) {
  int64_t elements = 1;
  for (const int64_t size : shape) elements *= size;
  std::vector<float> values;
  for (int64_t i = 0; i < elements; ++i) values.push_back(float(double(i) * step - 1));
  const Tensor made = floats(values, shape);
  if (kind == BROCH_FLOAT32) return made;
  return call1(
      "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool "
      "copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
      {of(made), dtype(kind)});
}

const std::vector<Tensor>& tensors() {
  static const std::vector<Tensor> all = {Tensor(),
                                          tensor_of(BROCH_FLOAT32, {}, 1),
                                          tensor_of(BROCH_FLOAT32, {3}, 0.5),
                                          tensor_of(BROCH_FLOAT32, {2, 3}, 0.5),
                                          tensor_of(BROCH_FLOAT32, {3, 2}, 0.5),
                                          tensor_of(BROCH_FLOAT32, {2, 3, 4}, 0.5),
                                          tensor_of(BROCH_FLOAT32, {2, 3, 4, 4}, 0.1),
                                          tensor_of(BROCH_FLOAT32, {1, 2, 1, 3, 2}, 0.1),
                                          tensor_of(BROCH_FLOAT32, {1, 1, 1, 2, 1, 1, 1, 2}, 0.1),
                                          tensor_of(BROCH_FLOAT32, {0}, 1),
                                          tensor_of(BROCH_FLOAT32, {0, 3}, 1),
                                          tensor_of(BROCH_FLOAT32, {2, 0, 4, 4}, 1),
                                          tensor_of(BROCH_FLOAT64, {2, 3}, 0.5),
                                          tensor_of(BROCH_BFLOAT16, {2, 3}, 0.5),
                                          tensor_of(BROCH_INT64, {}, 1),
                                          tensor_of(BROCH_INT64, {3}, 50),
                                          tensor_of(BROCH_INT64, {2, 3}, 1),
                                          tensor_of(BROCH_INT32, {2}, 3),
                                          tensor_of(BROCH_UINT8, {2, 3}, 1),
                                          tensor_of(BROCH_BOOL, {2, 3}, 1),
                                          tensor_of(BROCH_COMPLEX64, {2, 3}, 1)};
  return all;
}

// One line of opset-1.txt.
struct Schema {
  std::string name, text;
  std::vector<std::string> types;  // "Tensor", "int[2]", "Scalar?"
};

Schema schema_of(const std::string& line) {
  const size_t equals = line.find(" = ");
  Schema schema{line.substr(0, equals), line.substr(equals + 3), {}};
  const size_t open = schema.text.find('('), end = schema.text.rfind(") ->");
  std::istringstream arguments(schema.text.substr(open + 1, end - open - 1));
  for (std::string argument; std::getline(arguments, argument, ',');) {
    std::string type = argument.substr(argument.find_first_not_of(' '));
    if (type == "*") continue;
    type = type.substr(0, type.rfind(' ', type.find('=')));
    if (const size_t alias = type.find('('); alias != std::string::npos)
      type.erase(alias, type.find(')') - alias + 1);
    schema.types.push_back(type);
  }
  return schema;
}

std::vector<Schema> schemas() {
  std::ifstream file(OPSET_TEXTS);
  std::vector<Schema> all;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') all.push_back(schema_of(line));
  return all;
}

// Arguments of the right kinds, and hardly ever right ones.
class Wild {
 public:
  explicit Wild(unsigned seed) : random_(seed) {}

  RawValue argument(const std::string& type) {
    const bool optional = type.back() == '?';
    if (optional && chance(3)) return none();
    if (type.starts_with("Tensor?[")) return tensor_list();
    if (type.starts_with("Tensor[")) return tensor_list();
    if (type.starts_with("Tensor")) return of(one_of(tensors()));
    if (type.starts_with("int[") || type.starts_with("SymInt[")) return integer_list();
    if (type.starts_with("int") || type.starts_with("SymInt")) return of(one_of(integers()));
    if (type.starts_with("float")) return of(one_of(floatings()));
    if (type.starts_with("bool")) return of(chance(2));
    if (type.starts_with("Scalar")) {
      if (!type.starts_with("ScalarType"))
        return chance(2) ? of(one_of(integers())) : of(one_of(floatings()));
      return dtype(broch_dtype(1 + random_() % 12));
    }
    if (type.starts_with("str")) return of(chance(2) ? "" : "floor");
    return none();
  }

 private:
  bool chance(unsigned of) { return random_() % of == 0; }
  template <class List>
  const typename List::value_type& one_of(const List& list) {
    return list[random_() % list.size()];
  }
  static const std::vector<int64_t>& integers() {
    static const std::vector<int64_t> all = {0,
                                             1,
                                             2,
                                             3,
                                             1,
                                             2,
                                             -1,
                                             -2,
                                             7,
                                             -9,
                                             100,
                                             std::numeric_limits<int64_t>::max(),
                                             std::numeric_limits<int64_t>::min()};
    return all;
  }
  static const std::vector<double>& floatings() {
    static const std::vector<double> all = {0, 1, 0.5, -1, 3, 1e300, std::nan(""), INFINITY};
    return all;
  }
  RawValue integer_list() {
    std::vector<int64_t>& values = integer_lists_.emplace_back();
    for (size_t n = random_() % 5; n > 0; --n) values.push_back(one_of(integers()));
    return list(values);
  }
  RawValue tensor_list() {
    std::vector<broch_tensor>& values = tensor_lists_.emplace_back();
    for (size_t n = random_() % 4; n > 0; --n)
      values.push_back(reinterpret_cast<broch_tensor>(one_of(tensors()).impl()));
    return list(values);
  }

  std::mt19937 random_;
  std::deque<std::vector<int64_t>> integer_lists_;
  std::deque<std::vector<broch_tensor>> tensor_lists_;
};

// With the address sanitizer a process maps terabytes; there the allocator has the limit instead.
void limit_memory() {
#ifndef __SANITIZE_ADDRESS__
  const rlimit memory{rlim_t{6} << 30, rlim_t{6} << 30};
  setrlimit(RLIMIT_AS, &memory);
#endif
}

// Writes the number of the call before it, as a crash leaves nothing else.
void call_wildly(const Schema& schema) {
  for (const int number : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL}) signal(number, SIG_DFL);
  limit_memory();
  alarm(60);
  Wild wild(1);
  CountingDraws draws(1);
  const auto guard = backend().enter(true, &draws);
  Operator* const op = backend().resolve(schema.text);
  for (int number = 0; number < kCalls; ++number) {
    std::vector<RawValue> arguments;
    for (const std::string& type : schema.types) arguments.push_back(wild.argument(type));
    dprintf(STDERR_FILENO, "%d ", number);
    RawValue results[8] = {};
    try {
      const uint32_t count =
          backend().call(op, arguments.data(), uint32_t(arguments.size()), results, 8);
      for (uint32_t i = 0; i < count; ++i)
        if (results[i].tag == BROCH_TAG_TENSOR)
          Tensor(reinterpret_cast<void*>(results[i].u.tensor), &backend().counting());
    } catch (const OperatorError&) {
    }
  }
}

}  // namespace

TEST_CASE("misuse: no operator crashes, whatever its arguments are") {
  tensors();
  int tried = 0;
  for (const Schema& schema : schemas()) {
    CAPTURE(schema.name);
    const broch::test::Death death = broch::test::in_child([&] { call_wildly(schema); });
    CHECK_MESSAGE(death.signal == 0, "signal ", death.signal, " in call ", death.text);
    CHECK_MESSAGE(death.exit == 0, "exit ", death.exit, " in call ", death.text);
    ++tried;
  }
  CHECK(tried > 200);
}

TEST_CASE("misuse: an undefined tensor is refused by name") {
  const Tensor x = floats({1, 2}, {2});
  CHECK(has(error_of([&] {
              call("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
                   {of(x), of(Tensor())});
            }),
            "argument 'other' (Tensor): found an undefined tensor"));
  const std::vector<broch_tensor> list_with_none = {reinterpret_cast<broch_tensor>(x.impl()), 0};
  CHECK(has(error_of([&] {
              call("aten::cat(Tensor[] tensors, int dim=0) -> Tensor", {list(list_with_none)});
            }),
            "argument 'tensors' (Tensor[]): found an undefined tensor"));
}

#ifdef __SANITIZE_ADDRESS__
extern "C" const char* __asan_default_options() { return "max_allocation_size_mb=2048"; }
#endif
