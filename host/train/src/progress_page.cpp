// progress_page.cpp: maps an anonymous file twice.
#include "train/progress_page.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "base/error.hpp"

namespace broch::train {
namespace {

constexpr size_t kSize = sizeof(broch_progress);

void* map(int file, int protection) {
  void* const page = mmap(nullptr, kSize, protection, MAP_SHARED, file, 0);
  if (page != MAP_FAILED) return page;
  throw base::Error{base::Exit::memory,
                    {"the counters of the run", std::string("no memory: ") + std::strerror(errno),
                     "a page of it", "free memory"}};
}

}  // namespace

ProgressPage::ProgressPage() {
  const int file = memfd_create("broch-progress", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, kSize) != 0)
    throw base::Error{
        base::Exit::memory,
        {"the counters of the run", std::string("no memory: ") + std::strerror(errno),
         "a page of it", "free memory, or raise the limit of open files (ulimit -n)"}};
  own_ = new (map(file, PROT_READ | PROT_WRITE)) broch_progress{};
  lent_ = static_cast<const broch_progress*>(map(file, PROT_READ));
  close(file);
}

ProgressPage::~ProgressPage() {
  munmap(own_, kSize);
  munmap(const_cast<broch_progress*>(lent_), kSize);
}

}  // namespace broch::train
