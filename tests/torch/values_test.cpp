// values_test.cpp: plain values become an operator's arguments, or are refused by name.
#include <cmath>

#include "fixture.hpp"

using namespace broch::runtime;
using broch::base::Exit;

namespace {

const char* kAdd = "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor";

std::string refusal(const std::string& schema, const std::vector<RawValue>& args) {
  return error_of([&] { call(schema, args); });
}

}  // namespace

TEST_CASE("values: a scalar argument takes an int, a double and a bool") {
  const Tensor a = floats({1, 2}, {2}), b = floats({10, 20}, {2});
  CHECK(numbers(call1(kAdd, {of(a), of(b), of(int64_t{3})})) == std::vector<double>{31, 62});
  CHECK(numbers(call1(kAdd, {of(a), of(b), of(0.5)})) == std::vector<double>{6, 12});
  const Tensor ones = call1("aten::full(SymInt[] size, Scalar fill_value) -> Tensor",
                            {list(std::vector<int64_t>{2}), of(true)});
  CHECK(backend().info(ones).dtype == BROCH_BOOL);
}

TEST_CASE("values: missing trailing arguments take the operator's defaults") {
  const Tensor a = floats({1, 2}, {2}), b = floats({10, 20}, {2});
  CHECK(numbers(call1(kAdd, {of(a), of(b)})) == std::vector<double>{11, 22});
}

TEST_CASE("values: none in place of a list is its default, in place of a number it is refused") {
  const Tensor x = floats({1, 4, 2, 3}, {2, 2});
  const char* amax = "aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor";
  CHECK(numbers(call1(amax, {of(x), none(), of(false)})) == std::vector<double>{4});
  CHECK(refusal(kAdd, {of(x), of(x), none()}).find("found NONE") != std::string::npos);
  const std::string without =
      refusal("aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)", {of(x), none()});
  CHECK_MESSAGE(without.find("found NONE") != std::string::npos, without);
}

TEST_CASE("values: an int widens for a float argument") {
  const Tensor x = floats({1, 3}, {1, 2});
  const char* schema = "aten::nan_to_num(Tensor self, float? nan=None) -> Tensor";
  CHECK(numbers(call1(schema, {of(x), of(int64_t{7})})) == std::vector<double>{1, 3});
  CHECK(numbers(call1(schema, {of(floats({NAN}, {1})), of(int64_t{7})})) == std::vector<double>{7});
}

TEST_CASE("values: dtype and the host's own kinds") {
  const Tensor a = floats({1, 2, 3}, {3});
  const Tensor sum = call1("aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
                           {of(a), dtype(BROCH_FLOAT64)});
  CHECK(backend().info(sum).dtype == BROCH_FLOAT64);
  CHECK(backend()
            .info(call1("aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
                        {of(a), none()}))
            .dtype == BROCH_FLOAT32);
  const Tensor zeros = call1(
      "aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
      "Device? device=None, bool? pin_memory=None) -> Tensor",
      {list(std::vector<int64_t>{2, 3}), dtype(BROCH_INT64), none(), none(), none()});
  CHECK(shape_of(zeros) == std::vector<int64_t>{2, 3});
  CHECK(backend().info(zeros).dtype == BROCH_INT64);
}

TEST_CASE("values: lists of tensors, of optional tensors, of ints, floats and bools") {
  const Tensor a = floats({1, 2}, {1, 2}), b = floats({3, 4}, {1, 2});
  const std::vector<broch_tensor> both{of(a).u.tensor, of(b).u.tensor};
  const Tensor cat =
      call1("aten::cat(Tensor[] tensors, int dim=0) -> Tensor", {list(both), of(int64_t{1})});
  CHECK(numbers(cat) == std::vector<double>{1, 2, 3, 4});

  const Tensor rows = call1("aten::arange(Scalar end) -> Tensor", {of(int64_t{1})});
  const std::vector<broch_tensor> index{0, of(rows).u.tensor};
  const Tensor picked =
      call1("aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", {of(a), list(index)});
  CHECK(numbers(picked) == std::vector<double>{1});

  const Tensor up = call1(
      "aten::upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) "
      "-> Tensor",
      {of(floats({1}, {1, 1, 1, 1})), none(), list(std::vector<double>{2, 3})});
  CHECK(shape_of(up) == std::vector<int64_t>{1, 1, 2, 3});
}

TEST_CASE("values: a list of bools chooses the gradients of a backward") {
  const Tensor x = floats({1, 2, 3, 4}, {1, 1, 2, 2}), w = floats({2}, {1, 1, 1, 1});
  const std::vector<int64_t> one{1, 1}, zero{0, 0};
  const std::vector<uint8_t> mask{1, 0, 0};
  const std::vector<Tensor> grads = call(
      "aten::convolution_backward(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? "
      "bias_sizes, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] "
      "output_padding, SymInt groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
      {of(x), of(x), of(w), none(), list(one), list(zero), list(one), of(false), list(zero),
       of(int64_t{1}), list(mask)});
  REQUIRE(grads.size() == 3);
  CHECK(numbers(grads[0]) == std::vector<double>{2, 4, 6, 8});
  CHECK(!grads[1]);  // the undefined tensor
}

TEST_CASE("values: text goes to a string argument") {
  const Tensor x = floats({0.5}, {1});
  const char* schema = "aten::gelu(Tensor self, *, str approximate='none') -> Tensor";
  CHECK(numbers(call1(schema, {of(x), of("tanh")})) != numbers(call1(schema, {of(x), of("none")})));
}

TEST_CASE("values: an optional tensor may be none, undefined or given") {
  const Tensor x = floats({1, 2}, {1, 2}), w = floats({1, 1}, {1, 2}), b = floats({10}, {1});
  const char* schema = "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor";
  CHECK(numbers(call1(schema, {of(x), of(w), none()})) == std::vector<double>{3});
  CHECK(numbers(call1(schema, {of(x), of(w), of(Tensor())})) == std::vector<double>{3});
  CHECK(numbers(call1(schema, {of(x), of(w), of(b)})) == std::vector<double>{13});
}

TEST_CASE("values: results of lists take successive places, as far as there is room") {
  const Tensor x = floats({1, 2, 3}, {3});
  const char* schema =
      "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]";
  const std::vector<Tensor> parts = call(schema, {of(x), of(int64_t{2})});
  REQUIRE(parts.size() == 2);
  CHECK(numbers(parts[0]) == std::vector<double>{1, 2});
  CHECK(numbers(parts[1]) == std::vector<double>{3});
  RawValue one[1];
  const RawValue args[] = {of(x), of(int64_t{2})};
  CHECK(backend().call(backend().resolve(schema), args, 2, one, 1) == 1);
  Tensor(reinterpret_cast<void*>(one[0].u.tensor), &backend().counting());
}

TEST_CASE("values: numbers come back as numbers") {
  const auto result = [](const char* schema, const std::vector<RawValue>& args) {
    RawValue value{};
    backend().call(backend().resolve(schema), args.data(), static_cast<uint32_t>(args.size()),
                   &value, 1);
    return value;
  };
  const Tensor x = floats({2.5}, {1});
  const RawValue item = result("aten::_local_scalar_dense(Tensor self) -> Scalar", {of(x)});
  CHECK(item.tag == BROCH_TAG_DOUBLE);
  CHECK(item.u.f64 == 2.5);
  const RawValue nonzero = result("aten::is_nonzero(Tensor self) -> bool", {of(x)});
  CHECK(nonzero.tag == BROCH_TAG_BOOL);
  CHECK(nonzero.u.i64 == 1);
  const RawValue size =
      result("aten::size.int(Tensor self, int dim) -> int", {of(x), of(int64_t{0})});
  CHECK(size.tag == BROCH_TAG_INT);
  CHECK(size.u.i64 == 1);
}

TEST_CASE("values: a wrong kind names operator, argument, found and expected") {
  const Tensor a = floats({1}, {1});
  CHECK(refusal(kAdd, {of(a), of(1.0)}) ==
        "operator aten::add.Tensor, argument 'other' (Tensor): found DOUBLE, expected TENSOR\n"
        "  hint: arguments go in the order of the declared schema");
  CHECK(has(refusal(kAdd, {of(a), of(a), of("2")}),
            "argument 'alpha' (Scalar): found STR, "
            "expected DOUBLE, INT or BOOL"));
  CHECK(
      has(refusal(kAdd, {none(), of(a)}), "argument 'self' (Tensor): found NONE, expected TENSOR"));
  CHECK(has(refusal("aten::relu(Tensor self) -> Tensor", {of(a), of(a)}),
            "operator aten::relu: found 2 arguments, expected at most 1"));
  CHECK(has(refusal(kAdd, {of(a)}), "argument 'other' (Tensor): found nothing, expected TENSOR"));
  RawValue strange = none();
  strange.tag = 99;
  CHECK(has(refusal(kAdd, {of(a), strange}), "found a tag 99"));
  CHECK(has(refusal("aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
                    {of(a), of(int64_t{1})}),
            "found INT, expected DTYPE or NONE"));
  CHECK(has(
      refusal("aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", {of(a), dtype(77)}),
      "dtype: found code 77, expected one of value.h"));
  CHECK(has(refusal("aten::sum.dim_IntList(Tensor self, int[1]? dim) -> Tensor", {of(a), of(0.0)}),
            "found DOUBLE, expected INTS or NONE"));
  CHECK(has(refusal("aten::cat(Tensor[] tensors) -> Tensor", {of(a)}),
            "found TENSOR, expected TENSORS"));
  CHECK(has(refusal("aten::dropout(Tensor input, float p, bool train) -> Tensor",
                    {of(a), of(true), of(true)}),
            "argument 'p' (float): found BOOL, expected DOUBLE or INT"));
  CHECK(has(refusal("aten::dropout(Tensor input, float p, bool train) -> Tensor",
                    {of(a), of(0.5), of(int64_t{1})}),
            "argument 'train' (bool): found INT, expected BOOL"));
  CHECK(has(refusal("aten::softmax.int(Tensor self, int dim) -> Tensor", {of(a), of(0.0)}),
            "argument 'dim' (int): found DOUBLE, expected INT"));
  CHECK(has(refusal("aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None) "
                    "-> Tensor",
                    {of(a), none(), of(int64_t{0})}),
            "expected NONE"));
}

TEST_CASE("values: an operator's own failure carries its message and its status") {
  const Tensor a = floats({1, 2}, {2}), b = floats({1, 2, 3}, {3});
  try {
    call(kAdd, {of(a), of(b)});
    FAIL("shapes do not fit");
  } catch (const OperatorError& error) {
    CHECK(error.status() == BROCH_E_INVALID_ARGUMENT);
    CHECK(error.exit() == Exit::training);
    CHECK(has(error.what(), "operator aten::add.Tensor: The size of tensor a (2) must match"));
  }
}

TEST_CASE("values: memory that is not there is its own status") {
  try {
    call("aten::zeros(SymInt[] size) -> Tensor", {list(std::vector<int64_t>{1LL << 50})});
    FAIL("four million gigabytes");
  } catch (const OperatorError& error) {
    CHECK(error.status() == BROCH_E_RESOURCE_EXHAUSTED);
    CHECK(error.exit() == Exit::memory);
  }
}
