// model.cpp: opens bundles, and computes them into memory of the server.
#include "model.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "datatype.hpp"
#include "graph/rows.hpp"
#include "refusal.hpp"
#include "signature.hpp"

namespace broch::serve {
namespace {

namespace fs = std::filesystem;

// Joined requests have few sizes, see padded(); the rest is for those with other sizes.
constexpr size_t kMostShapes = 32;

class Memory final : public graph::Results {
 public:
  Memory(const std::vector<bool>& wanted, const std::atomic<bool>* stop)
      : wanted_(wanted), stop_(stop) {
    outputs_.resize(wanted.size());
  }

  void* place(size_t output, broch_dtype dtype, const runtime::Shape& shape) override {
    if (!wanted_[output]) return nullptr;
    Output& result = outputs_[output];
    result.info = {dtype, shape, {}, false};
    const size_t size = bytes_of(result.info, "output number " + std::to_string(output));
    std::shared_ptr<std::byte[]> memory(new std::byte[std::max<size_t>(1, size)]);
    result.data = memory.get();
    result.memory = memory;
    return memory.get();
  }
  const std::atomic<bool>* stop() const override { return stop_; }

  Outputs take() { return std::move(outputs_); }

 private:
  const std::vector<bool>& wanted_;
  const std::atomic<bool>* const stop_;
  Outputs outputs_;
};

bool is_name(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

// A program is compared with its operators on the first data alone. Zeros would hide mistakes in
// what they are multiplied with, so float32 inputs are numbers from 0 to 1. Others may be indices.
std::vector<std::byte> made_up(const runtime::TensorInfo& info, const std::string& input) {
  std::vector<std::byte> bytes(bytes_of(info, input));
  if (info.dtype != BROCH_FLOAT32) return bytes;
  constexpr size_t kStep = 37, kDistinct = 101;  // without a common factor
  for (size_t i = 0; i < bytes.size() / sizeof(float); ++i) {
    const float value = float((i + 1) * kStep % kDistinct) / float(kDistinct);
    std::memcpy(bytes.data() + i * sizeof(float), &value, sizeof(float));
  }
  return bytes;
}

}  // namespace

Model::Model(std::string name, const fs::path& file, runtime::Backend& backend, bool preprocess)
    : Model(std::move(name), file.string(), bundle::Bundle(file), backend, preprocess) {}

Model::Model(std::string name, const std::string& place, const bundle::Bundle& bundle,
             runtime::Backend& backend, bool preprocess)
    : name_(std::move(name)),
      graph_(bundle.graph()),
      preprocessing_(predict::preprocessing_of(bundle, place)),
      ports_(predict::ports_of(graph_, preprocessing_.inputs)),
      takes_files_(preprocess && predict::does_something(preprocessing_)),
      signature_(signature_of(graph_, place, takes_files_)),
      batch_symbol_(graph::batch_symbol(graph_)) {
  if (preprocess && !preprocessing_.missing.empty())
    base::fail(base::Exit::usage, "--preprocess " + place,
               "a bundle that lacks " + base::join(preprocessing_.missing, "; "),
               "one with its preprocessing", "leave --preprocess out, and let clients do it");
  if (!batch_symbol_) {
    why_alone_ = "its inputs and outputs do not share their first size";
  } else if (const std::string operation = graph::dependence_of_rows(graph_, *batch_symbol_);
             !operation.empty()) {
    why_alone_ = "the result for a sample may depend on the others: " + operation;
    batch_symbol_.reset();
  }
  graph::RunnerOptions options;
  options.most_shapes = kMostShapes;
  options.tell = [name = name_](const std::string& text) { base::warning(name + ": " + text); };
  runner_.emplace(backend, graph_, bundle.weights(backend), options);
}

std::string Model::text() const {
  std::vector<std::string> inputs, outputs;
  if (takes_files_) inputs.push_back("files " + base::join(endings(), ", "));
  for (size_t i = 0; i < graph_.inputs.size() && !takes_files_; ++i)
    inputs.push_back(graph_.inputs[i] + " " +
                     graph::text_of(graph_.type_of_input(i), graph_.symbols));
  for (size_t i = 0; i < graph_.outputs.size(); ++i)
    outputs.push_back(graph_.outputs[i].name + " " +
                      graph::text_of(graph_.type_of_output(i), graph_.symbols));
  return name_ + ": " + base::join(inputs, ", ") + " -> " + base::join(outputs, ", ");
}

void Model::warm_up() {
  std::vector<runtime::TensorInfo> inputs;
  std::vector<std::vector<std::byte>> memory;
  std::vector<const std::byte*> data;
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    const graph::Type& type = graph_.type_of_input(i);
    runtime::TensorInfo& info = inputs.emplace_back();
    info.dtype = type.dtype;
    info.shape = graph::shape_of(type, graph_.least);
    data.push_back(memory.emplace_back(made_up(info, graph_.inputs[i])).data());
  }
  try {
    run(inputs, data.data(), std::vector<bool>(graph_.outputs.size(), true), nullptr);
  } catch (const std::exception&) {
    base::warning(name_ + ": cannot be computed on made-up data: " + current_refusal().what());
  }
}

Outputs Model::run(std::span<const runtime::TensorInfo> inputs, const std::byte* const* data,
                   const std::vector<bool>& wanted, const std::atomic<bool>* stop) {
  Memory memory(wanted, stop);
  const std::vector<const void*> addresses(data, data + inputs.size());
  runner_->run(inputs, addresses.data(), memory);
  return memory.take();
}

std::pair<std::string, fs::path> name_and_file(const std::string& argument) {
  const size_t equals = argument.find('=');
  const bool has_name = equals != argument.npos && !fs::exists(argument);
  const fs::path file = has_name ? argument.substr(equals + 1) : argument;
  std::string name = has_name ? argument.substr(0, equals) : file.stem().string();
  if (!is_name(name))
    base::fail(base::Exit::usage, argument, "the name " + base::quoted(name),
               "letters, digits, '-', '_' and '.'",
               has_name ? "" : "give the model a name: NAME=" + argument);
  return {std::move(name), file};
}

}  // namespace broch::serve
