// train_test.cpp: programs of torch.export, trained through a manifest; losses, gradients and
// buffers are those that PyTorch computed (tests/reference/make_exported.py).
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <sstream>

#include "archive/inflate.hpp"
#include "archive/zip.hpp"
#include "archive/zip_writer.hpp"
#include "cli_harness/cli_harness.hpp"
#include "weights/weights.hpp"

namespace {

namespace weights = broch::weights;

using broch::cli_harness::Folder;
using broch::cli_harness::Json;
using broch::cli_harness::Training;
using broch::cli_harness::Values;

Json manifest(const Folder& folder, const std::string& name, const std::vector<std::string>& inputs,
              const Json& model) {
  Json components = Json::array();
  for (const std::string& input : inputs)
    components.push_back({{"file", DATA "/" + name + "." + input + ".npy"}, {"name", input}});
  return {{"broch", 1},
          {"plugins", {PROBE}},
          {"model", {{"use", "exported"}, {"with", model}}},
          {"dataflow",
           {{"use", "batch"},
            {"with",
             {{"batch_size", 4},
              {"dataflow", {{"use", "npy"}, {"with", {{"components", components}}}}}}}}},
          {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", 0.05}}}}},
          {"gradient_processors",
           {{{"use", "test.gradients"}, {"with", {{"file", folder / "gradients"}}}}}},
          {"callbacks",
           {{{"use", "test.losses"}, {"with", {{"file", folder / "losses"}}}}, "model-saver"}},
          {"steps_per_epoch", 20},
          {"max_epoch", 1}};
}

Json expected(const std::string& name) {
  return Json::parse(broch::test::read_file(DATA "/" + name + ".json"));
}

Values gradients_in(const std::string& path) {
  Values all;
  std::ifstream file(path, std::ios::binary);
  std::string name;
  size_t count = 0;
  while (file >> name >> count) {
    file.get();
    std::vector<double>& values = all[name];
    values.resize(count);
    file.read(reinterpret_cast<char*>(values.data()), std::streamsize(count * sizeof(double)));
  }
  return all;
}

// Of the length of `right`.
double length_of(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares);
}

// In units of the length of `right`, or of `least` if that is more.
double distance(const std::vector<double>& left, const std::vector<double>& right,
                double least = 1e-6) {
  REQUIRE(left.size() == right.size());
  std::vector<double> apart(left.size());
  for (size_t i = 0; i < left.size(); ++i) apart[i] = left[i] - right[i];
  return length_of(apart) / std::max(length_of(right), least);
}

void check_losses(const Folder& folder, const Json& truth) {
  std::istringstream text(folder.read("losses"));
  const std::vector<double> losses = truth["losses"];
  size_t steps = 0;
  for (double loss = 0; text >> loss; ++steps) {
    REQUIRE(steps < losses.size());
    CHECK(std::abs(loss - losses[steps]) < 1e-4 * losses[steps]);
  }
  CHECK(steps == losses.size());
}

void check_training(const std::string& file, const std::string& data,
                    const std::vector<std::string>& inputs, Json model,
                    const std::string& execution) {
  CAPTURE(file);
  CAPTURE(execution);
  const Folder folder;
  model["file"] = DATA "/" + file;
  Json run = manifest(folder, data, inputs, model);
  run["runtime"] = {{"execution", execution}};
  // The processor reads values, so it is never recorded.
  if (execution == "recorded") run.erase("gradient_processors");
  const Training training(folder, "run", run);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const Json truth = expected(data);
  check_losses(folder, truth);

  if (execution != "recorded") {
    const Values gradients = gradients_in(folder / "gradients");
    CHECK(gradients.size() == truth["gradients"].size());
    // The gradient of a bias before batch norm is zero: what is left of it is rounding, which
    // differs from processor to processor.
    double largest = 0;
    for (const Json& values : truth["gradients"])
      largest = std::max(largest, length_of(values.get<std::vector<double>>()));
    for (const auto& [name, values] : truth["gradients"].items()) {
      CAPTURE(name);
      REQUIRE(gradients.count(name) == 1);
      CHECK(distance(gradients.at(name), values.get<std::vector<double>>(), largest / 10) < 1e-5);
    }
  }
  const Values variables = training.checkpoint(20);
  for (const auto& [name, values] : truth["buffers"].items()) {
    if (variables.count(name) == 0 && name == "head.weight") continue;  // tied to another one
    CAPTURE(name);
    REQUIRE(variables.count(name) == 1);
    CHECK(distance(variables.at(name), values.get<std::vector<double>>()) < 1e-4);
  }
}

using Elements = std::map<std::string, std::vector<std::byte>>;

Elements elements_in(const std::string& file) {
  const std::unique_ptr<weights::Weights> all = weights::open(file);
  Elements elements;
  for (size_t i = 0; i < all->tensors().size(); ++i) {
    std::vector<std::byte> room;
    const std::span<const std::byte> bytes = all->read(i, room);
    elements[all->tensors()[i].name].assign(bytes.begin(), bytes.end());
  }
  return elements;
}

// What was trained goes into a copy of the file that the model came from; the rest stays.
void check_written_back(const Folder& folder, const std::string& source) {
  for (const std::string format : {"pt2", "safetensors"}) {
    const std::string command = std::string(BROCH_PROGRAM) + " export " + folder / "run" +
                                " --format " + format + " -o " + folder / "back." + format + " > " +
                                folder / "talk" + " 2>&1";
    REQUIRE_MESSAGE(std::system(command.c_str()) == 0, folder.read("talk"));
  }
  const Elements before = elements_in(source), trained = elements_in(folder / "back.safetensors"),
                 after = elements_in(folder / "back.pt2");
  CHECK(after.size() == before.size());
  for (const auto& [name, elements] : before) {
    CAPTURE(name);
    REQUIRE(after.contains(name));
    if (trained.contains(name))
      CHECK(after.at(name) == trained.at(name));
    else if (name != "head.weight")  // tied to another one
      CHECK(after.at(name) == elements);
  }
  for (const auto& [name, elements] : trained) CHECK(after.contains(name));
  CHECK(after != before);
}

// The same file, with entries that `change` has changed.
std::string rewritten(const std::string& bytes, const std::function<void(std::string&)>& change) {
  const broch::archive::Memory file(bytes, "net.pt2");
  std::string changed;
  broch::archive::ZipWriter zip([&](std::string_view part) { changed += part; });
  for (const broch::archive::ZipMember& member : broch::archive::zip_members(file)) {
    std::string content = member.deflated ? broch::archive::unpack(file, member)
                                          : file.read(member.begin, member.size);
    change(content);
    zip.begin(member.name, content.size(), broch::archive::crc32_of(content));
    zip.append(content);
  }
  zip.finish();
  return changed;
}

// net.pt2 with another name for one of its outputs.
std::string with_output_called(const Folder& folder, const std::string& from,
                               const std::string& to) {
  const auto rename = [&](std::string& content) {
    if (content.find("\"graph_module\"") == std::string::npos) return;
    Json program = Json::parse(content);
    Json& tree = program["graph_module"]["module_call_graph"][0]["signature"]["out_spec"];
    std::string names = tree;
    tree = names.replace(names.find(from), from.size(), to);
    content = program.dump();
  };
  return folder.write(from + ".pt2", rewritten(broch::test::read_file(DATA "/net.pt2"), rename));
}

// The same program as it is exported after model.eval().
std::string in_inference(const std::string& bytes) {
  return rewritten(bytes, [](std::string& content) {
    const std::string flag = "\"as_bool\": true";
    for (size_t at = content.find(flag); at != std::string::npos; at = content.find(flag))
      content.replace(at, flag.size(), "\"as_bool\": false");
  });
}

// In place of the noise of noise.pt2, empty(…).bernoulli_(0.8): what `make` gives, and 0.8 to it,
// then `draw` of that.
struct Noise {
  const char* make;
  Json further;  // arguments of it, behind those of empty
  const char* draw;
};

std::string with_noise(const std::string& bytes, const Noise& noise) {
  return rewritten(bytes, [&](std::string& content) {
    if (content.find("\"graph_module\"") == std::string::npos) return;
    Json program = Json::parse(content);
    Json& graph = program["graph_module"]["graph"];
    const Json meta = graph["tensor_values"]["empty"];
    graph["tensor_values"]["sum"] = meta;
    Json nodes = Json::array();
    for (Json node : graph["nodes"]) {
      if (node["target"] == "torch.ops.aten.empty.memory_format") {
        node["target"] = noise.make;
        for (const Json& argument : noise.further) node["inputs"].push_back(argument);
      }
      if (node["target"] == "torch.ops.aten.bernoulli_.float") {
        Json sum = node;
        sum["target"] = "torch.ops.aten.add.Tensor";
        sum["inputs"][1]["name"] = "other";
        sum["outputs"][0]["as_tensor"]["name"] = "sum";
        nodes.push_back(sum);
        node["target"] = noise.draw;
        node["inputs"].erase(1);
        node["inputs"][0]["arg"]["as_tensor"]["name"] = "sum";
      }
      nodes.push_back(node);
    }
    graph["nodes"] = nodes;
    content = program.dump();
  });
}

// noise.pt2 with bernoulli_(0.5), whose argument export leaves out, since it is the default.
std::string without_probability(const std::string& bytes) {
  return rewritten(bytes, [](std::string& content) {
    if (content.find("\"graph_module\"") == std::string::npos) return;
    Json program = Json::parse(content);
    for (Json& node : program["graph_module"]["graph"]["nodes"])
      if (node["target"] == "torch.ops.aten.bernoulli_.float") node["inputs"].erase(1);
    content = program.dump();
  });
}

Json tensor(const std::string& name) { return {{"as_tensor", {{"name", name}}}}; }
Json input(const std::string& name, const Json& value) {
  return {{"name", name}, {"arg", value}, {"kind", 1}};
}
Json node(const std::string& target, const Json& inputs, const std::string& result) {
  return {{"target", "torch.ops.aten." + target},
          {"inputs", inputs},
          {"outputs", Json::array({tensor(result)})},
          {"metadata", Json::object()}};
}

// noise.pt2 with h * keep += fc(x).double() before fc once more, and with dropout(…).gt_(0).
std::string with_other_dtypes(const std::string& bytes) {
  return rewritten(bytes, [](std::string& content) {
    if (content.find("\"graph_module\"") == std::string::npos) return;
    Json program = Json::parse(content);
    Json& graph = program["graph_module"]["graph"];
    Json& values = graph["tensor_values"];
    const Json meta = values["linear"];
    for (const char* name : {"wide", "sum", "again", "positive"}) values[name] = meta;
    values["wide"]["dtype"] = 8;
    Json nodes = Json::array();
    for (Json one : graph["nodes"]) {
      const bool is_dropout = one["target"] == "torch.ops.aten.dropout.default";
      if (is_dropout) {
        nodes.push_back(node(
            "to.dtype",
            Json::array({input("self", tensor("linear")), input("dtype", {{"as_scalar_type", 8}})}),
            "wide"));
        nodes.push_back(node(
            "add_.Tensor",
            Json::array({input("self", tensor("mul")), input("other", tensor("wide"))}), "sum"));
        nodes.push_back(
            node("linear.default",
                 Json::array({input("input", tensor("sum")), input("weight", tensor("p_fc_weight")),
                              input("bias", tensor("p_fc_bias"))}),
                 "again"));
        one["inputs"][0]["arg"] = tensor("again");
      }
      if (one["target"] == "torch.ops.aten.square.default")
        one["inputs"][0]["arg"] = tensor("positive");
      nodes.push_back(one);
      if (is_dropout)
        nodes.push_back(
            node("gt_.Scalar",
                 Json::array({input("self", tensor("dropout")), input("other", {{"as_int", 0}})}),
                 "positive"));
    }
    graph["nodes"] = nodes;
    content = program.dump();
  });
}

// noise.pt2 with sizes of x that are computed of a symbol, as those of a Dim("half") * 2.
std::string with_computed_sizes(const std::string& bytes) {
  return rewritten(bytes, [](std::string& content) {
    if (content.find("\"graph_module\"") == std::string::npos) return;
    Json program = Json::parse(content);
    const std::string symbol = "Symbol('s77', positive=True, integer=True)";
    const auto size = [](const std::string& expression, int hint) {
      return Json{{"as_expr", {{"expr_str", expression}, {"hint", {{"as_int", hint}}}}}};
    };
    program["graph_module"]["graph"]["tensor_values"]["x"]["sizes"] = Json::array(
        {size("Mul(Integer(2), " + symbol + ")", 4), size("Add(" + symbol + ", Integer(4))", 6)});
    content = program.dump();
  });
}

// noise.pt2 with a cond behind its mean, both of whose parts give the mean, and these numbers.
std::string with_choice(const std::string& bytes, int yes, int no) {
  return rewritten(bytes, [&](std::string& content) {
    if (content.find("\"graph_module\"") == std::string::npos) return;
    Json program = Json::parse(content);
    Json& graph = program["graph_module"]["graph"];
    const Json meta = graph["tensor_values"]["mean"];
    graph["tensor_values"]["chosen"] = meta;
    graph["tensor_values"]["positive"] = meta;
    graph["tensor_values"]["positive"]["dtype"] = 12;
    const auto part = [&](int number) {
      Json second, argument;
      second["as_int"] = number;
      Json& inner = argument["as_graph"]["graph"];
      inner["inputs"] = Json::array({tensor("own")});
      inner["nodes"] = Json::array();
      inner["outputs"] = Json::array({tensor("own"), second});
      inner["tensor_values"]["own"] = meta;
      return argument;
    };
    Json operands, size;
    size["as_sym_int"]["as_name"] = "number";
    operands["as_tensors"] = Json::array({tensor("mean")["as_tensor"]});
    Json choice = node("cond",
                       Json::array({input("", tensor("positive")), input("", part(yes)),
                                    input("", part(no)), input("", operands)}),
                       "chosen");
    choice["target"] = "torch.ops.higher_order.cond";
    choice["outputs"] = Json::array({tensor("chosen"), size});
    graph["nodes"].push_back(node(
        "gt.Scalar", Json::array({input("self", tensor("mean")), input("other", {{"as_int", 0}})}),
        "positive"));
    graph["nodes"].push_back(choice);
    graph["outputs"] = Json::array({tensor("chosen")});
    program["graph_module"]["signature"]["output_specs"][0]["user_output"]["arg"] =
        tensor("chosen");
    content = program.dump();
  });
}

// What a program in the place of noise.pt2 costs in inference, with its own weights.
double cost_in_inference(const std::string& bytes) {
  const Folder folder;
  const std::string file = folder.write("noise.pt2", bytes);
  Json run = manifest(folder, "noise", {"x"}, {{"file", file}});
  run["optimizer"]["with"]["learning_rate"] = 0;
  run["callbacks"].push_back(
      {{"use", "inference-runner"},
       {"with",
        {{"dataflow", run["dataflow"]},
         {"inferencers", {{{"use", "scalar-stats"}, {"with", {{"names", {"cost"}}}}}}}}}});
  const Training training(folder, "run", run);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const double cost = training.stats()[0]["validation_cost"];
  return cost;
}

// net.pt2 with a further buffer of this dtype of PyTorch, which nothing uses.
std::string with_spare(const std::string& bytes, int dtype) {
  return rewritten(bytes, [&](std::string& content) {
    if (content.find("\"path_name\"") != std::string::npos) {
      Json config = Json::parse(content);
      Json spare = config["config"]["bn.num_batches_tracked"];
      spare["tensor_meta"]["dtype"] = dtype;
      config["config"]["spare"] = spare;
      content = config.dump();
    }
    if (content.find("\"graph_module\"") == std::string::npos) return;
    Json program = Json::parse(content);
    Json& module = program["graph_module"];
    Json& values = module["graph"]["tensor_values"];
    const Json meta = values["b_bn_num_batches_tracked"];
    values["b_spare"] = meta;
    values["b_spare"]["dtype"] = dtype;
    module["graph"]["inputs"].push_back(tensor("b_spare"));
    Json spec;
    spec["buffer"] = {
        {"arg", {{"name", "b_spare"}}}, {"buffer_name", "spare"}, {"persistent", true}};
    module["signature"]["input_specs"].push_back(spec);
    content = program.dump();
  });
}

// A program of with_spare whose batch norm has the buffer in the place of its means.
std::string with_spare_used(const std::string& bytes) {
  return rewritten(bytes, [](std::string& content) {
    if (content.find("\"graph_module\"") == std::string::npos) return;
    Json program = Json::parse(content);
    for (Json& node : program["graph_module"]["graph"]["nodes"])
      for (Json& argument : node["inputs"])
        if (argument["arg"] == tensor("b_bn_running_mean")) argument["arg"] = tensor("b_spare");
    content = program.dump();
  });
}

void check_missing(const std::string& talk) {
  INFO(talk);
  CHECK(broch::cli_harness::count(talk, "2 nodes cannot be computed") == 1);
  CHECK(broch::cli_harness::count(talk, "torch.ops.aten.rellu.default") == 1);
  CHECK(broch::cli_harness::count(talk, "torch.ops.mine.pool.default") == 1);
  CHECK(broch::cli_harness::count(talk, "LibTorch has no operator aten::rellu") == 1);
  CHECK(broch::cli_harness::count(talk, "make_exported.py, line ") == 2);
  CHECK(broch::cli_harness::count(talk, "functional.relu(self.bn(self.conv(image))") == 1);
}

const Json kLanguageLoss = {{"loss",
                             {{"loss", "cross_entropy"},
                              {"input", "output0"},
                              {"target", "label"},
                              {"class_dim", -1},
                              {"label_smoothing", 0.1}}}};

}  // namespace

TEST_CASE("exported: a convolution with batch norm, whose statistics are updates") {
  for (const char* execution : {"eager", "recorded"})
    check_training("net.pt2", "net", {"image", "label"}, {}, execution);
}

TEST_CASE(
    "exported: tied weights, constants, sizes, lists, a part without gradients, a loss of the "
    "manifest") {
  for (const char* execution : {"eager", "recorded"})
    check_training("language.pt2", "language", {"batch_tokens", "batch_mask", "label"},
                   kLanguageLoss, execution);
}

TEST_CASE("exported: tensors made of numbers alone, and writing to parts of tensors") {
  for (const char* execution : {"eager", "recorded"})
    check_training("forms.pt2", "forms", {"x", "row"}, {}, execution);
}

TEST_CASE("exported: the layouts of older versions train alike") {
  for (const char* file : {"language_26.pt2", "language_28.pt2"})
    check_training(file, "language", {"batch_tokens", "batch_mask", "label"}, kLanguageLoss,
                   "auto");
}

// Files that each of these versions has written (tests/reference/make_exported_versions.py), with
// the losses of the same version.
TEST_CASE("exported: the files of PyTorch 2.6 to 2.15, there and back") {
  const std::map<std::string, std::vector<std::string>> inputs = {
      {"mlp", {"batch_x", "batch_label"}},
      {"convolution", {"image", "label"}},
      {"encoder", {"tokens", "label"}},
      {"tied", {"tokens", "label"}}};
  for (int minor = 6; minor <= 15; ++minor)
    for (const auto& [model, names] : inputs) {
      const std::string version = "versions/" + model + "_2." + std::to_string(minor);
      CAPTURE(version);
      const Folder folder;
      Json run =
          manifest(folder, "versions/" + model, names, {{"file", DATA "/" + version + ".pt2"}});
      run.erase("gradient_processors");
      const Training training(folder, "run", run);
      REQUIRE_MESSAGE(training.run() == 0, training.talk());
      check_losses(folder, expected(version));
      check_written_back(folder, DATA "/" + version + ".pt2");
    }
}

TEST_CASE("exported: the core set of operators, whose batch norm returns its statistics") {
  for (const char* execution : {"eager", "recorded"})
    check_training("statistics.pt2", "statistics", {"x", "y"}, {}, execution);
}

TEST_CASE("exported: in inference batch norm uses its statistics and changes nothing") {
  const Folder folder;
  Json run = manifest(folder, "net", {"image", "label"}, {{"file", DATA "/net.pt2"}});
  run["callbacks"].push_back(
      {{"use", "inference-runner"},
       {"with",
        {{"dataflow", run["dataflow"]},
         {"inferencers", {{{"use", "scalar-stats"}, {"with", {{"names", {"loss"}}}}}}}}}});
  run["optimizer"]["with"]["learning_rate"] = 0;
  run["max_epoch"] = 2;
  const Training training(folder, "run", run);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const Json stats = training.stats();
  // The weights do not change, but the statistics do.
  const std::vector<double> first = training.checkpoint(20).at("bn.running_mean");
  CHECK(training.checkpoint(40).at("bn.running_mean") != first);
  CHECK(training.checkpoint(20).at("bn.num_batches_tracked") == std::vector<double>{20});
  CHECK(training.checkpoint(40).at("bn.num_batches_tracked") == std::vector<double>{40});
  REQUIRE(stats.size() == 2);
  CHECK(stats[0]["validation_loss"] != stats[1]["validation_loss"]);
}

TEST_CASE(
    "exported: dropout and noise draw alike in eager and recorded steps, and not in inference") {
  std::vector<std::string> losses;
  for (const auto& [execution, seed] : {std::pair{"eager", 1}, {"recorded", 1}, {"recorded", 2}}) {
    const Folder folder;
    Json run = manifest(folder, "noise", {"x"}, {{"file", DATA "/noise.pt2"}});
    run.erase("gradient_processors");
    run["seed"] = seed;
    run["runtime"] = {{"execution", execution}, {"level", "bitwise"}};
    run["optimizer"]["with"]["learning_rate"] = 0;
    run["callbacks"].push_back(
        {{"use", "inference-runner"},
         {"with",
          {{"dataflow", run["dataflow"]},
           {"inferencers", {{{"use", "scalar-stats"}, {"with", {{"names", {"cost"}}}}}}}}}});
    const Training training(folder, "run", run);
    REQUIRE_MESSAGE(training.run() == 0, training.talk());
    losses.push_back(folder.read("losses"));
    const double inference = expected("noise")["inference"];
    const double cost = training.stats()[0]["validation_cost"];
    CHECK(std::abs(cost - inference) < 1e-5 * inference);
  }
  CHECK(losses[0] == losses[1]);
  CHECK(losses[0] != losses[2]);
}

// floor(rand + 0.8), as in Hugging Face's transformers, bernoulli of a tensor of 0.8, and
// bernoulli_() / 0.8.
TEST_CASE("exported: other noise of zeros and ones becomes its mean in inference, too") {
  const Json zero = {{"name", "fill_value"}, {"arg", {{"as_float", 0.0}}}, {"kind", 1}};
  const std::string bytes = broch::test::read_file(DATA "/noise.pt2");
  const double inference = expected("noise")["inference"];
  const Noise noises[] = {
      {"torch.ops.aten.rand.default", Json::array(), "torch.ops.aten.floor_.default"},
      {"torch.ops.aten.full.default", Json::array({zero}), "torch.ops.aten.bernoulli.default"}};
  for (const Noise& noise : noises) {
    CAPTURE(noise.draw);
    const double cost = cost_in_inference(with_noise(bytes, noise));
    CHECK(std::abs(cost - inference) < 1e-5 * inference);
  }
  const double factor = 0.5 / 0.8, wanted = inference * factor * factor;
  CHECK(std::abs(cost_in_inference(without_probability(bytes)) - wanted) < 1e-5 * wanted);
}

// With another dtype, linear or mean would be refused.
TEST_CASE("exported: what is written to in place keeps its dtype") {
  const std::string bytes = broch::test::read_file(DATA "/noise.pt2");
  const double cost = cost_in_inference(with_other_dtypes(bytes));
  CHECK(cost > 0);
  CHECK(cost < 1);
}

TEST_CASE("exported: a tensor of a type that models do not have is refused where it is used") {
  for (const int dtype : {11, 28}) {  // complex128, uint16
    CAPTURE(dtype);
    const std::string bytes = with_spare(broch::test::read_file(DATA "/net.pt2"), dtype);
    const Folder folder;
    const std::string file = folder.write("net.pt2", bytes);
    Json run = manifest(folder, "net", {"image", "label"}, {{"file", file}});
    run["steps_per_epoch"] = 2;
    const Training training(folder, "run", run);
    REQUIRE_MESSAGE(training.run() == 0, training.talk());
    CHECK(training.checkpoint(2).count("spare") == 0);
    if (dtype == 11) check_written_back(folder, file);
    run["model"]["with"]["file"] = folder.write("used.pt2", with_spare_used(bytes));
    const Training other(folder, "other", run);
    CHECK(other.run() != 0);
    CHECK_MESSAGE(broch::cli_harness::count(other.talk(), "'spare'") > 0, other.talk());
  }
}

TEST_CASE("exported: a tensor chooses between tensors, and not between numbers") {
  const std::string bytes = broch::test::read_file(DATA "/noise.pt2");
  const double inference = expected("noise")["inference"];
  CHECK(std::abs(cost_in_inference(with_choice(bytes, 3, 3)) - inference) < 1e-5 * inference);
  const Folder folder;
  const std::string file = folder.write("noise.pt2", with_choice(bytes, 3, 4));
  const Training training(folder, "run", manifest(folder, "noise", {"x"}, {{"file", file}}));
  CHECK(training.run() != 0);
  const std::string talk = training.talk();
  CHECK_MESSAGE(broch::cli_harness::count(talk, "a tensor chooses between two numbers") > 0, talk);
}

TEST_CASE("exported: the loss of a program may be called cost, and nothing beside it") {
  const Folder folder;
  const std::string loss = with_output_called(folder, "loss", "cost");
  const Training training(folder, "run",
                          manifest(folder, "net", {"image", "label"}, {{"file", loss}}));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  check_losses(folder, expected("net"));

  const auto refused = [&](const Json& model, const std::string& option, const std::string& part) {
    const Training other(folder, "refused" + option.substr(1),
                         manifest(folder, "net", {"image", "label"}, model));
    CHECK(other.check() != 0);
    CHECK_MESSAGE(broch::cli_harness::count(other.talk(), "/model/with" + option) > 0,
                  other.talk());
    CHECK_MESSAGE(broch::cli_harness::count(other.talk(), part) > 0, other.talk());
  };
  const Json entropy = {{"loss", "cross_entropy"}, {"input", "logits"}};
  refused({{"file", loss}, {"loss", entropy}}, "/loss",
          "an output 'cost' that is not minimized, but what is minimized is published under this "
          "name; export the program with another name of the output, or minimize it");
  const std::string logits = with_output_called(folder, "logits", "cost");
  refused({{"file", logits}}, "/loss_output", "an output 'cost' that is not minimized");
  refused({{"file", DATA "/net.pt2"}, {"inputs", {"image", "cost"}}}, "/inputs", "an input 'cost'");
}

TEST_CASE("exported: sizes that are computed of a symbol have their own examples") {
  const std::string bytes = broch::test::read_file(DATA "/noise.pt2");
  const double inference = expected("noise")["inference"];
  const double cost = cost_in_inference(with_computed_sizes(bytes));
  CHECK(std::abs(cost - inference) < 1e-5 * inference);
}

TEST_CASE("exported: batch norm and dropout for inference stay so, which is told once") {
  const Folder folder;
  const std::string file =
      folder.write("net.pt2", in_inference(broch::test::read_file(DATA "/net.pt2")));
  Json run = manifest(folder, "net", {"image", "label"}, {{"file", file}});
  run["steps_per_epoch"] = 2;
  const Training training(folder, "run", run);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const std::string talk = training.talk();
  CHECK_MESSAGE(broch::cli_harness::count(talk, "2 batch norms or dropouts") == 1, talk);
  CHECK(training.checkpoint(2).at("bn.running_mean") == std::vector<double>(3));
  const Training usual(folder, "usual",
                       manifest(folder, "net", {"image", "label"}, {{"file", DATA "/net.pt2"}}));
  REQUIRE(usual.run() == 0);
  CHECK(broch::cli_harness::count(usual.talk(), "batch norms or dropouts") == 0);
}

TEST_CASE("exported: frozen parameters stay as they are") {
  const Folder folder;
  Json run = manifest(folder, "net", {"image", "label"},
                      {{"file", DATA "/net.pt2"}, {"freeze", {"fc[.].*"}}});
  const Training training(folder, "run", run);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const Values gradients = gradients_in(folder / "gradients");
  CHECK(gradients.count("conv.weight") == 1);
  CHECK(gradients.count("fc.weight") == 0);
}

TEST_CASE("exported: all operators that are missing are named with their lines, without a step") {
  const Json model = {{"file", DATA "/missing.pt2"}};
  const Folder folder;
  const Training training(folder, "run", manifest(folder, "net", {"image", "label"}, model));
  CHECK(training.run() != 0);
  check_missing(training.talk());
  const Training other(folder, "other", manifest(folder, "net", {"image", "label"}, model));
  CHECK(other.check() == 4);
  check_missing(other.talk());
  CHECK_FALSE(std::filesystem::exists(other.log_dir()));
}

TEST_CASE("exported: broch check reads the file") {
  const Folder folder;
  const Training good(folder, "good",
                      manifest(folder, "net", {"image", "label"}, {{"file", DATA "/net.pt2"}}));
  CHECK_MESSAGE(good.check() == 0, good.talk());
  const Training none(folder, "none",
                      manifest(folder, "net", {"image", "label"}, {{"file", DATA "/none.pt2"}}));
  CHECK(none.check() != 0);
  CHECK_MESSAGE(broch::cli_harness::count(none.talk(), "/model/with/file") == 1, none.talk());
}

TEST_CASE("exported: options that do not fit the program are named") {
  const auto talk = [](const std::string& name, const std::vector<std::string>& inputs,
                       Json model) {
    const Folder folder;
    model["file"] = DATA "/" + name + ".pt2";
    const Training training(folder, "run", manifest(folder, name, inputs, model));
    CHECK(training.run() != 0);
    return training.talk();
  };
  const auto says = [](const std::string& text, const std::string& part) {
    return broch::cli_harness::count(text, part) > 0;
  };
  const std::string none = talk("language", {"batch_tokens", "batch_mask"}, {});
  CHECK_MESSAGE(says(none, "found no output that is a loss; the outputs are 'output0' float32"),
                none);
  const std::string unknown = talk("net", {"image", "label"}, {{"loss_output", "cost"}});
  CHECK_MESSAGE(
      says(unknown, "found no output 'cost'; the outputs are 'loss' float32 (), 'logits'"),
      unknown);
  const std::string number = talk("net", {"image", "label"}, {{"loss_output", "logits"}});
  CHECK_MESSAGE(says(number, "found output 'logits', which is no single floating-point number"),
                number);
  const std::string taken = talk("net", {"image", "label"},
                                 {{"loss", {{"loss", "cross_entropy"}, {"input", "logits"}}},
                                  {"targets", {{{"name", "label"}, {"shape", {-1}}}}}});
  CHECK_MESSAGE(says(taken, "/targets/0/name"), taken);
  const std::string shape = talk("language", {"batch_tokens", "batch_mask", "label"},
                                 {{"loss", {{"loss", "ctc"}, {"target_lengths", "lengths"}}}});
  CHECK_MESSAGE(says(shape, "found a loss whose target does not follow from the output"), shape);
  const std::string metric = talk("net", {"image", "label"},
                                  {{"metrics", {{{"metric", "accuracy"}, {"input", "logit"}}}}});
  CHECK_MESSAGE(says(metric, "no input or output is called 'logit'"), metric);
  const std::string names = talk("net", {"image", "label"}, {{"inputs", {"picture"}}});
  CHECK_MESSAGE(says(names, "expected one for each of the inputs image, label"), names);
  const std::string frozen = talk("net", {"image", "label"}, {{"freeze", {"head.*"}}});
  CHECK_MESSAGE(says(frozen, "matches no trainable parameter"), frozen);
}
