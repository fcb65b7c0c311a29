// losses.cpp: softmax cross entropy and its gradient in one call.
#include <algorithm>

#include "base/error.hpp"
#include "kernels/softmax_cross_entropy.hpp"
#include "lower.hpp"

namespace broch::passes {
namespace {

// The calls of log_softmax, nll_loss and their derivatives, which cross_entropy consists of.
struct CrossEntropy {
  size_t log_softmax, loss, loss_backward, backward;  // calls
  int logits, targets, output_gradient;               // views
  int64_t rows, classes, ignored;
};

std::optional<size_t> reader_named(const Program& program, const std::vector<size_t>& readers,
                                   std::string_view name) {
  std::optional<size_t> found;
  for (const size_t reader : readers) {
    if (!program.nodes[reader].is(name)) continue;
    if (found) return std::nullopt;
    found = reader;
  }
  return found;
}

bool is_mean_over_classes(const Node& node, size_t first) {  // first: index of weight, reduction
  constexpr int64_t kMean = 1;
  return node.argument_view(first) == kNoView && integer_argument(node, first + 1, 0) == kMean;
}

bool is_long_vector(const Program& program, int view, int64_t rows) {
  return view != kNoView && program.views[view].dtype == at::kLong &&
         program.views[view].contiguous() &&
         program.views[view].sizes == std::vector<int64_t>{rows};
}

std::optional<CrossEntropy> cross_entropy_at(const Program& program, const Uses& uses, size_t i) {
  const Node& node = program.nodes[i];
  if (!node.is("aten::_log_softmax") || flag_argument(node, 2, true)) return std::nullopt;
  const int logits = node.argument_view(0), result = node.result_view(0);
  if (!is_dense_float(program, logits) || !is_dense_float(program, result)) return std::nullopt;
  const std::vector<int64_t>& sizes = program.views[logits].sizes;
  const int64_t dim = integer_argument(node, 1, 0);
  if (sizes.size() != 2 || (dim != 1 && dim != -1) || !sizes[0]) return std::nullopt;
  const int output = program.views[result].buffer;
  if (uses.wanted[output] || uses.readers[output].size() != 3) return std::nullopt;
  const auto loss = reader_named(program, uses.readers[output], "aten::nll_loss_forward");
  const auto back = reader_named(program, uses.readers[output], "aten::nll_loss_backward");
  const auto last = reader_named(program, uses.readers[output], "aten::_log_softmax_backward_data");
  if (!loss || !back || !last) return std::nullopt;
  CrossEntropy found{i,
                     *loss,
                     *back,
                     *last,
                     logits,
                     program.nodes[*loss].argument_view(1),
                     program.nodes[*back].argument_view(0),
                     sizes[0],
                     sizes[1],
                     integer_argument(program.nodes[*loss], 4, -100)};
  const Node& backward = program.nodes[*last];
  const int between = program.views[program.nodes[*back].result_view(0)].buffer;
  const int output_gradient = program.views[found.output_gradient].buffer;
  // If the logits were changed before the loss, the fused call would not read what log_softmax has
  // read.
  const bool kept =
      std::ranges::none_of(uses.writers[program.views[logits].buffer],
                           [&](size_t writer) { return writer > i && writer < *loss; });
  const bool fits = kept && is_mean_over_classes(program.nodes[*loss], 2) &&
                    is_mean_over_classes(program.nodes[*back], 3) &&
                    is_long_vector(program, found.targets, found.rows) &&
                    uses.only_reader(program, between) == *last &&
                    program.views[backward.argument_view(0)].buffer == between &&
                    is_dense_float(program, backward.result_view(0)) &&
                    program.views[found.output_gradient].dtype == at::kFloat &&
                    program.buffers[output_gradient].persistent;  // known before the forward pass
  return fits ? std::optional(found) : std::nullopt;
}

// The kernel writes to the element that a target gives, so targets must be valid.
void check_targets(const kernels::Targets& targets, const kernels::Logits& logits) {
  for (int64_t i = 0; i < logits.rows; ++i) {
    const int64_t target = targets.data[i];
    if (target != targets.ignored && (target < 0 || target >= logits.classes))
      throw base::Error(base::Exit::training,
                        base::Diagnostic{"cross entropy", "target " + std::to_string(target),
                                         "0 to " + std::to_string(logits.classes - 1) +
                                             ", or the ignored " + std::to_string(targets.ignored),
                                         "correct the labels, or give the model more classes"});
  }
}

// Computes loss and gradient in one pass over the logits, in the place of the loss.
void fuse(Program& program, const CrossEntropy& at) {
  Node& node = program.nodes[at.loss];
  Node& backward = program.nodes[at.backward];
  const int loss = node.result_view(0), weight = node.result_view(1),
            gradient = backward.result_view(0);
  node.reads = {program.views[at.logits].buffer, program.views[at.targets].buffer,
                program.views[at.output_gradient].buffer};
  for (const int buffer : backward.writes) append_new(node.writes, buffer);
  for (const int buffer : backward.makes) append_new(node.makes, buffer);
  node.arguments = {{Argument::Kind::tensor, {}, {at.logits}},
                    {Argument::Kind::tensor, {}, {at.targets}},
                    {Argument::Kind::tensor, {}, {at.output_gradient}}};
  node.results.push_back(backward.results[0]);
  lower(node, "cross_entropy+gradient", [=](const Binder& binder) {
    const kernels::Logits logits{at_address<float>(binder, at.logits), at.rows, at.classes,
                                 at.classes};
    const kernels::Targets targets{at_address<int64_t>(binder, at.targets), at.ignored};
    return [=, output_gradient = at_address<float>(binder, at.output_gradient),
            to = at_address<float>(binder, gradient), value = at_address<float>(binder, loss),
            count = at_address<float>(binder, weight)] {
      check_targets(targets, logits);
      const int64_t counted = kernels::counted_rows(targets, logits.rows);
      const kernels::CrossEntropySums sums = kernels::cross_entropy_with_gradient(
          logits, targets, *output_gradient / static_cast<float>(counted), to, logits.classes);
      *value = static_cast<float>(sums.loss / static_cast<double>(sums.counted));
      *count = static_cast<float>(sums.counted);
    };
  });
  for (const size_t gone : {at.log_softmax, at.loss_backward, at.backward})
    absorb(program.nodes[gone]);
}

}  // namespace

size_t fuse_cross_entropy(Program& program) {
  size_t changes = 0;
  const Uses uses(program);
  for (size_t i = 0; i < program.nodes.size(); ++i)
    if (const auto found = cross_entropy_at(program, uses, i)) {
      fuse(program, *found);
      ++changes;
    }
  drop_absorbed(program.nodes);
  return changes;
}

}  // namespace broch::passes
