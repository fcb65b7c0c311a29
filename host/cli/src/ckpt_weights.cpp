// ckpt_weights.cpp: broch ckpt convert, strip, average, merge.
#include <iostream>
#include <map>

#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "ckpt_commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "weights/job.hpp"

namespace broch::cli {
namespace {

using weights::Job;

struct WeightsOptions {
  Job job;
  std::string input, format, dtype;
  bool json = false;
};

const std::map<std::string, weights::Format> kFormats{{"safetensors", weights::Format::safetensors},
                                                      {"checkpoint", weights::Format::checkpoint},
                                                      {"npz", weights::Format::npz}};
const std::map<std::string, store::Dtype> kDtypes{{"float16", store::Dtype::f16},
                                                  {"bfloat16", store::Dtype::bf16},
                                                  {"float32", store::Dtype::f32}};

void run(WeightsOptions& options, weights::Written (*action)(const Job&)) {
  Job& job = options.job;
  if (!options.format.empty()) job.format = kFormats.at(options.format);
  if (!options.dtype.empty()) job.dtype = kDtypes.at(options.dtype);
  job.others = [](const std::string& input, const weights::Weights& file) {
    base::info(input +
               ": left out, as no tensors that Broch can read: " + base::join(file.others(), ", "));
  };
  const weights::Written written = action(job);
  const int64_t tensors = int64_t(written.tensors), elements = int64_t(written.elements),
                bytes = int64_t(written.bytes);
  if (options.json)
    print_json(object({{"file", text(job.output)},
                       {"tensors", integer(tensors)},
                       {"elements", integer(elements)},
                       {"bytes", integer(bytes)}}));
  else
    std::cout << job.output << ": " << base::counted(tensors, "tensor") << ", "
              << base::counted(elements, "element") << ", " << base::counted(bytes, "byte") << '\n';
}

constexpr const char* kInput =
    "A checkpoint, .safetensors, .npz, .pt2, or a state dict of torch.save; a log folder, or a "
    "folder of safetensors files";

void add_rules(CLI::App& command, WeightsOptions& options) {
  command
      .add_option("--rename", options.job.rules.rename,
                  "Replace what a regular expression matches in names by a text, in which $1 is "
                  "the first group; may be given several times")
      ->type_name("REGEX TEXT")
      ->allow_extra_args(false);
  command
      .add_option("--include", options.job.rules.include,
                  "Only tensors whose whole name in the file this regular expression matches; may "
                  "be given several times")
      ->allow_extra_args(false);
  command
      .add_option("--exclude", options.job.rules.exclude,
                  "Leave out tensors that it matches; may be given several times")
      ->allow_extra_args(false);
  command
      .add_option("--transpose", options.job.rules.transpose,
                  "Put the last two dimensions first, swapped, of tensors that it matches, or of "
                  "TensorFlow's kernels (tensorflow); may be given several times")
      ->allow_extra_args(false);
  command
      .add_option("--dtype", options.dtype, "The type of all floats: float16, bfloat16 or float32")
      ->check(CLI::IsMember({"float16", "bfloat16", "float32"}));
  command.add_option("--key", options.job.key,
                     "The way to the state dict in a file of torch.save, such as model");
}

void add_output(CLI::App& command, WeightsOptions& options) {
  command
      .add_option("--format", options.format,
                  "safetensors, npz, or checkpoint (of Broch); otherwise the ending decides")
      ->check(CLI::IsMember({"safetensors", "npz", "checkpoint"}));
  command.add_flag("--force", options.job.replace, "Replace an existing file");
  add_json_flag(command, options.json);
}

CLI::App& add_writer(CLI::App& ckpt, const char* name, const char* says, WeightsOptions& options) {
  CLI::App& command = *ckpt.add_subcommand(name, says);
  add_rules(command, options);
  add_output(command, options);
  return command;
}

}  // namespace

void add_ckpt_weights(CLI::App& ckpt, int& exit_code) {
  static WeightsOptions options;
  const auto add_one = [&](const char* name, const char* says,
                           weights::Written (*action)(const Job&)) {
    CLI::App& command = add_writer(ckpt, name, says, options);
    command.add_option("input", options.input, kInput)->required();
    command.add_option("output", options.job.output, "The file to write")->required();
    command.callback([&exit_code, action] {
      options.job.inputs = {options.input};
      run(options, action);
      exit_code = 0;
    });
  };
  const auto add_many = [&](const char* name, const char* says,
                            weights::Written (*action)(const Job&)) {
    CLI::App& command = add_writer(ckpt, name, says, options);
    command
        .add_option("files", options.job.inputs,
                    "The files to read, each as in convert, and then the file to write")
        ->required()
        ->expected(3, 1000);
    command.callback([&exit_code, action] {
      options.job.output = options.job.inputs.back();
      options.job.inputs.pop_back();
      run(options, action);
      exit_code = 0;
    });
  };
  add_one("convert", "Write weights in another format, with other names or types",
          [](const Job& job) { return weights::convert(job, false); });
  add_one("strip", "Write the weights alone, without what only training needs",
          [](const Job& job) { return weights::convert(job, true); });
  add_many("average", "Write the mean of the weights of several files", &weights::average);
  add_many("merge", "Write the tensors of several files into one", &weights::merge);
}

}  // namespace broch::cli
