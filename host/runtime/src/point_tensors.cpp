// point_tensors.cpp: checks a data point against the model's signature, and makes its tensors.
#include <algorithm>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "runtime/backend.hpp"
#include "runtime/dlpack.hpp"
#include "runtime/point.hpp"

namespace broch::runtime {
namespace {

using Signature = std::vector<abi::InputSpec>;

std::string names_of(const Signature& signature) {
  std::string text;
  for (const abi::InputSpec& input : signature)
    text.append(text.empty() ? "" : ", ").append(input.name);
  return text;
}

size_t component_for(const abi::InputSpec& input, const Point& point, const Signature& signature) {
  for (size_t i = 0; i < point.size(); ++i)
    if (input.name == point.name(i)) return i;
  std::vector<std::string> there;
  for (size_t i = 0; i < point.size(); ++i) there.emplace_back(point.name(i));
  base::fail(base::Exit::data, "input '" + input.name + "'",
             "a data point with components " + base::join(there, ", "),
             "a component of that name" + base::did_you_mean(input.name, there),
             "name the components like the model's inputs (" + names_of(signature) +
                 "), or give none a name and keep their order");
}

// The order counts if not all components have names. A name that one has must not contradict it.
void check_places(const Point& point, const Signature& signature) {
  for (size_t i = 0; i < point.size(); ++i) {
    const char* const name = point.name(i);
    if (!name || signature[i].name == name) continue;
    const auto its = std::ranges::find(signature, std::string_view(name), &abi::InputSpec::name);
    if (its == signature.end()) continue;
    base::fail(base::Exit::data, "input '" + signature[i].name + "'",
               "component '" + std::string(name) + "' in its place",
               "the order of the inputs (" + names_of(signature) +
                   "), because there are components without a name",
               "name all components, or none");
  }
}

// order[i] is the component for input i; if empty, it is component i.
std::vector<size_t> match(const Point& point, const Signature& signature) {
  if (point.size() != signature.size())
    base::fail(base::Exit::data, "data point", base::counted(int64_t(point.size()), "component"),
               std::to_string(signature.size()) + " (" + names_of(signature) + ")",
               "yield one component for each input of the model");
  if (!point.named()) {
    check_places(point, signature);
    return {};
  }
  std::vector<size_t> order;
  order.reserve(signature.size());
  for (const abi::InputSpec& input : signature)
    order.push_back(component_for(input, point, signature));
  return order;
}

// The size of a named dimension in this point, and the first input that has it.
struct Bound {
  std::string_view name;
  int64_t size;
  std::string_view input;
};

void check(const abi::InputSpec& input, const TensorInfo& info, std::vector<Bound>& bound) {
  const auto where = [&] { return "input '" + input.name + "'"; };
  if (info.dtype != input.dtype)
    base::fail(base::Exit::data, where(), dtype_name(info.dtype), dtype_name(input.dtype),
               "convert the component in the dataflow");
  const auto wrong_shape = [&](const std::string& expected) {
    base::fail(base::Exit::data, where(), "shape " + to_string(info.shape), expected,
               "reshape the component in the dataflow, or change the model's signature");
  };
  if (info.shape.rank != input.shape.size()) wrong_shape(shape_text(input));
  for (uint32_t d = 0; d < info.shape.rank; ++d) {
    const int64_t dim = info.shape.dims[d];
    if (input.shape[d] >= 0 && input.shape[d] != dim) wrong_shape(shape_text(input));
    if (input.dims[d].empty()) continue;
    const auto first = std::ranges::find(bound, input.dims[d], &Bound::name);
    if (first == bound.end()) {
      bound.push_back({input.dims[d], dim, input.name});
    } else if (first->size != dim) {
      wrong_shape(shape_text(input) + " with " + input.dims[d] + " = " +
                  std::to_string(first->size) + " as in input '" + std::string(first->input) + "'");
    }
  }
}

// Checks all components, then calls take(component) for each input in the order of the signature.
template <class Take>
void each_component(const Point& point, const Signature& signature, Take take) {
  const std::vector<size_t> order = match(point, signature);
  const auto component = [&order](size_t input) { return order.empty() ? input : order[input]; };
  std::vector<Bound> bound;
  for (size_t i = 0; i < signature.size(); ++i) {
    if (point.taken(component(i)))
      base::fail(base::Exit::data, "input '" + signature[i].name + "'",
                 "a component whose memory was given away", "a point that is read once",
                 "fill the point again");
    check(signature[i], describe_dl(point.tensor(component(i))), bound);
  }
  for (size_t i = 0; i < signature.size(); ++i) take(component(i));
}

}  // namespace

std::string shape_text(const abi::InputSpec& input) {
  std::string text = "(";
  for (size_t i = 0; i < input.shape.size(); ++i) {
    const std::string& name = input.dims[i];
    text.append(i ? ", " : "");
    text.append(input.shape[i] >= 0 ? std::to_string(input.shape[i]) : name.empty() ? "?" : name);
  }
  return text.append(input.shape.size() == 1 ? ",)" : ")");
}

std::vector<Tensor> point_tensors(Backend& backend, const Point& point, const Signature& signature,
                                  Device device) {
  std::vector<Tensor> tensors;
  tensors.reserve(signature.size());
  each_component(point, signature, [&](size_t component) {
    backend.await_staged(point.data(component));
    tensors.push_back(backend.copy_in(point.tensor(component), device));
  });
  return tensors;
}

void take_tensors(Backend& backend, Point& point, const Signature& signature, Device device,
                  std::vector<Tensor>& tensors) {
  tensors.clear();
  each_component(point, signature, [&](size_t component) {
    tensors.push_back(backend.take(point.take(component), device));
  });
}

}  // namespace broch::runtime
