// rng_test.cpp: broch.rng/1: a function of seed, rank, name, stream and index.
#include <cmath>
#include <set>

#include "project.hpp"

using namespace broch::test;

namespace {

struct Draws {
  std::string options;
  std::string name = "dice";
  int64_t seed = 1;
  uint32_t rank = 0;
};

// What a callback wrote: bits, uniform, normal, below, order.
Lines drawn(const Draws& draws) {
  Project project;
  auto options = Project::null_runtime();
  options.rank = draws.rank;
  options.world = 2;
  const std::string dice = R"({"use": "test.dice", "run_on": "all", "name": ")" + draws.name +
                           R"(", "with": {)" + project.trace_option() + draws.options + "}}";
  CHECK(project.train({"plugins=[\"" RECORDER "\", \"" MODELS "\", \"" SERVANT "\"]",
                       "callbacks=[" + dice + "]", "seed=" + std::to_string(draws.seed)},
                      options) == Exit::ok);
  CHECK(project.failure == "");
  return project.trace();
}

std::vector<double> numbers(const std::string& line) {
  std::istringstream words(line);
  std::string name;
  words >> name;
  return {std::istream_iterator<double>(words), {}};
}

}  // namespace

TEST_CASE("rng: the same again, and others for another seed, rank, name, stream and index") {
  std::set<std::string> bits;
  const std::string first = drawn({}).at(0);
  CHECK(drawn({}).at(0) == first);
  bits.insert(first);
  for (const Draws& other :
       {Draws{.options = R"(, "stream": "t")"}, Draws{.options = R"(, "index": 1)"},
        Draws{.options = "", .name = "other"}, Draws{.options = "", .seed = 2},
        Draws{.options = "", .rank = 1}})
    bits.insert(drawn(other).at(0));
  CHECK(bits.size() == 6);
}

// Recorded once: runs that are resumed by later versions rely on them.
TEST_CASE("rng: the numbers stay what they are") {
  const Lines lines = drawn({.options = R"(, "n": 3)"});
  CHECK(lines == Lines{"bits 4959187301507770057 4111100662649772569 127738400870796135",
                       "uniform 0.410150932 0.410596492 0.0940634832",
                       "normal -0.869612901 0.547312148 -0.356307061", "below 1 5 3",
                       "order 0 2 1"});
}

TEST_CASE("rng: fewer are the first of more") {
  const Lines few = drawn({.options = R"(, "n": 3)"}), many = drawn({.options = R"(, "n": 30)"});
  for (size_t kind = 0; kind < 4; ++kind) CHECK(many.at(kind).starts_with(few.at(kind) + " "));
}

TEST_CASE("rng: uniform, normal, below and permutation are what they are called") {
  const Lines lines = drawn({.options = R"(, "n": 20000)"});
  double sum = 0, square = 0;
  for (const double value : numbers(lines.at(1))) {
    CHECK_UNARY(value >= 0 && value < 1);
    sum += value, square += value * value;
  }
  CHECK(sum / 20000 == doctest::Approx(0.5).epsilon(0.02));
  CHECK(square / 20000 == doctest::Approx(1 / 3.0).epsilon(0.03));
  sum = square = 0;
  for (const double value : numbers(lines.at(2))) sum += value, square += value * value;
  CHECK(std::abs(sum / 20000) < 0.03);
  CHECK(square / 20000 == doctest::Approx(1).epsilon(0.04));
  std::vector<int> faces(6);
  for (const double value : numbers(lines.at(3))) ++faces.at(size_t(value));
  for (const int count : faces) CHECK(std::abs(count - 20000 / 6) < 250);
  const std::vector<double> order = numbers(lines.at(4));
  CHECK(std::set<double>(order.begin(), order.end()).size() == 20000);
  CHECK(*std::ranges::max_element(order) == 19999);
  CHECK(!std::ranges::is_sorted(order));
}

TEST_CASE("rng: no numbers below 0") {
  Project project;
  CHECK(project.train({"plugins=[\"" RECORDER "\", \"" MODELS "\", \"" SERVANT "\"]",
                       R"(callbacks=[{"use": "test.dice", "with": {"bound": 0, )" +
                           project.trace_option() + "}}]"}) != Exit::ok);
  CHECK(project.failure.find("below: bound is 0, expected 1 or more") != std::string::npos);
}
