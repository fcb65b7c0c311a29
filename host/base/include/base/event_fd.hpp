// event_fd.hpp: a descriptor that becomes readable when something has happened.
#pragma once

namespace broch::base {

class EventFd {
 public:
  EventFd();  // throws Error (Exit::data) if the process has no free descriptor
  ~EventFd();
  EventFd(const EventFd&) = delete;
  EventFd& operator=(const EventFd&) = delete;

  // Makes the descriptor readable until clear is called. Signal handlers can call it, too. [any]
  void announce() const;
  void clear() const;
  // For poll and its relatives; closed with this object.
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace broch::base
