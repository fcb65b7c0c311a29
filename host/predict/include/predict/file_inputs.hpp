// file_inputs.hpp: the contents of files as inputs of a model, again and again.
#pragma once
#include <map>
#include <span>
#include <string_view>

#include "predict/source.hpp"

namespace broch::predict {

class FileInputs {
 public:
  // Borrows all of them, and the backend.
  FileInputs(const Preprocessing& preprocessing, const Ports& ports, runtime::Backend& backend)
      : preprocessing_(preprocessing), ports_(ports), backend_(backend) {}

  // What broch predict feeds for files with these contents: their samples as one batch, by
  // Ports::inputs. One call at a time. Throws base::Error (data, memory), which calls a file by its
  // number, such as 0.png.
  std::vector<runtime::Tensor> read(std::span<const std::string_view> contents);

 private:
  std::vector<std::string> write(std::span<const std::string_view> contents) const;
  std::vector<runtime::Tensor> read(const std::vector<std::string>& files);
  std::vector<runtime::Tensor> read(Source& source);
  Source& source_for(const std::vector<std::string>& files);

  const Preprocessing& preprocessing_;
  const Ports& ports_;
  runtime::Backend& backend_;
  const base::ScratchFolder folder_{"broch-files"};
  std::map<std::vector<std::string>, Source> sources_;  // by the names of the files
};

}  // namespace broch::predict
