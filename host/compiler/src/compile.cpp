// compile.cpp: runs the passes and assigns external memory.
#include <algorithm>

#include "compiler/aten.hpp"
#include "compiler/recorded_program.hpp"
#include "executable.hpp"
#include "passes/passes.hpp"

namespace broch::compiler {
namespace {

bool covers(const View& view, const Buffer& buffer) {
  return view.contiguous() && view.offset == 0 &&
         static_cast<size_t>(view.elements()) * c10::elementSize(view.dtype) == buffer.bytes;
}

void hold(Buffer& buffer, const at::Tensor& place) {
  buffer.held = place.storage();
  buffer.offset = static_cast<size_t>(place.storage_offset()) * place.element_size();
}

bool fits(const at::Tensor& place, const View& view) {
  return place.is_cpu() && place.is_contiguous() && place.scalar_type() == view.dtype &&
         place.numel() == view.elements();
}

// Uses the external memory of inputs. An input that was recorded with gaps or with another order of
// its elements gets its own memory, since with another layout operators may compute other bits.
void place_inputs(Program& program, const CompileOptions& options) {
  for (const Program::Input& input : program.inputs) {
    if (input.slot >= options.inputs.size() || !options.inputs[input.slot]) continue;
    const at::Tensor place = to_aten(options.inputs[input.slot]);
    const View& view = program.views[input.view];
    Buffer& buffer = program.buffers[view.buffer];
    if (covers(view, buffer) && fits(place, view)) hold(buffer, place);
  }
}

// Computes wanted outputs directly in the memory where they are wanted, if possible.
void place_outputs(Program& program, const CompileOptions& options) {
  for (size_t i = 0; i < options.output_buffers.size(); ++i) {
    const int view = program.outputs[options.outputs[i]];
    if (view == kNoView || !options.output_buffers[i] || program.rows_of(options.outputs[i]))
      continue;
    const at::Tensor place = to_aten(options.output_buffers[i]);
    Buffer& buffer = program.buffers[program.views[view].buffer];
    if (buffer.kind != Buffer::Kind::value || buffer.persistent || buffer.held ||
        !covers(program.views[view], buffer) || !fits(place, program.views[view]))
      continue;
    hold(buffer, place);
  }
}

}  // namespace

TorchRecordedProgram::Shared& TorchRecordedProgram::shared_for(
    const CompileOptions& options) const {
  for (Shared& one : shared_)
    if (one.options.outputs == options.outputs && one.options.rows == options.rows &&
        one.options.level == options.level && one.options.without == options.without)
      return one;
  Shared& one = shared_.emplace_back();
  one.options.outputs = options.outputs;
  one.options.rows = options.rows;
  one.options.level = options.level;
  one.options.without = options.without;
  return one;
}

std::unique_ptr<Executable> TorchRecordedProgram::compile(const CompileOptions& options) const {
  return at_place("recorded program", [&]() -> std::unique_ptr<Executable> {
    Program program = program_;
    program.wanted = options.outputs;
    for (size_t i = 0; i < options.rows.size(); ++i)
      if (options.rows[i]) program.may_be_rows.push_back(options.outputs[i]);
    program.level =
        std::ranges::any_of(program.nodes, &Node::keeps) ? Level::bitwise : options.level;
    ExecutableInfo info;
    info.level = program.level;
    for (const Pass& pass : all_passes()) {
      if (pass.level > program.level || options.without.contains(pass.name)) continue;
      const size_t changes = pass.run(program);
      if (changes) info.passes.push_back(std::string(pass.name) + " " + std::to_string(changes));
    }
    place_inputs(program, options);
    place_outputs(program, options);
    const std::lock_guard lock(mutex_);
    Shared& shared = shared_for(options);
    auto executable = std::make_unique<TorchExecutable>(std::move(program), options,
                                                        std::move(info), shared.prepared.lock());
    shared.prepared = executable->prepared();
    return executable;
  });
}

}  // namespace broch::compiler
