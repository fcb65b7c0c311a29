// rows_test.cpp: look-ups in tables, gradients of tables as rows, and updates by rows.
#include <algorithm>
#include <limits>
#include <set>

#include "step_operators.hpp"

using namespace broch::runtime;

namespace {

constexpr int64_t kRows = 40, kWidth = 16, kSize = 24, kBags = 12;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Tensor longs(const std::vector<int64_t>& values, std::vector<int64_t> shape) {
  const broch_dl_tensor data{const_cast<int64_t*>(values.data()),
                             {BROCH_DL_CPU, 0},
                             static_cast<int32_t>(shape.size()),
                             {BROCH_DL_INT, 64, 1},
                             shape.data(),
                             nullptr,
                             0};
  return backend().copy_in(data, {});
}

// Some rows three times and more.
Tensor some_rows(int64_t seed, const std::vector<int64_t>& shape = {kSize}) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < kSize; ++i) rows.push_back(i % 3 == 0 ? 5 : (i * i + seed) % kRows);
  return longs(rows, shape);
}

Tensor bags_with_an_empty_one() {
  return longs({0, 3, 3, 4, 6, 9, 11, 12, 15, 15, 20, 22}, {kBags});
}

Tensor embedding(const Tensor& table, const Tensor& indices, int64_t padding = -1) {
  return call1(
      "aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool "
      "scale_grad_by_freq=False, bool sparse=False) -> Tensor",
      {of(table), of(indices), of(padding), of(false), of(false)});
}
Tensor bag(const Tensor& table, const Tensor& indices, const Tensor& offsets, int64_t mode = 0) {
  return call(
      "aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool "
      "scale_grad_by_freq=False, int mode=0) -> (Tensor, Tensor, Tensor, Tensor)",
      {of(table), of(indices), of(offsets), of(false), of(mode)})[0];
}
Tensor joined(const Tensors& parts) {
  std::vector<broch_tensor> pointers;
  for (const Tensor& part : parts) pointers.push_back(reinterpret_cast<uint64_t>(part.impl()));
  return call1("aten::cat(Tensor[] tensors, int dim=0) -> Tensor",
               {list(pointers), of(int64_t{1})});
}
Tensor sin_of(const Tensor& x) { return call1("aten::sin(Tensor self) -> Tensor", {of(x)}); }
// What is looked up, and gradients that differ from element to element.
Tensors costs(const Tensor& found, const Tensors& tables) {
  const Tensor cost =
      call1("aten::sum(Tensor self) -> Tensor", {of(mul(sin_of(found), sin_of(found)))});
  Tensors outputs = with_gradients(cost, tables);
  outputs.push_back(found);
  return outputs;
}

struct Case {
  const char* name;
  size_t tables;
  std::function<Tensors(const Tensors& w, const Tensors& in)> step;  // in: indices, bags, more rows
};

const Case kAsRows[] = {
    {"rows one by one", 1,
     [](const Tensors& w, const Tensors& in) { return costs(embedding(w[0], in[0]), w); }},
    {"rows one by one, one without a gradient", 1,
     [](const Tensors& w, const Tensors& in) { return costs(embedding(w[0], in[0], 5), w); }},
    {"rows in a batch of lists", 1,
     [](const Tensors& w, const Tensors& in) { return costs(embedding(w[0], in[2]), w); }},
    {"bags", 1,
     [](const Tensors& w, const Tensors& in) { return costs(bag(w[0], in[0], in[1]), w); }},
    {"bags of two tables beside numbers", 2,
     [](const Tensors& w, const Tensors& in) {
       const Tensor one = bag(w[0], in[0], in[1]), two = bag(w[1], in[0], in[1]);
       return costs(joined({in[3], one, two}), w);
     }},
    {"rows of two tables that get the same gradients", 2,
     [](const Tensors& w, const Tensors& in) {
       return costs(add(embedding(w[0], in[0]), embedding(w[1], in[5])), w);
     }},
    {"rows of two tables beside each other", 2,
     [](const Tensors& w, const Tensors& in) {
       return costs(joined({embedding(w[0], in[0]), embedding(w[1], in[0])}), w);
     }},
};

const Case kWhole[] = {
    {"a table that is looked up twice", 1,
     [](const Tensors& w, const Tensors& in) {
       return costs(mul(embedding(w[0], in[0]), sin_of(embedding(w[0], in[0]))), w);
     }},
    {"a table that is read as a whole, too", 1,
     [](const Tensors& w, const Tensors& in) {
       const Tensor both = joined({sin_of(w[0]), embedding(w[0], in[4])});
       return costs(both, w);
     }},
    {"the means of bags, at level bitwise", 1,
     [](const Tensors& w, const Tensors& in) { return costs(bag(w[0], in[0], in[1], 1), w); }},
};

Tensors inputs_of(int64_t seed) {
  std::vector<int64_t> every(kRows);
  for (int64_t i = 0; i < kRows; ++i) every[i] = (i * 7 + seed) % kRows;
  return {some_rows(seed),
          bags_with_an_empty_one(),
          some_rows(seed + 1, {4, 6}),
          waves({kBags, 3}, static_cast<double>(seed)),
          longs(every, {kRows}),
          some_rows(seed + 2)};
}

// Zeros of both signs, too.
Tensors tables_of(size_t count) {
  Tensors tables;
  for (size_t i = 0; i < count; ++i) {
    std::vector<float> values(kRows * kWidth);
    for (size_t k = 0; k < values.size(); ++k)
      values[k] = k % 5 == 0 ? 0.0f : k % 5 == 1 ? -0.0f : std::sin(0.3f * static_cast<float>(k));
    tables.push_back(floats(values, {kRows, kWidth}));
  }
  return tables;
}

struct Compared {
  std::unique_ptr<Executable> executable;
  Tensors expected;
};

// Runs the program on other data than it was recorded on; the cost is output 0, then gradients.
Compared compared(const Case& of, Level level, bool rows,
                  const std::set<std::string, std::less<>>& without = {}) {
  const Tensors tables = tables_of(of.tables), others = inputs_of(3);
  const Step step = [&](const Tensors& in, const Tensors& variables) {
    return of.step(leaves(variables), in);
  };
  const auto program = record(step, inputs_of(1), tables);
  Compared found{nullptr, eager(step, others, tables)};
  CompileOptions options = all_of(found.expected.size(), level);
  options.without = without;
  options.rows.assign(found.expected.size(), false);
  for (size_t i = 0; i < of.tables; ++i) options.rows[i + 1] = rows;
  found.executable = program->compile(options);
  run(*found.executable, others);
  return found;
}

bool gives_rows(const Executable& executable) {
  return executable.text().find(" as rows ") != std::string::npos;
}

UpdateStep descent(const Tensor& table, const Tensor& gradient, double rate) {
  UpdateStep step;
  step.parameters = table;
  step.gradients = gradient;
  step.step = 1;
  step.learning_rate = rate;
  return step;
}

// A table after an update by rows and one by the whole gradient.
std::string difference_after(UpdateStep step, const Tensor& rows, const Tensor& whole) {
  const Tensor one = tables_of(1)[0], other = tables_of(1)[0];
  const auto update = [&](const Tensor& table, const Tensor& gradient) {
    step.parameters = table;
    step.gradients = gradient;
    backend().update(step);
  };
  update(one, rows);
  update(other, whole);
  return backend().difference(other, one, kExact);
}

}  // namespace

TEST_CASE("look-ups: forward and back they have the bits of LibTorch's, with and without passes") {
  for (const Case& of : kAsRows)
    for (const auto& without : std::vector<std::set<std::string, std::less<>>>{
             {}, {"rows"}, {"look-ups"}, {"rows", "look-ups"}, {"prune"}})
      for (const bool rows : {false, true}) {
        CAPTURE(of.name);
        const Compared found = compared(of, Level::bitwise, rows, without);
        check_same(*found.executable, found.expected, kExact);
        CHECK(gives_rows(*found.executable) == (rows && !without.contains("rows")));
      }
}

TEST_CASE("look-ups: results that are joined are written where they belong") {
  const std::string text = compared(kAsRows[4], Level::bitwise, true).executable->text();
  CHECK(text.find("look_ups+cat") != std::string::npos);
  CHECK(text.find("aten::_embedding_bag") == std::string::npos);
  CHECK(text.find("aten::cat") == std::string::npos);
}

TEST_CASE("look-ups: rows that are joined with a part of themselves stay in memory") {
  const Step step = [](const Tensors& in, const Tensors& tables) {
    const Tensor found = embedding(tables[0], in[0]);
    const Tensor part = call1(
        "aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, "
        "SymInt step=1) -> Tensor(a)",
        {of(found), of(int64_t{1}), of(int64_t{2}), of(int64_t{7}), of(int64_t{1})});
    return Tensors{joined({found, part})};
  };
  const Tensors tables = tables_of(1), others{some_rows(3)};
  const auto executable = record(step, {some_rows(1)}, tables)->compile(all_of(1));
  run(*executable, others);
  check_same(*executable, eager(step, others, tables), kExact);
}

TEST_CASE("rows: descent by rows leaves the bits of descent by the whole gradient") {
  for (const Case& of : kAsRows) {
    CAPTURE(of.name);
    const Compared found = compared(of, Level::bitwise, true);
    for (const double rate : {0.0, 0.01, 3.0})
      CHECK(difference_after(descent({}, {}, rate), found.executable->output(1),
                             found.expected[1]) == "");
  }
}

TEST_CASE("rows: an update that moves the other rows gets the whole gradient") {
  const Compared found = compared(kAsRows[3], Level::bitwise, true);
  const Tensor &rows = found.executable->output(1), &whole = found.expected[1];
  for (const double rate : {-0.5, double(kInfinity), double(-kInfinity), 1e300})
    CHECK(difference_after(descent({}, {}, rate), rows, whole) == "");
  UpdateStep decaying = descent({}, {}, 0.1);
  decaying.weight_decay = 0.5;
  CHECK(difference_after(decaying, rows, whole) == "");
  const auto momentum = [&](const Tensor& gradient) {
    UpdateStep step = descent(tables_of(1)[0], gradient, 0.1);
    step.rule = Rule::momentum;
    step.momentum = 0.9;
    step.slots = {tables_of(1)[0]};
    step.step = 2;
    backend().update(step);
    return step.parameters;
  };
  CHECK(backend().difference(momentum(whole), momentum(rows), kExact) == "");
}

TEST_CASE("rows: assigned to a buffer they are the whole gradient") {
  const Compared found = compared(kAsRows[1], Level::bitwise, true);
  const Tensor table = tables_of(1)[0];
  backend().assign(table, found.executable->output(1));
  CHECK(backend().difference(found.expected[1], table, kExact) == "");
}

TEST_CASE("rows: a gradient that is more than one look-up's comes whole") {
  for (const Case& of : kWhole) {
    CAPTURE(of.name);
    const Compared found = compared(of, Level::bitwise, true);
    CHECK_FALSE(gives_rows(*found.executable));
    check_same(*found.executable, found.expected, kExact);
  }
}

TEST_CASE("rows: means of bags come as rows at level fast, within rounding") {
  const Compared found = compared(kWhole[2], Level::fast, true);
  CHECK(gives_rows(*found.executable));
  check_same(*found.executable, found.expected, kNear);
}

TEST_CASE("rows: a wrong row is found by the comparison") {
  const Compared found = compared(kAsRows[0], Level::bitwise, true);
  const Compared other = compared(kAsRows[1], Level::bitwise, false);
  CHECK(backend().difference(other.expected[1], found.executable->output(1), kExact) != "");
  const Backend::Distance distance =
      backend().distance(other.expected[1], found.executable->output(1));
  CHECK(distance.apart > 0);
}

TEST_CASE("rows: an index outside of the table ends the run with its number") {
  const Tensors tables = tables_of(1);
  const Step step = [](const Tensors& in, const Tensors& variables) {
    const Tensors w = leaves(variables);
    return costs(bag(w[0], in[0], in[1]), w);
  };
  CompileOptions options = all_of(2);
  options.rows = {false, true};
  const auto executable = record(step, inputs_of(1), tables)->compile(options);
  Tensors wrong = inputs_of(2);
  std::vector<int64_t> indices(kSize, 1);
  indices[7] = kRows;
  wrong[0] = longs(indices, {kSize});
  CHECK(
      has(error_of([&] { run(*executable, wrong); }), "index 40 at position 7, expected 0 to 39"));
}
