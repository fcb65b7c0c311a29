// inferencers_test.cpp: metrics of a file of samples, compared with their plain definitions
// (tests/reference/record_inferred.py), with batches of any size.
#include <cmath>
#include <map>

#include "slope.hpp"

using namespace broch::test;

namespace {

using Metrics = std::map<std::string, double>;

Metrics numbers_of(const broch::value::Value& object) {
  Metrics metrics;
  for (const broch::value::Member& member : object.object())
    if (member.value.is_number()) metrics[member.key] = member.value.number();
  return metrics;
}

Metrics expected_metrics() {
  return numbers_of(
      broch::value::parse_text("expected.json", read_file(INFERRED_DIR "/expected.json")));
}

// A column of the file and an input of the model, which does nothing with most of them.
struct Column {
  const char *name, *at, *shape, *dtype;
};
constexpr Column kColumns[] = {
    {"logits", "[0, 6]", "6", "float32"},  {"label", "[6, 1]", "", "int64"},
    {"score", "[7, 1]", "", "float32"},    {"yes", "[8, 1]", "", "int64"},
    {"said", "[9, 1]", "", "int64"},       {"predicted", "[10, 2]", "2", "float32"},
    {"target", "[12, 2]", "2", "float32"}, {"losses", "[14, 3]", "3", "float32"},
    {"mask", "[17, 3]", "3", "float32"},   {"pixels", "[20, 12]", "3, 2, 2", "float32"},
    {"truth", "[32, 4]", "2, 2", "int64"}, {"tokens", "[20, 12]", "4, 3", "float32"},
    {"next", "[32, 4]", "4", "int64"},     {"real", "[12, 5]", "5", "float32"},
    {"drawn", "[20, 5]", "5", "float32"},  {"more", "[20, 6]", "6", "float32"}};

std::string data(int batch_size) {
  std::string columns;
  for (const Column& column : kColumns)
    columns += std::string(columns.empty() ? "" : ", ") + R"({"file": ")" + INFERRED_DIR +
               R"(/samples.csv", "columns": )" + column.at + R"(, "name": ")" + column.name +
               R"(", "dtype": ")" + column.dtype + R"(", "shape": [)" + column.shape + "]}";
  return around("batch", R"({"use": "arrays", "with": {"components": [)" + columns + "]}}",
                R"(, "remainder": true, "batch_size": )" + std::to_string(batch_size));
}
// Publishes loss, the mean cross entropy of logits.
std::string model() {
  std::string inputs;
  for (const Column& column : kColumns)
    inputs += std::string(inputs.empty() ? "" : ", ") + R"({"name": ")" + column.name +
              R"(", "dtype": ")" + column.dtype + R"(", "shape": [-1)" +
              (*column.shape ? ", " : "") + column.shape + "]}";
  return R"({"use": "sequential", "with": {"inputs": [)" + inputs +
         R"(], "layers": [{"layer": "fully_connected", "units": 1}],
         "loss": {"loss": "cross_entropy", "input": "logits", "target": "label"},
         "regularizers": [{"regularizer": "l2", "scale": 1e-3}]}})";
}
std::string runner(const std::string& inferencers, int batch_size) {
  return R"({"use": "inference-runner", "with": {"dataflow": )" + data(batch_size) +
         ", \"inferencers\": [" + inferencers + "]}}";
}
Exit run(Project& project, const std::string& inferencers, int batch_size = 64) {
  return train(project, {"model=" + model(), "dataflow=" + data(batch_size),
                         R"(optimizer={"use": "sgd", "with": {"learning_rate": 0.1}})",
                         "callbacks=[" + runner(inferencers, batch_size) + "]",
                         "monitors=[\"json-writer\", " + project.listener() + "]"});
}

// What belongs to expected.json.
std::string everything() {
  const std::string of_classes =
      R"(, "metrics": ["precision", "recall", "f1", "iou"],
         "averages": ["macro", "micro", "weighted"], "class_names": ["class0", "class1", "class2",
         "class3", "class4", "class5"])";
  const std::string binary = R"("scores": "score", "label": "yes", "prefix": "binary")";
  Lines parts = {
      use("binary-classification-stats",
          R"("pred_tensor_name": "said", "label_tensor_name": "yes")"),
      use("top-k-error", R"("k": [1, 2, 3])"),
      use("confusion-matrix", R"("prefix": "scored")" + of_classes),
      use("confusion-matrix",
          R"("scores": "said", "label": "yes", "prefix": "binary")" + of_classes),
      use("confusion-matrix",
          R"("scores": "pixels", "label": "truth", "ignore_index": 255, "prefix": "pixels")" +
              of_classes),
      use("confusion-matrix",
          R"("scores": "tokens", "label": "next", "class_dim": -1, "ignore_index": 255,
             "prefix": "tokens")" +
              of_classes),
      use("area-under-curve", binary),
      use("area-under-curve"),
      use("calibration-error", binary + R"(, "bins": 10)"),
      use("regression-errors", R"("prediction": "predicted")"),
      use("regression-errors", R"("prediction": "predicted", "metrics": ["psnr"], "peak": 4,
          "prefix": "signal")"),
      use("sample-mean", R"("names": ["score", "yes"])"),
      use("sample-mean", R"("names": "losses", "weights": "mask", "prefix": "masked")"),
      use("perplexity",
          R"("loss": "losses", "weights": "mask", "summary_name": "token_perplexity")"),
      use("perplexity", R"("count": "label", "summary_name": "label_perplexity")"),
      use("frechet-distance", R"("real": "real", "generated": "drawn")"),
      use("frechet-distance", R"("real": "real", "generated": "real", "prefix": "same")"),
      use("frechet-distance", R"("real": "logits", "generated": "more", "prefix": "singular")")};
  for (const std::string norm : {"l1", "l2", "max"})
    parts.push_back(
        use("calibration-error", R"("norm": ")" + norm + R"(", "prefix": ")" + norm + "\""));
  std::string list;
  for (const std::string& part : parts) list += (list.empty() ? "" : ", ") + part;
  return list;
}

}  // namespace

TEST_CASE("inferencers: metrics are those of all samples, whatever the size of the batches") {
  const Metrics expected = expected_metrics();
  Metrics first;
  for (const int batch_size : {203, 64, 7, 1}) {
    CAPTURE(batch_size);
    Project project;
    REQUIRE(run(project, everything(), batch_size) == Exit::ok);
    Metrics found = numbers_of(broch::value::parse_text("record", project.records().at(0)));
    for (const auto& [name, value] : expected) {
      if (name == "not0_loss") continue;
      CAPTURE(name);
      REQUIRE(found.contains(name));
      // The loss of a batch is a float32. A root of an eigenvalue near 0 has half of the digits.
      const bool rough = name == "label_perplexity" || name == "singular_frechet_distance";
      const double tolerance = rough ? 1e-6 : 1e-12;
      CHECK(found[name] == doctest::Approx(value).epsilon(tolerance));
    }
    if (first.empty()) first = found;
    for (const auto& [name, value] : expected)
      if (name != "label_perplexity" && name != "not0_loss") CHECK(found[name] == first[name]);
    CHECK(found.at("signal_psnr") ==
          doctest::Approx(20 * std::log10(4) - 10 * std::log10(expected.at("validation_mse"))));
    // A class that does not occur has no metrics.
    CHECK_FALSE(found.contains("scored_f1_class5"));
  }
}

TEST_CASE("inferencers: elements of count that are ignored have no weight") {
  const double expected = expected_metrics().at("not0_loss");
  Project project;
  REQUIRE(run(project,
              use("sample-mean", R"("names": "loss", "count": "label", "ignore_index": 0)"),
              1) == Exit::ok);
  const Metrics found = numbers_of(broch::value::parse_text("record", project.records().at(0)));
  CHECK(found.at("validation_loss") == doctest::Approx(expected).epsilon(1e-6));
}

TEST_CASE("inferencers: the confusion matrix is a picture, from white to dark blue") {
  Project project;
  REQUIRE(run(project, use("confusion-matrix", R"("scores": "yes", "label": "yes")")) == Exit::ok);
  const Lines pictures = project.trace("M.summary validation_confusion");
  REQUIRE(pictures.size() == 1);
  CHECK(pictures[0].starts_with("(320,320,3:8 48 107 8"));
  Project without;
  REQUIRE(run(without, use("confusion-matrix", R"("picture": null)")) == Exit::ok);
  CHECK(without.trace("M.summary validation_confusion").empty());
}

TEST_CASE("inferencers: pictures and curves have the names of their data set and their runner") {
  Project project;
  const std::string sets = R"({"use": "inference-runner", "with": {"prefix": "ema", "datasets": [
      {"name": "a", "dataflow": )" +
                           data(64) + R"(}, {"name": "b", "dataflow": )" + data(64) +
                           R"(}], "inferencers": [)" +
                           use("confusion-matrix", R"("scores": "yes", "label": "yes")") + ", " +
                           use("pr-curve") + "]}}";
  REQUIRE(
      train(project,
            {"model=" + model(), "dataflow=" + data(64),
             R"(optimizer={"use": "sgd", "with": {"learning_rate": 0.1}})",
             "callbacks=[" + sets + ", " +
                 runner(use("confusion-matrix", R"("scores": "yes", "label": "yes")"), 64) + "]",
             "monitors=[" + project.listener() + "]"}) == Exit::ok);
  CHECK(project.trace("M.summary ema_a_validation_confusion").size() == 1);
  CHECK(project.trace("M.summary ema_b_validation_confusion").size() == 1);
  CHECK(project.trace("M.summary ema_a_validation_pr_curve").size() == 1);
  CHECK(project.trace("M.summary ema_b_validation_pr_curve").size() == 1);
  CHECK(project.trace("M.scalar ema_b_validation_f1_macro ").size() == 1);
  // The runner after it has no names of its own.
  CHECK(project.trace("M.summary validation_confusion").size() == 1);
}

TEST_CASE("inferencers: samples of one class have no area under a curve") {
  Project project;
  REQUIRE(run(project, use("area-under-curve",
                           R"("scores": "score", "label": "yes", "ignore_index": 0)")) == Exit::ok);
  CHECK(project.trace("M.scalar validation_roc_auc").empty());
  CHECK(project.logged("all samples are of one class in yes"));
}

TEST_CASE("frechet-distance: one sample has no covariance, and what is not finite is no number") {
  const auto lines = [](const std::string& points, const std::string& rate) {
    Project project;
    const std::string some = around("take", data(1), ", \"points\": " + points);
    const std::string inferencer = use("frechet-distance", R"("real": "output",
                                       "generated": "output")");
    REQUIRE(train(project, {"model=" + model(), "dataflow=" + some,
                            R"(optimizer={"use": "sgd", "with": {"learning_rate": )" + rate + "}}",
                            R"(callbacks=[{"use": "inference-runner", "with": {"dataflow": )" +
                                some + ", \"inferencers\": [" + inferencer + "]}}]",
                            "monitors=[" + project.listener() + "]"}) == Exit::ok);
    return project.trace("M.scalar validation_frechet_distance ");
  };
  CHECK(lines("1", "0.1").empty());
  CHECK(lines("2", "1e39") == Lines{"nan"});
  CHECK(lines("2", "0.1").size() == 1);
}

TEST_CASE("inferencers: a score that is no number is the largest one, and never a good sign") {
  Project project;
  const std::string file = project.folder().write("scores.csv", "nan,1,1\n2,nan,0\n3,2,0\n0,1,1\n");
  const auto column = [&](const std::string& more) {
    return R"({"file": ")" + file + "\", " + more + "}";
  };
  const std::string points = around(
      "batch",
      use("arrays",
          "\"components\": [" + column(R"("columns": [0, 2], "missing": "nan", "name": "logits")") +
              ", " +
              column(R"("columns": [2, 1], "shape": [], "dtype": "int64", "name": "label")") + "]"),
      ", \"batch_size\": 4");
  const std::string inferencers =
      use("top-k-error", R"("k": [1])") + ", " +
      use("confusion-matrix", R"("metrics": ["recall"], "averages": ["micro"])") + ", " +
      use("calibration-error", R"("norm": "max")");
  REQUIRE(train(project, {R"(model={"use": "sequential", "with": {
                  "inputs": [{"name": "logits", "shape": [-1, 2]},
                             {"name": "label", "shape": [-1], "dtype": "int64"}],
                  "layers": [{"layer": "fully_connected", "units": 1}],
                  "loss": {"loss": "cross_entropy", "input": "logits", "target": "label"},
                  "regularizers": [{"regularizer": "l2", "scale": 1e-3}]}})",
                          "dataflow=" + points,
                          R"(optimizer={"use": "sgd", "with": {"learning_rate": 0.1}})",
                          R"(callbacks=[{"use": "inference-runner", "with": {"dataflow": )" +
                              points + ", \"inferencers\": [" + inferencers + "]}}]",
                          "monitors=[" + project.listener() + "]"}) == Exit::ok);
  CHECK(project.trace("M.scalar validation_top1_error ") == Lines{"0.5"});
  CHECK(project.trace("M.scalar validation_recall_micro ") == Lines{"0.5"});
  CHECK(project.trace("M.scalar validation_calibration_error ") == Lines{"nan"});
}

TEST_CASE("inferencers: what does not fit is named") {
  const struct {
    std::string inferencer, message;
  } cases[] = {
      {use("top-k-error", R"("k": [7])"),
       "/k: inferencer 'inference-runner/inferencers/0' (broch.inferencer.top-k-error) failed in "
       "on_fetches: found 7, expected at most 6"},
      {use("top-k-error", R"("scores": "predicted", "k": [1])"), "label has the class"},
      {use("top-k-error", R"("scores": "score", "label": "yes", "k": [1])"),
       "score: found one score for each sample, expected a score for each class"},
      {use("top-k-error", R"("scores": "pixels")"),
       "found pixels of shape (64, 3, 2, 2) and label of shape (64,), expected scores with one"},
      {use("confusion-matrix", R"("scores": "pixels", "label": "truth")"),
       "truth has the class 255, expected 0 to 2"},
      {use("confusion-matrix", R"("class_names": ["a", "b"])"),
       "found 2 names, expected one for each of 6 classes"},
      {use("confusion-matrix", R"("scores": "score")"),
       "expected classes, which are whole numbers"},
      {use("binary-classification-stats",
           R"("pred_tensor_name": "score", "label_tensor_name": "yes")"),
       "score has the value"},
      {use("area-under-curve", R"("max_scores": 600)"), "found more than 600 scores in a round"},
      {use("calibration-error", R"("from_logits": false)"), "set from_logits to true"},
      {use("regression-errors", R"("prediction": "score")"),
       "found score of shape (64,) and target of shape (64, 2), expected the same shape"},
      {use("frechet-distance", R"("real": "real", "generated": "logits")"),
       "found real of shape (64, 5) and logits of shape (64, 6), expected (N, D) and (M, "
       "D) with the same D"},
      {use("perplexity", R"("loss": "losses", "count": "label")"),
       "losses of shape (64, 3): expected one number"},
      {use("sample-mean", R"("names": "losses", "count": "label", "weights": "mask")"),
       "found together with weights"},
      {use("perplexity", R"("loss": "losses", "ignore_index": 0)"), "found without count"},
      {use("sample-mean", R"("names": "losses", "weights": "mask", "ignore_index": 0)"),
       "found without count"}};
  for (const auto& [inferencer, message] : cases) {
    CAPTURE(inferencer);
    Project project;
    CHECK(run(project, inferencer) != Exit::ok);
    INFO(project.failure);
    CHECK(project.failure.find(message) != std::string::npos);
  }
}
