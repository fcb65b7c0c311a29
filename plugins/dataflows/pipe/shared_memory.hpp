// shared_memory.hpp: elements that a program leaves in files of /dev/shm, which it uses again and
// again.
#pragma once
#include <map>
#include <string>

#include "pipe/frame.hpp"

namespace piped {

// The files of one program, all of which begin with one prefix. A file is removed as soon as a
// frame names it; program and host go on using it.
class SharedMemory {
 public:
  SharedMemory();
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  const std::string& prefix() const { return prefix_; }
  // Copies the elements of a component; memory nullptr: they are not needed. The file is read and
  // not mapped, since a mapped file that the program makes shorter would kill this process. Throws
  // Error; place: for its message.
  void fill(const Component& component, void* memory, const std::string& place);
  // Lets the program use the files again whose components were filled since the last call.
  void give_back();

 private:
  struct File {
    int descriptor;
    bool is_used;
  };
  File& file_of(const std::string& name, const std::string& place);

  std::string prefix_;
  std::map<std::string, File> files_;
};

}  // namespace piped
