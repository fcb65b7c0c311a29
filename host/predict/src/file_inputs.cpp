// file_inputs.cpp: writes the contents into files, whose names are always the same, so that the
// dataflow that reads them is found once for so many files.
#include "predict/file_inputs.hpp"

#include <filesystem>
#include <fstream>
#include <limits>

#include "base/error.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "batches.hpp"

namespace broch::predict {
namespace {

using base::Exit;
using runtime::Tensor;

constexpr size_t kMostSources = 16;
constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

// Removes the files of a request at its end: the next one may have fewer, or of other kinds.
class Emptied {
 public:
  explicit Emptied(const std::filesystem::path& folder) : folder_(folder) {}
  ~Emptied() {
    std::error_code error, ignored;
    for (std::filesystem::directory_iterator one(folder_, error), end; !error && one != end;
         one.increment(error))
      std::filesystem::remove(one->path(), ignored);
  }
  Emptied(const Emptied&) = delete;
  Emptied& operator=(const Emptied&) = delete;

 private:
  const std::filesystem::path& folder_;
};

// Whoever sent the files knows neither their place nor the manifest that is made for them.
base::Error without_places(const base::Error& error, const std::string& folder) {
  std::string text = error.what();
  for (const std::string& place : {"--data " + folder + "/", folder + "/"})
    for (size_t at = 0; (at = text.find(place, at)) != text.npos;) text.erase(at, place.size());
  constexpr std::string_view kManifest = "\n  in the manifest: ";
  if (const size_t at = text.find(kManifest); at != text.npos)
    text.erase(at, text.find('\n', at + 1) - at);
  return {error.exit() == Exit::memory ? Exit::memory : Exit::data, text};
}

}  // namespace

std::vector<Tensor> FileInputs::read(std::span<const std::string_view> contents) {
  const Emptied emptied(folder_.path());
  try {
    if (contents.empty()) base::fail(Exit::data, "the files", "none", "at least one");
    return read(write(contents));
  } catch (const base::Error& error) {
    throw without_places(error, folder_.path().string());
  }
}

std::vector<std::string> FileInputs::write(std::span<const std::string_view> contents) const {
  std::vector<std::string> files;
  for (const std::string_view content : contents) {
    const std::string number = std::to_string(files.size());
    const std::string ending = ending_of(content, preprocessing_);
    if (ending.empty())
      base::fail(Exit::data, "file " + number,
                 content.empty() ? "nothing" : "bytes of an unknown kind",
                 "the content of a file " + base::join(endings_for(preprocessing_), ", "));
    files.push_back((folder_.path() / (number + ending)).string());
    std::ofstream stream(files.back(), std::ios::binary | std::ios::trunc);
    stream.write(content.data(), std::streamsize(content.size()));
    stream.close();
    if (!stream)
      base::fail(Exit::memory, files.back(), "cannot be written",
                 "room for " + std::to_string(content.size()) + " bytes");
  }
  return files;
}

Source& FileInputs::source_for(const std::vector<std::string>& files) {
  const auto found = sources_.find(files);
  if (found != sources_.end()) return found->second;
  if (sources_.size() == kMostSources) sources_.clear();
  return sources_.emplace(files, open_source(files, nullptr, preprocessing_, {}, ports_))
      .first->second;
}

std::vector<Tensor> FileInputs::read(const std::vector<std::string>& files) {
  Source& source = source_for(files);
  try {
    return read(source);
  } catch (const base::Error& error) {
    throw about_files(source, error);
  }
}

std::vector<Tensor> FileInputs::read(Source& source) {
  data::FlowReader reader = reader_of(source);
  Batches batches(reader, ports_, backend_, kAll);
  Batch batch = batches.next(kAll);
  if (batch.inputs.empty()) base::fail(Exit::data, "the files", "no samples", "at least one");
  const int64_t rows = backend_.info(batch.inputs[0]).shape.dims[0];
  if (batch.rows != rows)
    base::fail(Exit::data, "the files", base::counted(batch.rows, "sample"),
               base::counted(rows, "sample") + ", which the model computes at once");
  if (!batches.next(1).inputs.empty())
    base::fail(Exit::data, "the files", "more than " + base::counted(rows, "sample"),
               "as many as the model computes at once");
  return std::move(batch.inputs);
}

}  // namespace broch::predict
