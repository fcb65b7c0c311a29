// source.cpp: makes one dataflow of what --data says.
#include "predict/source.hpp"

#include <algorithm>
#include <fstream>
#include <functional>

#include "absent.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "facts.hpp"
#include "file_arrays.hpp"
#include "manifest/manifest.hpp"
#include "value/json.hpp"

namespace broch::predict {
namespace {

namespace fs = std::filesystem;
using base::Exit;
using value::Value;

// A file of this program for the dataflow, in the folder for such files.
std::string write_for(Source& source, const std::string& name, const std::string& bytes) {
  if (!source.scratch) source.scratch = std::make_unique<base::ScratchFolder>("broch-predict");
  const fs::path file = source.scratch->path() / name;
  std::ofstream stream(file, std::ios::binary);
  stream << bytes;
  stream.close();
  if (!stream)
    base::fail(Exit::data, file.string(), "cannot be written",
               "room for " + std::to_string(bytes.size()) + " bytes",
               "set TMPDIR to a folder that has it");
  return file.string();
}

bool is_json(const std::string& words) { return !words.empty() && words[0] == '{'; }
bool is_json_file(const std::string& word) { return word.ends_with(".json"); }

bool names(const Value* list, const std::string& word) {
  return list &&
         std::ranges::any_of(list->array(), [&](const Value& one) { return one.string() == word; });
}

void replace(Value& value, const std::string& word, const std::string& by) {
  if (value.is(Value::Kind::string) && value.string() == word) value = Value(by);
  if (value.is(Value::Kind::array))
    for (Value& one : value.array()) replace(one, word, by);
  if (value.is(Value::Kind::object))
    for (value::Member& one : value.object()) replace(one.value, word, by);
}

bool needs(const Ports& ports, const std::string& input) {
  return std::ranges::any_of(ports.inputs, [&](auto& one) { return one.name == input; });
}

// Labels are not in new files. A dataflow that reads no input alone stays as it is.
std::vector<SourceComponent> components_of(const Value& source, const Ports& ports) {
  std::vector<SourceComponent> found;
  const Value* const list = value::find_at(source, "/with/components");
  if (!list || !list->is(Value::Kind::array)) return found;
  const bool has_all = list->array().size() >= ports.order.size();
  for (size_t i = 0; i < list->array().size(); ++i) {
    const Value* name = list->array()[i].find("name");
    const bool named = name && name->is(Value::Kind::string);
    const std::string input = named ? name->string() : i < ports.order.size() ? ports.order[i] : "";
    found.push_back({named ? input : "", !needs(ports, input) && (named || has_all)});
  }
  if (std::ranges::all_of(found, &SourceComponent::absent)) found.clear();
  return found;
}

Value entry(const std::string& use, Value with) {
  Value whole{Value::Object{}};
  whole.set("use", Value(manifest::full_id(use, "dataflow")));
  whole.set("with", std::move(with));
  return whole;
}

class PlainFiles {
 public:
  PlainFiles(const std::vector<std::string>& files, const Preprocessing& preprocessing,
             const Ports& ports)
      : preprocessing_(preprocessing), ports_(ports) {
    for (const std::string& file : files) add(file);
    if (!preprocessing.missing.empty())
      base::fail(Exit::usage, "--data " + files[0],
                 "plain files, for a bundle that lacks " + base::join(preprocessing.missing, "; "),
                 "points as the model gets them",
                 "write a dataflow as JSON: '{\"use\": NAME, \"with\": {…}}'");
    const std::string ending = fs::path(files_.at(0)).extension().string();
    for (const Value& one : plain_files().find("files")->array())
      if (suits(one, preprocessing) && names(one.find("endings"), ending)) kind_ = &one;
    for (const std::string& file : files_)
      if (!kind_ || !names(kind_->find("endings"), fs::path(file).extension().string()))
        base::fail(Exit::usage, "--data " + file, "a file of another kind",
                   kind_ ? "files with the ending " + ending
                         : "files with one of the endings " +
                               base::join(suitable_endings(preprocessing), ", "),
                   "other data need a dataflow as JSON: '{\"use\": NAME, \"with\": {…}}'");
    if (is_like_source() || has_arrays_of_source())
      components_ = components_of(preprocessing.source, ports);
  }

  // Of the dataflow in the manifest that reads such files; empty: it is another one.
  const std::vector<SourceComponent>& components() const { return components_; }

  // With these steps around the dataflow that reads the files.
  Value dataflow(std::vector<Value> steps, Source& source) const {
    Value flow = innermost(source);
    for (Value& step : steps) {
      Value& with = *step.find("with");
      // Each file and each row has its own result, so none is replaced or left out.
      if (with.find("on_error")) with.set("on_error", Value("fail"));
      with.set("dataflow", std::move(flow));
      flow = std::move(step);
    }
    for_each_reference(flow, [&](Value& option) {
      if (const std::string* bytes = file_of(preprocessing_, option.string()))
        option = Value(write_for(source, option.string(), *bytes));
    });
    return flow;
  }

 private:
  // A folder stands for the files in it.
  void add(const std::string& word) {
    std::error_code error;
    if (!fs::exists(word, error))
      base::fail(Exit::data, "--data " + word, "no such file", "a file, or a dataflow as JSON", "");
    if (!fs::is_directory(word)) return files_.push_back(fs::absolute(word).string());
    std::vector<std::string> inside;
    for (fs::recursive_directory_iterator one(word), end; one != end; ++one)
      if (one->path().filename().string()[0] == '.')
        one.disable_recursion_pending();
      else if (one->is_regular_file())
        inside.push_back(fs::absolute(one->path()).lexically_normal().string());
    if (inside.empty())
      base::fail(Exit::data, "--data " + word, "an empty folder", "one with files", "");
    std::ranges::sort(inside);
    files_.insert(files_.end(), inside.begin(), inside.end());
  }

  Value innermost(Source& source) const {
    const Value* with = kind_->find("with");
    if (with && value::to_text(*with).find("$list") != std::string::npos) {
      source.files = files_;
      Value options = *with;
      replace(options, "$list", write_for(source, "list", list()));
      // The labels, which nobody reads, keep their place for the transforms.
      if (const Value* given = option_of_source("names")) options.set("names", *given);
      return entry(kind_->find("use")->string(), options);
    }
    Value::Array flows;
    for (const std::string& file : files_) flows.push_back(of_file(file));
    if (flows.size() == 1) return flows[0];
    Value options{Value::Object{}};
    options.set("dataflows", Value(std::move(flows)));
    return entry(plain_files().find("several")->string(), options);
  }

  bool is_like_source() const {
    return !preprocessing_.source.is_null() && uses(kind_->find("like"), preprocessing_.source);
  }

  bool has_arrays_of_source() const {
    return !preprocessing_.source.is_null() &&
           uses(kind_->find("arrays_of"), preprocessing_.source);
  }

  Value of_file(const std::string& file) const {
    if (is_like_source()) {
      Value whole = preprocessing_.source;
      whole.find("with")->set("file", Value(file));
      drop_absent(whole, components_);
      return whole;
    }
    if (!kind_->find("use"))
      base::fail(Exit::usage, "--data " + file, "text, for a model whose training data is none",
                 "the data of a manifest that reads text",
                 "write a dataflow as JSON that makes tokens of the text");
    Value with = *kind_->find("with");
    replace(with, "$file", file);
    const Value* const like = has_arrays_of_source() ? &preprocessing_.source : nullptr;
    if (kind_->find("each_input") || like)
      choose_arrays(with, {file, kind_->find("each_input") != nullptr}, like, components_, ports_);
    return entry(kind_->find("use")->string(), with);
  }

  const Value* option_of_source(const char* name) const {
    const Value* const with = preprocessing_.source.find("with");
    return with ? with->find(name) : nullptr;
  }

  std::string list() const {
    std::string text;
    for (const std::string& one : files_) text += one.substr(1) + " 0\n";  // of the folder "/"
    return text;
  }

  const Preprocessing& preprocessing_;
  const Ports& ports_;
  const Value* kind_ = nullptr;
  std::vector<std::string> files_;
  std::vector<SourceComponent> components_;
};

// Whether the file has an entry, {"use": …}, and not a manifest.
bool is_entry(const std::string& file) {
  const Value value = value::parse(value::read_source(file));
  return value.find("use") && !value.find("broch");
}

// What the dataflow is, and the files that it reads. What the program has written is in another
// file each time; a list has names from the command line, and a bundle is part of the model's
// identity.
void add_facts(Source& source) {
  const Value& entry = source.flow->component().entry;
  source.text += value::to_text(entry) + "\n" + facts_of(entry);
}

// Results stand beside the names of the files. A transform such as filter makes the size unknown.
void require_point_for_each_file(const Source& source, data::FlowReader& reader) {
  const auto files = int64_t(source.files.size());
  if (files > 0 && reader.size() != files)
    base::fail(Exit::data, "--data " + source.words,
               "transforms that leave out or add samples, such as filter and flatten",
               "one sample for each file",
               "write a dataflow as JSON with other transforms: '{\"use\": NAME, \"with\": {…}}'");
}

std::vector<std::string> plugins_of(const session::Setup* setup) {
  return setup ? setup->manifest().plugins : std::vector<std::string>();
}

// What a sample of the files passes through.
std::vector<Value> steps_for(const PlainFiles& files, const Preprocessing& preprocessing,
                             const session::Setup* setup,
                             const std::vector<std::string>& plugin_path) {
  std::vector<Value> steps = preprocessing.steps;
  if (steps.empty() || !lacks_some(files.components())) return steps;
  const auto catalog = session::open_catalog(plugins_of(setup), plugin_path);
  leave_out_absent(steps, files.components(), session::Kinds(*catalog));
  return steps;
}

// The dataflow of JSON text, of a file with it, or of plain files, and the folder to which its
// paths are relative.
std::pair<Value, std::string> dataflow_of(const std::vector<std::string>& data,
                                          const std::function<Value()>& of_plain_files) {
  if (data.size() == 1 && is_json(data[0]))
    return {value::parse_text("--data", data[0]), value::working_directory()};
  if (data.size() == 1 && is_json_file(data[0]))
    return {value::parse(value::read_source(data[0])),
            fs::absolute(data[0]).parent_path().string()};
  return {of_plain_files(), value::working_directory()};
}

// With the seed and the plugins of the run, if there is one.
Value manifest_around(Value dataflow, const session::Setup* setup) {
  Value whole{Value::Object{}};
  whole.set("broch", Value(int64_t{1}));
  if (setup) {
    whole.set("seed", Value(setup->manifest().seed));
    Value::Array plugins;
    for (const std::string& one : plugins_of(setup)) plugins.push_back(Value(one));
    whole.set("plugins", Value(std::move(plugins)));
  }
  whole.set("dataflow", std::move(dataflow));
  return whole;
}

// "--data:1:147: /dataflow/with/…: what happened" and an excerpt -> what happened.
std::string without_place(const std::string& text) {
  if (!text.starts_with("--data:")) return text;
  const std::string line = text.substr(0, text.find('\n'));
  size_t at = line.find(": ");
  if (at != line.npos && line.compare(at + 2, 1, "/") == 0) at = line.find(": ", at + 2);
  const size_t point = text.find("\n  the data point: ");
  return (at == line.npos ? line : line.substr(at + 2)) +
         (point == text.npos ? "" : text.substr(point));
}

}  // namespace

base::Error about_files(const Source& source, const base::Error& error) {
  std::string text = error.what();
  const bool has_place = text.starts_with("--data:");
  text = without_place(text);
  if (has_place) text.insert(0, "--data " + source.words + ": ");
  if (const size_t at = text.find("\n  in the manifest: --data:"); at != text.npos)
    text.erase(at, text.find('\n', at + 1) - at);
  return {error.exit() == Exit::manifest ? Exit::data : error.exit(), text};
}

Source open_source(const std::vector<std::string>& data, const session::Setup* setup,
                   const Preprocessing& preprocessing, const std::vector<std::string>& plugin_path,
                   const Ports& ports) {
  Source source;
  session::SetupOptions options;
  options.plugin_path = plugin_path;
  for (const std::string& word : data)
    source.text += (is_json(word) ? word : facts_of(fs::path(word))) + "\n";
  if (data.size() == 1 && is_json_file(data[0]) && !is_entry(data[0])) {
    options.manifest = data[0];
  } else {
    auto [flow, folder] = dataflow_of(data, [&] {
      source.words = base::join(data, " ");
      const PlainFiles files(data, preprocessing, ports);
      return files.dataflow(steps_for(files, preprocessing, setup, plugin_path), source);
    });
    options.source = std::make_shared<const value::Source>(
        value::Source{"--data", folder, value::to_text(manifest_around(std::move(flow), setup))});
  }
  source.flow = std::make_unique<data::Flow>(options);
  if (!source.scratch) add_facts(source);
  return source;
}

// The user has not written the dataflow of plain files, and a fault in it is one of the files.
data::FlowReader reader_of(Source& source) {
  try {
    data::FlowReader reader(*source.flow, source.flow->component());
    require_point_for_each_file(source, reader);
    return reader;
  } catch (const base::Error& error) {
    if (source.words.empty() || error.exit() != Exit::manifest) throw;
    std::string reason = error.what();
    reason.resize(std::min(reason.find('\n'), reason.size()));
    const size_t found = reason.find("found ");
    throw base::Error(Exit::data, "--data " + source.words + ": " +
                                      reason.substr(found == reason.npos ? 0 : found));
  }
}

}  // namespace broch::predict
