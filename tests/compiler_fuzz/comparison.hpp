// comparison.hpp: one random program, eagerly and by what passes make of its recording.
#pragma once
#include <string>

#include "random_program.hpp"

namespace broch::programs {

// One way to compile a program.
struct Compilation {
  runtime::Level level = runtime::Level::bitwise;
  std::set<std::string, std::less<>> without;  // passes
  uint64_t outputs = 0;                        // seed of which are read; 0: all
  bool placed = false;                         // outputs are wanted in memory of others
};
std::string text_of(const Compilation& compilation);

// A few ways that the seed of the program decides, those with all passes among them.
std::vector<Compilation> compilations(const Case& of);

// Records at one data point and compares at two others: the same bits, or at level fast as near as
// when the numbers that go in are moved by a last bit. "" or what is different.
class Comparison {
 public:
  explicit Comparison(const Case& of);
  // "" or why it cannot be recorded.
  const std::string& refusal() const { return refusal_; }
  std::string difference(const Compilation& compilation);
  // What the last compilation made of the program.
  const std::string& text() const { return text_; }

 private:
  struct Point {
    std::vector<runtime::Tensor> inputs, expected, nearby;
  };
  std::vector<runtime::Tensor> eager(const std::vector<runtime::Tensor>& inputs);
  void record();
  void add_point(int number);
  std::string differs(const runtime::Tensor& found, const Point& point, size_t output,
                      runtime::Level level) const;

  Case case_;
  RandomProgram program_;
  std::unique_ptr<runtime::RecordedProgram> recorded_;
  std::string refusal_, text_;
  std::vector<Point> points_;
};

}  // namespace broch::programs
