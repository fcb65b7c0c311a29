// source.hpp: the data that --data names: a dataflow, or plain files.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/scratch_folder.hpp"
#include "data/flow.hpp"
#include "predict/model.hpp"
#include "predict/preprocessing.hpp"

namespace broch::predict {

struct Source {
  // Of files that flow reads: a list of images, and those of a bundle. nullptr: there are none.
  std::unique_ptr<base::ScratchFolder> scratch;
  std::unique_ptr<data::Flow> flow;
  std::vector<std::string> files;  // of which each is one sample; else empty
  std::string words;               // the plain files, as --data names them; else ""
  std::string text;                // tells whether two sources are the same
};

// data: a dataflow as JSON text, a .json file with one or with a manifest, or plain files.
// preprocessing: how plain files become data points. setup: of the run, with its seed and plugins;
// nullptr: a bundle. Throws base::Error.
Source open_source(const std::vector<std::string>& data, const session::Setup* setup,
                   const Preprocessing& preprocessing, const std::vector<std::string>& plugin_path,
                   const Ports& ports);
// One pass over it. Throws base::Error.
data::FlowReader reader_of(Source& source);
// For plain files: an error while they are read, with the words of --data in the place of a
// dataflow that the user has not written.
base::Error about_files(const Source& source, const base::Error& error);

}  // namespace broch::predict
