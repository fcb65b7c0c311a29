// source.hpp: the data that --data names: a dataflow, or plain files.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/flow.hpp"
#include "predict/model.hpp"
#include "predict/preprocessing.hpp"

namespace broch::predict {

struct Source {
  std::unique_ptr<data::Flow> flow;
  std::vector<std::string> files;     // of which each is one sample; else empty
  std::filesystem::path listed = {};  // a temporary file, which is in use as long as flow
  std::string words;                  // the plain files, as --data names them; else ""
  std::string text;                   // tells whether two sources are the same
  Source() = default;
  Source(Source&&) = default;
  ~Source();
};

// data: a dataflow as JSON text, a .json file with one or with a manifest, or plain files.
// preprocessing: how plain files become data points. setup: of the run, with its seed and plugins;
// nullptr: a bundle. Throws base::Error.
Source open_source(const std::vector<std::string>& data, const session::Setup* setup,
                   const Preprocessing& preprocessing, const std::vector<std::string>& plugin_path,
                   const Model& model);

}  // namespace broch::predict
