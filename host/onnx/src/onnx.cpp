// onnx.cpp: the model around the nodes.
#include "onnx/onnx.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "aliases.hpp"
#include "base/error.hpp"
#include "operators.hpp"
#include "store/atomic_file.hpp"

namespace broch::onnx {
namespace {

using graph::Graph;
using graph::Node;

constexpr int kFormatVersion = 8;  // of files with operator set 18
constexpr uint64_t kMostInside = uint64_t{3} << 29, kAlignment = 64;

[[noreturn]] void refuse(const std::map<std::string, int>& problems) {
  std::string list;
  for (const auto& [problem, times] : problems)
    list += "\n    " + problem + (times > 1 ? " (" + std::to_string(times) + " times)" : "");
  base::fail(
      base::Exit::plugin, "operators of the model",
      std::to_string(problems.size()) + " that cannot be written as ONNX", "none",
      "export a bundle (--format bundle), choose outputs that need none of them (--name), or "
      "compute something else in the model:" +
          list);
}

// Each value has one name, which must be its own.
void check_names(const Graph& graph) {
  for (const graph::Output& output : graph.outputs)
    if (std::ranges::count(graph.inputs, output.name))
      base::fail(base::Exit::usage, "--name " + output.name, "an output with the name of an input",
                 "outputs with names of their own, as ONNX requires",
                 "choose other outputs, or export a bundle (--format bundle)");
}

Builder translate(const Graph& graph) {
  check_names(graph);
  Builder builder(graph);
  Aliases aliases(builder);
  std::map<std::string, int> problems;  // how often each
  for (const graph::Type& type : graph.types)
    if (!data_type(type.dtype))
      ++problems[std::string("elements of ") + runtime::dtype_name(type.dtype)];
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const std::string name = graph::operator_name(graph.operators[node.op]);
    const Translation translation = find_translation(name);
    if (!translation) {
      ++problems[name];
      continue;
    }
    try {
      Call call(builder, node, name);
      const Names results = translation(call);
      for (size_t i = 0; i < node.results.size() && i < results.size(); ++i)
        if (node.results[i] >= 0) builder.define(node.results[i], results[i]);
      aliases.add(n);
    } catch (const Refusal& refusal) {
      ++problems[name + ": " + refusal.why];
    }
  }
  if (!problems.empty()) refuse(problems);
  for (const graph::Output& output : graph.outputs)
    builder.add_as(output.name, "Identity", {builder.name(output.value)});
  return builder;
}

// ValueInfoProto.
Message described(const std::string& name, const graph::Type& type,
                  const std::vector<std::string>& symbols) {
  Message shape;
  for (const graph::Number& size : type.shape) {
    Message dimension;
    if (size.is_constant())
      dimension.integer(1, size.value({}));
    else
      dimension.text(2, size.text(symbols));
    shape.message(1, dimension);
  }
  Message tensor, any, value;
  tensor.integer(1, data_type(type.dtype)).message(2, shape);
  any.message(1, tensor);
  return value.text(1, name).message(2, any);
}

std::filesystem::path weights_beside(std::filesystem::path path) { return path += ".data"; }

// Weights in a file beside the model.
class Weights {
 public:
  Weights(const std::filesystem::path& path, bool replace) {
    const std::filesystem::path beside = weights_beside(path);
    std::error_code error;
    if (!replace && std::filesystem::exists(std::filesystem::symlink_status(beside, error)))
      base::fail(base::Exit::data, beside.string(), "an existing file",
                 "a new one for the weights of the model",
                 "choose another name, or replace it with --force");
    name_ = beside.filename().string();
    file_ = std::make_unique<store::AtomicFile>(beside);
  }
  // TensorProto.
  Message add(const std::string& name, const graph::Type& type, const std::string& bytes) {
    const std::string gap(size_t((kAlignment - at_ % kAlignment) % kAlignment), 0);
    file_->write(gap.data(), gap.size());
    at_ += gap.size();
    Message message;
    for (const int64_t size : graph::known_sizes(type)) message.integer(1, size);
    message.integer(2, data_type(type.dtype)).text(8, name);
    const auto entry = [&](const char* key, const std::string& value) {
      message.message(13, Message().text(1, key).text(2, value));
    };
    entry("location", name_);
    entry("offset", std::to_string(at_));
    entry("length", std::to_string(bytes.size()));
    file_->write(bytes.data(), bytes.size());
    at_ += bytes.size();
    return message.integer(14, 1);
  }
  void prepare() { file_->prepare(); }
  void commit() { file_->commit(); }

 private:
  std::string name_;
  std::unique_ptr<store::AtomicFile> file_;
  uint64_t at_ = 0;
};

// Between the two renames nobody must find the old model beside the new weights.
void remove_old(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return;
  std::filesystem::remove(std::filesystem::canonical(path));
}

// Those of the model that was replaced by one with its weights inside.
void remove_old_weights(const std::filesystem::path& path) {
  const std::filesystem::path beside = weights_beside(path);
  std::error_code error;
  if (std::filesystem::is_regular_file(std::filesystem::symlink_status(beside, error)))
    std::filesystem::remove(beside, error);
}

}  // namespace

void write(const std::filesystem::path& path, runtime::Backend& backend, const Graph& graph,
           const std::vector<runtime::Tensor>& weights, const Options& options) {
  const Builder builder = translate(graph);
  uint64_t bytes = 0;
  std::vector<size_t> sizes;
  for (const runtime::Tensor& weight : weights) {
    const runtime::TensorInfo info = backend.info(weight);
    sizes.push_back(size_t(info.shape.elements()) * runtime::dtype_size(info.dtype));
    bytes += sizes.back();
  }
  store::AtomicFile file(path);
  std::optional<Weights> beside;
  if (options.external || bytes > kMostInside) beside.emplace(path, options.replace);
  Message model_graph;
  for (const Message& node : builder.nodes()) model_graph.message(1, node);
  model_graph.text(2, "broch");
  for (const Message& constant : builder.constants()) model_graph.message(5, constant);
  for (size_t i = 0; i < weights.size(); ++i) {
    std::string content(sizes[i], 0);
    backend.copy_out(weights[i], graph.type_of_weight(i).dtype, content.data(), content.size());
    const std::string& name = builder.given(graph.inputs.size() + i);
    const graph::Type& type = graph.type_of_weight(i);
    model_graph.message(5, beside ? beside->add(name, type, content)
                                  : tensor(name, type.dtype, graph::known_sizes(type), content));
  }
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    model_graph.message(11, described(builder.given(i), graph.type_of_input(i), graph.symbols));
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    model_graph.message(12,
                        described(graph.outputs[i].name, graph.type_of_output(i), graph.symbols));
  Message model;
  model.integer(1, kFormatVersion).text(2, "broch");
  if (const auto version = options.about.find("broch"); version != options.about.end())
    model.text(3, version->second);
  model.message(7, model_graph).message(8, Message().text(1, "").integer(2, kOpset));
  for (const auto& [key, text] : options.about)
    model.message(14, Message().text(1, key).text(2, text));
  file.write(model.bytes().data(), model.bytes().size());
  file.prepare();
  if (beside) {
    beside->prepare();
    remove_old(path);
    beside->commit();
  }
  file.commit();
  if (!beside && options.replace) remove_old_weights(path);
}

}  // namespace broch::onnx
