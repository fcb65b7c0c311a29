// losses_test.cpp: the losses and metrics of a manifest, computed from the numbers of a file,
// beside their definitions.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <functional>

#include "cli_harness/cli_harness.hpp"

using namespace broch;
using cli_harness::Json;

namespace {

constexpr int kRows = 6, kColumns = 4;
using Row = std::vector<double>;

// Deterministic, different, of both signs.
double number(int row, int column) { return std::sin(1.7 * row + 0.9 * column + 0.3) * 1.5; }
double other(int row, int column) { return std::cos(0.8 * row + 1.3 * column); }
int label(int row) { return (row * 3 + 1) % kColumns; }
bool has_gap(int row) { return row % 3 == 2; }
// A probability for each class.
double soft(int row, int column) {
  double sum = 0;
  for (int c = 0; c < kColumns; ++c) sum += std::exp(other(row, c));
  return std::exp(other(row, column)) / sum;
}

Row numbers(int row) {
  Row values;
  for (int c = 0; c < kColumns; ++c) values.push_back(number(row, c));
  return values;
}
double mean_of(const std::function<double(int)>& of) {
  double sum = 0;
  for (int row = 0; row < kRows; ++row) sum += of(row);
  return sum / kRows;
}
double mean_of_all(const std::function<double(int, int)>& of) {
  return mean_of([&](int row) {
    double sum = 0;
    for (int c = 0; c < kColumns; ++c) sum += of(row, c);
    return sum / kColumns;
  });
}
Row log_softmax(const Row& x) {
  double sum = 0;
  for (const double value : x) sum += std::exp(value);
  Row logs;
  for (const double value : x) logs.push_back(value - std::log(sum));
  return logs;
}
double softplus(double x) { return std::log1p(std::exp(x)); }
double distance(int a, const std::function<double(int, int)>& f, double sign) {
  double sum = 0;
  for (int c = 0; c < kColumns; ++c) {
    const double d = number(a, c) - sign * f(a, c) + 1e-6;
    sum += d * d;
  }
  return std::sqrt(sum);
}

// The file has columns x0…, o0…, bit0…, soft0…, label, symbol, one, gap. A layer without effect
// makes the output.
Json manifest(const cli_harness::Folder& folder, const Json& loss, const Json& metrics) {
  const std::string path = folder / "table.csv";
  std::ofstream file(path);
  file.precision(9);
  std::map<std::string, Json> columns;
  for (const std::string kind : {"x", "o", "bit", "soft"})
    for (int c = 0; c < kColumns; ++c) {
      columns[kind].push_back(kind + std::to_string(c));
      file << kind << c << ',';
    }
  file << "label,symbol,one,gap\n";
  for (int row = 0; row < kRows; ++row) {
    for (int c = 0; c < kColumns; ++c) file << number(row, c) << ',';
    for (int c = 0; c < kColumns; ++c) file << other(row, c) << ',';
    for (int c = 0; c < kColumns; ++c) file << (row + c) % 2 << ',';
    for (int c = 0; c < kColumns; ++c) file << soft(row, c) << ',';
    file << label(row) << ",2,1," << (has_gap(row) ? -100 : label(row)) << '\n';
  }
  file.close();
  const auto component = [&](const std::string& name) {
    return Json{{"columns", columns.at(name)}, {"name", name}};
  };
  const auto single = [](const std::string& name) {
    return Json{{"columns", {name}}, {"scalar", true}, {"dtype", "int64"}, {"name", name}};
  };
  const Json csv{{"use", "csv"},
                 {"with",
                  {{"file", path},
                   {"components",
                    {component("x"), component("o"), component("bit"), component("soft"),
                     single("symbol"), single("one"), single("gap"), single("label")}}}}};
  const Json batch{{"use", "batch"}, {"with", {{"batch_size", kRows}, {"dataflow", csv}}}};
  const Json with = {
      {"inputs",
       {{{"name", "x"}, {"shape", {-1, kColumns}}},
        {{"name", "o"}, {"shape", {-1, kColumns}}},
        {{"name", "bit"}, {"shape", {-1, kColumns}}},
        {{"name", "soft"}, {"shape", {-1, kColumns}}},
        {{"name", "symbol"}, {"dtype", "int64"}, {"shape", {-1}}},
        {{"name", "one"}, {"dtype", "int64"}, {"shape", {-1}}},
        {{"name", "gap"}, {"dtype", "int64"}, {"shape", {-1}}},
        {{"name", "label"}, {"dtype", "int64"}, {"shape", {-1}}}}},
      {"layers",
       {{{"layer", "prelu"}, {"initial", 1}},
        {{"layer", "log_softmax"}, {"name", "logs"}},
        {{"layer", "scale"}, {"input", "o"}, {"factor", -1}, {"name", "minus"}},
        {{"layer", "select"}, {"input", "bit"}, {"index", 0}, {"name", "first_bit"}},
        {{"layer", "activation"}, {"function", "sigmoid"}, {"input", "prelu_1"}, {"name", "p"}},
        // Two steps of four classes, and one symbol, for ctc.
        {{"layer", "concat"}, {"input", "prelu_1"}, {"with", {"o"}}},
        {{"layer", "reshape"}, {"shape", {2, 4}}, {"name", "steps"}},
        {{"layer", "reshape"}, {"shape", {1}}, {"input", "symbol"}, {"name", "symbols"}},
        {{"layer", "scale"}, {"input", "prelu_1"}}}},
      {"loss", loss},
      {"metrics", metrics}};
  Json names = {"loss"};
  for (const Json& metric : metrics)
    names.push_back(metric.is_string() ? metric : metric.value("name", Json("top_2_accuracy")));
  const Json runner{{"use", "inference-runner"},
                    {"with",
                     {{"dataflow", batch},
                      {"inferencers", {{{"use", "scalar-stats"}, {"with", {{"names", names}}}}}}}}};
  return {{"broch", 1},
          {"model", {{"use", "sequential"}, {"with", with}}},
          {"dataflow", batch},
          {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", 0}}}}},
          {"callbacks", {runner}},
          {"max_epoch", 1}};
}

Json measured(const Json& loss, const Json& metrics = Json::array()) {
  const cli_harness::Folder folder;
  const cli_harness::Training training(folder, "run", manifest(folder, loss, metrics));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  return training.stats().back();
}

void check_loss(const Json& loss, double expected) {
  CAPTURE(loss.dump());
  CHECK(measured(loss).at("validation_loss").get<double>() ==
        doctest::Approx(expected).epsilon(1e-5));
}

// Towers on the CPU alone are recorded.
void check_recorded(const Json& loss) {
  const cli_harness::Folder folder;
  Json run = manifest(folder, loss, Json::array());
  run["trainer"] = {{"use", "simple"}, {"with", {{"devices", {"cpu"}}}}};
  const cli_harness::Training training(folder, "run", run);
  CHECK_MESSAGE(training.run({"runtime.execution=recorded", "max_epoch=4"}) == 0, training.talk());
}

// What a training that is refused says.
std::string refusal(const Json& loss, const Json& metrics = Json::array()) {
  const cli_harness::Folder folder;
  const cli_harness::Training training(folder, "run", manifest(folder, loss, metrics));
  CHECK(training.run() != 0);
  return training.talk();
}

}  // namespace

TEST_CASE("sequential: losses of classes are what they are defined to be") {
  const auto log_p = [](int row) { return log_softmax(numbers(row)); };
  const double plain = mean_of([&](int row) { return -log_p(row)[size_t(label(row))]; });
  check_loss("cross_entropy", plain);
  check_loss({{"loss", "nll"}, {"input", "logs"}}, plain);
  check_loss({{"loss", "cross_entropy"}, {"label_smoothing", 0.2}}, mean_of([&](int row) {
               double all = 0;
               for (const double p : log_p(row)) all += p / kColumns;
               return -0.8 * log_p(row)[size_t(label(row))] - 0.2 * all;
             }));
  const Row weights = {1, 2, 0.5, 4};
  const auto weight = [&](int row) { return weights[size_t(label(row))]; };
  check_loss({{"loss", "cross_entropy"}, {"class_weights", weights}},
             mean_of([&](int row) { return -weight(row) * log_p(row)[size_t(label(row))]; }) /
                 mean_of(weight));
  check_loss({{"loss", "focal"}, {"gamma", 1.5}}, mean_of([&](int row) {
               const double log = log_p(row)[size_t(label(row))];
               return -std::pow(1 - std::exp(log), 1.5) * log;
             }));
  check_loss({{"loss", "focal"}, {"gamma", 0.5}}, mean_of([&](int row) {
               const double log = log_p(row)[size_t(label(row))];
               return -std::sqrt(1 - std::exp(log)) * log;
             }));
}

TEST_CASE("sequential: weights of classes and smoothed labels together are as in PyTorch") {
  const Row weights = {1, 2, 0.5, 4};
  const auto cost = [&](int row) {
    const Row logs = log_softmax(numbers(row));
    double all = 0;
    for (int c = 0; c < kColumns; ++c) all -= weights[size_t(c)] * logs[size_t(c)];
    const auto of_class = size_t(label(row));
    return -0.8 * weights[of_class] * logs[of_class] + 0.2 / kColumns * all;
  };
  const auto mean_over = [&](const std::function<bool(int)>& counts) {
    double sum = 0, total = 0;
    for (int row = 0; row < kRows; ++row)
      if (counts(row)) {
        sum += cost(row);
        total += weights[size_t(label(row))];
      }
    return sum / total;
  };
  Json loss = {{"loss", "cross_entropy"}, {"class_weights", weights}, {"label_smoothing", 0.2}};
  check_loss(loss, mean_over([](int) { return true; }));
  loss["target"] = "gap";
  check_loss(loss, mean_over([](int row) { return !has_gap(row); }));
  loss["target"] = "label";
  loss["ignore_index"] = 1;
  check_loss(loss, mean_over([](int row) { return label(row) != 1; }));
  check_recorded(loss);
}

TEST_CASE("sequential: cross_entropy takes a probability for each class") {
  const Row weights = {1, 2, 0.5, 4};
  const auto of_target = [](const std::function<double(int, int)>& target) {
    return mean_of([&](int row) {
      const Row logs = log_softmax(numbers(row));
      double sum = 0;
      for (int c = 0; c < kColumns; ++c) sum -= target(row, c) * logs[size_t(c)];
      return sum;
    });
  };
  Json loss = {{"loss", "cross_entropy"}, {"target", "soft"}};
  check_loss(loss, of_target(soft));
  loss["class_dim"] = -1;
  check_loss(loss, of_target(soft));
  loss["class_weights"] = weights;
  check_loss(loss, of_target([&](int row, int c) { return weights[size_t(c)] * soft(row, c); }));
  loss["label_smoothing"] = 0.2;
  check_loss(loss, of_target([&](int row, int c) {
               return weights[size_t(c)] * (0.8 * soft(row, c) + 0.2 / kColumns);
             }));
  check_recorded(loss);
  loss["ignore_index"] = 2;
  const std::string ignoring = refusal(loss);
  CHECK_MESSAGE(cli_harness::count(ignoring, "no ignore_index, or classes as the target") > 0,
                ignoring);
  const std::string narrow = refusal({{"loss", "cross_entropy"}, {"target", "first_bit"}});
  CHECK_MESSAGE(cli_harness::count(narrow, "a probability for each class") > 0, narrow);
}

TEST_CASE("sequential: the class of a distribution is the most probable one") {
  const auto share = [](int allowed) {
    return mean_of([&](int row) {
      int best = 0, larger = 0;
      for (int c = 1; c < kColumns; ++c)
        if (soft(row, c) > soft(row, best)) best = c;
      for (int c = 0; c < kColumns; ++c) larger += number(row, c) > number(row, best);
      return larger < allowed;
    });
  };
  const Json metrics = {{{"metric", "accuracy"}, {"target", "soft"}, {"name", "hits"}},
                        {{"metric", "top_k"}, {"target", "soft"}, {"k", 3}, {"name", "near_hits"}}};
  const Json record = measured({{"loss", "cross_entropy"}, {"target", "soft"}}, metrics);
  CHECK(record.at("validation_hits").get<double>() == doctest::Approx(share(1)));
  CHECK(record.at("validation_near_hits").get<double>() == doctest::Approx(share(3)));
}

TEST_CASE("sequential: losses of numbers are what they are defined to be") {
  const auto difference = [](int row, int c) { return number(row, c) - other(row, c); };
  const auto with_target = [](const std::string& loss, const std::string& target) {
    return Json{{"loss", loss}, {"target", target}};
  };
  check_loss(with_target("mse", "o"),
             mean_of_all([&](int r, int c) { return std::pow(difference(r, c), 2); }));
  check_loss(with_target("l1", "o"),
             mean_of_all([&](int r, int c) { return std::abs(difference(r, c)); }));
  Json huber = with_target("huber", "o");
  huber["delta"] = 0.7;
  check_loss(huber, mean_of_all([&](int r, int c) {
               const double d = std::abs(difference(r, c));
               return d <= 0.7 ? d * d / 2 : 0.7 * (d - 0.35);
             }));
  const auto bit = [](int r, int c) { return double((r + c) % 2); };
  const auto entropy = [&](int r, int c) {
    return bit(r, c) * softplus(-number(r, c)) + (1 - bit(r, c)) * softplus(number(r, c));
  };
  check_loss(with_target("bce", "bit"), mean_of_all(entropy));
  Json probabilities = with_target("bce", "bit");
  probabilities["logits"] = false;
  probabilities["input"] = "p";
  check_loss(probabilities, mean_of_all(entropy));
  Json weighed = with_target("bce", "bit");
  weighed["positive_weight"] = 3;
  check_loss(weighed,
             mean_of_all([&](int r, int c) { return entropy(r, c) * (bit(r, c) > 0 ? 3 : 1); }));
  Json focal = with_target("focal", "bit");
  focal["alpha"] = 0.25;
  check_loss(focal, mean_of_all([&](int r, int c) {
               const double e = entropy(r, c);
               return (bit(r, c) > 0 ? 0.25 : 0.75) * std::pow(1 - std::exp(-e), 2) * e;
             }));
}

TEST_CASE("sequential: losses of vectors are what they are defined to be") {
  const auto near = [](int row) { return distance(row, other, 1); };
  const auto far = [](int row) { return distance(row, other, -1); };
  check_loss({{"loss", "triplet"}, {"positive", "o"}, {"negative", "minus"}, {"margin", 0.4}},
             mean_of([&](int r) { return std::max(0.0, near(r) - far(r) + 0.4); }));
  check_loss(
      {{"loss", "triplet"}, {"positive", "o"}, {"negative", "minus"}, {"squared", true}},
      mean_of([&](int r) { return std::max(0.0, near(r) * near(r) - far(r) * far(r) + 1); }));
  check_loss({{"loss", "contrastive"}, {"other", "o"}, {"target", "first_bit"}, {"margin", 2}},
             mean_of([&](int r) {
               const double d = near(r), open = std::max(0.0, 2 - d);
               return r % 2 ? d * d : open * open;
             }));
}

TEST_CASE("sequential: triplet and perplexity need no target, and an only input is none") {
  const cli_harness::Folder folder;
  const Json loss = {{"loss", "triplet"}, {"positive", "x"}, {"negative", "minus"}};
  Json run = manifest(folder, loss, Json::array({"perplexity"}));
  Json& with = run["model"]["with"];
  with["inputs"] = Json::parse(R"([{"name": "x", "shape": [-1, 4]}])");
  with["layers"] = Json::parse(R"([{"layer": "scale", "factor": -1, "name": "minus"},
                                   {"layer": "prelu", "input": "x"}])");
  run["dataflow"] =
      Json::parse(R"({"use": "fake", "with": {"size": 1, "components": [{"shape": [6, 4]}]}})");
  run["callbacks"] = Json::array();
  const cli_harness::Training training(folder, "run", run);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  CHECK(training.stats().back().contains("perplexity"));
}

TEST_CASE("sequential: triplet and perplexity refuse a target") {
  const std::string triplet =
      refusal({{"loss", "triplet"}, {"positive", "o"}, {"negative", "minus"}, {"target", "label"}},
              Json::array());
  CHECK_MESSAGE(cli_harness::count(triplet, "none, but positive and negative") > 0, triplet);
  for (const std::string option : {"input", "target"}) {
    const Json metric{{"metric", "perplexity"}, {option, "o"}, {"name", "perplexity"}};
    const std::string perplexity = refusal("cross_entropy", Json::array({metric}));
    CHECK_MESSAGE(cli_harness::count(perplexity, "neither, but the loss of the model") > 0,
                  perplexity);
  }
}

TEST_CASE("sequential: contrastive takes one target for each pair, not a column of them") {
  const cli_harness::Folder folder;
  const Json loss = {{"loss", "contrastive"}, {"other", "o"}, {"target", "symbols"}};
  const cli_harness::Training training(folder, "run", manifest(folder, loss, Json::array()));
  CHECK(training.run() != 0);
  CHECK_MESSAGE(cli_harness::count(training.talk(), "0 or 1 for each pair") > 0, training.talk());
}

TEST_CASE("sequential: ctc sums over all ways to align the symbols") {
  check_loss(
      {{"loss", "ctc"},
       {"input", "steps"},
       {"target", "symbols"},
       {"target_lengths", "one"},
       {"blank", 1}},
      mean_of([](int row) {
        Row second;
        for (int c = 0; c < kColumns; ++c) second.push_back(other(row, c));
        const Row a = log_softmax(numbers(row)), b = log_softmax(second);
        // Symbol 2 in both steps, or in one of them beside the blank.
        return -std::log(std::exp(a[2] + b[2]) + std::exp(a[2] + b[1]) + std::exp(a[1] + b[2]));
      }));
}

TEST_CASE("sequential: metrics are what they are defined to be") {
  const auto rank = [](int row) {  // how many scores are larger than that of the class
    int larger = 0;
    for (int c = 0; c < kColumns; ++c) larger += number(row, c) > number(row, label(row));
    return larger;
  };
  const Json classes =
      measured("cross_entropy",
               {"accuracy",
                {{"metric", "top_k"}, {"k", 2}},
                {{"metric", "top_k"}, {"k", 2}, {"name", "again"}, {"vector", "wrong_again"}},
                "perplexity"});
  const auto value = [](const Json& record, const std::string& name) {
    return record.at("validation_" + name).get<double>();
  };
  CHECK(value(classes, "accuracy") ==
        doctest::Approx(mean_of([&](int r) { return rank(r) == 0; })));
  CHECK(value(classes, "top_2_accuracy") ==
        doctest::Approx(mean_of([&](int r) { return rank(r) < 2; })));
  CHECK(value(classes, "again") == value(classes, "top_2_accuracy"));
  CHECK(value(classes, "perplexity") ==
        doctest::Approx(std::exp(value(classes, "loss"))).epsilon(1e-5));
  Json metrics;
  for (const std::string name : {"mean_absolute_error", "mean_squared_error"})
    metrics.push_back({{"metric", name}, {"target", "o"}, {"name", name}});
  metrics.push_back({{"metric", "psnr"}, {"target", "o"}, {"peak", 4}, {"name", "noise"}});
  metrics.push_back({{"metric", "binary_accuracy"}, {"target", "bit"}, {"name", "hits"}});
  metrics.push_back({{"metric", "binary_accuracy"},
                     {"target", "bit"},
                     {"threshold", 0.5},
                     {"name", "sure_hits"},
                     {"vector", "not_sure"}});
  const Json numbers = measured({{"loss", "mse"}, {"target", "o"}}, metrics);
  CHECK(value(numbers, "mean_squared_error") == doctest::Approx(value(numbers, "loss")));
  CHECK(value(numbers, "mean_absolute_error") == doctest::Approx(mean_of_all([](int r, int c) {
                                                   return std::abs(number(r, c) - other(r, c));
                                                 })).epsilon(1e-5));
  CHECK(value(numbers, "noise") ==
        doctest::Approx(20 * std::log10(4.0) - 10 * std::log10(value(numbers, "loss"))));
  const auto hits_above = [](double threshold) {
    return mean_of_all(
        [&](int r, int c) { return (number(r, c) > threshold) == ((r + c) % 2 == 1); });
  };
  CHECK(value(numbers, "hits") == doctest::Approx(hits_above(0)));
  CHECK(value(numbers, "sure_hits") == doctest::Approx(hits_above(0.5)));
}
