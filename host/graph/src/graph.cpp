// graph.cpp: numbers that follow from sizes, and the sizes of given inputs.
#include "graph/graph.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::graph {
namespace {

constexpr int64_t kUnknown = -1;

std::string term_text(const Number::Term& term, const std::vector<std::string>& symbols) {
  std::string text;
  if (term.factor != 1 || term.symbols.empty()) text = std::to_string(term.factor);
  for (const uint32_t symbol : term.symbols) text += (text.empty() ? "" : " * ") + symbols[symbol];
  return text;
}

}  // namespace

bool Number::is_constant() const {
  return std::ranges::all_of(terms, [](const Term& term) { return term.symbols.empty(); });
}

int64_t Number::value(std::span<const int64_t> sizes) const {
  int64_t sum = 0;
  for (const Term& term : terms) {
    int64_t product = term.factor;
    bool fits = true;
    for (const uint32_t symbol : term.symbols)
      fits &= !__builtin_mul_overflow(product, sizes[symbol], &product);
    if (!fits || __builtin_add_overflow(sum, product, &sum))
      base::fail(base::Exit::data, "size of a tensor", "more than 64 bits", "smaller inputs", "");
  }
  return sum;
}

std::string Number::text(const std::vector<std::string>& symbols) const {
  std::string text;
  for (const Term& term : terms) text += (text.empty() ? "" : " + ") + term_text(term, symbols);
  return text.empty() ? "0" : text;
}

runtime::Shape shape_of(const Type& type, std::span<const int64_t> sizes) {
  runtime::Shape shape;
  for (const Number& size : type.shape) shape.dims[shape.rank++] = size.value(sizes);
  return shape;
}

std::vector<int64_t> known_sizes(const Type& type) {
  std::vector<int64_t> sizes;
  for (const Number& size : type.shape) sizes.push_back(size.is_constant() ? size.value({}) : -1);
  return sizes;
}

std::string operator_name(const std::string& schema) { return schema.substr(0, schema.find('(')); }

std::string text_of(const Type& type, const std::vector<std::string>& symbols) {
  std::vector<std::string> sizes;
  for (const Number& size : type.shape) sizes.push_back(size.text(symbols));
  return std::string(runtime::dtype_name(type.dtype)) + " (" + base::join(sizes, ", ") + ")";
}

std::vector<int64_t> Graph::sizes_for(std::span<const runtime::TensorInfo> given) const {
  std::vector<int64_t> sizes(symbols.size(), kUnknown);
  if (given.size() != inputs.size())
    base::fail(base::Exit::data, "inputs of the model", std::to_string(given.size()),
               std::to_string(inputs.size()), "give one tensor for each input");
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Type& type = type_of_input(i);
    const auto refuse = [&] {
      std::string expected = text_of(type, symbols);
      for (size_t s = 0; s < symbols.size(); ++s)
        if (sizes[s] != kUnknown)
          expected += ", with " + symbols[s] + " = " + std::to_string(sizes[s]);
      base::fail(base::Exit::data, "input " + base::quoted(inputs[i]),
                 runtime::type_text(given[i].dtype, given[i].shape), expected,
                 "give it that dtype and shape");
    };
    if (given[i].dtype != type.dtype || given[i].shape.rank != type.shape.size()) refuse();
    for (size_t d = 0; d < type.shape.size(); ++d) {
      const int64_t size = given[i].shape.dims[d];
      const Number& wanted = type.shape[d];
      if (wanted.is_constant()) {
        if (size != wanted.value({})) refuse();
        continue;
      }
      int64_t& symbol = sizes[wanted.terms[0].symbols[0]];
      if (symbol != kUnknown && symbol != size) refuse();
      symbol = size;
    }
  }
  for (size_t s = 0; s < symbols.size(); ++s)
    if (sizes[s] < least[s])
      base::fail(base::Exit::data, "inputs of the model",
                 symbols[s] + " = " + std::to_string(sizes[s]),
                 "at least " + std::to_string(least[s]), "give larger inputs");
  return sizes;
}

}  // namespace broch::graph
