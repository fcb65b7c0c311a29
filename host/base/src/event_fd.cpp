// event_fd.cpp: an eventfd that never blocks.
#include "base/event_fd.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace broch::base {

EventFd::EventFd() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (descriptor_ < 0)
    throw Error(Exit::data, {.where = "eventfd",
                             .found = std::strerror(errno),
                             .expected = "a free file descriptor",
                             .hint = "raise the limit (ulimit -n) or close files"});
}

EventFd::~EventFd() { close(descriptor_); }

void EventFd::announce() const {
  const int error = errno;  // a signal handler must not change it
  eventfd_write(descriptor_, 1);
  errno = error;
}

void EventFd::clear() const {
  eventfd_t count;
  eventfd_read(descriptor_, &count);
}

}  // namespace broch::base
