// batches.cpp: finds the components of the inputs, and stacks samples.
#include "batches.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "runtime/element.hpp"

namespace broch::predict {
namespace {

using base::Exit;
using runtime::Tensor;

std::vector<std::string> names_of(const std::vector<abi::InputSpec>& inputs) {
  std::vector<std::string> names;
  for (const abi::InputSpec& input : inputs) names.push_back(input.name);
  return names;
}

// For a point in which not all components have names: the order counts, and must not contradict
// the names that there are.
void require_places(const runtime::Point& point, const std::vector<std::string>& order) {
  for (size_t i = 0; i < std::min(point.size(), order.size()); ++i) {
    const char* const name = point.name(i);
    if (!name || order[i] == name || !std::ranges::count(order, std::string(name))) continue;
    base::fail(Exit::data, "input '" + order[i] + "'",
               "component '" + std::string(name) + "' in its place",
               "the order of the inputs (" + base::join(order, ", ") +
                   "), because there are components without a name",
               "name all components, or none");
  }
}

// Integers do not become floats, nor floats integers.
bool converts(broch_dtype from, broch_dtype to) {
  const auto is_whole = [](broch_dtype dtype) { return !runtime::has_gradient(dtype); };
  return from != to && ((is_whole(from) && is_whole(to)) ||
                        (runtime::is_floating(from) && runtime::is_floating(to)));
}

constexpr int kDigits = 19;  // of an int64

// Integers that do not fit would become others without a word.
void require_unchanged(const abi::InputSpec& input, broch_dtype dtype, const std::string& before,
                       const void* after) {
  const size_t size = runtime::dtype_size(dtype), new_size = runtime::dtype_size(input.dtype);
  const auto* to = static_cast<const std::byte*>(after);
  for (size_t at = 0; at < before.size(); at += size, to += new_size) {
    const double value = runtime::decode_element(dtype, before.data() + at);
    if (value != runtime::decode_element(input.dtype, to))
      base::fail(Exit::data, "input '" + input.name + "'",
                 runtime::dtype_name(dtype) + (" " + base::general(value, kDigits)),
                 std::string("numbers that ") + runtime::dtype_name(input.dtype) + " can hold",
                 "correct the data, or convert the component in the dataflow");
  }
}

Tensor converted(runtime::Backend& backend, const Tensor& tensor, const abi::InputSpec& input) {
  const runtime::TensorInfo info = backend.info(tensor);
  const auto bytes = [&](broch_dtype dtype) {
    return size_t(info.shape.elements()) * runtime::dtype_size(dtype);
  };
  runtime::Point cast;
  void* const to = cast.allocate(nullptr, input.dtype, info.shape);
  backend.copy_out(tensor, input.dtype, to, bytes(input.dtype));
  if (!runtime::is_floating(info.dtype)) {
    std::string before(bytes(info.dtype), '\0');
    backend.copy_out(tensor, info.dtype, before.data(), before.size());
    require_unchanged(input, info.dtype, before, to);
  }
  return backend.copy_in(cast.tensor(0), {});
}

}  // namespace

Batches::Batches(data::FlowReader& reader, const Ports& ports, runtime::Backend& backend,
                 int64_t size)
    : reader_(reader), ports_(ports), backend_(backend), size_(size) {
  const std::vector<abi::InputSpec>& inputs = ports.inputs;
  if (inputs.empty())
    base::fail(Exit::usage, "outputs " + base::join(ports.outputs, ", "), "no input that they need",
               "an input, whose samples are counted", "name one with --input");
  for (const abi::InputSpec& input : inputs)
    if (!input.shape.empty() && input.shape[0] > 0) fixed_ = input.shape[0];
  if (fixed_) size_ = *fixed_;
}

bool Batches::read() {
  if (unread_) return true;
  if (!reader_.next(point_)) return false;
  unread_ = true;
  const bool is_first = places_.empty();
  find_places();
  if (is_first) samples_ = is_sample();
  return true;
}

// Points may have the same components in another order, as those of several dataflows.
void Batches::find_places() {
  const std::vector<abi::InputSpec>& inputs = ports_.inputs;
  const bool named = point_.named();
  std::vector<std::string> there;
  for (size_t i = 0; i < point_.size(); ++i)
    there.push_back(named ? point_.name(i) : std::to_string(i));
  // Without names, a point has all inputs, or only those that are needed.
  const std::vector<std::string> order = named                                  ? there
                                         : point_.size() >= ports_.order.size() ? ports_.order
                                                                                : names_of(inputs);
  if (!named) require_places(point_, order);
  places_.clear();
  for (const abi::InputSpec& input : inputs) {
    const auto found = std::ranges::find(order, input.name);
    if (found == order.end() || size_t(found - order.begin()) >= point_.size())
      base::fail(Exit::data, "input '" + input.name + "'",
                 "a data point with components " + base::join(there, ", "),
                 "one for each input: " + base::join(names_of(inputs), ", "),
                 "name the components like the inputs, or give none a name and keep their order");
    places_.push_back(size_t(found - order.begin()));
  }
}

bool Batches::is_sample() const {
  const abi::InputSpec& input = ports_.inputs[0];
  const size_t rank = input.shape.size(), found = size_t(point_.tensor(places_[0]).ndim);
  if (found != rank && found + 1 != rank)
    base::fail(Exit::data, "input '" + input.name + "'",
               "a component with " + std::to_string(found) + " dimensions",
               std::to_string(rank) + ", or one less for a single sample",
               "broch data show prints what a dataflow yields");
  return found + 1 == rank;
}

// On the CPU, with the dtypes of the inputs where these can be had.
std::vector<Tensor> Batches::components() const {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < places_.size(); ++i) {
    Tensor tensor = backend_.copy_in(point_.tensor(places_[i]), {});
    const abi::InputSpec& input = ports_.inputs[i];
    if (converts(backend_.info(tensor).dtype, input.dtype))
      tensor = converted(backend_, tensor, input);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Batch Batches::next(int64_t most) {
  if (most <= 0 || !read()) return {};
  return samples_ ? stacked(most) : whole(most);
}

Batch Batches::stacked(int64_t most) {
  const int64_t wanted = std::min(most, size_);
  std::vector<std::vector<Tensor>> samples;
  Batch batch;
  while (int64_t(samples.size()) < wanted && read()) {
    samples.push_back(components());
    batch.has_cursor = point_.has_cursor;
    batch.cursor = point_.cursor;
    unread_ = false;
    ++seen_;
  }
  batch.rows = int64_t(samples.size());
  while (fixed_ && int64_t(samples.size()) < size_) samples.push_back(samples.back());
  runtime::Point stack;
  for (size_t i = 0; i < places_.size(); ++i) add_stacked(i, samples, seen_ - batch.rows, stack);
  batch.inputs = runtime::point_tensors(backend_, stack, ports_.inputs, {});
  return batch;
}

// One input of all samples. first: the number of the first sample.
void Batches::add_stacked(size_t input, const std::vector<std::vector<Tensor>>& samples,
                          int64_t first, runtime::Point& stack) const {
  const std::string& name = ports_.inputs[input].name;
  const runtime::TensorInfo like = backend_.info(samples[0][input]);
  if (like.shape.rank == BROCH_RANK_MAX)
    base::fail(
        Exit::data, "sample " + std::to_string(first),
        "input '" + name + "' as " + runtime::type_text(like.dtype, like.shape),
        "at most " + std::to_string(BROCH_RANK_MAX - 1) + " dimensions, since a batch has one more",
        "reshape the component in the dataflow");
  runtime::Shape shape;
  shape.rank = like.shape.rank + 1;
  shape.dims[0] = int64_t(samples.size());
  std::copy_n(like.shape.dims.begin(), like.shape.rank, shape.dims.begin() + 1);
  const size_t bytes = size_t(like.shape.elements()) * runtime::dtype_size(like.dtype);
  auto* to = static_cast<std::byte*>(stack.allocate(name.c_str(), like.dtype, shape));
  for (size_t k = 0; k < samples.size(); ++k, to += bytes) {
    const runtime::TensorInfo info = backend_.info(samples[k][input]);
    if (!(info.shape == like.shape) || info.dtype != like.dtype)
      base::fail(Exit::data, "sample " + std::to_string(first + int64_t(k)),
                 "input '" + name + "' as " + runtime::type_text(info.dtype, info.shape),
                 runtime::type_text(like.dtype, like.shape) + " as in the samples before it",
                 "make all samples equally large, or use --batch-size 1");
    backend_.copy_out(samples[k][input], like.dtype, to, bytes);
  }
}

Batch Batches::whole(int64_t most) {
  const std::vector<Tensor> tensors = components();
  runtime::Point point;
  for (size_t i = 0; i < tensors.size(); ++i)
    point.add_copy(ports_.inputs[i].name.c_str(), backend_.view(tensors[i]));
  Batch batch;
  batch.inputs = runtime::point_tensors(backend_, point, ports_.inputs, {});
  const runtime::Shape shape = backend_.info(tensors[0]).shape;
  batch.rows = std::min(most, shape.rank ? shape.dims[0] : 1);
  batch.has_cursor = point_.has_cursor;
  batch.cursor = point_.cursor;
  unread_ = false;
  ++seen_;
  return batch;
}

void Batches::skip(int64_t rows) {
  while (rows > 0 && read()) {
    const broch_dl_tensor& first = point_.tensor(places_[0]);
    rows -= samples_ ? 1 : std::max<int64_t>(first.shape[0], 1);
    unread_ = false;
    ++seen_;
  }
}

}  // namespace broch::predict
