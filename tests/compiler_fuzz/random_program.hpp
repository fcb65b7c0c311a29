// random_program.hpp: a random computation, as the steps of towers are.
//
// A pool holds float32 values; each operation takes some of them and adds what it computes. What it
// does is decided by the seed, its own number, and shapes, never by values, so that a program is
// the same at every data point, and operations can be left out one by one.
#pragma once
#include <ATen/core/Tensor.h>

#include <set>
#include <vector>

#include "recorded/fuzzed/choice.hpp"
#include "runtime/backend.hpp"

namespace broch::programs {

struct Case {
  int64_t seed = 1;
  int operations = 14;
  // Without what jumps when its argument moves by a last bit: sorting, comparisons, rounding.
  bool smooth = false;
  std::set<int> without = {};  // operations
};

class RandomProgram {
 public:
  explicit RandomProgram(Case of);

  // The number-th data point.
  std::vector<runtime::Tensor> inputs(int number) const;
  // Made by the first run.
  const std::vector<runtime::Tensor>& variables() const { return variables_; }
  // What was computed, and the derivatives of each root by each variable; undefined ones are kept.
  // inputs: copies that it may write to.
  std::vector<runtime::Tensor> run(const std::vector<runtime::Tensor>& inputs);

 private:
  using Shape = std::vector<int64_t>;

  void add_operation(int number);
  void keep(const at::Tensor& value);
  at::Tensor any();
  at::Tensor of_rank(int64_t least);     // of at least this rank
  at::Tensor image();                    // of rank 4
  at::Tensor like(const at::Tensor& x);  // one that broadcasts with x, at worst x itself
  at::Tensor weight(const Shape& shape);
  at::Tensor labels(int64_t count, int64_t classes);
  int64_t dim_of(const at::Tensor& x);
  int64_t size();  // often next to a multiple of what vectors hold
  at::Tensor activated(const at::Tensor& x);
  at::Tensor drawn(const at::Tensor& x);
  std::vector<runtime::Tensor> results();
  at::Tensor normalized(const at::Tensor& x);

  void pointwise();
  void combine();
  void layers();
  void product();
  void convolve();
  void separate();
  void normalize();
  void attend();
  void lose();
  void look_up();
  void reduce();
  void view();
  void take_apart();
  void join();
  void write();
  void write_behind();
  void draw();
  void convert();
  void choose();
  void differentiate();
  void host_kernel();

  Case case_;
  int64_t batch_;
  fuzzed::Choice choice_;
  std::vector<runtime::Tensor> variables_;

  // Of the run in progress.
  std::vector<at::Tensor> leaves_, pool_, roots_;
  at::Tensor numbers_;  // int64
  bool twice_ = true;   // everything so far can be differentiated twice
};

}  // namespace broch::programs
