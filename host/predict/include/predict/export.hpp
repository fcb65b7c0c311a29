// export.hpp: a trained model of a run as a bundle has it.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "bundle/bundle.hpp"
#include "predict/preprocessing.hpp"
#include "session/run.hpp"

namespace broch::predict {

struct ExportWish {
  std::vector<std::string> outputs;      // published names; empty: the usual one
  std::map<std::string, int64_t> sizes;  // by name: those that are always the same
  // False: without files and graphs of a sequence, which only a bundle can contain.
  bool for_bundle = true;
};

struct Exported {
  bundle::Model model;
  Preprocessing preprocessing;
};

// With the GLOBAL variables of a checkpoint. Warns of what a bundle should have, but cannot. Throws
// base::Error. REQUIRES: the run is built.
Exported export_model(const session::Setup& setup, session::Run& run, const std::string& checkpoint,
                      const ExportWish& wish);

}  // namespace broch::predict
