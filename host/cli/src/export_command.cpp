// export_command.cpp: broch export: a trained model in one file.
#include <filesystem>
#include <iostream>

#include "base/error.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "onnx/onnx.hpp"
#include "options.hpp"
#include "output.hpp"
#include "predict/export.hpp"
#include "predict/words.hpp"
#include "run_folder.hpp"
#include "session/run.hpp"
#include "store/atomic_file.hpp"
#include "terminal.hpp"
#include "version.hpp"
#include "weights/pt2.hpp"

namespace broch::cli {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  session::SetupOptions setup;
  std::string checkpoint, output, format = "bundle";
  std::vector<std::string> outputs, sizes;
  bool replace = false, json = false, external = false;
};

void print(const ExportOptions& options, const graph::Graph& graph,
           const std::vector<std::string>& transforms) {
  const auto line = [&](const std::string& name, const graph::Type& type) {
    return name + " " + graph::text_of(type, graph.symbols);
  };
  std::vector<std::string> inputs, outputs;
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    inputs.push_back(line(graph.inputs[i], graph.type_of_input(i)));
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    outputs.push_back(line(graph.outputs[i].name, graph.type_of_output(i)));
  const uintmax_t bytes = fs::file_size(options.output);
  if (options.json)
    return print_json(object({{"file", text(options.output)},
                              {"inputs", list(inputs)},
                              {"outputs", list(outputs)},
                              {"preprocessing", list(transforms)},
                              {"operators", integer(int64_t(graph.nodes.size()))},
                              {"bytes", integer(int64_t(bytes))}}));
  std::cout << options.output << ": " << base::counted(int64_t(graph.nodes.size()), "operator")
            << ", " << base::counted(int64_t(bytes), "byte")
            << "\n  inputs: " << base::join(inputs, ", ")
            << "\n  outputs: " << base::join(outputs, ", ") << '\n';
  if (!transforms.empty()) std::cout << "  preprocessing: " << base::join(transforms, ", ") << '\n';
}

void write(const ExportOptions& options, runtime::Backend& backend, const bundle::Model& model) {
  if (options.format == "onnx")
    onnx::write(options.output, backend, model.graph, model.weights,
                {options.external, options.replace, model.about});
  else
    bundle::write(options.output, backend, model);
}

// The .pt2 file that the model has as its option "file".
std::string exported_program(const session::Setup& setup) {
  const auto& model = setup.manifest().model;
  const value::Value* const file = model ? model->with().find("file") : nullptr;
  if (!file || !file->is(value::Value::Kind::string) || !file->string().ends_with(".pt2"))
    throw base::Error(
        base::Exit::usage,
        {"--format pt2", "a model that was not read from a .pt2 file",
         "one whose option file names such a file", "choose --format onnx, bundle or safetensors"});
  return file->string();
}

// The weights alone; they need no program.
void export_weights(const ExportOptions& options, const session::Setup& setup,
                    const std::string& checkpoint) {
  const auto weights = weights::open(checkpoint);
  const std::vector<weights::Item> items =
      weights::select(*weights, {.weights_only = true}, checkpoint);
  if (options.format == "safetensors") {
    weights::save(options.output, weights::Format::safetensors, items);
  } else {
    weights::write_pt2(exported_program(setup), options.output, items);
  }
  const auto bytes = int64_t(fs::file_size(options.output));
  if (options.json)
    return print_json(object({{"file", text(options.output)},
                              {"tensors", integer(int64_t(items.size()))},
                              {"bytes", integer(bytes)}}));
  std::cout << options.output << ": " << base::counted(int64_t(items.size()), "tensor") << ", "
            << base::counted(bytes, "byte") << '\n';
}

// An option that would have no effect.
void require_usable(const ExportOptions& options) {
  const auto refuse = [&](const char* option, const char* formats) {
    base::fail(base::Exit::usage, option, "--format " + options.format, formats, "leave it out");
  };
  const bool weights_alone = options.format == "safetensors" || options.format == "pt2";
  if (options.external && options.format != "onnx") refuse("--external-data", "--format onnx");
  if (!options.outputs.empty() && weights_alone) refuse("--name", "--format bundle or onnx");
  if (!options.sizes.empty() && weights_alone) refuse("--size", "--format bundle or onnx");
  predict::refuse_repeated("--name", options.outputs);
  if (options.output.empty())
    base::fail(base::Exit::usage, "--output", "an empty name", "the file to write", "");
  store::require_writable(options.output, options.replace);
}

int export_model(const ExportOptions& options) {
  require_usable(options);
  const std::map<std::string, int64_t> sizes = predict::sizes_of(options.sizes);
  Terminal terminal;
  session::SetupOptions setup_options = options.setup;
  setup_options.manifest = manifest_file(options.setup.manifest, options.setup.overrides);
  const std::string checkpoint =
      checkpoint_to_use("broch export", options.setup.manifest, options.checkpoint);
  const session::Setup setup(setup_options);
  if (options.format == "safetensors" || options.format == "pt2") {
    export_weights(options, setup, checkpoint);
    return 0;
  }
  session::RunOptions run_options;
  run_options.writes = false;
  run_options.trains = false;
  run_options.session_init = false;
  run_options.ui = &terminal;
  session::Run run(setup, run_options);
  run.build();
  predict::Exported exported = predict::export_model(
      setup, run, checkpoint, {options.outputs, sizes, options.format == "bundle"});
  exported.model.about["broch"] = version_text();
  write(options, run.backend(), exported.model);
  print(options, exported.model.graph, predict::transforms_of(exported.preprocessing));
  return 0;
}

}  // namespace

void add_export(CLI::App& app, int& exit_code) {
  static ExportOptions options;
  CLI::App* command =
      app.add_subcommand("export", "Write a trained model into one file that needs no plugin");
  add_manifest_options(*command, options.setup)
      ->description("The manifest, or the log folder of a run");
  command->add_option("-o,--output", options.output, "The file to write")->required();
  command
      ->add_option(
          "--format", options.format,
          "bundle, which Broch reads; onnx, which many other programs read; safetensors, the "
          "weights alone; pt2, the file that the model came from, with its new weights")
      ->check(CLI::IsMember({"bundle", "onnx", "safetensors", "pt2"}))
      ->capture_default_str();
  command->add_flag("--external-data", options.external,
                    "With --format onnx: write the weights into a file FILE.data");
  command->add_option("--checkpoint", options.checkpoint,
                      "A checkpoint file, or the log folder of a run. When a log folder is "
                      "exported: also a name in it, or best; by default the newest checkpoint");
  command
      ->add_option("--name", options.outputs,
                   "A published name that the model returns; may be given several times. By "
                   "default output, logits, or the last one that needs the first input alone")
      ->allow_extra_args(false);
  command
      ->add_option("--size", options.sizes,
                   "NAME=SIZE: a dimension of the inputs that always has this size, such as T=64; "
                   "may be given several times")
      ->allow_extra_args(false);
  command->add_flag("--force", options.replace, "Replace an existing file");
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = export_model(options); });
}

}  // namespace broch::cli
