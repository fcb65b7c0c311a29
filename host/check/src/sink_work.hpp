// sink_work.hpp: a sink that writes a file in a temporary folder, as `broch data convert` uses it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "abi/roles.hpp"
#include "base/scratch_folder.hpp"
#include "made_points.hpp"
#include "world.hpp"

namespace broch::check {

inline constexpr uint64_t kPointsOfFile = 5;

// One file. Functions throw base::Error if the sink reports one.
class SinkWork {
 public:
  SinkWork(Subject& subject, abi::Instance& instance);

  void open() { sink_.open(path_.c_str()); }
  void put(const MadePoint& point);
  void close() { sink_.close(); }
  // All of the above, with kPointsOfFile equal points.
  void write(const MadePoint& point);

  // Where the file is to be made. Until open, its folder is empty.
  const std::filesystem::path& path() const { return path_; }
  // The sizes in bytes of the files in the folder and below, by path. May be called after the
  // instance was destroyed.
  std::map<std::string, uint64_t> files() const;

 private:
  base::ScratchFolder folder_;
  std::filesystem::path path_;
  abi::Sink sink_;
  uint64_t points_ = 0;
};

// The first of usual_points() that the sink writes a file of. If it refuses all, the first one.
MadePoint point_for(Subject& subject, const value::Value& options);

}  // namespace broch::check
