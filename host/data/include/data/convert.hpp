// convert.hpp: the points of a dataflow into a file, or to an address.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "data/flow.hpp"
#include "session/ui.hpp"

namespace broch::data {

struct ConvertOptions {
  std::string to;  // the file, whose extension chooses the sink, or an address: tcp://host:5555
  value::Value sink{value::Value::Object{}};  // the options of the sink
  size_t threads = 1;
  int64_t limit = 0;                    // points; 0: all
  std::vector<std::string> components;  // names, or numbers of those without; empty: all
  bool replace = false;                 // a file that exists
};

struct Converted {
  std::vector<std::filesystem::path> files;
  int64_t points = 0;
  double seconds = 0;
  uint64_t bytes = 0;
  bool sent = false;                        // to an address; then there are no files
  base::Exit interrupted = base::Exit::ok;  // by a signal; then there are no files
};

// The files appear only when they are complete. Handles signals meanwhile. Throws base::Error.
Converted convert(Flow& flow, const ConvertOptions& options, session::Ui& ui);

}  // namespace broch::data
