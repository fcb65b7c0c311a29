// packing.hpp: what a bundle can contain of the steps before a model: components that are built in,
// and the files that they need.
#pragma once
#include <string>
#include <vector>

#include "bundle/files.hpp"
#include "manifest/component.hpp"
#include "session/setup.hpp"

namespace broch::predict {

class Packing {
 public:
  // most: bytes of all files together; 0: there can be none.
  Packing(const session::Setup& setup, uint64_t most) : setup_(setup), most_(most) {}

  // entry: that of the component, whose options are made to name files of the bundle. The dataflow
  // inside of it is left out.
  void add(const manifest::Component& component, value::Value& entry);

  const bundle::Files& files() const { return files_; }
  const std::vector<std::string>& missing() const { return missing_; }  // for people

 private:
  void add_option(const std::string& what, const std::string& key, const value::Value& schema,
                  value::Value& option);
  void add_file(const std::string& what, value::Value& path);
  std::string name_for(const std::string& path, const std::string& bytes) const;

  const session::Setup& setup_;
  const uint64_t most_;
  uint64_t bytes_ = 0;  // of files_
  bundle::Files files_;
  std::vector<std::string> missing_;
};

}  // namespace broch::predict
