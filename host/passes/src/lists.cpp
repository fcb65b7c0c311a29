// lists.cpp: one call for the same computation on many tensors: their common norm, and
// multiplication by a number.
#include <cmath>

#include "kernels/norm.hpp"
#include "lower.hpp"
#include "parts.hpp"

namespace broch::passes {
namespace {

// A list of tensors as one range of elements, which can be divided into parts of equal work.
struct Pieces {
  struct Piece {
    const float* from;
    float* to;  // nullptr: nothing is written
    int64_t size;
  };
  std::vector<Piece> all;
  int64_t size = 0;

  void add(const float* from, float* to, int64_t count) {
    all.push_back({from, to, count});
    size += count;
  }
  // Calls body(piece) for the parts of tensors in [begin, end) of all elements.
  template <class Body>
  void each(int64_t begin, int64_t end, const Body& body) const {
    int64_t start = 0;  // of the current tensor
    for (const Piece& piece : all) {
      const int64_t first = std::max(begin, start), last = std::min(end, start + piece.size);
      if (first < last)
        body(Piece{piece.from + (first - start), piece.to ? piece.to + (first - start) : nullptr,
                   last - first});
      start += piece.size;
    }
  }
};

bool is_length(const Node& node) {
  return node.is("aten::linalg_vector_norm") && number_argument(node, 1, 0) == 2 &&
         node.arguments[2].value.isNone() && !flag_argument(node, 3, false) &&
         node.arguments[4].value.isNone();
}

// The norm of the stacked norms of a list of tensors.
struct CommonLength {
  std::vector<size_t> lengths;  // calls
  size_t stack, whole;
  std::vector<int> of;  // views
};

std::optional<CommonLength> common_length_at(const Program& program, const Uses& uses,
                                             size_t stack) {
  const Node& node = program.nodes[stack];
  if (!node.is("aten::stack")) return std::nullopt;
  const auto whole = uses.only_reader(program, program.views[node.result_view(0)].buffer);
  if (!whole || !is_length(program.nodes[*whole]) ||
      program.nodes[*whole].argument_view(0) != node.result_view(0) ||
      !is_dense_float(program, program.nodes[*whole].result_view(0)))
    return std::nullopt;
  CommonLength found{{}, stack, *whole, {}};
  int64_t size = 0;
  for (const int view : node.arguments[0].views) {
    const int buffer = view == kNoView ? -1 : program.views[view].buffer;
    if (buffer < 0 || uses.only_reader(program, buffer) != stack) return std::nullopt;
    const size_t length = uses.writers[buffer][0];
    const int of = program.nodes[length].argument_view(0);
    if (!is_length(program.nodes[length]) || !is_dense_float(program, of) ||
        uses.written_between(program.views[of].buffer, length, *whole))
      return std::nullopt;
    found.lengths.push_back(length);
    found.of.push_back(of);
    size += program.views[of].elements();
  }
  return size ? std::optional(found) : std::nullopt;
}

// Makes these views the arguments of the node.
void read_instead(const Program& program, Node& node, const std::vector<int>& views) {
  node.arguments = {{Argument::Kind::tensors, {}, views}};
  node.reads.clear();
  for (const int view : views) append_new(node.reads, program.views[view].buffer);
}

void measure_together(Program& program, const CommonLength& at) {
  Node& node = program.nodes[at.whole];
  read_instead(program, node, at.of);
  std::vector<int64_t> sizes;
  for (const int view : at.of) sizes.push_back(program.views[view].elements());
  lower(node, "global_norm", [=, of = at.of, to = node.result_view(0)](const Binder& binder) {
    Pieces list;
    for (size_t i = 0; i < of.size(); ++i)
      list.add(at_address<float>(binder, of[i]), nullptr, sizes[i]);
    const Parts parts(list.size, 2.0 * static_cast<double>(list.size));
    return [=, list = std::move(list), out = at_address<float>(binder, to),
            sums = std::vector<double>(static_cast<size_t>(parts.count))]() mutable {
      parts.run([&](int64_t begin, int64_t end, int64_t part) {
        double sum = 0;
        list.each(begin, end, [&](const Pieces::Piece& piece) {
          sum += kernels::sum_of_squares(piece.from, piece.size);
        });
        sums[static_cast<size_t>(part)] = sum;
      });
      double sum = 0;
      for (const double one : sums) sum += one;
      *out = static_cast<float>(std::sqrt(sum));
    };
  });
  for (const size_t gone : at.lengths) absorb(program.nodes[gone]);
  absorb(program.nodes[at.stack]);
}

// Products of tensors and the same number that can all be computed where the last one is.
std::vector<size_t> products_with(const Program& program, const Uses& uses, int factor) {
  std::vector<size_t> products;
  for (const size_t reader : uses.readers[program.views[factor].buffer]) {
    const Node& node = program.nodes[reader];
    if (!node.is("aten::mul.Tensor") || node.argument_view(1) != factor || node.makes.size() != 1 ||
        !is_dense_float(program, node.argument_view(0)) ||
        !same_memory(program, node.argument_view(0), node.result_view(0)))
      return {};
    products.push_back(reader);
  }
  if (products.empty() ||
      uses.written_between(program.views[factor].buffer, products.front(), products.back()))
    return {};
  for (const size_t product : products) {
    const Node& node = program.nodes[product];
    const int result = program.views[node.result_view(0)].buffer;
    const auto too_early = [&](size_t reader) { return reader <= products.back(); };
    if (uses.written_between(program.views[node.argument_view(0)].buffer, product,
                             products.back()) ||
        std::ranges::any_of(uses.readers[result], too_early))
      return {};
  }
  return products;
}

void scale_together(Program& program, const std::vector<size_t>& products, int factor) {
  std::vector<int> from, to;
  std::vector<int64_t> sizes;
  Argument results{Argument::Kind::tensors, {}, {}};
  Node& node = program.nodes[products.back()];
  for (const size_t product : products) {
    const Node& gone = program.nodes[product];
    from.push_back(gone.argument_view(0));
    to.push_back(gone.result_view(0));
    sizes.push_back(program.views[to.back()].elements());
    append_new(node.makes, program.views[to.back()].buffer);
    append_new(node.writes, program.views[to.back()].buffer);
  }
  std::vector<int> read = from;
  read.push_back(factor);
  read_instead(program, node, read);
  node.results = {{Argument::Kind::tensors, {}, to}};
  lower(node, "scale", [=](const Binder& binder) {
    Pieces list;
    for (size_t i = 0; i < from.size(); ++i)
      list.add(at_address<float>(binder, from[i]), at_address<float>(binder, to[i]), sizes[i]);
    return [list = std::move(list), by = at_address<float>(binder, factor)] {
      in_parallel(list.size, 1, [&](int64_t begin, int64_t end) {
        list.each(begin, end, [by](const Pieces::Piece& piece) {
          kernels::scale(piece.from, *by, piece.to, piece.size);
        });
      });
    };
  });
  for (const size_t product : products)
    if (product != products.back()) absorb(program.nodes[product]);
}

bool is_number(const Program& program, int view) {
  return is_dense_float(program, view) && program.views[view].sizes.empty();
}

// LibTorch rounds a constant to float before it computes with it.
bool lower_number(const Program& program, Node& node) {
  const bool reciprocal = node.is("aten::reciprocal"), clamp = node.is("aten::clamp_max");
  if (!reciprocal && !clamp && !node.is("aten::mul.Scalar")) return false;
  const int from = node.argument_view(0), to = node.result_view(0);
  const double constant = reciprocal ? 1 : number_argument(node, 1, std::nan(""));
  if (node.makes.size() != 1 || std::isnan(constant) || !is_number(program, from) ||
      !is_number(program, to))
    return false;
  lower(node, "number:" + node.name.substr(node.name.find("::") + 2), [=](const Binder& binder) {
    return [=, x = at_address<float>(binder, from), y = at_address<float>(binder, to),
            c = static_cast<float>(constant)] {
      *y = reciprocal ? c / *x : !clamp ? *x * c : *x > c ? c : *x;  // NaN stays NaN
    };
  });
  return true;
}

}  // namespace

size_t fuse_global_norm(Program& program) {
  size_t changes = 0;
  const Uses uses(program);
  for (size_t i = 0; i < program.nodes.size(); ++i)
    if (const auto found = common_length_at(program, uses, i)) {
      measure_together(program, *found);
      ++changes;
    }
  drop_absorbed(program.nodes);
  return changes;
}

size_t scale_lists(Program& program) {
  size_t changes = 0;
  const Uses uses(program);
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const Node& node = program.nodes[i];
    const int factor = node.is("aten::mul.Tensor") ? node.argument_view(1) : kNoView;
    if (!is_number(program, factor)) continue;
    const std::vector<size_t> products = products_with(program, uses, factor);
    if (products.size() < 2 || products.front() != i) continue;
    scale_together(program, products, factor);
    ++changes;
  }
  drop_absorbed(program.nodes);
  return changes;
}

size_t lower_numbers(Program& program) {
  size_t changes = 0;
  for (Node& node : program.nodes) changes += lower_number(program, node);
  return changes;
}

}  // namespace broch::passes
