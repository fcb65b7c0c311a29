// departure.cpp: plugins that end the process or fork it.
#include "abi/departure.hpp"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

#include "base/error.hpp"
#include "place.hpp"

namespace broch::abi {
namespace {

std::atomic<int> runs{0};
std::atomic<bool> forked{false};

void left_early(int status, void*) {
  if (forked) _exit(status);  // cleaning up is the parent's task
  const ThreadState& thread = thread_state();
  if (!in_plugin(thread) && runs == 0) return;
  Line line;
  line << "broch: exit was called";
  if (in_plugin(thread))
    name_place(line, thread);
  else
    line << " before the run ended, on a thread that was not announced";
  line.write();
  const bool early =
      thread.loading || (thread.top && !thread.top->announced && !thread.top->instance->created());
  _exit(static_cast<int>(early ? base::Exit::plugin : base::Exit::training));
}

// A call that the child is in is noticed when it returns: Entry::astray.
void mark_child() {
  ThreadState& thread = thread_state();
  if (!thread.top && runs == 0) return;
  forked = true;
  thread.top = nullptr;
}

}  // namespace

InRun::InRun() {
  static std::once_flag once;
  std::call_once(once, [] {
    on_exit(left_early, nullptr);
    pthread_atfork(nullptr, nullptr, mark_child);
  });
  ++runs;
}

InRun::~InRun() { --runs; }

bool in_forked_child() { return forked; }

void end_forked_child(const Instance& instance, const char* hook) {
  Line line;
  line << "broch: " << instance.label().c_str() << " came back from " << hook
       << " in a process that it had forked, file " << instance.spec().file.c_str()
       << ": that process ends, the run continues without it";
  line.write();
  _exit(static_cast<int>(base::Exit::training));
}

}  // namespace broch::abi
