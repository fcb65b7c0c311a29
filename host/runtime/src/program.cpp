// program.cpp: the current recorder of each thread.
#include "runtime/program.hpp"

#include <utility>

namespace broch::runtime {
namespace {

thread_local constinit Recorder* innermost = nullptr;

}  // namespace

Recording::Recording(Recorder& recorder) : outer_(std::exchange(innermost, &recorder)) {}
Recording::~Recording() { innermost = outer_; }
Recorder* Recording::current() { return innermost; }

}  // namespace broch::runtime
