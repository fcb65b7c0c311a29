// predict_command.cpp: broch predict: the outputs of a trained model for new data, and text that it
// continues.
#include <iostream>
#include <utility>

#include "base/content.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/real_number.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "predict/generate.hpp"
#include "predict/open.hpp"
#include "predict/predict.hpp"
#include "predict/words.hpp"
#include "store/atomic_file.hpp"
#include "terminal.hpp"

namespace broch::cli {
namespace {

namespace fs = std::filesystem;

struct PredictOptions {
  session::SetupOptions setup;  // its manifest may be a bundle
  std::string checkpoint;
  predict::Names names;
  std::vector<std::string> data;
  predict::Options how;
  std::optional<std::string> text;  // or a file with it: generate
  int64_t top = 0;
  std::optional<std::string> classes;  // a file
  predict::GenerateOptions generate;
  bool json = false;
};

void report(const predict::Predicted& done, bool json) {
  std::vector<std::string> names;
  for (const fs::path& file : done.files) names.push_back(file.string());
  if (json)
    return print_json(object({{"files", list(names)},
                              {"samples", integer(done.samples)},
                              {"seconds", number(done.seconds)}}));
  if (names.size() > 2)
    std::cout << names.front() << " to " << names.back() << '\n';
  else
    std::cout << base::join(names, "\n") << '\n';
  const double rate = done.seconds > 0 ? double(done.samples - done.continued) / done.seconds : 0;
  base::info(base::counted(done.samples, "sample") + " in " + base::humanize_seconds(done.seconds) +
             ": " + base::general(rate, 4) + " samples per second");
}

// The text, or that in the file.
std::string text_of(const std::string& words) {
  std::error_code error;  // a text may be longer than any name
  if (!fs::is_regular_file(words, error)) return words;
  const std::optional<std::string> content = base::content_of(words);
  if (!content)
    base::fail(base::Exit::data, "--generate " + words, "a file that cannot be read",
               "one that can, or a text", "check its permissions");
  return *content;
}

int run_generate(PredictOptions& options) {
  if (!options.data.empty() || options.json)
    base::fail(base::Exit::usage, "--generate", "--data or --json as well", "a text alone", "");
  const std::string to = options.how.output.string();
  if (!to.empty()) store::require_writable(to, options.how.replace);
  Terminal terminal;
  const predict::Opened opened =
      predict::open_model(options.setup, options.checkpoint, options.names, terminal);
  predict::GenerateOptions& how = options.generate;
  how.text = text_of(*options.text);
  if (how.context == 0) how.context = opened.context;
  if (how.vocabulary.empty()) how.words = predict::words_of(opened);
  plan::Interrupt own;
  plan::Interrupt& interrupt = opened.interrupt() ? *opened.interrupt() : own;
  if (!opened.interrupt()) own.install();
  std::string whole = how.text;
  size_t shown = 0;  // bytes; the text is not shown before the model has continued it
  predict::generate(
      *opened.model, how,
      [&](const std::string& piece) {
        whole += piece;
        if (to.empty()) std::cout << whole.substr(std::exchange(shown, whole.size())) << std::flush;
      },
      [&] { return interrupt.raised() || !std::cout; });  // main reports that nobody reads it
  if (to.empty())
    std::cout << whole.substr(shown) << '\n';
  else
    store::write_atomically(to, whole + "\n");
  return interrupt.raised() ? int(interrupt.exit()) : 0;
}

int run_predict(PredictOptions& options) {
  predict::refuse_repeated("--name", options.names.outputs);
  predict::refuse_repeated("--input", options.names.inputs);
  if (options.text) return run_generate(options);
  if (options.data.empty() || options.how.output.empty())
    base::fail(base::Exit::usage, "broch predict",
               options.data.empty() ? "no --data" : "no --output",
               "--data and --output, or --generate", "broch predict --help lists the options");
  Terminal terminal;
  const predict::Opened opened =
      predict::open_model(options.setup, options.checkpoint, options.names, terminal);
  options.how.identity = opened.identity;
  options.how.interrupt = opened.interrupt();
  predict::Source source =
      predict::open_source(options.data, opened.setup.get(), opened.preprocessing,
                           options.setup.plugin_path, opened.model->ports());
  options.how.ranking = predict::ranking_for(options.top, options.classes, options.how.output,
                                             opened.model->ports(), opened.classes);
  const predict::Predicted done = predict::predict(*opened.model, source, options.how, terminal);
  if (done.interrupted == base::Exit::ok) return report(done, options.json), 0;
  base::warning("interrupted after " + base::counted(done.samples, "sample") +
                ": the same command continues");
  return int(done.interrupted);
}

// --generate, which it returns, and those that have no effect without it.
CLI::Option* add_text_options(CLI::App& command, PredictOptions& options) {
  predict::GenerateOptions& generate = options.generate;
  CLI::Option* const text =
      command.add_option("--generate", options.text,
                         "Continue this text, or the text in this file, with a language model");
  command.add_option("--length", generate.length, "Number of tokens to generate")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000}))
      ->capture_default_str()
      ->needs(text);
  command
      .add_option("--temperature", generate.temperature,
                  "Divides the scores: below 1, likely tokens become likelier; 0: always the "
                  "likeliest")
      ->check(base::within(0, 1000))
      ->capture_default_str()
      ->needs(text);
  command.add_option("--top-k", generate.top_k, "Draw from this many of the likeliest tokens")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000}))
      ->needs(text);
  command
      .add_option("--top-p", generate.top_p,
                  "Draw from the likeliest tokens that have this probability together")
      ->check(base::within(0, 1))
      ->needs(text);
  command.add_option("--seed", generate.seed, "The same seed gives the same text")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->needs(text);
  command
      .add_option("--context", generate.context,
                  "Number of tokens that the model sees; by default its option context")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000}))
      ->needs(text);
  command
      .add_option("--vocabulary", generate.vocabulary,
                  "File with one word per line, if tokens are words; by default that of the "
                  "dataflow that made the tokens. Without one, they are bytes")
      ->needs(text);
  return text;
}

}  // namespace

void add_predict(CLI::App& app, int& exit_code) {
  static PredictOptions options;
  CLI::App* command =
      app.add_subcommand("predict", "Compute the outputs of a trained model for new data");
  add_manifest_options(*command, options.setup)
      ->description("A manifest, the log folder of a run, or a bundle");
  command->add_option("--checkpoint,--session_init", options.checkpoint,
                      "A checkpoint file, or the log folder of a run. With a log folder as the "
                      "first argument: also a name in it, best, or last, which is the default");
  command->add_option(
      "--data", options.data,
      "A dataflow as JSON text, a .json file with one or with a manifest, or files: "
      ".csv, .npy, .npz, .txt, images, or folders of them");
  command->add_option("-o,--output", options.how.output,
                      "The file to write: .csv, .jsonl, .npy, .npz, .safetensors or .png; with "
                      "--generate: a text file");
  command
      ->add_option("--name,--output_names", options.names.outputs,
                   "A published name to write; may be given several times. By default output, "
                   "logits, or the last one that needs the first input alone")
      ->allow_extra_args(false);
  command
      ->add_option("--input,--input_names", options.names.inputs,
                   "An input to feed, in the order of data without names; may be given several "
                   "times. By default those that the outputs need")
      ->allow_extra_args(false);
  CLI::Option* const batch_size =
      command
          ->add_option("--batch-size", options.how.batch_size,
                       "Samples that are computed together, unless the data are batches already")
          ->check(CLI::Range(int64_t{1}, int64_t{1'000'000}))
          ->capture_default_str();
  CLI::Option* const limit =
      command->add_option("--limit", options.how.limit, "Predict at most this many samples")
          ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000'000}));
  CLI::Option* const top =
      command
          ->add_option("--top", options.top,
                       "Write this many of the likeliest classes of each sample, with their "
                       "probabilities, in place of the scores of all classes")
          ->check(CLI::Range(int64_t{1}, int64_t{1'000'000}));
  CLI::Option* const classes =
      command
          ->add_option("--classes", options.classes,
                       "File with the name of one class per line, for --top; by default the "
                       "names that the data of the training give to the labels")
          ->needs(top);
  command->add_flag("--force", options.how.replace, "Replace an existing file");
  CLI::Option* const text = add_text_options(*command, options);
  for (CLI::Option* const of_data : {batch_size, limit, top, classes}) of_data->excludes(text);
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = run_predict(options); });
}

}  // namespace broch::cli
