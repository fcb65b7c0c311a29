// null_backend.cpp: a backend with names, shapes and counts, but without numbers.
#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "runtime/backend.hpp"
#include "runtime/dlpack.hpp"
#include "runtime/element.hpp"

namespace broch::runtime {

struct Operator {
  std::string schema;
  std::string name;
  uint64_t writes = 0;  // bit i: argument i is written
  bool random = false;  // takes a generator
};

namespace {

// The strides of all views, because all elements share one value.
int64_t no_strides[BROCH_RANK_MAX] = {};

struct NullTensor {
  std::atomic<uint32_t> count{1};
  TensorInfo info;
  NullTensor* base = nullptr;  // the tensor whose element this one shares; holds a reference
  alignas(16) unsigned char element[16] = {};

  NullTensor& memory() { return base ? *base : *this; }
  double value() { return decode_element(info.dtype, memory().element); }
  void set(double value) { encode_element(info.dtype, value, memory().element); }
};

void retain(void* impl) {
  static_cast<NullTensor*>(impl)->count.fetch_add(1, std::memory_order_relaxed);
}

void release(void* impl) {
  auto* tensor = static_cast<NullTensor*>(impl);
  if (tensor->count.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (tensor->base) release(tensor->base);
  delete tensor;
}

constexpr Counting kCounting{retain, release};

NullTensor& of(const Tensor& tensor) { return *static_cast<NullTensor*>(tensor.impl()); }

Tensor make(const TensorInfo& info, double value) {
  auto* tensor = new NullTensor;
  tensor->info = info;
  if (value != 0) tensor->set(value);
  return {tensor, &kCounting};
}

Tensor alias(const Tensor& tensor, bool requires_grad) {
  auto* result = new NullTensor;
  result->info = of(tensor).info;
  result->info.requires_grad = requires_grad;
  result->base = &of(tensor).memory();
  retain(result->base);
  return {result, &kCounting};
}

thread_local bool gradients_on = false;
thread_local Draws* current_draws = nullptr;

class NullGuard final : public StepGuard {
 public:
  NullGuard(bool gradients, Draws* draws) : gradients_(gradients_on), draws_(current_draws) {
    gradients_on = gradients;
    current_draws = draws;
  }
  ~NullGuard() override {
    gradients_on = gradients_;
    current_draws = draws_;
  }

 private:
  bool gradients_;
  Draws* draws_;
};

// Reads a schema such as "aten::f(Tensor(a!) self, int[] dim=[1, 2]) -> Tensor": the name, and
// which arguments are written.
Operator read_schema(const std::string& schema) {
  const size_t open = schema.find('(');
  const size_t arrow = schema.rfind("->");
  if (open == 0 || open == std::string::npos || arrow == std::string::npos || arrow < open)
    throw OperatorError(BROCH_E_NOT_FOUND,
                        {.where = "schema '" + schema + "'",
                         .found = "no operator",
                         .expected = "a text such as \"aten::relu(Tensor self) -> Tensor\"",
                         .hint = "take the text of the operator's schema"});
  Operator op{schema, schema.substr(0, open)};
  op.random = schema.find("Generator?") != std::string::npos;
  int depth = 0;
  uint64_t argument = 1;
  for (size_t i = open + 1; i < arrow; ++i) {
    const char c = schema[i];
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (depth < 0) break;
    if (depth == 0 && c == ',') argument <<= 1;
    if (c == '!') op.writes |= argument;
  }
  return op;
}

class NullBackend final : public Backend {
 public:
  std::string version() const override { return "null runtime"; }
  bool is_null() const override { return true; }
  void configure(const BackendOptions&) override {}
  bool has_device(Device device) const override { return device.type == BROCH_DL_CPU; }
  std::string why_not(Device device) const override {
    return has_device(device) ? "" : "the null runtime has the CPU alone";
  }
  const Counting& counting() const override { return kCounting; }

  Tensor zeros(broch_dtype dtype, const Shape& shape, Device device) override {
    return make({dtype, shape, device, false}, 0);
  }

  Tensor copy_in(const broch_dl_tensor& data, Device device) override {
    TensorInfo info = describe_dl(data);
    info.device = device;
    const auto* first = static_cast<const std::byte*>(data.data) + data.byte_offset;
    return make(info, info.shape.elements() ? decode_element(info.dtype, first) : 0);
  }

  Tensor take(broch_dl_managed* data, Device device) override {
    const std::unique_ptr<broch_dl_managed, decltype(&dl_delete)> owner(data, dl_delete);
    return copy_in(data->dl_tensor, device);
  }

  broch_dl_managed* share_out(const Tensor& tensor) override {
    const TensorInfo& info = of(tensor).info;
    broch_dl_managed* data = dl_allocate(info.dtype, info.shape);
    copy_out(tensor, info.dtype, data->dl_tensor.data, dl_bytes(data->dl_tensor));
    return data;
  }

  broch_dl_tensor view(const Tensor& tensor) override {
    NullTensor& null = of(tensor);
    return {null.memory().element,
            {null.info.device.type, null.info.device.index},
            static_cast<int32_t>(null.info.shape.rank),
            to_dl(null.info.dtype),
            null.info.shape.dims.data(),
            no_strides,
            0};
  }

  TensorInfo info(const Tensor& tensor) override { return of(tensor).info; }
  int64_t elements(const Tensor& tensor) override { return of(tensor).info.shape.elements(); }
  double item(const Tensor& tensor) override { return of(tensor).value(); }

  void copy_out(const Tensor& tensor, broch_dtype dtype, void* bytes, size_t size) override {
    NullTensor& null = of(tensor);
    if (!dtype) dtype = null.info.dtype;
    unsigned char element[16];
    encode_element(dtype, null.value(), element);
    const size_t item = dtype_size(dtype);
    for (size_t at = 0; at + item <= size; at += item)
      std::memcpy(static_cast<std::byte*>(bytes) + at, element, item);
  }

  Tensor copy(const Tensor& tensor, Device device) override {
    TensorInfo info = of(tensor).info;
    info.device = device;
    info.requires_grad = false;
    return make(info, of(tensor).value());
  }

  Tensor detach(const Tensor& tensor) override { return alias(tensor, false); }

  void assign(const Tensor& target, const Tensor& value) override {
    const TensorInfo& to = of(target).info;
    const TensorInfo& from = of(value).info;
    if (to.dtype != from.dtype || !(to.shape == from.shape))
      throw base::Error(base::Exit::training, {.where = "assign",
                                               .found = type_text(from.dtype, from.shape),
                                               .expected = type_text(to.dtype, to.shape),
                                               .hint = "convert or reshape the value"});
    of(target).set(of(value).value());
  }

  Tensor initial(const broch_variable_spec& spec, uint64_t, Device device) override {
    TensorInfo info{spec.dtype, {.rank = spec.rank}, device, false};
    std::copy_n(spec.shape, spec.rank, info.shape.dims.begin());
    double value = spec.initializer == BROCH_INIT_CONSTANT ? spec.a : 0;
    if (spec.initializer == BROCH_INIT_VALUES) value = of(copy_in(*spec.values, device)).value();
    return make(info, value);
  }

  Flat flatten(std::span<const Tensor> tensors) override {
    Flat flat = flat_zeros_like(tensors);
    for (size_t i = 0; i < tensors.size(); ++i) of(flat.views[i]).set(of(tensors[i]).value());
    return flat;
  }

  Flat flat_zeros_like(std::span<const Tensor> tensors) override {
    Flat flat;
    TensorInfo buffer{BROCH_FLOAT32, {.rank = 1}, {}, false};
    for (const Tensor& tensor : tensors) {
      const TensorInfo& info = of(tensor).info;
      const auto unit = static_cast<int64_t>((info.device.type == BROCH_DL_CUDA ? 256 : 64) /
                                             dtype_size(info.dtype));
      buffer.dtype = info.dtype;
      buffer.device = info.device;
      buffer.shape.dims[0] += (info.shape.elements() + unit - 1) / unit * unit;
      flat.views.push_back(make({info.dtype, info.shape, info.device, false}, 0));
    }
    flat.buffer = make(buffer, 0);
    return flat;
  }

  Tensor leaf(const Tensor& tensor) override { return alias(tensor, true); }

  Operator* resolve(const std::string& schema) override {
    const std::lock_guard lock(mutex_);
    for (Operator& op : operators_)
      if (op.schema == schema) return &op;
    return &operators_.emplace_back(read_schema(schema));
  }

  const char* operator_name(const Operator* op) const override { return op->name.c_str(); }
  const std::string& declared_schema(const Operator* op) const override { return op->schema; }

  uint64_t writes(const Operator* op, const RawValue*, uint32_t) const override {
    return op->writes;
  }

  uint32_t call(Operator* op, const RawValue* args, uint32_t n, RawValue* results,
                uint32_t m) override {
    const NullTensor* first = nullptr;
    bool requires_grad = false;
    for (uint32_t i = 0; i < n; ++i) {
      const auto* tensor = reinterpret_cast<const NullTensor*>(args[i].u.tensor);
      if (args[i].tag == BROCH_TAG_TENSORS && args[i].len > 0)
        tensor = reinterpret_cast<const NullTensor*>(args[i].u.tensors[0]);
      else if (args[i].tag != BROCH_TAG_TENSOR)
        continue;
      if (!tensor) continue;
      if (!first) first = tensor;
      requires_grad |= tensor->info.requires_grad;
    }
    TensorInfo info = first ? first->info : TensorInfo{BROCH_FLOAT32, {}, {}, false};
    info.requires_grad = requires_grad && gradients_on;
    double value = first ? const_cast<NullTensor*>(first)->value() : 0;
    if (op->random) value = draw(*op);
    for (uint32_t i = 0; i < m; ++i) {
      results[i] = {BROCH_TAG_TENSOR, 0, {}};
      results[i].u.tensor = reinterpret_cast<uint64_t>(make(info, value).take());
    }
    return m;
  }

  std::vector<Tensor> grad(std::span<const Tensor>, std::span<const Tensor> inputs,
                           std::span<const Tensor>, bool, bool) override {
    std::vector<Tensor> gradients;
    gradients.reserve(inputs.size());
    for (const Tensor& input : inputs) {
      TensorInfo info = of(input).info;
      info.requires_grad = false;
      gradients.push_back(make(info, 0));
    }
    return gradients;
  }

  std::vector<Tensor> apply(std::shared_ptr<CustomFunction> function,
                            std::span<const Tensor> inputs) override {
    const NullGuard no_gradients(false, current_draws);
    std::vector<Tensor> saved;
    return function->forward(inputs, saved);
  }

  std::vector<Tensor> call(std::shared_ptr<const HostKernel>, std::span<const Tensor>,
                           std::span<const TensorInfo> outputs) override {
    std::vector<Tensor> results;
    for (const TensorInfo& info : outputs) results.push_back(info.dtype ? make(info, 0) : Tensor());
    return results;
  }

  std::unique_ptr<StepGuard> enter(bool gradients, Draws* draws) override {
    return std::make_unique<NullGuard>(gradients, draws);
  }

  void update(const UpdateStep&) override {}

 private:
  // A number in [0, 1) that depends only on the random key.
  static double draw(const Operator& op) {
    const DrawKey key = current_draws ? current_draws->next(op.name) : DrawKey{};
    return static_cast<double>(base::hash64(key.counter, key.key) >> 11) * 0x1p-53;
  }

  std::mutex mutex_;
  std::deque<Operator> operators_;  // a deque keeps addresses valid
};

}  // namespace

std::unique_ptr<Backend> make_null_backend() { return std::make_unique<NullBackend>(); }

}  // namespace broch::runtime
