// fit.cpp: numbers as multilinear polynomials of sizes, which samples at all corners of a box
// determine: f(s) = sum over subsets T of c_T * product over i in T of (s_i - a_i), where
// c_T = sum over subsets U of T of (-1)^(|T| - |U|) * f(U), since the box has sides of 1.
#include "fit.hpp"

#include <bit>
#include <map>

#include "base/error.hpp"

namespace broch::capture {
namespace {

using graph::Argument;
using graph::Graph;
using graph::Node;
using graph::Number;

// Calls visit for all numbers of a graph, in an order that depends on its structure alone.
template <class G, class Visit>
void for_each_number(G& graph, Visit visit) {
  for (auto& node : graph.nodes)
    for (auto& argument : node.arguments)
      for (auto& number : argument.integers) visit(number);
  for (auto& type : graph.types)
    for (auto& number : type.shape) visit(number);
}

std::string node_text(const Graph& graph, size_t n) {
  const std::string& schema = graph.operators[graph.nodes[n].op];
  return "operator " + std::to_string(n + 1) + ", " + schema.substr(0, schema.find('('));
}

// What differs besides numbers; "": nothing.
std::string other_structure(const Graph& a, const Graph& b) {
  for (size_t n = 0; n < std::min(a.nodes.size(), b.nodes.size()); ++n) {
    const Node &one = a.nodes[n], &other = b.nodes[n];
    if (a.operators[one.op] != b.operators[other.op]) return node_text(a, n) + ": another operator";
    if (one.results != other.results || one.arguments.size() != other.arguments.size())
      return node_text(a, n) + ": other tensors";
    for (size_t i = 0; i < one.arguments.size(); ++i) {
      const Argument &x = one.arguments[i], &y = other.arguments[i];
      if (x.kind != y.kind || x.values != y.values || x.text != y.text ||
          x.integers.size() != y.integers.size())
        return node_text(a, n) + ": another argument " + std::to_string(i);
      if (x.floats != y.floats)
        return node_text(a, n) + ": argument " + std::to_string(i) +
               " is a fraction that depends on "
               "sizes";
    }
  }
  if (a.nodes.size() != b.nodes.size())
    return std::to_string(a.nodes.size()) + " and " + std::to_string(b.nodes.size()) + " operators";
  if (a.inputs != b.inputs || a.weights != b.weights) return "other inputs or weights";
  for (size_t v = 0; v < a.types.size(); ++v)
    if (a.types[v].dtype != b.types[v].dtype || a.types[v].shape.size() != b.types[v].shape.size())
      return "a tensor of another dtype or number of dimensions";
  return "";
}

// The polynomial with these values at the corners of the box that begins at `first`; corner U is
// the set of the bits of U.
Number polynomial(const std::vector<int64_t>& values, const std::vector<int64_t>& first) {
  std::map<uint32_t, int64_t> factors;  // by set of symbols
  for (uint32_t t = 0; t < values.size(); ++t) {
    int64_t c = 0;
    for (uint32_t u = 0; u <= t; ++u)
      if ((u & ~t) == 0) c += (std::popcount(t ^ u) % 2 ? -1 : 1) * values[u];
    if (c == 0) continue;
    // Expands the product of (s_i - a_i).
    for (uint32_t u = 0; u <= t; ++u) {
      if ((u & ~t) != 0) continue;
      int64_t product = c;
      for (size_t i = 0; i < first.size(); ++i)
        if ((t ^ u) >> i & 1) product *= -first[i];
      factors[u] += product;
    }
  }
  Number number;
  for (const auto& [set, factor] : factors) {
    if (factor == 0) continue;
    Number::Term term{factor, {}};
    for (uint32_t i = 0; i < first.size(); ++i)
      if (set >> i & 1) term.symbols.push_back(i);
    number.terms.push_back(std::move(term));
  }
  return number;
}

}  // namespace

std::vector<std::vector<int64_t>> sizes_of_samples(const std::vector<int64_t>& first) {
  std::vector<std::vector<int64_t>> all;
  for (uint32_t corner = 0; corner < uint32_t{1} << first.size(); ++corner) {
    std::vector<int64_t> sizes = first;
    for (size_t i = 0; i < sizes.size(); ++i) sizes[i] += corner >> i & 1;
    all.push_back(std::move(sizes));
  }
  return all;
}

Graph fitted(const std::vector<std::string>& symbols, const std::vector<Sample>& samples,
             const std::string& where) {
  Graph graph = samples[0].graph;
  graph.symbols = symbols;
  std::vector<std::vector<int64_t>> values;  // by number, then by sample
  for (const Sample& sample : samples) {
    const std::string other = other_structure(samples[0].graph, sample.graph);
    if (!other.empty())
      base::fail(
          base::Exit::training, where, "another computation where a size is another one: " + other,
          "one that is the same for all sizes", "give the size that changes it a fixed value");
    size_t i = 0;
    for_each_number(sample.graph, [&](const Number& number) {
      if (i == values.size()) values.emplace_back();
      values[i++].push_back(number.value({}));
    });
  }
  size_t i = 0;
  for_each_number(graph,
                  [&](Number& number) { number = polynomial(values[i++], samples[0].sizes); });
  return graph;
}

std::string difference(const Graph& graph, const Sample& sample) {
  const std::string other = other_structure(graph, sample.graph);
  if (!other.empty()) return other;
  std::vector<int64_t> seen;
  for_each_number(sample.graph, [&](const Number& number) { seen.push_back(number.value({})); });
  std::string text;
  size_t i = 0;
  for_each_number(graph, [&](const Number& number) {
    const int64_t value = number.value(sample.sizes);
    if (value != seen[i] && text.empty())
      text = "a number is " + std::to_string(seen[i]) + " instead of " +
             number.text(graph.symbols) + " = " + std::to_string(value);
    ++i;
  });
  return text;
}

}  // namespace broch::capture
