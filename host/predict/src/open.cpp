// open.cpp: decides what a file is, and loads it.
#include "predict/open.hpp"

#include <charconv>
#include <fstream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "bundle/bundle.hpp"
#include "class_names.hpp"
#include "facts.hpp"
#include "runs/run_folder.hpp"
#include "vocabulary.hpp"
#include "weights/weights.hpp"

namespace broch::predict {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExpected = "a bundle, a manifest or the log folder of a run";

// Text has no zero bytes, and the length at the start of a safetensors file has some.
bool is_binary(const std::string& path) {
  if (!fs::is_regular_file(path)) return false;
  std::ifstream file(path, std::ios::binary);
  char first[8] = {};
  return file.read(first, sizeof first) &&
         std::string_view(first, sizeof first).find('\0') != std::string_view::npos;
}

int64_t context_in(const bundle::About& about, const std::string& place) {
  const auto found = about.find(kContext);
  if (found == about.end()) return 0;
  const std::string& text = found->second;
  int64_t context = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), context);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || context < 1)
    base::fail(base::Exit::data, place + ": context", base::quoted(text), "a number of tokens",
               "write it again with broch export");
  return context;
}

std::string facts_of_weights(const fs::path& path) {
  std::string facts;
  for (const fs::path& file : weights::files_of(path)) facts += facts_of(fs::absolute(file)) + "\n";
  return facts;
}

}  // namespace

Opened open_model(const session::SetupOptions& options, const std::string& checkpoint,
                  const Names& names, session::Ui& ui) {
  const std::string& path = options.manifest;
  Opened opened;
  if (is_binary(path)) {
    if (!bundle::is_bundle(path))
      base::fail(base::Exit::usage, path, "a file that is no bundle", kExpected,
                 "for a checkpoint, give its manifest, and the file as --checkpoint");
    if (!checkpoint.empty())
      base::fail(base::Exit::usage, "--checkpoint", "a checkpoint for a bundle",
                 "a bundle alone, which has its weights", "leave --checkpoint out");
    if (!options.overrides.empty())
      base::fail(base::Exit::usage, path, "the override " + options.overrides[0] + " of a bundle",
                 "no overrides: a bundle has no manifest",
                 "leave it out, or give the log folder of the run");
    const bundle::Bundle bundle{fs::path(path)};
    opened.preprocessing = preprocessing_of(bundle, path);
    opened.context = context_in(bundle.about(), path);
    if (const auto classes = bundle.about().find(kClasses); classes != bundle.about().end())
      opened.classes = classes_from(classes->second, path);
    opened.model = model_of_bundle(bundle, names, opened.preprocessing.inputs);
    opened.identity = facts_of(fs::absolute(path));
    return opened;
  }
  if (checkpoint.empty()) runs::require_model(path, kExpected);
  session::SetupOptions setup = options;
  setup.manifest = runs::manifest_file(path, options.overrides);
  const std::string file = runs::checkpoint_to_use("broch predict", path, checkpoint);
  opened.setup = std::make_unique<session::Setup>(setup);
  session::RunOptions run;
  run.writes = false;
  run.trains = false;
  run.session_init = false;
  run.all_callbacks = false;
  run.ui = &ui;
  opened.run = std::make_unique<session::Run>(*opened.setup, run);
  opened.run->build();
  opened.preprocessing = preprocessing_of(*opened.setup);
  opened.context = context_of(*opened.setup);
  opened.model = model_of_run(*opened.setup, *opened.run, file, names);
  opened.classes = class_names(*opened.setup, opened.run->predictors(file).tower("", 0).signature(),
                               opened.model->inputs());
  opened.identity = facts_of_weights(file) + opened.setup->manifest().resolved_text();
  return opened;
}

std::optional<WordList> words_of(const Opened& opened) {
  const Preprocessing& preprocessing = opened.preprocessing;
  for (const value::Value& kind : plain_files().find("files")->array()) {
    const value::Value *option = kind.find("words"), *unknown = kind.find("unknown");
    if (!option || !uses(kind.find("like"), preprocessing.source)) continue;
    const value::Value& with = *preprocessing.source.find("with");
    const value::Value* const file = with.find(option->string());
    if (!file || !file->is(value::Value::Kind::string)) continue;
    WordList words;
    if (opened.setup)
      words = words_in(file->string(), option->string());
    else if (const std::string* there = file_of(preprocessing, file->string()))
      words = {file->string(), *there};
    else
      continue;
    if (const value::Value* word = unknown ? with.find(unknown->string()) : nullptr;
        word && word->is(value::Value::Kind::string))
      words.unknown = word->string();
    return words;
  }
  return std::nullopt;
}

int64_t context_of(const session::Setup& setup) {
  if (!setup.manifest().model) return 0;
  const value::Value* const context = setup.manifest().model->with().find("context");
  return context && context->is(value::Value::Kind::integer) ? context->integer() : 0;
}

}  // namespace broch::predict
