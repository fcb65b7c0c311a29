// input_option.hpp: an input of a model as a manifest describes it.
#pragma once
#include <broch/broch.hpp>
#include <optional>
#include <string>
#include <vector>

namespace broch::models {

inline broch_dtype dtype_named(const std::string& name) {
  broch_dtype dtype = BROCH_FLOAT32;
  while (dtype_name(dtype) != name) ++dtype;  // the schema allows names of dtypes alone
  return dtype;
}

struct InputOption {
  std::string name, dtype;
  std::vector<int64_t> shape;
  std::optional<std::vector<std::string>> dims;
  static constexpr auto schema = options(
      option("name", &InputOption::name,
             "Its name, for layers, the loss and the components of data points.")
          .pattern("^[A-Za-z0-9_.-]+$"),
      option("dtype", &InputOption::dtype, "The dtype of its elements.")
          .one_of("float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64",
                  "uint8", "bool")
          .by_default("float32"),
      option("shape", &InputOption::shape, "Its shape; -1: depends on the data point.").minimum(-1),
      option("dims", &InputOption::dims,
             "A name for each dimension; those of one name have one size. null: a first dimension "
             "of -1 is called B."));
  Input input() const {
    std::vector<std::string> names = dims.value_or(std::vector<std::string>());
    if (!dims && !shape.empty() && shape[0] < 0) {
      names.resize(shape.size());
      names[0] = "B";
    }
    return {name, dtype_named(dtype), shape, names};
  }
};

}  // namespace broch::models
