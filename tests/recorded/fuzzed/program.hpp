// program.hpp: a random well-typed program over broch.opset/1, built inside a tower call.
//
// A pool holds float32 values; each operation takes some of them and adds what it computes. What it
// does is decided by the seed and by shapes, so the first n operations of a longer program are
// those of a shorter one.
#pragma once
#include <broch/broch.hpp>
#include <string>
#include <vector>

#include "choice.hpp"

namespace broch::fuzzed {

class Program {
 public:
  // variables: of the tower, for gradients inside it.
  Program(Tower& tower, uint64_t seed, const Tensor& input, const std::vector<Tensor>& variables);

  void add_operations(int64_t count);
  // A number that the plugin has in its own memory becomes part of what follows.
  void plant(double number);
  // The last few values as "v0", "v1", …
  void publish(int64_t count);
  // A number that depends on many values.
  Tensor cost();

 private:
  using Shape = std::vector<int64_t>;

  void add_operation();
  void keep(const Tensor& value);

  const Tensor& any();
  // The last value of at least this rank, or one that is made for it.
  Tensor of_rank(size_t rank);
  // One that broadcasts with x, at worst x itself.
  Tensor like(const Tensor& x);
  Shape shape(const Tensor& x) const { return tower_.shape(x); }
  int64_t dim_of(const Tensor& x);
  Tensor bounded(const Tensor& x) { return ops_.tanh(x); }
  Tensor raw(const char* schema, const std::vector<broch_value>& arguments);

  void pointwise();
  void combine();
  void multiply();
  void view();
  void reduce();
  void join();
  void index();
  void write_in_place();
  void draw();
  void convert();
  void differentiate();
  void detach();

  Tower& tower_;
  Ops& ops_;
  Choice choice_;
  std::vector<Tensor> pool_, variables_;
  Tensor planted_;
};

}  // namespace broch::fuzzed
