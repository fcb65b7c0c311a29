// mutants.cpp: each makes one mistake at the first place where it can.
#include "mutants.hpp"

#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "lower.hpp"

namespace broch::passes {
namespace {

bool has(const std::vector<int>& list, int buffer) {
  return std::ranges::find(list, buffer) != list.end();
}

Node* first_named(Program& program, std::string_view name) {
  const auto found = std::ranges::find(program.nodes, name, &Node::name);
  return found == program.nodes.end() ? nullptr : &*found;
}

bool alike(const Program& program, int a, int b) {
  return a != kNoView && b != kNoView && a != b &&
         program.views[a].sizes == program.views[b].sizes &&
         program.views[a].dtype == program.views[b].dtype;
}

// --- of operators and their order

size_t swap_operands(Program& program) {
  for (Node& node : program.nodes) {
    const bool counts = node.name == "aten::sub.Tensor" || node.name == "aten::div.Tensor" ||
                        node.name == "aten::threshold_backward" ||
                        node.name == "aten::tanh_backward";
    if (!counts || !alike(program, node.argument_view(0), node.argument_view(1))) continue;
    std::swap(node.arguments[0], node.arguments[1]);
    return 1;
  }
  return 0;
}

bool writes_in_place(const Node& node) {
  return std::ranges::any_of(node.writes, [&](int buffer) { return !has(node.makes, buffer); });
}

size_t drop_write(Program& program) {
  const auto found = std::ranges::find_if(program.nodes, writes_in_place);
  if (found == program.nodes.end()) return 0;
  program.nodes.erase(found);
  return 1;
}

size_t drop_call(Program& program) {
  const std::vector<bool> wanted = program.wanted_buffers();
  for (size_t i = program.nodes.size(); i-- > 0;)
    if (std::ranges::any_of(program.nodes[i].writes, [&](int b) { return bool(wanted[b]); })) {
      program.nodes.erase(program.nodes.begin() + static_cast<ptrdiff_t>(i));
      return 1;
    }
  return 0;
}

// A call reads memory before another one changes it in place.
size_t reorder_calls(Program& program) {
  std::vector<Node>& nodes = program.nodes;
  for (size_t writer = 0; writer < nodes.size(); ++writer) {
    if (!writes_in_place(nodes[writer])) continue;
    for (size_t reader = writer + 1; reader < nodes.size(); ++reader) {
      const auto reads = [&](int buffer) { return has(nodes[reader].reads, buffer); };
      if (std::ranges::none_of(nodes[writer].writes, reads)) continue;
      bool ready = true;  // nothing in between makes what it reads
      for (size_t i = writer; i < reader; ++i)
        ready = ready && std::ranges::none_of(nodes[i].makes, reads);
      if (!ready) continue;
      const auto at = [&](size_t i) { return nodes.begin() + static_cast<ptrdiff_t>(i); };
      std::rotate(at(writer), at(reader), at(reader + 1));
      return 1;
    }
  }
  return 0;
}

size_t forget_offset(Program& program) {
  for (Node& node : program.nodes)
    for (Argument& argument : node.arguments)
      for (int& view : argument.views)
        if (view != kNoView && program.views[view].offset > 0 && !node.writes.empty()) {
          View first = program.views[view];
          first.offset = 0;
          view = program.view_number(first);
          return 1;
        }
  return 0;
}

size_t forget_stride(Program& program) {
  for (Node& node : program.nodes)
    for (Argument& argument : node.arguments)
      for (int& view : argument.views) {
        if (view == kNoView || node.writes.empty()) continue;
        View turned = program.views[view];
        if (turned.sizes.size() != 2 || turned.contiguous() || turned.sizes[0] != turned.sizes[1])
          continue;
        std::swap(turned.strides[0], turned.strides[1]);
        view = program.view_number(turned);
        return 1;
      }
  return 0;
}

// One look at memory in the place of another of the same kind.
size_t take_another_value(Program& program) {
  for (size_t i = program.nodes.size(); i-- > 0;)
    for (Argument& argument : program.nodes[i].arguments)
      for (int& view : argument.views) {
        if (view == kNoView || program.views[view].elements() < 2) continue;
        for (size_t earlier = 0; earlier < i; ++earlier)
          for (const Argument& result : program.nodes[earlier].results)
            for (const int other : result.views)
              if (alike(program, view, other) &&
                  program.views[view].buffer != program.views[other].buffer) {
                view = other;
                append_new(program.nodes[i].reads, program.views[other].buffer);
                return 1;
              }
      }
  return 0;
}

template <class Change>
size_t change_argument(Program& program, std::string_view name, size_t argument, Change&& change) {
  for (Node& node : program.nodes)
    if (node.name == name && change(node.arguments[argument])) return 1;
  return 0;
}

size_t take_another_axis(Program& program) {
  for (Node& node : program.nodes)
    if ((node.name == "aten::_log_softmax" || node.name == "aten::_softmax" ||
         node.name == "aten::cumsum") &&
        program.views[node.argument_view(0)].sizes.size() == 2) {
      const int64_t dim = node.arguments[1].value.toInt();
      node.arguments[1].value = int64_t{dim == 1 || dim == -1 ? 0 : 1};
      return 1;
    }
  return 0;
}

size_t sum_for_mean(Program& program) {
  return change_argument(program, "aten::nll_loss_forward", 3, [](Argument& argument) {
    argument.value = int64_t{2};
    return true;
  });
}

size_t forget_bias(Program& program) {
  return change_argument(program, "aten::addmm", 3, [](Argument& argument) {
    argument.value = int64_t{0};
    return true;
  });
}

size_t take_another_epsilon(Program& program) {
  for (const auto& [name, place] : {std::pair{"aten::native_layer_norm", size_t{4}},
                                    std::pair{"aten::native_batch_norm", size_t{7}}})
    if (change_argument(program, name, place, [](Argument& argument) {
          argument.value = 0.1;
          return true;
        }))
      return 1;
  return 0;
}

size_t forget_mask(Program& program) {  // is_causal
  return change_argument(program, "aten::_scaled_dot_product_flash_attention_for_cpu", 4,
                         [](Argument& argument) {
                           const bool masks = argument.value.toBool();
                           argument.value = false;
                           return masks;
                         });
}

size_t take_another_slope(Program& program) {
  return change_argument(program, "aten::gelu_backward", 2, [](Argument& argument) {
    argument.value = c10::IValue(argument.value.toStringRef() == "tanh" ? "none" : "tanh");
    return true;
  });
}

// What reads its result reads what went in.
size_t drop_activation(Program& program) {
  const auto found = std::ranges::find(program.nodes, "aten::relu", &Node::name);
  if (found == program.nodes.end()) return 0;
  const int from = found->result_view(0), to = found->argument_view(0);
  const int gone = program.views[from].buffer, kept = program.views[to].buffer;
  program.nodes.erase(found);
  for (Node& node : program.nodes) {
    for (Argument& argument : node.arguments)
      for (int& view : argument.views)
        if (view != kNoView && program.views[view].buffer == gone) {
          View other = program.views[view];
          other.buffer = kept;
          view = program.view_number(other);
        }
    if (has(node.reads, gone)) append_new(node.reads, kept);
  }
  return 1;
}

size_t draw_elsewhere(Program& program) {
  const auto found = std::ranges::find(program.nodes, true, &Node::random);
  if (found == program.nodes.end()) return 0;
  found->draw.key ^= 1;
  return 1;
}

size_t swap_outputs(Program& program) {
  for (size_t i = 0; i < program.wanted.size(); ++i)
    for (size_t k = i + 1; k < program.wanted.size(); ++k) {
      int &a = program.outputs[program.wanted[i]], &b = program.outputs[program.wanted[k]];
      if (!alike(program, a, b) || program.views[a].buffer == program.views[b].buffer) continue;
      std::swap(a, b);
      return 1;
    }
  return 0;
}

// --- of what changes from run to run

template <class Belongs>
size_t fold(Program& program, Belongs&& belongs) {
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    Node& node = program.nodes[i];
    if (node.reads.empty() || node.random || writes_in_place(node) ||
        !std::ranges::all_of(node.reads, [&](int b) { return belongs(program.buffers[b]); }))
      continue;
    for (const int buffer : node.makes) program.buffers[buffer].persistent = true;
    program.once.push_back(std::move(node));
    program.nodes.erase(program.nodes.begin() + static_cast<ptrdiff_t>(i));
    return 1;
  }
  return 0;
}

size_t fold_variable(Program& program) {
  return fold(program, [](const Buffer& b) { return b.kind == Buffer::Kind::variable; });
}
size_t fold_input(Program& program) {
  return fold(program, [](const Buffer& b) { return b.kind == Buffer::Kind::input; });
}

// The program has a copy of what the variables were.
size_t copy_variables(Program& program) {
  size_t changes = 0;
  for (Buffer& buffer : program.buffers) {
    if (buffer.kind != Buffer::Kind::variable) continue;
    c10::Storage copy(c10::Storage::use_byte_size_t(), buffer.held.nbytes(), c10::GetCPUAllocator(),
                      false);
    std::memcpy(copy.mutable_data(), buffer.held.data(), buffer.held.nbytes());
    buffer.held = copy;
    ++changes;
  }
  return changes;
}

size_t forget_input(Program& program) {
  if (program.inputs.empty()) return 0;
  program.inputs.erase(program.inputs.begin());
  return 1;
}

// --- of memory

size_t forget_reads(Program& program) {
  for (Node& node : program.nodes) node.reads.clear();
  return program.nodes.size();
}

// A value stands where another one is still needed.
size_t share_place(Program& program) {
  for (size_t i = 0; i < program.nodes.size(); ++i)
    for (size_t k = i + 1; k < program.nodes.size(); ++k)
      for (const int first : program.nodes[i].makes)
        for (const int second : program.nodes[k].makes) {
          const Buffer &a = program.buffers[first], &b = program.buffers[second];
          if (a.bytes != b.bytes || a.bytes < 64 || a.persistent || b.persistent) continue;
          const bool still_read = std::any_of(
              program.nodes.begin() + static_cast<ptrdiff_t>(k) + 1, program.nodes.end(),
              [&](const Node& node) { return has(node.reads, first) && !has(node.makes, first); });
          if (!still_read || !program.nodes[k].bind) continue;
          static std::vector<std::unique_ptr<Arena>> kept;  // as long as the process
          const auto& arena = kept.emplace_back(std::make_unique<Arena>(a.bytes));
          for (const int buffer : {first, second}) {
            program.buffers[buffer].held =
                c10::Storage(c10::Storage::use_byte_size_t(), a.bytes,
                             at::DataPtr(arena->begin(), at::Device(at::kCPU)), nullptr, false);
            program.buffers[buffer].offset = 0;
          }
          return 1;
        }
  return 0;
}

// --- of kernels: the first call whose name begins so

template <class Spoil>
size_t spoil(Program& program, std::string_view name, Spoil&& what) {
  for (Node& node : program.nodes) {
    if (!node.bind || !node.name.starts_with(name)) continue;
    for (size_t i = 0; i < node.results.size(); ++i) {
      const int view = node.result_view(i);
      if (view == kNoView || program.views[view].dtype != at::kFloat) continue;
      node.bind = [bind = node.bind, view, what](const Binder& binder) -> Kernel {
        return [run = bind(binder), result = binder.tensor(view), what] { what(run, result); };
      };
      return 1;
    }
  }
  return 0;
}

// As a loop over vectors that forgets what is left at the end. One element alone may be dropped or
// cut off at the few data points that are compared.
void without_tail(const Kernel& run, const at::Tensor& result) {
  constexpr int64_t kTail = 7;
  float* const end = result.mutable_data_ptr<float>() + result.numel();
  float* const tail = end - std::min(kTail, result.numel());
  const std::vector<float> before(tail, end);
  run();
  std::ranges::copy(before, tail);
}

void halved(const Kernel& run, const at::Tensor& result) {
  run();
  result.mul_(0.5);
}

// As far off as rounding may leave gradients at some data points, and at all of them.
void nearly_right(const Kernel& run, const at::Tensor& result) {
  run();
  result.mul_(1.02);
}

#define KERNEL(function, kernel) [](Program& program) { return spoil(program, kernel, function); }

// The copy moves no element.
size_t turn_nothing(Program& program) {
  Node* const node = first_named(program, "channels_together");
  if (!node) return 0;
  const int from = node->argument_view(0), to = node->result_view(0);
  node->bind = [from, to](const Binder& binder) -> Kernel {
    return [source = binder.tensor(from), target = binder.tensor(to)] {
      std::memcpy(target.mutable_data_ptr(), source.const_data_ptr(), source.nbytes());
    };
  };
  return 1;
}

size_t swap_heads(Program& program) {  // queries and keys
  Node* const node = first_named(program, "aten::_scaled_dot_product_flash_attention_for_cpu");
  if (!node) return 0;
  std::swap(node->arguments[0], node->arguments[1]);
  return 1;
}

constexpr Mutant kMutants[] = {
    {"swaps operands", "views", swap_operands},
    {"drops a write", "prune", drop_write},
    {"drops a call", "prune", drop_call},
    {"reorders calls", "prune", reorder_calls},
    {"forgets an offset", "views", forget_offset},
    {"forgets a stride", "views", forget_stride},
    {"takes another value", "fold", take_another_value},
    {"takes another axis", "fold", take_another_axis},
    {"sums for a mean", "fold", sum_for_mean},
    {"forgets a bias", "layout", forget_bias},
    {"takes another epsilon", "fold", take_another_epsilon},
    {"forgets a mask", "fold", forget_mask},
    {"takes another slope", "fold", take_another_slope},
    {"drops an activation", "fold", drop_activation},
    {"draws elsewhere", "prune", draw_elsewhere},
    {"swaps outputs", "fold", swap_outputs},
    {"swaps queries and keys", "fold", swap_heads},
    {"folds a variable", "fold", fold_variable},
    {"folds an input", "fold", fold_input},
    {"copies variables", "pointwise", copy_variables},
    {"forgets an input", "pointwise", forget_input},
    {"forgets reads", "pointwise", forget_reads},
    {"shares a place", "pointwise", share_place},
    {"turns nothing", "layout", turn_nothing},
    {"sgemm without tail", "pointwise", KERNEL(without_tail, "sgemm")},
    {"pointwise without tail", "pointwise", KERNEL(without_tail, "pointwise")},
    {"gemm without tail", "pointwise", KERNEL(without_tail, "gemm")},
    {"gate without tail", "pointwise", KERNEL(without_tail, "gemm+gate")},
    {"nearly right gate", "pointwise", KERNEL(nearly_right, "gemm+gate")},
    {"sums without tail", "pointwise", KERNEL(without_tail, "column_sums")},
    {"halved sums", "pointwise", KERNEL(halved, "column_sums")},
    {"loss without tail", "pointwise", KERNEL(without_tail, "cross_entropy")},
    {"halved loss", "pointwise", KERNEL(halved, "cross_entropy")},
    {"convolution without tail", "pointwise", KERNEL(without_tail, "conv")},
    {"halved image gradients", "pointwise", KERNEL(halved, "conv_backward")},
    {"halved filter gradients", "pointwise", KERNEL(halved, "conv_weights")},
    {"batch norm without tail", "pointwise", KERNEL(without_tail, "batch_norm")},
    {"halved batch norm", "pointwise", KERNEL(halved, "batch_norm")},
    {"halved batch norm gradients", "pointwise", KERNEL(halved, "gate+batch_norm_backward")},
    {"pool without tail", "pointwise", KERNEL(without_tail, "max_pool")},
    {"layer norm without tail", "pointwise", KERNEL(without_tail, "layer_norm")},
    {"halved layer norm gradients", "pointwise", KERNEL(halved, "layer_norm_backward")},
    {"gelu without tail", "pointwise", KERNEL(without_tail, "gelu")},
    {"attention without tail", "pointwise", KERNEL(without_tail, "attention")},
    {"halved attention gradients", "pointwise", KERNEL(halved, "attention_backward")},
};

}  // namespace

const Mutant* find_mutant(std::string_view name) {
  const auto* const found = std::ranges::find(kMutants, name, &Mutant::name);
  return found == std::end(kMutants) ? nullptr : found;
}

}  // namespace broch::passes
