// progress_page.cpp: maps anonymous files.
#include "monitors/progress_page.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "base/error.hpp"

namespace broch::monitors {
namespace {

constexpr size_t kSize = sizeof(broch_progress);

// At this address, or anywhere.
void* map(int file, int protection, void* at = nullptr) {
  void* const page = mmap(at, kSize, protection, MAP_SHARED | (at ? MAP_FIXED : 0), file, 0);
  if (page != MAP_FAILED) return page;
  throw base::Error{base::Exit::memory,
                    {"the counters of the run", std::string("no memory: ") + std::strerror(errno),
                     "a page of it", "free memory"}};
}

int make_file() {
  const int file = memfd_create("broch-progress", MFD_CLOEXEC);
  if (file >= 0 && ftruncate(file, kSize) == 0) return file;
  throw base::Error{base::Exit::memory,
                    {"the counters of the run", std::string("no memory: ") + std::strerror(errno),
                     "a page of it", "free memory, or raise the limit of open files (ulimit -n)"}};
}

}  // namespace

ProgressPage::ProgressPage()
    : file_(make_file()), own_(new (map(file_, PROT_READ | PROT_WRITE)) broch_progress{}) {}

ProgressPage::~ProgressPage() {
  for (const auto& [instance, view] : views_) {
    munmap(view.lent, kSize);
    if (view.own) munmap(view.own, kSize);
  }
  munmap(own_, kSize);
  close(file_);
}

ProgressPage::View& ProgressPage::view_of(const abi::Instance& instance) {
  View& view = views_[&instance];
  if (!view.lent) view.lent = map(file_, PROT_READ);
  return view;
}

const broch_progress* ProgressPage::lent(const abi::Instance& to) {
  const std::lock_guard lock(mutex_);
  return static_cast<const broch_progress*>(view_of(to).lent);
}

broch_progress& ProgressPage::separate(const abi::Instance& from) {
  const std::lock_guard lock(mutex_);
  View& view = view_of(from);
  const int file = make_file();
  view.own = new (map(file, PROT_READ | PROT_WRITE)) broch_progress{};
  map(file, PROT_READ, view.lent);
  close(file);
  return *static_cast<broch_progress*>(view.own);
}

}  // namespace broch::monitors
