// compiled.cpp: copies inputs to where the executable reads them, runs it, and copies outputs.
#include "compiled.hpp"

#include <cstring>

#include "base/error.hpp"

namespace broch::graph {
namespace {

using runtime::Tensor;

bool is_dense(const broch_dl_tensor& view) {
  int64_t expected = 1;
  for (int32_t d = view.ndim; d-- > 0;) {
    if (view.shape[d] != 1 && view.strides && view.strides[d] != expected) return false;
    expected *= view.shape[d];
  }
  return true;
}

}  // namespace

Compiled::Compiled(runtime::Backend& backend, const Graph& graph,
                   const runtime::RecordedProgram& program, std::span<const int64_t> sizes,
                   runtime::Level level)
    : backend_(backend) {
  runtime::CompileOptions options;
  for (uint32_t i = 0; i < graph.outputs.size(); ++i) options.outputs.push_back(i);
  options.level = level;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Type& type = graph.type_of_input(i);
    const runtime::Shape shape = shape_of(type, sizes);
    options.inputs.push_back(backend.zeros(type.dtype, shape, {}));
  }
  executable_ = program.compile(options);
  stoppable_ = dynamic_cast<runtime::Stoppable*>(executable_.get());
  for (uint32_t i = 0; i < graph.inputs.size(); ++i) {
    Place& place = inputs_.emplace_back();
    if (!executable_->uses(i)) continue;
    place.tensor = options.inputs[i];
    place.memory = memory_of(place.tensor);
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    outputs_.push_back(memory_of(executable_->output(i)));
}

Compiled::Memory Compiled::memory_of(const Tensor& tensor) const {
  const runtime::TensorInfo info = backend_.info(tensor);
  Memory memory;
  memory.bytes = size_t(info.shape.elements()) * runtime::dtype_size(info.dtype);
  try {
    const broch_dl_tensor view = backend_.view(tensor);
    if (is_dense(view)) memory.first = static_cast<std::byte*>(view.data) + view.byte_offset;
  } catch (const base::Error&) {  // conjugated or negated lazily
  }
  return memory;
}

std::vector<Tensor> Compiled::run(std::span<const Tensor> inputs, uint64_t call, Stop stop) {
  for (uint32_t i = 0; i < inputs.size(); ++i)
    if (inputs_[i].tensor) executable_->set(i, inputs[i]);
  if (stoppable_) stoppable_->stop_when(stop);
  executable_->run(call);
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < outputs_.size(); ++i)
    outputs.push_back(backend_.copy(executable_->output(i), {}));
  return outputs;
}

void Compiled::run(const void* const* data, std::span<void* const> places, uint64_t call,
                   Stop stop) {
  for (uint32_t i = 0; i < inputs_.size(); ++i) {
    const auto& [tensor, memory] = inputs_[i];
    if (!tensor) continue;
    if (memory.bytes) std::memcpy(memory.first, data[i], memory.bytes);
    executable_->set(i, tensor);
  }
  if (stoppable_) stoppable_->stop_when(stop);
  executable_->run(call);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const auto& [first, bytes] = outputs_[i];
    if (!places[i] || !bytes) continue;
    if (first)
      std::memcpy(places[i], first, bytes);
    else
      backend_.copy_out(executable_->output(i), {}, places[i], bytes);
  }
}

}  // namespace broch::graph
