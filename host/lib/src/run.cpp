// run.cpp: computes a model on memory of the caller.
#include <atomic>
#include <cstdlib>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "boundary.hpp"
#include "model.hpp"
#include "names.hpp"

struct libbroch_cancel {
  std::atomic<bool> is_set{false};
};

namespace broch::lib {
namespace {

constexpr size_t kAlignment = 64;

// The bytes of a tensor. Throws Failure if the shape is impossible.
template <class Where>
size_t bytes_of(int32_t dtype, const runtime::Shape& shape, const Where& where) {
  size_t bytes = runtime::dtype_size(dtype);
  for (const int64_t size : shape.span())
    if (size < 0 || __builtin_mul_overflow(bytes, size_t(size), &bytes))
      refuse(where(), "shape " + runtime::to_string(shape), "sizes that memory can have");
  return bytes;
}

// The inputs, checked as far as that is possible without the model.
class Inputs {
 public:
  Inputs(const libbroch_model& model, size_t count) : infos_(checked(model, count)), data_(count) {}

  void set(size_t place, const libbroch_tensor& tensor, const libbroch_port& port, bool with_data) {
    runtime::TensorInfo& info = infos_[place];
    const auto where = [&] { return "input " + base::quoted(port.name); };
    if (tensor.rank > LIBBROCH_RANK_MAX)
      refuse(where(), "rank " + std::to_string(tensor.rank),
             "at most " + std::to_string(LIBBROCH_RANK_MAX));
    if (runtime::dtype_size(tensor.dtype) == 0)
      refuse(where(), "dtype " + std::to_string(tensor.dtype) + ", which is none",
             runtime::dtype_name(port.info.dtype), "libbroch.h has the numbers");
    info.dtype = tensor.dtype;
    info.shape.rank = tensor.rank;
    std::copy_n(tensor.shape, tensor.rank, info.shape.dims.begin());
    if (!with_data || tensor.dtype != port.info.dtype) return;  // another dtype is refused later
    const size_t bytes = bytes_of(tensor.dtype, info.shape, where);
    if (tensor.bytes < bytes)
      refuse(where(), std::to_string(tensor.bytes) + " bytes",
             std::to_string(bytes) + " for " + runtime::type_text(info.dtype, info.shape),
             "set `bytes` to the size of the memory");
    if (!tensor.data && bytes) refuse(where(), "data NULL", "the address of the elements");
    data_[place] = tensor.data;
  }

  const std::vector<runtime::TensorInfo>& infos() const { return infos_; }
  const void* const* data() const { return data_.data(); }

 private:
  // The count, before there is memory for so many.
  static size_t checked(const libbroch_model& model, size_t count) {
    if (count != model.inputs.size())
      refuse("inputs of the model", std::to_string(count), std::to_string(model.inputs.size()),
             "give one tensor for each input");
    return count;
  }

  std::vector<runtime::TensorInfo> infos_;
  std::vector<const void*> data_;
};

// Results in the memory of the caller, or in memory that is allocated for him.
class CallResults final : public graph::Results {
 public:
  // places: by output of the model, the tensor of the caller; nullptr: he does not want it.
  CallResults(const libbroch_model& model, std::vector<libbroch_tensor*> places,
              const libbroch_cancel* cancel)
      : model_(model), places_(std::move(places)), cancel_(cancel) {}
  ~CallResults() override {
    for (libbroch_tensor* const tensor : allocated_) {  // the run has failed
      std::free(tensor->data);
      tensor->data = nullptr;
      tensor->bytes = 0;
    }
  }
  CallResults(const CallResults&) = delete;
  CallResults& operator=(const CallResults&) = delete;

  void keep() { allocated_.clear(); }

  void* place(size_t output, broch_dtype dtype, const runtime::Shape& shape) override {
    libbroch_tensor* const tensor = places_[output];
    void* const memory = tensor ? memory_of(*tensor, output, dtype, shape) : nullptr;
    // All tensors tell before what they need.
    if (output + 1 == places_.size() && small_)
      refuse(small_->where, small_->found, small_->expected,
             "give more memory, or NULL to have it allocated");
    return memory;
  }

  const std::atomic<bool>* stop() const override { return cancel_ ? &cancel_->is_set : nullptr; }

 private:
  // The first tensor whose memory does not suffice.
  struct Small {
    std::string where, found, expected;
  };

  void* memory_of(libbroch_tensor& tensor, size_t output, broch_dtype dtype,
                  const runtime::Shape& shape) {
    tensor.dtype = dtype;
    tensor.rank = shape.rank;
    std::copy_n(shape.dims.begin(), shape.rank, tensor.shape);
    const std::string& name = model_.outputs[output].name;
    const auto where = [&] { return "output " + base::quoted(name); };
    const size_t bytes = bytes_of(dtype, shape, where);
    if (!tensor.data)
      allocate(tensor, bytes);
    else if (tensor.bytes < bytes && !small_)
      small_ = Small{where(), "memory of " + std::to_string(tensor.bytes) + " bytes",
                     std::to_string(bytes) + " for " + runtime::type_text(dtype, shape)};
    return tensor.data;
  }

  void allocate(libbroch_tensor& tensor, size_t bytes) {
    allocated_.push_back(&tensor);
    const size_t rounded = std::max<size_t>(1, (bytes + kAlignment - 1) / kAlignment) * kAlignment;
    if (rounded < bytes || !(tensor.data = std::aligned_alloc(kAlignment, rounded)))
      throw std::bad_alloc();
    tensor.bytes = bytes;
  }

  const libbroch_model& model_;
  const std::vector<libbroch_tensor*> places_;
  const libbroch_cancel* const cancel_;
  std::vector<libbroch_tensor*> allocated_;
  std::optional<Small> small_;
};

void check_arrays(const libbroch_model* model, const void* inputs, size_t input_count,
                  const void* outputs, size_t output_count) {
  if (!model) refuse("argument model", "NULL", "an open model");
  if (!inputs && input_count) refuse("argument inputs", "NULL", "tensors");
  if (!outputs && output_count) refuse("argument outputs", "NULL", "tensors");
}

std::vector<libbroch_tensor*> all_places(const libbroch_model& model, libbroch_tensor* outputs,
                                         size_t count) {
  if (count != model.outputs.size())
    refuse("outputs of the model", std::to_string(count), std::to_string(model.outputs.size()),
           "give one tensor for each output, or choose by name with libbroch_run_named");
  std::vector<libbroch_tensor*> places(count);
  for (size_t i = 0; i < count; ++i) places[i] = &outputs[i];
  return places;
}

void compute(const libbroch_model& model, const Inputs& inputs,
             std::vector<libbroch_tensor*> places, const libbroch_cancel* cancel) {
  CallResults results(model, std::move(places), cancel);
  model.runner->run(inputs.infos(), inputs.data(), results);
  results.keep();
}

}  // namespace
}  // namespace broch::lib

using namespace broch;

extern "C" {

libbroch_cancel* libbroch_cancel_new(void) { return new (std::nothrow) libbroch_cancel; }
void libbroch_cancel_set(libbroch_cancel* cancel) {
  if (cancel) cancel->is_set = true;
}
void libbroch_cancel_reset(libbroch_cancel* cancel) {
  if (cancel) cancel->is_set = false;
}
void libbroch_cancel_free(libbroch_cancel* cancel) { delete cancel; }

void libbroch_free(void* data) { std::free(data); }

libbroch_status libbroch_run(libbroch_model* model, const libbroch_tensor* inputs,
                             size_t input_count, libbroch_tensor* outputs, size_t output_count,
                             libbroch_cancel* cancel, libbroch_error* error) {
  return lib::guarded(error, LIBBROCH_INVALID, [&] {
    lib::check_arrays(model, inputs, input_count, outputs, output_count);
    lib::Inputs given(*model, input_count);
    for (size_t i = 0; i < input_count; ++i) given.set(i, inputs[i], model->inputs[i], true);
    lib::compute(*model, given, lib::all_places(*model, outputs, output_count), cancel);
  });
}

libbroch_status libbroch_run_named(libbroch_model* model, const char* const* input_names,
                                   const libbroch_tensor* inputs, size_t input_count,
                                   const char* const* output_names, libbroch_tensor* outputs,
                                   size_t output_count, libbroch_cancel* cancel,
                                   libbroch_error* error) {
  return lib::guarded(error, LIBBROCH_INVALID, [&] {
    lib::check_arrays(model, inputs, input_count, outputs, output_count);
    lib::Inputs given(*model, input_count);
    lib::Names named("input", model->inputs, input_names, input_count);
    for (size_t i = 0; i < input_count; ++i) {
      const size_t place = named.place_of(i);
      given.set(place, inputs[i], model->inputs[place], true);
    }
    lib::Names wanted("output", model->outputs, output_names, output_count);
    std::vector<libbroch_tensor*> places(model->outputs.size());
    for (size_t i = 0; i < output_count; ++i) places[wanted.place_of(i)] = &outputs[i];
    lib::compute(*model, given, std::move(places), cancel);
  });
}

libbroch_status libbroch_output_shapes(const libbroch_model* model, const libbroch_tensor* inputs,
                                       size_t input_count, libbroch_tensor* outputs,
                                       size_t output_count, libbroch_error* error) {
  return lib::guarded(error, LIBBROCH_INVALID, [&] {
    lib::check_arrays(model, inputs, input_count, outputs, output_count);
    lib::Inputs given(*model, input_count);
    for (size_t i = 0; i < input_count; ++i) given.set(i, inputs[i], model->inputs[i], false);
    const std::vector<int64_t> sizes = model->graph.sizes_for(given.infos());
    const auto places = lib::all_places(*model, outputs, output_count);
    for (size_t i = 0; i < output_count; ++i) {
      const graph::Type& type = model->graph.type_of_output(i);
      const runtime::Shape shape = graph::shape_of(type, sizes);
      places[i]->dtype = type.dtype;
      places[i]->rank = shape.rank;
      std::copy_n(shape.dims.begin(), shape.rank, places[i]->shape);
      places[i]->bytes = lib::bytes_of(type.dtype, shape, [&] { return model->outputs[i].name; });
    }
  });
}

}  // extern "C"
